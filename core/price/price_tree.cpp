#include "price/price_tree.hpp"

#include "pass/children.hpp"

namespace beamtree {

Cost PriceTree::build(const Node& node, int depth, int level, Cost upper) {
    const Misclassification& objective = work_.objective;
    const Cost leaf = objective.leaf_cost(node.sums);
    depth = PricePass::depth_that_matters(objective, depth, leaf,
                                          objective.error_cost(node.least_error));
    while (static_cast<int>(levels_.size()) <= level) levels_.emplace_back();
    const int at = tree_.add_leaf();
    Facts facts = known_of(node, depth, level);
    upper = std::min(upper, facts.upper);
    Cost cost = grow(node, depth, level, facts, at);
    for (int i = 0; cost > upper && i < kRepairs && !work_.meter.stopped(); ++i) {
        tree_.cut(at);
        facts = repair_(node, depth, level, upper);
        cost = grow(node, depth, level, facts, at);
    }
    return cost;
}

/// Returns the best tree that the cache knows, or that two levels have.
Facts PriceTree::known_of(const Node& node, int depth, int level) {
    const Cost leaf = work_.objective.leaf_cost(node.sums);
    Facts facts;
    facts.improve(leaf, kLeaf);
    if (depth == 0 || node.features == 0 || work_.objective.closed(leaf, node.rows)) return facts;
    work_.exact.solve(node, levels_[level].counts, {std::min(depth, 2), kAnyLeaves}, kInfiniteCost,
                      facts);
    const Facts known = work_.cache.find(node.hash.key(), price_key(depth));
    facts.improve(known.upper, known.split);
    return facts;
}

/// Replaces the leaf `at` by the tree of the facts, and returns its cost.
Cost PriceTree::grow(const Node& node, int depth, int level, const Facts& facts, int at) {
    const int f = facts.split == kLeaf ? kLeaf : place_of(node, facts.split);
    if (f == kLeaf) return work_.objective.leaf_cost(node.sums);
    ChildBuffers& child = levels_[level].child;
    const CoverHash hash_one =
        node.cover.hash_of_side(work_.data.hasher(), work_.data.column(node.feature[f]));
    Cost cost = work_.objective.penalty;
    for (const bool one : {false, true}) {
        child.node.make_child(work_.data, node, f, one, one ? hash_one : node.hash - hash_one,
                              child.selection, work_.kernel, [](int) { return true; });
        work_.meter.spend(static_cast<std::int64_t>(child.node.features) * node.words);
        (one ? tree_.right : tree_.left)[at] = tree_.size();
        cost += build(child.node, depth == kAnyDepth ? kAnyDepth : depth - 1, level + 1,
                      facts.upper - work_.objective.penalty);
    }
    tree_.feature[at] = work_.data.original(facts.split);
    return cost;
}

}  // namespace beamtree
