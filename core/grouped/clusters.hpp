// A lower bound of the squared error of all trees of a node: with k leaves, no tree is better than
// the best way to divide the groups, in the order of their means, into k clusters.
//
// The bound is that of Lagrange: for every price p of a cluster, the least of cost_j + p * j over
// all numbers of clusters j, less p * k, is at most cost_k. That takes one pass over the groups.
#pragma once

#include <vector>

#include "cache/tree_size.hpp"
#include "grouped/grouped_node.hpp"
#include "limits/limits.hpp"

namespace beamtree {

class Clusters {
  public:
    Clusters(const GroupedData& data, Meter& meter) : data_(data), meter_(meter) {}

    /// Returns a lower bound, or 0 if it is not likely to reach `goal`.
    Cost bound(const GroupedNode& node, const TreeSize& size, Cost goal);

  private:
    const GroupedData& data_;
    Meter& meter_;
    std::vector<double> weight_, value_;  ///< (groups + 1,) sums of the first groups
    /// (groups + 1,) The largest score of the first groups, less the price of their clusters.
    std::vector<double> most_;
};

}  // namespace beamtree
