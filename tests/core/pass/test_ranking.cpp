// The order of the features of a node is compared with gains and trees that are computed the slow
// way.
#include "pass/ranking.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "exhaustive.hpp"
#include "heuristic/error.hpp"
#include "heuristic/gain_ratio.hpp"
#include "heuristic/gini.hpp"
#include "heuristic/information_gain.hpp"
#include "testing.hpp"

using namespace beamtree;

namespace {

/// A problem whose root is ranked, with everything that the ranking needs.
struct Ranked {
    Ranked(testing::OwnedProblem rows, const Options& settings, Heuristic heuristic)
        : owned(std::move(rows)),
          problem(owned.view()),
          options(settings),
          objective{options.unit, options.penalty, options.min_samples_leaf, false},
          data(problem, objective,
               {false}),  // without cancelled rows, which would be missing in the costs
          limits({}, options.hooks.stop_at_look),
          shared(data, objective, kernel, options, limits, {}),
          work(shared, {}, 0),
          ranking(work, heuristic) {
        root.make_root(data);
        limits.run({}, 0);
    }
    /// Returns the columns of the problem in the order of the ranking.
    std::vector<int> rank(int depth, const PassMode& mode = {}) {
        facts = {};
        three_levels = ranking.rank(root, {depth, kAnyLeaves}, mode, facts);
        std::vector<int> columns;
        for (const int f : work.buffers[depth].ranked.order) columns.push_back(column_of(f));
        return columns;
    }
    int column_of(int f) const { return data.original(root.feature[f]); }
    int features() const { return root.features; }

    /// Returns the rows of the problem in which a column is 1, or 0.
    std::uint64_t side(int column, bool one) const {
        std::uint64_t rows = 0;
        for (int i = 0; i < problem.rows; ++i)
            if ((problem.row(i)[column] != 0) == one) rows |= std::uint64_t{1} << i;
        return rows;
    }
    std::vector<std::int64_t> class_weights(std::uint64_t rows) const {
        std::vector<std::int64_t> weights(problem.classes, 0);
        for (int i = 0; i < problem.rows; ++i)
            if (rows >> i & 1) weights[problem.label[i]] += problem.weight[i];
        return weights;
    }
    /// Returns the least cost of a tree of that depth whose first split is the column.
    Cost best_with(int column, int depth) const {
        testing::Exhaustive exhaustive(problem, options);
        return exhaustive.best(side(column, true), depth - 1) +
               exhaustive.best(side(column, false), depth - 1) + options.penalty;
    }

