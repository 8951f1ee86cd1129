// Plain recursion over all trees, and random settings of a search to hold against it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <utility>
#include <vector>

#include "make_search.hpp"
#include "testing.hpp"

namespace testing {

using namespace beamtree;

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
            if (counted(one) < options_.min_samples_leaf ||
                counted(zero) < options_.min_samples_leaf)
                continue;
            least =
                std::min(least, best(one, depth - 1) + best(zero, depth - 1) + options_.penalty);
        }
        return memo_[{rows, depth}] = least;
    }

    /// As min_samples_leaf counts rows.
    std::int64_t counted(std::uint64_t rows) const {
        if (!options_.leaf_weight) return popcount(rows);
        std::int64_t total = 0;
        for (int i = 0; i < problem_.rows; ++i)
            if (rows >> i & 1) total += problem_.weight[i];
        return total;
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

inline constexpr const char* kHeuristics[] = {
    "auto", "lookahead", "information_gain", "gini", "gain_ratio", "error", "given"};
inline constexpr const char* kSweeps[] = {"auto", "always", "never"};
inline constexpr const char* kSchedules[] = {"monotonic", "exponential", "luby", "sequence"};

/// None, one, or several that prune together.
inline std::vector<RulePart> random_rule(Random& random) {
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

/// Everything that can be set, at random; every second `trial` has leaves of more than one row.
inline Options random_options(Random& random, int trial) {
    const auto kernels = available_kernels();
    Options options;
    options.max_depth = random.below(6);
    options.exact_levels = random.below(4);
    options.min_samples_leaf = 1 + (trial % 2 ? random.below(4) : 0);
    options.leaf_weight = options.min_samples_leaf > 1 && random.below(3) == 0;
    if (options.leaf_weight) options.min_samples_leaf *= 1 + random.below(9);
    options.unit = 1 + random.below(3);
    options.penalty = random.below(2) ? random.below(6) : 0;
    options.hooks.kernel = kernels[trial % kernels.size()].name;
    options.ablations.greedy = random.below(3) > 0;
    options.ablations.cancel_rows = random.below(3) > 0;
    options.ablations.merge_rows = random.below(3) > 0;
    options.ablations.similarity_bound = random.below(3) > 0;
    options.ablations.archive_bound = random.below(3) > 0;
    options.ablations.parent_bound = random.below(3) > 0;
    options.ablations.unavoidable_bound = random.below(3) > 0;
    options.ablations.cell_cache = random.below(3) > 0;
    options.hooks.fused_granules = random.below(2) ? 12 : 0;
    options.ablations.sweep = kSweeps[random.below(std::size(kSweeps))];
    options.ablations.relearn = random.below(3) > 0;
    options.free_ranks = random.below(2) > 0;
    options.polish = random.below(2) > 0;
    options.probe = random.below(2) > 0;
    options.subsets = random.below(2) > 0;
    options.ablations.memo = random.below(3) > 0;
    options.hooks.wide = 1 + random.below(10);
    options.hooks.first_width = 2 + random.below(3);
    options.hooks.probe_work = 1 + random.below(2000);
    options.heuristic = kHeuristics[random.below(std::size(kHeuristics))];
    options.schedule = kSchedules[random.below(std::size(kSchedules))];
    options.steps = {0, 2.5, 7};
    return options;
}

}  // namespace testing
