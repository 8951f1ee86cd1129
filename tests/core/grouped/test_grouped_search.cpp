// Searches for regression trees over groups of equal rows find the same optimum as plain recursion
// over all trees, whatever the rule, also if they are saved and restored, have little memory, start
// from a given tree, or are stopped at any place.
#include <algorithm>
#include <map>
#include <stdexcept>
#include <string>

#include "exhaustive.hpp"
#include "grouped/grouped_data.hpp"
#include "make_search.hpp"
#include "streams.hpp"
#include "testing.hpp"

using namespace beamtree;

namespace {

constexpr double kForever = 1e9;

/// Rows with numbers, as ranks or as zeros and ones. Some have few different numbers, so that many
/// trees cost the same.
struct Numbers {
    testing::RankedProblem ranked;
    testing::OwnedProblem binary;
    std::vector<std::int64_t> value;
    bool ranks = false;

    Numbers(testing::Random& random, int trial, int most_rows) : ranks(trial % 2 == 0) {
        const int rows = 1 + random.below(most_rows), heaviest = trial % 3 == 0 ? 9 : 1;
        if (ranks)
            ranked = testing::ranked_problem(random, rows, 1 + random.below(4), 2, heaviest);
        else
            binary = testing::random_problem(random, rows, 1 + random.below(9), 2, heaviest);
        const int different = random.below(2) ? 2 + random.below(3) : 1000;
        for (const std::int64_t w : ranks ? ranked.weight : binary.weight)
            value.push_back(w * (random.below(different) - different / 2));
    }
    Problem view() const {
        Problem problem = ranks ? ranked.view() : binary.view();
        problem.label = nullptr;
        problem.classes = 0;
        problem.value = value.data();
        return problem;
    }
};

Options random_settings(testing::Random& random, int trial) {
    Options options = testing::random_options(random, trial);
    options.max_depth = random.below(5);
    options.square_exponent = random.below(12) - 4;
    options.penalty *= 1 + random.below(2000);
    options.leaf_weight = true;  // else weighted rows cannot be held as groups
    if (random.below(3) == 0) options.max_leaf_nodes = 1 + random.below(8);
    options.hooks.form = "grouped";
    return options;
}

Cost optimum_of(const Problem& problem, const Options& options) {
    return testing::Exhaustive(problem, options)
        .best(low_bits(static_cast<int>(problem.rows)), options.max_depth,
              options.max_leaf_nodes > 0 ? options.max_leaf_nodes : kAnyLeaves);
}

void expect_optimal(const Search& search, Cost optimum) {
    EXPECT(!search.failure());
    const Outcome outcome = search.outcome();
    EXPECT(outcome.status == Status::kOptimal);
    EXPECT(outcome.cost == optimum && outcome.lower == optimum);
}

/// A tree over random tests.
Tree random_tree(testing::Random& random, int tests, int depth) {
    Tree tree;
    const auto grow = [&](const auto& self, int levels) -> int {
        const int at = tree.add_leaf();
        if (levels == 0 || random.below(4) == 0) return at;
        tree.feature[at] = random.below(tests);
        const int left = self(self, levels - 1);
        tree.left[at] = left;
        const int right = self(self, levels - 1);
        tree.right[at] = right;
        return at;
    };
    grow(grow, depth);
    return tree;
}

void search_agrees_with_enumeration() {
    for (auto& [random, trial] : testing::Trials(1, 500)) {
        const Numbers owned(random, trial, 24);
        Options options = random_settings(random, trial);
        options.threads = random.below(8) ? 1 : 2;
        const auto search = make_search(owned.view(), options, testing::random_rule(random));
        if (owned.view().columns > 0 && random.below(3) == 0)
            search->offer(random_tree(random, owned.view().columns, 1 + random.below(4)));
        search->run();
        expect_optimal(*search, optimum_of(owned.view(), options));
    }
}

void a_restored_search_goes_on() {
    for (auto& [random, trial] : testing::Trials(2, 80)) {
        const Numbers owned(random, trial, 24);
        Options options = random_settings(random, trial);
        if (random.below(2)) options.memory = (1 << 20) + random.below(3 << 20);
        const auto rule = testing::random_rule(random);
        auto search = make_search(owned.view(), options, rule);
        for (std::int64_t nodes = 1; !search->done(); nodes += nodes) {
            const Outcome now = search->run({kForever, nodes});
            testing::Bytes bytes;
            search->save(testing::sink_to(bytes));
            search = make_search(owned.view(), options, rule);
            search->restore(testing::source_of(bytes));
            EXPECT(now.cost == search->outcome().cost && now.lower == search->outcome().lower);
        }
        expect_optimal(*search, optimum_of(owned.view(), options));
    }
}

/// Stopped at any look at the limits, a search has a tree and bounds that hold.
void a_stopped_search_has_true_bounds() {
    for (auto& [random, trial] : testing::Trials(3, 100)) {
        const Numbers owned(random, trial, 24);
        Options options = random_settings(random, trial);
        options.hooks.stop_at_look = 1 + random.below(40);
        const Cost optimum = optimum_of(owned.view(), options);
        const auto search = make_search(owned.view(), options, testing::random_rule(random));
        do {
            search->next({kForever});
            const Outcome now = search->outcome();
            EXPECT(now.lower <= optimum && optimum <= now.cost);
        } while (!search->done());
        expect_optimal(*search, optimum);
    }
}

/// Both forms have the same optimum on problems that are too large for plain recursion, and with
/// every kernel.
void all_forms_agree() {
    for (auto& [random, trial] : testing::Trials(4, 12)) {
        auto owned = testing::ranked_problem(random, 100 + random.below(100), 4, 2, 1);
        for (std::size_t i = 0; i < owned.weight.size(); ++i)
            owned.value.push_back(owned.label[i] * 50 + random.below(60));
        Options options = random_settings(random, trial);
        options.max_depth = 2 + trial % 2;
        options.hooks.form = "sorted";
        const Cost optimum = make_search(owned.view(), options)->run().cost;
        options.hooks.form = "grouped";
        for (const Kernel& kernel : available_kernels()) {
            options.hooks.kernel = kernel.name;
            const auto search = make_search(owned.view(), options, testing::random_rule(random));
            search->run();
            expect_optimal(*search, optimum);
        }
    }
}

/// No bound of an alternative is above the best tree that begins with its test, nor is the best
/// that is known below it.
void alternatives_hold() {
    for (auto& [random, trial] : testing::Trials(5, 100)) {
        const Numbers owned(random, trial, 16);
        const Problem problem = owned.view();
        Options options = random_settings(random, trial);
        options.max_depth = 1 + random.below(3);
        const auto search = make_search(problem, options, testing::random_rule(random));
        search->run();
        const int leaves = options.max_leaf_nodes > 0 ? options.max_leaf_nodes : kAnyLeaves;
        testing::Exhaustive all(problem, options);
        for (const Alternative& found : search->alternatives(random.below(2))) {
            const Cost best = all.best_with(low_bits(static_cast<int>(problem.rows)),
                                            options.max_depth, found.feature, leaves);
            EXPECT(found.lower <= best && best <= found.upper);
        }
    }
}

/// Equal rows are one group, constant columns and copies are dropped, and thresholds of one column
/// are one chain.
void data_is_packed() {
    const std::vector<std::uint8_t> features = {
        1, 1, 0, 1, 0,  //
        1, 0, 0, 1, 1,  //
        1, 0, 0, 1, 1,  //
        0, 0, 0, 1, 1,
    };
    const std::vector<std::int64_t> weight = {1, 1, 1, 1}, value = {4, 1, 3, 0};
    std::vector<std::int64_t> square;
    const SquaredError objective;
    for (const std::int64_t v : value) square.push_back(objective.square(1, v));
    Problem problem;
    problem.rows = 4;
    problem.columns = 5;
    problem.features = features.data();
    problem.weight = weight.data();
    problem.value = value.data();
    problem.square = square.data();
    const GroupedData data(problem, objective);
    EXPECT(data.groups() == 3);
    EXPECT(data.features() == 2);
    EXPECT(data.original(0) == 0 && data.original(1) == 1 && data.chain_end(0) == 1);
    EXPECT(data.offset() == 2);  // of the rows with 1 and 3
    EXPECT(data.total().weight == 4 && data.total().value == 8);
}

/// Sums that do not fit into one integer are held as sorted columns, or refused without ranks.
void large_sums_are_not_packed() {
    testing::Random random(6);
    auto owned = testing::ranked_problem(random, 4, 2, 2, 1);
    owned.value = {1, 2, 3, std::int64_t{1} << 51};
    Options options;
    options.square_exponent = -30;
    EXPECT(make_search(owned.view(), options)->run().status == Status::kOptimal);
    auto binary = testing::random_problem(random, 4, 2, 2, 1);
    Problem problem = binary.view();
    problem.label = nullptr;
    problem.classes = 0;
    problem.value = owned.value.data();
    std::string refusal;
    try {
        make_search(problem, options);
    } catch (const std::invalid_argument& error) {
        refusal = error.what();
    }
    EXPECT(refusal.find("X must be ranks if the sums of y are large") == 0);
}

}  // namespace

int main() {
    data_is_packed();
    large_sums_are_not_packed();
    search_agrees_with_enumeration();
    a_restored_search_goes_on();
    a_stopped_search_has_true_bounds();
    all_forms_agree();
    alternatives_hold();
    return testing::report();
}