    testing::OwnedProblem owned;
    Problem problem;
    Options options;
    Misclassification objective;
    Dataset data;
    Kernel kernel = select_kernel("auto");
    Limits limits;
    Shared shared;
    Workspace work;
    Ranking ranking;
    Node root;
    Facts facts;
    Cost three_levels = -1;
};

testing::OwnedProblem random_rows(testing::Random& random, int trial) {
    return testing::random_problem(random, 20 + random.below(40), 3 + random.below(8),
                                   2 + random.below(2), trial % 2 ? 1 : 9);
}

Options some_options(testing::Random& random, int trial) {
    Options options;
    options.max_depth = 6;
    options.min_samples_leaf = trial % 3 == 0 ? 1 + random.below(6) : 1;
    options.penalty = random.below(3);
    return options;
}

using GainFunction = double (*)(const SplitWeights&);

/// The order has exactly the features whose two sides are large enough, by decreasing gain. Equal
/// gains are ordered by index.
void gains_make_the_order(Heuristic heuristic, GainFunction gain) {
    for (auto& [random, trial] : testing::Trials(1, 100)) {
        Ranked ranked(random_rows(random, trial), some_options(random, trial), heuristic);
        const auto total = ranked.class_weights(low_bits(static_cast<int>(ranked.problem.rows)));
        std::vector<std::pair<std::int64_t, int>> expected;
        for (int f = 0; f < ranked.features(); ++f) {
            const int column = ranked.column_of(f);
            const std::uint64_t sides[2] = {ranked.side(column, true), ranked.side(column, false)};
            if (std::min(popcount(sides[0]), popcount(sides[1])) < ranked.options.min_samples_leaf)
                continue;
            const auto one = ranked.class_weights(sides[0]), zero = ranked.class_weights(sides[1]);
            expected.push_back(
                {-std::llround(std::ldexp(
                     gain({ranked.problem.classes, total.data(), one.data(), zero.data()}), 40)),
                 column});
        }
        std::sort(expected.begin(), expected.end());
        const std::vector<int> order = ranked.rank(1 + random.below(6));
        EXPECT(order.size() == expected.size());
        for (std::size_t i = 0; i < order.size() && i < expected.size(); ++i)
            EXPECT(order[i] == expected[i].second);
        if (!expected.empty())
            for (const NodeBuffers& buffers : ranked.work.buffers)
                EXPECT(buffers.ranked.order.empty() ||
                       buffers.ranked.best_gain == -expected[0].first);
    }
}

void the_given_order_is_kept() {
    for (auto& [random, trial] : testing::Trials(2, 50)) {
        Ranked ranked(random_rows(random, trial), some_options(random, trial), Heuristic::kGiven);
        const std::vector<int> order = ranked.rank(1 + random.below(6));
        EXPECT(std::is_sorted(order.begin(), order.end()));
    }
}

/// Below the root, probes try the splits first whose smaller side has the most rows.
void probes_try_balanced_splits_first() {
    for (auto& [random, trial] : testing::Trials(7, 100)) {
        Ranked ranked(random_rows(random, trial), some_options(random, trial), Heuristic::kAuto);
        const int depth = 1 + random.below(5);
        std::vector<std::pair<std::int64_t, int>> expected;
        for (const int column : ranked.rank(depth)) {
            std::int64_t rows[2] = {0, 0};
            for (const bool one : {false, true}) {
                const std::uint64_t side = ranked.side(column, one);
                if (ranked.objective.has_minimum())
                    rows[one] = popcount(side);
                else
                    for (const std::int64_t weight : ranked.class_weights(side))
                        rows[one] += weight;
            }
            expected.emplace_back(-std::min(rows[0], rows[1]), column);
        }
        std::sort(expected.begin(), expected.end());
        const std::vector<int> order = ranked.rank(depth, {true, PassMode::kAllFeatures});
        EXPECT(order.size() == expected.size());
        for (std::size_t i = 0; i < order.size() && i < expected.size(); ++i)
            EXPECT(order[i] == expected[i].second);
    }
}

/// The score of a feature is the least cost of a tree of two levels that begins with it. Where four
/// levels or more are left, three levels are solved, and the scores are of such trees, except of
/// features that need not be tried because an earlier one proves to be the best.
void lookahead_is_the_cost_of_small_trees() {
    int exact = 0, all = 0;
    testing::Trials trials(3, 150);
    for (auto& [random, trial] : trials) {
        Ranked ranked(random_rows(random, trial), some_options(random, trial),
                      Heuristic::kLookahead);
        const int depth = 2 + random.below(5);
        ranked.rank(depth);
        const NodeBuffers& buffers = ranked.work.buffers[depth];
        Cost before = 0;
        std::int64_t gain_before = 0;
        for (const int f : buffers.ranked.order) {
            const Cost score = buffers.ranked.score[f],
                       two = ranked.best_with(ranked.column_of(f), 2);
            const Cost three = ranked.best_with(ranked.column_of(f), 3);
            EXPECT(depth < 4 ? score == two : three <= score && score <= two);
            EXPECT(before <= score && (before < score || gain_before >= buffers.ranked.gain[f]));
            before = score;
            gain_before = buffers.ranked.gain[f];
            if (depth >= 4) exact += score == three;
            if (depth >= 4) ++all;
        }
        testing::Exhaustive exhaustive(ranked.problem, ranked.options);
        EXPECT(
            ranked.three_levels ==
            (depth < 4 ? -1 : exhaustive.best(low_bits(static_cast<int>(ranked.problem.rows)), 3)));
    }
    if (trials.complete()) EXPECT(exact > all * 3 / 4);
}

/// From five levels on "auto" takes features by turns from the order by score and that by gain.
void auto_takes_turns() {
    for (auto& [random, trial] : testing::Trials(4, 100)) {
        const auto rows = random_rows(random, trial);
        const Options options = some_options(random, trial);
        const int depth = 1 + random.below(6);
        const auto order = [&](Heuristic heuristic) {
            return Ranked(rows, options, heuristic).rank(depth);
        };
        const std::vector<int> by_score = order(Heuristic::kLookahead),
                               by_gain = order(Heuristic::kInformationGain),
                               both = order(Heuristic::kAuto);
        std::vector<int> expected;
        for (std::size_t i = 0; i < by_score.size(); ++i)
            for (const int column : {by_score[i], by_gain[i]})
                if (std::find(expected.begin(), expected.end(), column) == expected.end())
                    expected.push_back(column);
        EXPECT(both == (depth < 5 ? by_score : expected));
    }
}

/// If the cache knows trees of both children, they give an upper bound and a better score.
void known_children_count() {
    for (auto& [random, trial] : testing::Trials(5, 100)) {
        Options options = some_options(random, trial);
        options.ablations.relearn = trial % 4 != 0;
        Ranked ranked(random_rows(random, trial), options, Heuristic::kLookahead);
        constexpr int kDepth = 5;
        const std::vector<int> before = ranked.rank(kDepth);
        if (before.empty()) continue;
        EXPECT(ranked.facts.upper == kInfiniteCost);
        const int f =
            ranked.work.buffers[kDepth].ranked.order[random.below(static_cast<int>(before.size()))];
        const Cost score = ranked.work.buffers[kDepth].ranked.score[f];
        const CoverHash hash = ranked.work.buffers[kDepth].child.hash_one[f];
        testing::Exhaustive exhaustive(ranked.problem, options);
        const Cost one = exhaustive.best(ranked.side(ranked.column_of(f), true), kDepth - 1),
                   zero = exhaustive.best(ranked.side(ranked.column_of(f), false), kDepth - 1),
                   leaf = exhaustive.best(ranked.side(ranked.column_of(f), true), 0);
        const auto child_facts = [&] {
            return ranked.ranking.child_facts(ranked.root, {kDepth, kAnyLeaves}, f, true,
                                              kAnyLeaves);
        };
        EXPECT(child_facts().upper == leaf && child_facts().lower <= one);
        ranked.work.cache.merge(hash.key(), kDepth - 1, {0, one, kLeaf});
        ranked.rank(kDepth);
        EXPECT(ranked.facts.upper == kInfiniteCost);  // one child is not enough
        ranked.work.cache.merge((ranked.root.hash - hash).key(), kDepth - 1, {0, zero, kLeaf});
        ranked.rank(kDepth);
        const Cost upper = one + zero + options.penalty;
        EXPECT(ranked.facts.upper == upper && ranked.facts.split == ranked.root.feature[f]);
        EXPECT(ranked.work.buffers[kDepth].ranked.score[f] ==
               (options.ablations.relearn ? std::min(score, upper) : score));
        EXPECT(child_facts().upper == one && child_facts().lower <= one);
    }
}

/// After a ranking was stopped anywhere, the next one has the right order.
void a_stopped_ranking_is_made_again() {
    std::int64_t stops = 0;
    testing::Trials trials(6, 30);
    for (auto& [random, trial] : trials) {
        const auto rows = random_rows(random, trial);
        Options options = some_options(random, trial);
        const Heuristic heuristic = trial % 2 ? Heuristic::kAuto : Heuristic::kLookahead;
        const int depth = 2 + random.below(5);
        Ranked straight(rows, options, heuristic);
        const std::vector<int> order = straight.rank(depth);
        bool stopped = true;
        for (options.hooks.stop_at_look = 1; stopped; ++options.hooks.stop_at_look) {
            Ranked ranked(rows, options, heuristic);
            std::vector<int> found = ranked.rank(depth);
            stopped = ranked.limits.stopped();
            while (ranked.limits.stopped()) {
                EXPECT(ranked.three_levels == -1);
                ranked.limits.run({}, 0);
                found = ranked.rank(depth);
            }
            EXPECT(found == order && ranked.three_levels == straight.three_levels);
            stops += stopped;
        }
    }
    if (trials.complete()) EXPECT(stops > 300);
}

}  // namespace

int main() {
    gains_make_the_order(Heuristic::kInformationGain, &InformationGain::gain);
    gains_make_the_order(Heuristic::kGainRatio, &GainRatio::gain);
    gains_make_the_order(Heuristic::kGini, &Gini::gain);
    gains_make_the_order(Heuristic::kError, &Error::gain);
    the_given_order_is_kept();
    probes_try_balanced_splits_first();
    lookahead_is_the_cost_of_small_trees();
    auto_takes_turns();
    known_children_count();
    a_stopped_ranking_is_made_again();
    return testing::report();
}
