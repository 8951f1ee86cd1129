// The search against plain recursion over all trees, on problems small enough for it.
#include <iterator>
#include <map>
#include <string>

#include "check/recount.hpp"
#include "make_search.hpp"
#include "testing.hpp"

using namespace beamtree;

namespace {

class Exhaustive {
  public:
    Exhaustive(const Problem& problem, const Options& options)
        : problem_(problem), options_(options) {}

    Cost best(std::uint64_t rows, int depth) {
        const auto [known, fresh] = memo_.try_emplace({rows, depth}, 0);
        if (!fresh) return known->second;
        Cost least = leaf(rows);
        for (int f = 0; depth > 0 && f < problem_.columns; ++f) {
            std::uint64_t one = 0;
            for (int i = 0; i < problem_.rows; ++i)
                if (rows >> i & 1 && problem_.row(i)[f]) one |= std::uint64_t{1} << i;
            const std::uint64_t zero = rows & ~one;
            if (popcount(one) < options_.min_samples_leaf ||
                popcount(zero) < options_.min_samples_leaf)
                continue;
            least =
                std::min(least, best(one, depth - 1) + best(zero, depth - 1) + options_.penalty);
        }
        return memo_[{rows, depth}] = least;
    }

  private:
    Cost leaf(std::uint64_t rows) const {
        std::vector<std::int64_t> weight(problem_.classes, 0);
        std::int64_t total = 0, most = 0;
        for (int i = 0; i < problem_.rows; ++i)
            if (rows >> i & 1) {
                total += problem_.weight[i];
                most = std::max(most, weight[problem_.label[i]] += problem_.weight[i]);
            }
        return options_.unit * (total - most);
    }

    const Problem& problem_;
    const Options& options_;
    std::map<std::pair<std::uint64_t, int>, Cost> memo_;
};

constexpr const char* kHeuristics[] = {
    "auto", "lookahead", "information_gain", "gini", "gain_ratio", "error", "given"};
constexpr const char* kSchedules[] = {"monotonic", "exponential", "luby", "sequence"};

/// None, one, or several that prune together.
std::vector<RulePart> random_rule(testing::Random& random) {
    const RulePart rules[] = {{"discrepancy", {0, 1}, {}},
                              {"gain", {0, 0.01}, {}},
                              {"purity", {0, 0.002, 1}, {}},
                              {"top-k", {1, 1}, {}},
                              {"top-k-star", {1, 1}, {}}};
    std::vector<RulePart> parts;
    const int count = random.below(6);
    for (int i = 0; i < std::min(count, kMaxRuleParts); ++i)
        if (i == 0 || random.below(3) == 0) parts.push_back(rules[random.below(std::size(rules))]);
    return parts;
}

void search_agrees_with_enumeration() {
    testing::Random random(7);
    const auto kernels = available_kernels();
    for (int trial = 0; trial < 3000; ++trial) {
        const int max_weight = trial % 3 == 0 ? 1 : trial % 3 == 1 ? 9 : 70000;
        const auto owned = testing::random_problem(
            random, 1 + random.below(40), 1 + random.below(14), 2 + random.below(3), max_weight);
        const Problem problem = owned.view();
        Options options;
        options.max_depth = random.below(6);
        options.exact_levels = random.below(4);
        options.min_samples_leaf = 1 + (trial % 2 ? random.below(4) : 0);
        options.unit = 1 + random.below(3);
        options.penalty = random.below(2) ? random.below(6) : 0;
        options.kernel = kernels[trial % kernels.size()].name;
        options.cancel_rows = random.below(3) > 0;
        options.merge_rows = random.below(3) > 0;
        options.similarity_bound = random.below(3) > 0;
        options.archive_bound = random.below(3) > 0;
        options.parent_bound = random.below(3) > 0;
        options.unavoidable_bound = random.below(3) > 0;
        options.cell_cache = random.below(3) > 0;
        options.fused_granules = random.below(2) ? 12 : 0;
        options.relearn = random.below(3) > 0;
        options.free_ranks = random.below(2) > 0;
        options.polish = random.below(2) > 0;
        options.probe = random.below(2) > 0;
        options.subsets = random.below(2) > 0;
        options.memo = random.below(3) > 0;
        options.wide = 1 + random.below(10);
        options.first_width = 2 + random.below(3);
        options.probe_work = 1 + random.below(2000);
        options.heuristic = kHeuristics[random.below(std::size(kHeuristics))];
        options.schedule = kSchedules[random.below(std::size(kSchedules))];
        options.steps = {0, 2.5, 7};
        const auto search = make_search(problem, options, random_rule(random));
        const Outcome outcome = search->run();
        EXPECT(!search->failure());
        const std::uint64_t all = low_bits(static_cast<int>(problem.rows));
        EXPECT(outcome.status == Status::kOptimal);
        EXPECT(outcome.cost == Exhaustive(problem, options).best(all, options.max_depth));
        EXPECT(outcome.lower == outcome.cost);
    }
}

void time_limit_zero_leaves_a_tree() {
    testing::Random random(8);
    const auto owned = testing::random_problem(random, 400, 30, 3, 1);
    Options options;
    options.max_depth = 6;
    const Outcome outcome = make_search(owned.view(), options)->run({0});
    EXPECT(outcome.status == Status::kTimeLimit);
    EXPECT(outcome.lower <= outcome.cost);
    EXPECT(outcome.tree.size() > 1);
}

void interrupt_ends_the_search() {
    testing::Random random(9);
    const auto owned = testing::random_problem(random, 600, 60, 2, 1);
    Options options;
    options.max_depth = 9;
    const auto search = make_search(owned.view(), options);
    EXPECT(search->next());
    search->interrupt();
    EXPECT(search->run().status == Status::kInterrupted);
    EXPECT(!search->done());
    const Cost cost = search->outcome().cost;
    EXPECT(search->next());  // and goes on
    EXPECT(search->outcome().cost <= cost);
}

void bad_options_are_named() {
    testing::Random random(10);
    const auto owned = testing::random_problem(random, 5, 3, 2, 1);
    const auto message = [&](auto change) -> std::string {
        Options options;
        change(options);
        try {
            make_search(owned.view(), options);
        } catch (const std::invalid_argument& error) {
            return error.what();
        }
        return "";
    };
    EXPECT(message([](Options& o) { o.max_depth = 21; }) ==
           "max_depth is 21; it must be from 0 to 20");
    EXPECT(message([](Options& o) { o.exact_levels = -1; }).starts_with("exact_levels is -1"));
    EXPECT(message([](Options& o) { o.kernel = "mmx"; }).find("mmx") != std::string::npos);
    EXPECT(message([](Options&) {}).empty());
}

}  // namespace

int main() {
    search_agrees_with_enumeration();
    time_limit_zero_leaves_a_tree();
    interrupt_ends_the_search();
    bad_options_are_named();
    return testing::report();
}
