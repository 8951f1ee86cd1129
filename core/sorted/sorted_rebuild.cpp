#include "sorted/sorted_form.hpp"

namespace beamtree {

namespace {

class SortedRebuilder {
  public:
    SortedRebuilder(SortedWorkspace& work, const SortedRepair& repair, Tree& tree)
        : work_(work), repair_(repair), tree_(tree) {}

    Cost build(const SortedNode& node, int depth, Facts facts) {
        const int at = tree_.add_leaf();
        Cost cost = grow(node, depth, facts, at);
        for (int i = 0; cost > facts.upper && i < kRepairs && !work_.meter.stopped(); ++i) {
            tree_.cut(at);
            facts = repair_(node, depth, facts.upper);
            cost = grow(node, depth, facts, at);
        }
        return cost;
    }

  private:
    static constexpr int kRepairs = 8;  ///< per node: each repair may evict what another one needs

    /// Replaces the leaf `at` by the tree of the facts. Returns its cost.
    Cost grow(const SortedNode& node, int depth, const Facts& facts, int at) {
        const Place place =
            facts.split == kLeaf || depth == 0 ? Place{} : node.place_of(work_.data, facts.split);
        if (place.order < 0) return work_.objective.leaf_cost(node.sums);
        Cost cost = work_.objective.penalty;
        for (const bool right : {false, true}) {
            const SortedNode& child = make_side(work_, node, depth, place, right);
            (right ? tree_.right : tree_.left)[at] = tree_.size();
            cost += build(child, depth - 1, child_facts(child, depth - 1));
        }
        tree_.feature[at] = facts.split;
        return cost;
    }
    Facts child_facts(const SortedNode& node, int depth) {
        const Cost leaf = work_.objective.leaf_cost(node.sums);
        Facts facts;
        facts.improve(leaf, kLeaf);
        if (depth == 0 || node.orders == 0 || work_.objective.closed(leaf, node.leaf_rows))
            return facts;
        if (depth <= work_.exact_levels()) {
            work_.bottom.solve(node, depth, kInfiniteCost, facts);
            return facts;
        }
        const Facts known = work_.cache.find(node.hash.key(), depth_key(depth));
        return known.upper <= leaf ? known : facts;
    }

    SortedWorkspace& work_;
    const SortedRepair& repair_;
    Tree& tree_;
};

}  // namespace

Cost rebuild(SortedWorkspace& work, SortedRanking&, const PassMode&, const SortedNode& node,
             int depth, const Facts& facts, const SortedRepair& repair, Tree& tree) {
    return SortedRebuilder(work, repair, tree).build(node, depth, facts);
}

}  // namespace beamtree
