#include "pass/rebuild.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "pass/children.hpp"

namespace beamtree {

namespace {

class Rebuilder {
  public:
    Rebuilder(Workspace& work, Ranking& ranking, const PassMode& mode, const Repair& repair,
              Tree& tree)
        : work_(work), ranking_(ranking), mode_(mode), repair_(repair), tree_(tree) {}

    Cost build(const Node& node, int depth, Facts facts) {
        const int at = tree_.add_leaf();
        Cost cost = kInfiniteCost;
        if (depth == 3 && work_.options.exact_levels >= 2 && mode_.narrows_much(node)) {
            cost = grow(ranking_.narrow().outer_features(node, work_.buffers[depth], mode_), depth,
                        facts, at);
            if (cost > facts.upper) tree_.cut(at);
        }
        if (cost > facts.upper) cost = grow(node, depth, facts, at);
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
    Cost grow(const Node& node, int depth, const Facts& facts, int at) {
        const int f = facts.split == kLeaf || depth == 0 ? kLeaf : place_of(node, facts.split);
        if (f == kLeaf) return work_.objective.leaf_cost(node.sums);
        Cost cost = work_.objective.penalty;
        for (const bool one : {false, true}) {
            const Node& child = make_side(work_, node, depth, f, one);
            (one ? tree_.right : tree_.left)[at] = tree_.size();
            cost += build(child, depth - 1, child_facts(child, depth - 1));
        }
        tree_.feature[at] = work_.data.original(facts.split);
        return cost;
    }
    Facts child_facts(const Node& node, int depth) {
        const Cost leaf = work_.objective.leaf_cost(node.sums);
        Facts facts;
        facts.improve(leaf, kLeaf);
        if (depth == 0 || node.features == 0 || work_.objective.closed(leaf, node.rows))
            return facts;
        const int exact = work_.options.exact_levels;
        const Facts known = work_.cache.find(node.hash.key(), depth);
        const bool evicted = known.upper == kInfiniteCost && work_.cache.evicted() > 0;
        if (depth <= std::min(exact, 2) ||
            (depth <= exact && evicted && !mode_.narrows_much(node))) {
            work_.exact.solve(node, work_.buffers[depth].counts, depth, kInfiniteCost, facts);
            return facts;
        }
        return known.upper <= leaf ? known : facts;
    }

    Workspace& work_;
    Ranking& ranking_;
    PassMode mode_;
    const Repair& repair_;
    Tree& tree_;
};

}  // namespace

Cost rebuild(Workspace& work, Ranking& ranking, const PassMode& mode, const Node& node, int depth,
             const Facts& facts, const Repair& repair, Tree& tree) {
    return Rebuilder(work, ranking, mode, repair, tree).build(node, depth, facts);
}

Cost rebuild_bottom(Workspace& work, Ranking& ranking, const Node& node, int depth,
                    const Facts& facts, Tree& tree) {
    const Repair none = [](const Node&, int, Cost upper) -> Facts {
        throw std::logic_error("kernels have no tree for an upper bound of " +
                               std::to_string(upper));
    };
    return rebuild(work, ranking, {}, node, depth, facts, none, tree);
}

}  // namespace beamtree
