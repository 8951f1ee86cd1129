// The body of `rebuild` of rebuild.hpp.
#pragma once

#include <algorithm>

#include "pass/children.hpp"
#include "pass/rebuild.hpp"

namespace beamtree {

template <class Form>
class Rebuilder {
  public:
    using Node = typename Form::Node;
    using Workspace = typename Form::Workspace;
    using Ranking = RankingOf<Form>;

    Rebuilder(Workspace& work, Ranking& ranking, const PassMode& mode, const RepairOf<Form>& repair,
              Tree& tree)
        : work_(work), ranking_(ranking), mode_(mode), repair_(repair), tree_(tree) {}

    Cost build(const Node& node, const TreeSize& size, Facts facts) {
        const int at = tree_.add_leaf();
        Cost cost = kInfiniteCost;
        if (size.depth == 3 && work_.options.exact_levels >= 2 && mode_.narrows_much(node)) {
            cost = grow(ranking_.outer_features(node, 3, mode_), size, facts, at);
            if (cost > facts.upper) tree_.cut(at);
        }
        if (cost > facts.upper) cost = grow(node, size, facts, at);
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
    Cost grow(const Node& node, const TreeSize& size, const Facts& facts, int at) {
        const int f = facts.split == kLeaf || size.depth == 0 ? kLeaf : place_of(node, facts.split);
        if (f == kLeaf) return work_.objective.leaf_cost(node.sums);
        const ChildSizes sizes = choose_sizes(
            size,
            [&](bool one) -> const Node& { return make_side(work_, node, size.depth, f, one); },
            [&](const Node& child, const TreeSize& of) { return child_facts(child, of).upper; });
        Cost cost = work_.objective.penalty;
        for (const bool one : {false, true}) {
            const Node& child = make_side(work_, node, size.depth, f, one);
            (one ? tree_.right : tree_.left)[at] = tree_.size();
            cost += build(child, sizes.of(one), child_facts(child, sizes.of(one)));
        }
        tree_.feature[at] = work_.data.original(facts.split);
        return cost;
    }
    Facts child_facts(const Node& node, const TreeSize& size) {
        const Cost leaf = work_.objective.leaf_cost(node.sums);
        Facts facts;
        facts.improve(leaf, kLeaf);
        if (size.depth == 0 || node.features == 0 || work_.objective.closed(leaf, node.rows))
            return facts;
        const int exact = work_.options.exact_levels;
        const Facts known = work_.cache.find(size.key(node.hash), size.depth);
        const bool evicted = known.upper == kInfiniteCost && work_.cache.evicted() > 0;
        if (size.depth <= std::min(exact, 2) ||
            (size.depth <= exact && evicted && !mode_.narrows_much(node))) {
            work_.exact.solve(node, work_.buffers[size.depth].counts, size, kInfiniteCost, facts);
            return facts;
        }
        return known.upper <= leaf ? known : facts;
    }

    Workspace& work_;
    Ranking& ranking_;
    PassMode mode_;
    const RepairOf<Form>& repair_;
    Tree& tree_;
};

template <class Form>
Cost rebuild(typename Form::Workspace& work, RankingOf<Form>& ranking, const PassMode& mode,
             const typename Form::Node& node, const TreeSize& size, const Facts& facts,
             const std::type_identity_t<RepairOf<Form>>& repair, Tree& tree) {
    return Rebuilder<Form>(work, ranking, mode, repair, tree).build(node, size, facts);
}

}  // namespace beamtree
