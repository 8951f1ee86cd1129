#include "grouped/grouped_trees.hpp"

namespace beamtree {

Cost GroupedTrees::grow_greedy(const GroupedNode& node, int depth, Tree& tree) {
    const SquaredError& objective = work_.objective;
    const int at = tree.add_leaf();
    const Cost leaf = objective.leaf_cost(node.sums);
    if (depth == 0 || objective.closed(leaf, node.rows) || work_.meter.interrupted()) return leaf;
    int best = kLeaf;
    Cost least = kInfiniteCost;
    for (int f = 0; f < node.features; ++f) {
        const Cost cost =
            work_.exact.side(node, f, false).leaf + work_.exact.side(node, f, true).leaf;
        if (cost >= least) continue;
        least = cost;
        best = f;
    }
    if (best == kLeaf) return leaf;
    Cost cost = objective.penalty;
    for (const bool right : {false, true}) {
        const GroupedNode& child = make_side(work_, node, depth, best, right);
        (right ? tree.right : tree.left)[at] = tree.size();
        cost += grow_greedy(child, depth - 1, tree);
    }
    if (cost >= leaf) {
        tree.cut(at);
        return leaf;
    }
    tree.feature[at] = work_.data.original(node.feature[best]);
    return cost;
}

auto GroupedTrees::find(const GroupedNode& node, const Problem& problem, int column) const
    -> Match {
    GroupSums right;
    for (int i = 0; i < node.groups; ++i)
        if (problem.right(work_.data.row(node.number[i]), column)) right += node.sum[i];
    const Wide left = node.total.hash - right.hash;
    for (int f = 0; f < node.features; ++f)
        if (node.one[f].hash == right.hash || node.one[f].hash == left) return {f, false};
    return {kLeaf, 2 * work_.data.packing().weight(right.packed) > node.rows};
}

Cost GroupedTrees::grow_offered(const GroupedNode& node, int depth, const Problem& problem,
                                const Tree& offered, int from, Tree& tree) {
    const SquaredError& objective = work_.objective;
    const int at = tree.add_leaf();
    Facts facts;
    facts.improve(objective.leaf_cost(node.sums), kLeaf);
    Match match;
    while (depth > 0 && offered.feature[from] != Tree::kNone) {
        match = find(node, problem, offered.feature[from]);
        if (match.place != kLeaf) break;
        from = match.right ? offered.right[from] : offered.left[from];
    }
    if (match.place != kLeaf) {
        Cost cost = objective.penalty;
        for (const bool right : {false, true}) {
            const GroupedNode& child = make_side(work_, node, depth, match.place, right);
            // The feature of the node may be opposite to the column of the offered tree.
            const bool offered_right =
                problem.right(work_.data.row(child.number[0]), offered.feature[from]);
            (right ? tree.right : tree.left)[at] = tree.size();
            cost += grow_offered(child, depth - 1, problem, offered,
                                 offered_right ? offered.right[from] : offered.left[from], tree);
        }
        facts.improve(cost, node.feature[match.place]);
    }
    if (facts.split == kLeaf) {
        tree.cut(at);
    } else {
        tree.feature[at] = work_.data.original(facts.split);
        work_.cache.merge(node.hash.key(), depth, facts);
    }
    return facts.upper;
}

}  // namespace beamtree
