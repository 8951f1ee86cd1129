// Puts the tree together to which the upper bounds of a priced pass belong.
#pragma once

#include <functional>

#include "data/tree.hpp"
#include "price/price_pass.hpp"

namespace beamtree {

/// Searches a node again of whose tree some parts were evicted, for a tree that costs no more than
/// `upper`. Uses the buffers from `level` on.
using PriceRepair = std::function<Facts(const Node& node, int depth, int level, Cost upper)>;

class PriceTree {
  public:
    PriceTree(Workspace& work, PriceLevels& levels, PriceRepair repair, Tree& tree)
        : work_(work), levels_(levels), repair_(std::move(repair)), tree_(tree) {}

    /// Appends the best known tree of a node, and returns its cost. It costs more than `upper` only
    /// if the search was stopped meanwhile, or if parts of it were evicted again and again.
    Cost build(const Node& node, int depth, int level, Cost upper);

  private:
    static constexpr int kRepairs = 8;  ///< per node: each repair may evict what another one needs

    Facts known_of(const Node& node, int depth, int level);
    Cost grow(const Node& node, int depth, int level, const Facts& facts, int at);

    Workspace& work_;
    PriceLevels& levels_;
    PriceRepair repair_;
    Tree& tree_;
};

}  // namespace beamtree
