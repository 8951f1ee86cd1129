#include "exhaustive.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string>
#include <type_traits>

#include "rule/all_rules.hpp"

namespace testing {

namespace {

constexpr const char* kHeuristics[] = {
    "auto", "lookahead", "information_gain", "gini", "gain_ratio", "error", "given"};
constexpr const char* kSchedules[] = {"monotonic", "exponential", "luby", "sequence"};

}  // namespace

Exhaustive::Exhaustive(const Problem& problem, const Options& options)
    : problem_(problem), options_(options) {
    for (int test = 0; test < problem.columns; ++test) {
        std::uint64_t right = 0;
        for (int i = 0; i < problem.rows; ++i)
            if (problem.right(i, test)) right |= std::uint64_t{1} << i;
        right_.push_back(right);
    }
}

Cost Exhaustive::best(std::uint64_t rows, int depth, int leaves) {
    const auto [known, fresh] = memo_.try_emplace({rows, depth, leaves}, 0);
    if (!fresh) return known->second;
    Cost least = leaf(rows);
    for (int test = 0; depth > 0 && leaves > 1 && test < problem_.columns; ++test)
        least = std::min(least, best_with(rows, depth, test, leaves));
    return memo_[{rows, depth, leaves}] = least;
}

int Exhaustive::fewest_leaves(std::uint64_t rows, int depth, int leaves) {
    const Cost least = best(rows, depth, leaves);
    int fewest = 1;
    while (best(rows, depth, fewest) > least) ++fewest;
    return fewest;
}

Cost Exhaustive::best_with(std::uint64_t rows, int depth, int test, int leaves) {
    const std::uint64_t right = rows & right_[test], left = rows & ~right_[test];
    if (right == 0 || left == 0 || counted(right) < options_.min_samples_leaf ||
        counted(left) < options_.min_samples_leaf)
        return kInfiniteCost;
    if (leaves == kAnyLeaves)
        return best(right, depth - 1) + best(left, depth - 1) + options_.penalty;
    Cost least = kInfiniteCost;
    for (int share = 1; share < leaves; ++share)
        least =
            std::min(least, best(right, depth - 1, share) + best(left, depth - 1, leaves - share));
    return least + options_.penalty;
}

std::int64_t Exhaustive::counted(std::uint64_t rows) const {
    if (!options_.leaf_weight) return popcount(rows);
    std::int64_t total = 0;
    for (int i = 0; i < problem_.rows; ++i)
        if (rows >> i & 1) total += problem_.weight[i];
    return total;
}

Cost Exhaustive::leaf(std::uint64_t rows) const {
    if (problem_.has_values()) return squared_error(rows);
    if (problem_.has_statistics()) return own_cost(rows);
    std::vector<std::int64_t> weight(problem_.classes, 0);
    std::int64_t total = 0, most = 0;
    for (int i = 0; i < problem_.rows; ++i)
        if (rows >> i & 1) {
            total += problem_.weight[i];
            most = std::max(most, weight[problem_.label[i]] += problem_.weight[i]);
        }
    return options_.unit * (total - most);
}

/// The squares of the rows less what their mean explains. Both are quotients that are rounded; if
/// numbers are scaled down, squares are larger by one.
Cost Exhaustive::squared_error(std::uint64_t rows) const {
    const auto quotient = [&](std::int64_t weight, std::int64_t value) {
        const double scaled = std::ldexp(static_cast<double>(value), options_.square_exponent);
        return std::llrint(scaled * scaled / static_cast<double>(weight));
    };
    std::int64_t weight = 0, value = 0;
    Cost squares = 0;
    for (int i = 0; i < problem_.rows; ++i) {
        if (!(rows >> i & 1)) continue;
        weight += problem_.weight[i];
        value += problem_.value[i];
        squares += quotient(problem_.weight[i], problem_.value[i]);
        if (options_.square_exponent < 0) ++squares;
    }
    return squares - quotient(weight, value);
}

Cost Exhaustive::own_cost(std::uint64_t rows) const {
    std::vector<std::int64_t> sums(problem_.statistics, 0);
    for (int i = 0; i < problem_.rows; ++i)
        for (int k = 0; k < problem_.statistics; ++k)
            if (rows >> i & 1) sums[k] += problem_.statistic[i * problem_.statistics + k];
    Cost cost = 0;
    problem_.prices->price(sums.data(), 1, problem_.statistics, &cost);
    return cost;
}

std::vector<RulePart> all_rules() {
    std::vector<RulePart> rules;
    for_each_measure([&](auto measure) {
        rules.push_back({decltype(measure)::kName, decltype(measure)::kUsualRange, {}});
    });
    return rules;
}

std::vector<RulePart> random_rule(Random& random) {
    const std::vector<RulePart> rules = all_rules();
    std::vector<RulePart> parts;
    const int count = random.below(6);
    for (int i = 0; i < std::min(count, kMaxRuleParts); ++i)
        if (i == 0 || random.below(3) == 0)
            parts.push_back(rules[random.below(static_cast<int>(rules.size()))]);
    return parts;
}

Options random_options(Random& random, int trial) {
    const auto kernels = available_kernels();
    Options options;
    for_each_option(options, [&](const OptionInfo& info, auto& value) {
        if constexpr (std::is_same_v<std::decay_t<decltype(value)>, bool>)
            value = random.below(2) > 0;
        if constexpr (std::is_same_v<std::decay_t<decltype(value)>, std::string>)
            if (const auto& words = info.allowed.words; !words.empty())
                value = words[random.below(static_cast<int>(words.size()))];
    });
    options.any_depth = false;  // tests of price/ have it: it needs a penalty
    options.max_depth = random.below(6);
    options.exact_levels = random.below(4);
    options.min_samples_leaf = 1 + (trial % 2 ? random.below(4) : 0);
    options.leaf_weight = options.min_samples_leaf > 1 && random.below(3) == 0;
    if (options.leaf_weight) options.min_samples_leaf *= 1 + random.below(9);
    options.unit = 1 + random.below(3);
    options.penalty = random.below(2) ? random.below(6) : 0;
    options.heuristic = kHeuristics[random.below(std::size(kHeuristics))];
    options.schedule = kSchedules[random.below(std::size(kSchedules))];
    options.steps = {0, 2.5, 7};
    options.hooks.kernel = kernels[trial % kernels.size()].name;
    options.hooks.fused_granules = random.below(2) ? 12 : 0;
    options.hooks.wide = 1 + random.below(10);
    options.hooks.first_width = 2 + random.below(3);
    options.hooks.probe_work = 1 + random.below(2000);
    options.hooks.price_depth = random.below(6);
    return options;
}

void expect_threads_agree(const Problem& problem, Options options,
                          const std::vector<RulePart>& rule, int threads) {
    options.threads = 1;
    const Outcome one = make_search(problem, options, rule)->run();
    options.threads = threads;
    const auto search = make_search(problem, options, rule);
    const Outcome many = search->run();
    EXPECT(!search->failure());
    EXPECT(one.status == Status::kOptimal && many.status == Status::kOptimal);
    EXPECT(one.cost == many.cost && many.lower == many.cost);
}

}  // namespace testing
