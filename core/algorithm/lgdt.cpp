#include "algorithm/lgdt.hpp"

#include <algorithm>

#include "pass/children.hpp"
#include "pass/rebuild.hpp"

namespace beamtree {

bool Lgdt::advance(std::int64_t) {
    limits_.slice(Limits::kForever);
    if (limits_.stopped()) return false;
    const int depth = work_.options.max_depth;
    Tree tree;
    const Cost cost = grow(root_, depth, tree);
    work_.meter.flush();
    const bool finished = !work_.meter.stopped();
    const Cost leaf = work_.objective.leaf_cost(root_.sums);
    const bool exact = depth <= kLevels || work_.objective.closed(leaf, root_.rows);
    const Cost lower = exact && finished ? cost : work_.objective.split_floor(root_.least_error);
    incumbent_.update(std::min(lower, cost), std::move(tree), cost);
    if (finished && !incumbent_.proved()) status_ = Status::kRuleLimit;
    return false;
}

Cost Lgdt::grow(const Node& node, int depth, Tree& tree) {
    const int at = tree.size();
    const Cost leaf = work_.objective.leaf_cost(node.sums);
    if (depth > 0 && node.features > 0 && !work_.objective.closed(leaf, node.rows)) {
        Facts facts;
        if (depth <= kLevels) facts.improve(leaf, kLeaf);
        work_.meter.count_node();
        if (!work_.meter.stopped())
            work_.exact.solve(node, work_.buffers[std::min(depth, kLevels)].counts,
                              {std::min(depth, kLevels), kAnyLeaves}, kInfiniteCost, facts);
        if (!work_.meter.stopped() && facts.split != kLeaf) {
            const Cost cost = depth <= kLevels
                                  ? rebuild_bottom(work_, ranking_, node, depth, facts, tree)
                                  : split(node, depth, facts.split, tree);
            if (cost < leaf) return cost;
        }
    }
    if (tree.size() > at)
        tree.cut(at);
    else
        tree.add_leaf();
    return leaf;
}

Cost Lgdt::split(const Node& node, int depth, int feature, Tree& tree) {
    const int at = tree.add_leaf();
    Cost cost = work_.objective.penalty;
    for (const bool one : {false, true}) {
        const Node& child = make_side(work_, node, depth, place_of(node, feature), one);
        (one ? tree.right : tree.left)[at] = tree.size();
        cost += grow(child, depth - 1, tree);
    }
    tree.feature[at] = work_.data.original(feature);
    return cost;
}

}  // namespace beamtree
