#include "algorithm/lgdt.hpp"

#include <algorithm>

#include "pass/children.hpp"
#include "pass/rebuild.hpp"

namespace beamtree {

PassEnd Lgdt::run(const Node& root, int depth, const Question&) {
    PassEnd end;
    end.root.upper = grow(root, depth, end.tree);
    work_.meter.flush();
    end.finished = !work_.meter.stopped();
    const Cost leaf = work_.objective.leaf_cost(root.sums);
    const bool exact = depth <= kLevels || work_.objective.closed(leaf, root.rows);
    end.root.raise(exact && end.finished ? end.root.upper
                                         : work_.objective.split_floor(root.least_error));
    return end;
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
                              std::min(depth, kLevels), kInfiniteCost, facts);
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
