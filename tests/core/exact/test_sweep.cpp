// Sweeps solve two levels without pair counts. They are compared with pair counts, and searches
// that use them with plain recursion.
#include "exact/sweep.hpp"

#include <string>

#include "exact/exact_solver.hpp"
#include "exhaustive.hpp"
#include "make_search.hpp"
#include "testing.hpp"

using namespace beamtree;

namespace {

/// Lanes of 16, 32 and 64 bits.
constexpr int kMaxWeights[] = {1, 9, 70'000, 1'000'000'000};

testing::OwnedProblem random_numbers(testing::Random& random, int trial) {
    if (trial % 7 == 6)  // features without an order
        return testing::random_problem(random, 150, 20, 3, kMaxWeights[trial / 2 % 4]);
    return testing::threshold_problem(random, 20 + random.below(200), 1 + random.below(6),
                                      2 + trial % 4, kMaxWeights[trial / 2 % 4]);
}

/// Numeric columns with as many different values as rows, and all their thresholds.
testing::OwnedProblem every_threshold(testing::Random& random, int rows, int numbers) {
    testing::OwnedProblem owned;
    owned.columns = numbers * (rows - 1);
    for (int i = 0; i < rows; ++i) {
        for (int j = 0; j < numbers; ++j) {
            const int x = j == 0 ? i : random.below(rows);
            for (int t = 0; t < rows - 1; ++t)
                owned.features.push_back(static_cast<std::uint8_t>(x > t));
        }
        owned.label.push_back((3 * i / rows + random.below(8) / 7) % 2);
        owned.weight.push_back(1);
    }
    return owned;
}

/// A dataset and all that the exact solver needs.
struct Setting {
    Setting(const Problem& problem, const Misclassification& goal, const PackingOptions& packing,
            const Kernel& instruction_set, const Options& settings)
        : objective(goal),
          data(problem, objective, packing),
          kernel(instruction_set),
          options(settings),
          limits({}, settings.hooks.stop_at_look),
          meter(limits, true),
          bottom(data, objective, kernel, options, cells, meter, statistics) {
        limits.run({}, 0);
    }
    Facts solve(const Node& node) {
        Facts facts;
        facts.improve(objective.leaf_cost(node.sums), kLeaf);
        bottom.solve(node, counts, {2, kAnyLeaves}, kInfiniteCost, facts);
        return facts;
    }
    /// Cost of the best tree of depth 2 that begins with each feature.
    std::vector<Cost> scores(const Node& node) {
        StoppableLoop loop(meter, work::kBetweenLooks);
        TwoLevelSolver solver(data, objective, kernel, loop, options);
        NodeCounts fresh;
        std::vector<Cost> found;
        with_lanes(node, [&](auto lane) {
            using T = decltype(lane);
            const auto optimum = solver.sweeps<T>(node, fresh)
                                     ? solver.sweep<T>(node, fresh, found)
                                     : solver.score<T>(node, fresh, found);
            EXPECT(optimum.has_value());
        });
        return found;
    }

