// Blossom is compared with cases that were worked out by hand, and on random problems with plain
// recursion over all trees.
#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "exhaustive.hpp"
#include "make_search.hpp"
#include "streams.hpp"
#include "testing.hpp"

using namespace beamtree;

namespace {

/// Options with only the bounds of the authors, and without kernels.
Options plain(int max_depth) {
    Options options;
    options.algorithm = "blossom";
    options.ablations.greedy = false;
    options.exact_levels = 0;
    options.max_depth = max_depth;
    options.ablations.cancel_rows = options.ablations.merge_rows =
        options.ablations.unavoidable_bound = false;
    return options;
}

/// Adds `rows` rows with these features and this class.
void add(testing::OwnedProblem& owned, int rows, const std::vector<std::uint8_t>& features,
         int label) {
    owned.columns = static_cast<int>(features.size());
    for (int i = 0; i < rows; ++i) {
        owned.features.insert(owned.features.end(), features.begin(), features.end());
        owned.label.push_back(label);
        owned.weight.push_back(1);
    }
}

std::vector<Cost> costs(const Outcome& outcome) {
    std::vector<Cost> found;
    for (const TraceRow& row : outcome.trace) found.push_back(row.cost);
    return found;
}

/// Two halves A (h = 0) and B (h = 1) of ten rows each; B is A with the classes exchanged.
///
///     A:  f g  class 0  class 1         leaf: 3 errors
///         1 0     4        0            by f: f = 1 has 4 | 0, f = 0 has 3 | 3: 3 errors
///         0 1     1        2            by g: g = 1 has 1 | 2, g = 0 has 6 | 1: 2 errors
///         0 0     2        1            gains: f 0.281 bits, g 0.191 bits
///
/// At the root h gains 0.119 bits, f and g nothing. So, in two levels without kernels:
///  1. The leaf costs 10.
///  2. The root is split by h, A and B by f: this is the first complete tree, the greedy one.
///  Neither
///     split by f lowers the cost, which is 3 + 3 = 6. Three nodes were expanded.
///  3. B was expanded last. Its next feature, g, has cost 2, so the tree costs 5. B has no further
///     feature (h is constant there), so it is settled.
///  4. In A, g has cost 2, so the tree costs 4. A is settled, and with it the root's split by h.
///  5. The root is split by f: the side f = 1 has 4 | 4, which h splits without an error; the side
///  f = 0
///     has 6 | 6, where neither h (3 | 3 in each half) nor g (3 | 3 on each side) helps. The cost,
///     6, is not better than 4.
///  6. The root is split by g: the side g = 1 has 3 | 3, and h leaves 1 + 1 errors; the side g = 0
///  has
///     7 | 7, and h leaves 1 + 1 errors. The cost, 4, is not better. The root is settled: 4 is the
///     optimum.
testing::OwnedProblem two_halves() {
    testing::OwnedProblem owned;
    for (const int half : {0, 1}) {
        const auto h = static_cast<std::uint8_t>(half);
        add(owned, 4, {h, 1, 0}, half);
        add(owned, 1, {h, 0, 1}, half);
        add(owned, 2, {h, 0, 1}, 1 - half);
        add(owned, 2, {h, 0, 0}, half);
        add(owned, 1, {h, 0, 0}, 1 - half);
    }
    return owned;
}

void trees_come_in_their_order() {
    const auto owned = two_halves();
    const auto search = make_search(owned.view(), plain(2));
    EXPECT(search->next() && search->outcome().cost == 10);
    EXPECT(search->next() && search->outcome().cost == 6);
    EXPECT(search->outcome().tree.feature == std::vector<std::int32_t>({0, -1, -1}));
    EXPECT(search->outcome().statistics.nodes == 3);
    EXPECT(search->next() && search->outcome().cost == 5);
    EXPECT(search->outcome().tree.feature == std::vector<std::int32_t>({0, -1, 2, -1, -1}));
    EXPECT(search->next() && search->outcome().cost == 4);
    EXPECT(search->outcome().tree.feature == std::vector<std::int32_t>({0, 2, -1, -1, 2, -1, -1}));
    EXPECT(search->outcome().statistics.nodes == 3);
    const Outcome outcome = search->run();
    EXPECT(outcome.status == Status::kOptimal && outcome.cost == 4 && outcome.lower == 4);
    EXPECT(outcome.statistics.nodes == 7);
}

/// Kernels solve the last level, or both: a bud is solved when it is expanded. So the best splits
/// of A and of B are found at once, with a cost of 2 + 2. When the root is split by f, the side f =
/// 0 alone costs 6, more than the best tree, so that the side f = 1 is not expanded: one node less.
void kernels_settle_buds_at_once() {
    const auto owned = two_halves();
    Options options = plain(2);
    options.exact_levels = 1;
    const Outcome last = make_search(owned.view(), options)->run();
    EXPECT(costs(last) ==
           std::vector<Cost>({10, 4, 4}));  // the third row is an improvement of the bound
    EXPECT(last.status == Status::kOptimal && last.statistics.nodes == 6);
    options.exact_levels = 2;
    const Outcome both = make_search(owned.view(), options)->run();
    EXPECT(costs(both) == std::vector<Cost>({10, 4}));
    EXPECT(both.status == Status::kOptimal && both.statistics.nodes == 1);
}

/// The class is the exclusive or of a and b; c agrees with it in six of eight rows.
///
///     a b c  class       by c: 3 | 1 and 1 | 3: 2 errors, the only gain
///     0 0 0   0 0        below c = 0 and c = 1 one error is left whatever the split
///     0 1 1   1 1
///     1 0 1   1          The leaf costs 4; root by c: 2, the greedy tree. Both sides are settled
///     1 0 0   1          after their features. Then a, the next of equal gain 0: both its sides
///     1 1 0   0          split by b without an error: 0. Nothing can be better: b is not tried.
///     1 1 1   0
void a_tree_without_errors_ends_it() {
    testing::OwnedProblem owned;
    add(owned, 2, {0, 0, 0}, 0);
    add(owned, 2, {0, 1, 1}, 1);
    add(owned, 1, {1, 0, 1}, 1);
    add(owned, 1, {1, 0, 0}, 1);
    add(owned, 1, {1, 1, 0}, 0);
    add(owned, 1, {1, 1, 1}, 0);
    const Outcome outcome = make_search(owned.view(), plain(2))->run();
    EXPECT(costs(outcome) == std::vector<Cost>({4, 2, 0}));
    EXPECT(outcome.status == Status::kOptimal);
    EXPECT(outcome.tree.feature == std::vector<std::int32_t>({0, 1, -1, -1, 1, -1, -1}));
    EXPECT(outcome.statistics.nodes == 5);  // the root, the sides of c and those of a
}

/// A random problem with random options.
struct Trial {
    testing::OwnedProblem owned;
    Problem problem;
    Options options;
    Cost optimum = 0;

