// A part of a problem: some of its rows, and some cuts of every order. A search over it finds trees
// for the whole problem in a fraction of the time.
#pragma once

#include <cstdint>
#include <vector>

#include "data/problem.hpp"
#include "data/tree.hpp"
#include "sorted/sorted_data.hpp"

namespace beamtree {

/// The cuts of every order, increasing.
using CutsOfOrders = std::vector<std::vector<std::uint32_t>>;

/// Chooses at most `count` cuts of every order, at quantiles of the weights of the rows. `weight`
/// has one number for each row. Where many quantiles fall on one value, there are more quantiles,
/// so that the other values get cuts, too. Calls with different `number` choose different
/// quantiles: all are shifted by a part of the distance between two of them.
CutsOfOrders quantile_cuts(const SortedData& data, int count, const std::vector<double>& weight,
                           std::int64_t number);

/// Adds the cuts of a tree.
void add_cuts(const Ranks& ranks, const Tree& tree, CutsOfOrders& cuts);

class CoarseProblem {
  public:
    /// The rows of the other problem are given by their numbers.
    CoarseProblem(const Problem& problem, const std::vector<int>& rows, const CutsOfOrders& cuts);
    CoarseProblem(const CoarseProblem&) = delete;
    CoarseProblem& operator=(const CoarseProblem&) = delete;

    const Problem& problem() const { return problem_; }
    /// Returns a tree of this problem as a tree of the other one.
    Tree fine(Tree tree) const;
    /// Returns a tree of the other problem as a tree of this one, which must have its cuts.
    Tree coarse(Tree tree) const;

  private:
    std::vector<std::uint32_t> rank_;
    std::vector<std::int32_t> label_;
    std::vector<std::int64_t> weight_, value_, square_;
    Ranks ranks_;
    std::vector<std::int32_t> test_;  ///< (tests,) their numbers in the other problem, increasing
    Problem problem_;
};

}  // namespace beamtree