    Misclassification objective;
    Dataset data;
    Kernel kernel;
    Options options;
    Limits limits;
    Meter meter;
    Statistics statistics;
    CellTable cells;
    ExactSolver bottom;
    NodeCounts counts;
};

Misclassification random_objective(testing::Random& random, int trial, int max_weight) {
    Misclassification objective;
    objective.unit = 1 + random.below(3);
    objective.penalty = random.below(2) ? random.below(6) : 0;
    objective.min_rows = 1 + (trial % 3 == 1 ? random.below(8) : 0);
    objective.rows_are_weight = max_weight == 1;
    return objective;
}

/// Returns the root, or one side of a split of the root.
Node random_node(testing::Random& random, const Dataset& data, const Kernel& kernel) {
    Node root;
    root.make_root(data);
    if (root.features == 0 || random.below(2) == 0) return root;
    Node child;
    Selection selection;
    const int f = random.below(root.features);
    const bool one = random.below(2) == 0;
    const CoverHash hash = root.cover.hash_of_side(data.hasher(), data.column(f));
    child.make_child(data, root, f, one, one ? hash : root.hash - hash, selection, kernel,
                     [](int) { return true; });
    return child;
}

void chains_tell_the_features_of_every_row() {
    int longest = 0;
    testing::Trials trials(50, 100);
    for (auto& [random, trial] : trials) {
        const auto owned = random_numbers(random, trial);
        const Setting setting(owned.view(), {}, {}, available_kernels()[0], {});
        const Node node = random_node(random, setting.data, setting.kernel);
        Limits limits({});
        limits.run({}, 0);
        Meter meter(limits, true);
        StoppableLoop loop(meter, work::kBetweenLooks);
        Chains chains;
        EXPECT(chains.find(node, node.words, loop));
        EXPECT(chains.list(node, node.words, loop));
        int next = 0;
        for (const Chain& chain : chains.all()) {
            EXPECT(chain.begin == next && chain.end > next);
            next = chain.end;
            longest = std::max(longest, chain.length());
        }
        EXPECT(next == node.features);
        std::int64_t ranges = 0;
        for (int row = 0; row < node.words * kWordBits; ++row) {
            std::vector<bool> has(node.features, false);
            for (int r = 0; r < chains.count_of(row); ++r, ++ranges) {
                const Range range = chains.ranges_of(row)[r];
                EXPECT(range.begin < range.end);
                for (int f = range.begin; f < range.end; ++f) has[f] = true;
            }
            for (int f = 0; f < node.features; ++f) {
                const Word word = node.column(f)[row / kWordBits];
                EXPECT(has[f] == ((word >> row % kWordBits & 1) != 0));
            }
        }
        EXPECT(ranges == chains.ranges());
    }
    if (trials.complete()) EXPECT(longest > 10);
}

/// Both find the same facts, and the same score of every feature.
void a_sweep_finds_what_pair_counts_find() {
    for (auto& [random, trial] : testing::Trials(51, 250)) {
        const auto owned = random_numbers(random, trial);
        const Misclassification objective =
            random_objective(random, trial, kMaxWeights[trial / 2 % 4]);
        const PackingOptions packing{random.below(2) > 0, random.below(2) > 0, random.below(2) > 0,
                                     random.below(2) > 0};
        const auto kernels = available_kernels();
        const Kernel& kernel = kernels[trial % kernels.size()];
        Options options;
        options.ablations.sweep = "never";
        Setting counted(owned.view(), objective, packing, kernel, options);
        options.ablations.sweep = "always";
        Setting swept(owned.view(), objective, packing, kernel, options);
        for (int i = 0; i < 3; ++i) {
            const Node node = random_node(random, counted.data, kernel);
            const Cost leaf = objective.leaf_cost(node.sums);
            if (node.features == 0 || objective.closed(leaf, node.rows)) continue;
            const Facts expected = counted.solve(node), found = swept.solve(node);
            EXPECT(counted.counts.counted());
            EXPECT(!swept.counts.counted());
            EXPECT(!swept.counts.holds_pairs());
            EXPECT(found.lower == expected.lower && found.upper == expected.upper);
            EXPECT(found.split == expected.split);
            EXPECT(found.solved());
            EXPECT(swept.scores(node) == counted.scores(node));
            EXPECT(swept.cells.find(node.hash.key()) == counted.cells.find(node.hash.key()));
        }
    }
}

/// A sweep that is stopped finds no facts, and the next one finds all of them.
void a_sweep_stops_at_every_look() {
    std::int64_t looks = 0;
    testing::Trials trials(52, 6);
    for (auto& [random, trial] : trials) {
        const auto owned =
            testing::threshold_problem(random, 40, 4, 2 + trial % 3, kMaxWeights[trial % 4]);
        const Misclassification objective = random_objective(random, trial, kMaxWeights[trial % 4]);
        const auto kernels = available_kernels();
        const Kernel& kernel = kernels[trial % kernels.size()];
        Options options;
        options.ablations.sweep = "never";
        Setting counted(owned.view(), objective, {}, kernel, options);
        Node root;
        root.make_root(counted.data);
        const Facts expected = counted.solve(root);
        options.ablations.sweep = "always";
        bool stopped = true;
        for (options.hooks.stop_at_look = 1; stopped; ++options.hooks.stop_at_look) {
            Setting swept(owned.view(), objective, {}, kernel, options);
            Facts found = swept.solve(root);
            stopped = swept.limits.stopped();
            while (!found.solved()) {
                EXPECT(swept.limits.stopped());
                EXPECT(found.lower == 0);
                EXPECT(found.upper == objective.leaf_cost(root.sums));
                EXPECT(swept.cells.find(root.hash.key()) == -1);
                swept.limits.run({}, 0);
                found = swept.solve(root);
            }
            EXPECT(found.lower == expected.lower && found.upper == expected.upper);
            EXPECT(found.split == expected.split);
        }
        looks += options.hooks.stop_at_look;
    }
    if (trials.complete()) EXPECT(looks > 600);
}

/// Sweeps are chosen if there are many ordered features, or if there is no memory for pair counts.
void it_sweeps_where_it_pays() {
    testing::Random random(55);
    const auto numbers = every_threshold(random, 200, 2);
    const auto noise = testing::random_problem(random, 200, 300, 2, 1);
    const auto few = testing::threshold_problem(random, 200, 3, 2, 1);
    const auto sweeps = [](const testing::OwnedProblem& owned, std::size_t pair_bytes) {
        Setting setting(owned.view(), {}, {}, available_kernels()[0], {});
        setting.bottom.set_bytes(0, pair_bytes);
        Node root;
        root.make_root(setting.data);
        EXPECT(setting.solve(root).solved());
        return !setting.counts.counted();
    };
    EXPECT(sweeps(numbers, TwoLevelSolver::kAnyBytes));
    EXPECT(!sweeps(noise, TwoLevelSolver::kAnyBytes));
    EXPECT(!sweeps(few, TwoLevelSolver::kAnyBytes));
    EXPECT(sweeps(noise, 100'000));
    EXPECT(sweeps(few, 100));
}

void searches_over_thresholds_are_exact() {
    for (auto& [random, trial] : testing::Trials(53, 200)) {
        const auto owned =
            testing::threshold_problem(random, 5 + random.below(50), 1 + random.below(3),
                                       2 + random.below(3), kMaxWeights[trial % 4]);
        const Problem problem = owned.view();
        Options options = testing::random_options(random, trial);
        options.max_depth = 2 + trial % 2;
        options.exact_levels = 2 + random.below(2);
        options.ablations.sweep = "always";
        const auto search = make_search(problem, options, testing::random_rule(random));
        const Outcome outcome = search->run();
        EXPECT(!search->failure());
        EXPECT(outcome.status == Status::kOptimal);
        EXPECT(outcome.cost ==
               testing::Exhaustive(problem, options)
                   .best(low_bits(static_cast<int>(problem.rows)), options.max_depth));
    }
}

/// Two levels of many features are solved in less memory than their pair counts would need.
void little_memory_is_enough() {
    testing::Random random(54);
    const auto owned = every_threshold(random, 300, 5);
    Options options;
    options.max_depth = 2;
    const Cost best = make_search(owned.view(), options)->run().cost;
    options.memory = 6 << 20;  // three matrices of pair counts are 12 MB
    const Outcome outcome = make_search(owned.view(), options)->run();
    EXPECT(outcome.status == Status::kOptimal);
    EXPECT(outcome.cost == best);
    options.ablations.sweep = "never";
    EXPECT(make_search(owned.view(), options)->run().status == Status::kMemoryLimit);
    options.memory = std::numeric_limits<std::int64_t>::max();
    EXPECT(make_search(owned.view(), options)->run().cost == best);
    options.ablations.sweep = "sometimes";
    std::string message;
    try {
        make_search(owned.view(), options);
    } catch (const std::invalid_argument& error) {
        message = error.what();
    }
    EXPECT(message == "sweep must be one of auto, always, never, got 'sometimes'");
}

}  // namespace

int main() {
    chains_tell_the_features_of_every_row();
    a_sweep_finds_what_pair_counts_find();
    a_sweep_stops_at_every_look();
    it_sweeps_where_it_pays();
    searches_over_thresholds_are_exact();
    little_memory_is_enough();
    return testing::report();
}