    Trial(testing::Random& random, int number) {
        const int max_weight = number % 3 == 0 ? 1 : number % 3 == 1 ? 9 : 70000;
        owned = testing::random_problem(random, 1 + random.below(40), 1 + random.below(10),
                                        2 + random.below(3), max_weight);
        problem = owned.view();
        options = testing::random_options(random, number);
        options.max_depth = random.below(5);
        options.algorithm = "blossom";
        options.threads = 1 + random.below(2);
        optimum = testing::Exhaustive(problem, options)
                      .best(low_bits(static_cast<int>(problem.rows)), options.max_depth);
    }
    void expect_truth(const Outcome& outcome) const {
        EXPECT(outcome.lower <= optimum && optimum <= outcome.cost);
        for (std::size_t i = 1; i < outcome.trace.size(); ++i) {
            EXPECT(outcome.trace[i].cost <= outcome.trace[i - 1].cost);
            EXPECT(outcome.trace[i].lower >= outcome.trace[i - 1].lower);
        }
    }
    void expect_proof(const Outcome& outcome) const {
        expect_truth(outcome);
        EXPECT(outcome.status == Status::kOptimal);
        EXPECT(outcome.cost == optimum && outcome.lower == optimum);
    }
};

void blossom_agrees_with_enumeration() {
    for (auto& [random, number] : testing::Trials(41, 1500)) {
        const Trial trial(random, number);
        const auto search = make_search(trial.problem, trial.options);
        trial.expect_proof(search->run());
        EXPECT(!search->failure());
    }
}

/// The limits are 1, 2, 3, ... nodes, and each run goes on where the last one stopped.
void node_limits_stop_it_everywhere() {
    for (auto& [random, number] : testing::Trials(42, 150)) {
        const Trial trial(random, number);
        const auto search = make_search(trial.problem, trial.options);
        Outcome outcome = search->run({1e9, 1});
        for (std::int64_t nodes = 2; outcome.status == Status::kNodeLimit; ++nodes) {
            trial.expect_truth(outcome);
            outcome = search->run({1e9, nodes});
        }
        trial.expect_proof(outcome);
    }
}

/// Stops the search at every place, as if its time were over.
void it_stops_at_every_look() {
    for (auto& [random, number] : testing::Trials(43, 30)) {
        Trial trial(random, number);
        bool stopped = true;
        for (std::int64_t look = 1; stopped; look += 1 + (look > 40 ? random.below(20) : 0)) {
            trial.options.hooks.stop_at_look = look;
            const auto search = make_search(trial.problem, trial.options);
            Outcome outcome = search->run();
            stopped = outcome.status == Status::kTimeLimit;
            while (outcome.status == Status::kTimeLimit) {
                trial.expect_truth(outcome);
                outcome = search->run();
            }
            trial.expect_proof(outcome);
        }
    }
}

/// A restored search begins again, with the cost of the best tree as its bound.
void a_saved_search_begins_again() {
    for (auto& [random, number] : testing::Trials(44, 150)) {
        const Trial trial(random, number);
        auto search = make_search(trial.problem, trial.options);
        for (std::int64_t nodes = 1; !search->done(); nodes += nodes) {
            const Outcome before = search->run({1e9, nodes});
            trial.expect_truth(before);
            testing::Bytes bytes;
            search->save(testing::sink_to(bytes));
            search = make_search(trial.problem, trial.options);
            search->restore(testing::source_of(bytes));
            EXPECT(search->outcome().cost == before.cost);
            EXPECT(search->outcome().lower == before.lower);
        }
        trial.expect_proof(search->outcome());
    }
}

void an_offered_tree_is_a_bound() {
    for (auto& [random, number] : testing::Trials(45, 150)) {
        const Trial trial(random, number);
        const Outcome best = make_search(trial.problem, trial.options)->run();
        const auto search = make_search(trial.problem, trial.options);
        search->offer(best.tree);
        EXPECT(search->run({0}).cost == trial.optimum);
        const Outcome outcome = search->run();
        trial.expect_proof(outcome);
        EXPECT(outcome.statistics.nodes <= best.statistics.nodes);
    }
}

/// Many very short steps finish the search.
void short_steps_come_to_an_end() {
    testing::Random random(46);
    const auto owned = testing::random_problem(random, 3000, 40, 2, 1);
    Options options = plain(3);
    options.exact_levels = 2;
    const Outcome best = make_search(owned.view(), options)->run();
    const auto search = make_search(owned.view(), options);
    Outcome outcome = search->run({1e-9});
    for (int step = 0; outcome.status == Status::kTimeLimit && step < 100'000; ++step)
        outcome = search->run({1e-9});
    EXPECT(outcome.status == Status::kOptimal && outcome.cost == best.cost);
}

void too_little_memory_leaves_a_tree() {
    testing::Random random(47);
    const auto owned = testing::random_problem(random, 60'000, 60, 2, 1);
    Options options = plain(6);
    options.exact_levels = 2;
    options.memory = 3 << 20;
    const Outcome outcome = make_search(owned.view(), options)->run({1e9, 100});
    EXPECT(outcome.status == Status::kMemoryLimit);
    EXPECT(outcome.lower <= outcome.cost);
}

void it_has_no_rule() {
    const auto owned = two_halves();
    std::string message;
    try {
        make_search(owned.view(), plain(2), {{"top-k", {1, 1}, {}}});
    } catch (const std::invalid_argument& error) {
        message = error.what();
    }
    EXPECT(message == "rule must be None if algorithm is 'blossom', got a rule");
}

}  // namespace

int main() {
    trees_come_in_their_order();
    kernels_settle_buds_at_once();
    a_tree_without_errors_ends_it();
    blossom_agrees_with_enumeration();
    node_limits_stop_it_everywhere();
    it_stops_at_every_look();
    a_saved_search_begins_again();
    an_offered_tree_is_a_bound();
    short_steps_come_to_an_end();
    too_little_memory_leaves_a_tree();
    it_has_no_rule();
    return testing::report();
}
