#include "sorted/sorted_form.hpp"
#include "sorted/sorted_objectives.hpp"

namespace beamtree {

namespace {

template <SearchObjective O>
class SortedRebuilder {
  public:
    SortedRebuilder(SortedWorkspace<O>& work, const SortedRepair<O>& repair, Tree& tree)
        : work_(work), repair_(repair), tree_(tree) {}

    Cost build(const SortedNode<O>& node, const TreeSize& size, Facts facts) {
        const int at = tree_.add_leaf();
        Cost cost = grow(node, size, facts, at);
        for (int i = 0; cost > facts.upper && i < kRepairs && !work_.meter.stopped(); ++i) {
            tree_.cut(at);
            facts = repair_(node, size, facts.upper);
            cost = grow(node, size, facts, at);
        }
        return cost;
    }

  private:
    static constexpr int kRepairs = 8;  ///< per node: each repair may evict what another one needs

    /// Replaces the leaf `at` by the tree of the facts. Returns its cost.
    Cost grow(const SortedNode<O>& node, const TreeSize& size, const Facts& facts, int at) {
        const Place place = facts.split == kLeaf || size.depth == 0
                                ? Place{}
                                : node.place_of(work_.data, facts.split);
        if (place.order < 0) return work_.objective.leaf_cost(node.sums);
        const ChildSizes sizes = choose_sizes(
            size,
            [&](bool right) -> const SortedNode<O>& {
                return make_side(work_, node, size.depth, place, right);
            },
            [&](const SortedNode<O>& child, const TreeSize& of) {
                return child_facts(child, of).upper;
            });
        Cost cost = work_.objective.penalty;
        for (const bool right : {false, true}) {
            const SortedNode<O>& child = make_side(work_, node, size.depth, place, right);
            (right ? tree_.right : tree_.left)[at] = tree_.size();
            cost += build(child, sizes.of(right), child_facts(child, sizes.of(right)));
        }
        tree_.feature[at] = facts.split;
        return cost;
    }
    Facts child_facts(const SortedNode<O>& node, const TreeSize& size) {
        const Cost leaf = work_.objective.leaf_cost(node.sums);
        Facts facts;
        facts.improve(leaf, kLeaf);
        if (size.depth == 0 || node.orders == 0 || work_.objective.closed(leaf, node.leaf_rows))
            return facts;
        if (size.depth <= work_.exact_levels()) {
            work_.bottom.solve(node, size, kInfiniteCost, facts);
            return facts;
        }
        const Facts known = work_.cache.find(size.key(node.hash), size.depth_key());
        return known.upper <= leaf ? known : facts;
    }

    SortedWorkspace<O>& work_;
    const SortedRepair<O>& repair_;
    Tree& tree_;
};

}  // namespace

template <SearchObjective O>
Cost rebuild(SortedWorkspace<O>& work, SortedRanking<O>&, const PassMode&,
             const SortedNode<O>& node, const TreeSize& size, const Facts& facts,
             const std::type_identity_t<SortedRepair<O>>& repair, Tree& tree) {
    return SortedRebuilder<O>(work, repair, tree).build(node, size, facts);
}

#define BEAMTREE_INSTANCE(O)                                                       \
    template Cost rebuild(SortedWorkspace<O>&, SortedRanking<O>&, const PassMode&, \
                          const SortedNode<O>&, const TreeSize&, const Facts&,     \
                          const SortedRepair<O>&, Tree&);
BEAMTREE_SORTED_OBJECTIVES(BEAMTREE_INSTANCE)
#undef BEAMTREE_INSTANCE

}  // namespace beamtree
