// Plain recursion over all trees, and random settings of searches that are compared with it.
#pragma once

#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include "cache/tree_size.hpp"
#include "make_search.hpp"
#include "testing.hpp"

namespace testing {

using namespace beamtree;

class Exhaustive {
  public:
    Exhaustive(const Problem& problem, const Options& options);

    /// Returns the least cost of a tree of at most that depth and number of leaves for a set of
    /// rows, given as bits.
    Cost best(std::uint64_t rows, int depth, int leaves = kAnyLeaves);
    /// Returns the least cost of those that split by `test` first; kInfiniteCost if that test
    /// leaves too few rows on one side.
    Cost best_with(std::uint64_t rows, int depth, int test, int leaves = kAnyLeaves);
    /// Returns the fewest leaves of a tree of least cost.
    int fewest_leaves(std::uint64_t rows, int depth, int leaves = kAnyLeaves);
    /// Returns the number that min_samples_leaf limits: of rows, or their weight.
    std::int64_t counted(std::uint64_t rows) const;

  private:
    Cost leaf(std::uint64_t rows) const;
    Cost squared_error(std::uint64_t rows) const;
    Cost own_cost(std::uint64_t rows) const;

    const Problem& problem_;
    const Options& options_;
    std::vector<std::uint64_t> right_;  ///< (tests,) rows that go right
    std::map<std::tuple<std::uint64_t, int, int>, Cost> memo_;
};

/// The built-in rules, with the ranges that they usually have.
std::vector<RulePart> all_rules();

/// No rule, one rule, or several rules that prune together.
std::vector<RulePart> random_rule(Random& random);

/// Random values of all options. Switches and options that are a choice of words come from the
/// tables of the options, so that new ones are taken up. Every second `trial` has leaves of more
/// than one row.
Options random_options(Random& random, int trial);

/// Expects that several threads prove the same optimum as one thread.
void expect_threads_agree(const Problem& problem, Options options,
                          const std::vector<RulePart>& rule, int threads);

}  // namespace testing
