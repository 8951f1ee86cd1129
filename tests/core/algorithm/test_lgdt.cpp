// LGDT is compared with cases that were worked out by hand, and on random problems with a slow and
// obvious implementation of a few lines.
#include <algorithm>
#include <vector>

#include "exhaustive.hpp"
#include "make_search.hpp"
#include "testing.hpp"

using namespace beamtree;

namespace {

/// The class is the parity of three bits. With `decoy` there is a first column that agrees with the
/// class except in the rows 000 and 111.
testing::OwnedProblem parity(bool decoy) {
    testing::OwnedProblem owned;
    owned.columns = decoy ? 4 : 3;
    for (int row = 0; row < 8; ++row) {
        const int label = popcount(static_cast<Word>(row)) % 2;
        const bool wrong = row == 0 || row == 7;
        if (decoy) owned.features.push_back(static_cast<std::uint8_t>(wrong ? 1 - label : label));
        for (const int bit : {4, 2, 1}) owned.features.push_back((row & bit) != 0);
        owned.label.push_back(label);
        owned.weight.push_back(1);
    }
    return owned;
}

Options plain(int max_depth) {
    Options options;
    options.algorithm = "lgdt";
    options.ablations.greedy = false;
    options.max_depth = max_depth;
    return options;
}

/// No tree of two levels has fewer errors than the leaf, which has 4. So the first feature is
/// taken, and two levels solve each side without errors, which proves the tree optimal.
void it_splits_where_two_levels_do_not_pay() {
    const auto owned = parity(false);
    const Outcome outcome = make_search(owned.view(), plain(3))->run();
    EXPECT(outcome.cost == 0 && outcome.status == Status::kOptimal);
    EXPECT(outcome.tree.feature[0] == 0 && outcome.tree.leaves() == 8);
    EXPECT(outcome.trace.size() == 2 && outcome.trace[0].cost == 4);
    EXPECT(outcome.statistics.nodes == 3);  // the root and its two sides
}

/// With the decoy d, trees of two levels have at least 2 errors: either d comes first, and one row
/// of four is wrong on each side whatever the next split is; or a bit comes first, and then d. The
/// tie goes to d, the first column. Below d the rows 011, 101 and 110 must be separated from 111
/// (and 000 from 001, 010 and 100). That takes three levels, so that with two levels one error is
/// left on each side. So LGDT has 2 errors, while a tree of the bits alone has none.
void the_first_split_may_be_wrong() {
    const auto owned = parity(true);
    const Outcome outcome = make_search(owned.view(), plain(3))->run();
    EXPECT(outcome.cost == 2 && outcome.lower == 0 && outcome.status == Status::kRuleLimit);
    EXPECT(outcome.tree.feature[0] == 0);
    Options complete = plain(3);
    complete.algorithm = "restarts";
    EXPECT(make_search(owned.view(), complete)->run().cost == 0);
}

/// Trees of at most two levels are solved exactly.
void two_levels_are_proved() {
    for (auto& [random, trial] : testing::Trials(51, 100)) {
        const auto owned = testing::random_problem(random, 30, 8, 3, 4);
        Options options = plain(trial % 3);
        const Outcome outcome = make_search(owned.view(), options)->run();
        EXPECT(outcome.status == Status::kOptimal && outcome.lower == outcome.cost);
        const std::uint64_t all = low_bits(30);
        EXPECT(outcome.cost ==
               testing::Exhaustive(owned.view(), options).best(all, options.max_depth));
    }
}

/// LGDT, slow and obvious.
class Slow {
  public:
    Slow(const Problem& problem, const Options& options)
        : problem_(problem), options_(options), best_(problem, options) {}

    Cost grow(std::uint64_t rows, int depth) {
        if (depth <= 2) return best_.best(rows, depth);
        Cost least = kInfiniteCost, cost = kInfiniteCost;
        for (int f = 0; f < problem_.columns; ++f) {
            std::uint64_t one = 0;
            for (int i = 0; i < problem_.rows; ++i)
                if (rows >> i & 1 && problem_.row(i)[f]) one |= std::uint64_t{1} << i;
            const std::uint64_t zero = rows & ~one;
            if (best_.counted(one) < options_.min_samples_leaf ||
                best_.counted(zero) < options_.min_samples_leaf)
                continue;
            const Cost two_levels = best_.best(one, 1) + best_.best(zero, 1);
            if (two_levels >= least) continue;
            least = two_levels;
            cost = grow(one, depth - 1) + grow(zero, depth - 1) + options_.penalty;
        }
        return std::min(cost, best_.best(rows, 0));
    }

  private:
    const Problem& problem_;
    const Options& options_;
    testing::Exhaustive best_;
};

void lgdt_is_what_it_says() {
    int worse = 0;
    testing::Trials trials(52, 1000);
    for (auto& [random, trial] : trials) {
        const int max_weight = trial % 3 == 0 ? 1 : trial % 3 == 1 ? 9 : 70000;
        const auto owned = testing::random_problem(
            random, 1 + random.below(40), 1 + random.below(10), 2 + random.below(3), max_weight);
        const Problem problem = owned.view();
        Options options = testing::random_options(random, trial);
        options.algorithm = "lgdt";
        options.ablations.greedy = false;
        const std::uint64_t all = low_bits(static_cast<int>(problem.rows));
        const Cost optimum = testing::Exhaustive(problem, options).best(all, options.max_depth);
        const auto search = make_search(problem, options);
        const Outcome outcome = search->run();
        EXPECT(!search->failure() && search->done());
        EXPECT(outcome.cost == Slow(problem, options).grow(all, options.max_depth));
        EXPECT(outcome.lower <= optimum && optimum <= outcome.cost);
        EXPECT(outcome.status ==
               (outcome.lower == outcome.cost ? Status::kOptimal : Status::kRuleLimit));
        worse += outcome.cost > optimum;
    }
    if (trials.complete()) EXPECT(worse > 20);
}

/// A run that stops early leaves the remaining nodes as leaves; a run without limits completes the
/// tree.
void limits_leave_a_tree() {
    for (auto& [random, trial] : testing::Trials(53, 200)) {
        const auto owned = testing::random_problem(random, 20 + random.below(40), 8, 2, 9);
        Options options = plain(3 + random.below(3));
        const Outcome whole = make_search(owned.view(), options)->run();
        const auto search = make_search(owned.view(), options);
        Outcome outcome = search->run({1e9, 1 + random.below(6)});
        EXPECT(outcome.status == Status::kNodeLimit || search->done());
        EXPECT(outcome.cost >= whole.cost);
        outcome = search->run();
        EXPECT(outcome.cost == whole.cost && outcome.status == whole.status);

        options.hooks.stop_at_look = 1 + random.below(30);
        const auto stopped = make_search(owned.view(), options);
        do {
            outcome = stopped->run();
            EXPECT(outcome.cost >= whole.cost);
        } while (outcome.status == Status::kTimeLimit);
        EXPECT(outcome.cost == whole.cost && outcome.status == whole.status);
    }
}

}  // namespace

int main() {
    it_splits_where_two_levels_do_not_pay();
    the_first_split_may_be_wrong();
    two_levels_are_proved();
    lgdt_is_what_it_says();
    limits_leave_a_tree();
    return testing::report();
}
