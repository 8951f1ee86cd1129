#include "search/rebuild.hpp"

#include <algorithm>

namespace beamtree {

namespace {

class Rebuilder {
  public:
    Rebuilder(Workspace& work, Tree& tree) : work_(work), tree_(tree) {}

    Cost build(const Node& node, int depth, const Facts& facts) {
        const int at = tree_.add_leaf();
        const int split = facts.split;
        if (split == kLeaf) return work_.objective.leaf(node.weight, node.majority);
        const auto place =
            std::lower_bound(node.feature.begin(), node.feature.begin() + node.features, split);
        const int f = static_cast<int>(place - node.feature.begin());
        const CoverHash hash_one =
            node.cover.hash_of_side(work_.data.hasher(), work_.data.column(split));
        Cost cost = work_.objective.penalty;
        Node& child = work_.level[depth].child;
        for (const bool one : {false, true}) {
            child.make_child(work_.data, node, f, one, one ? hash_one : node.hash - hash_one,
                             work_.level[depth].selection, work_.kernel, [](int) { return true; });
            (one ? tree_.right : tree_.left)[at] = tree_.size();
            cost += build(child, depth - 1, child_facts(child, depth - 1));
        }
        tree_.feature[at] = work_.data.original(split);
        return cost;
    }

  private:
    Facts child_facts(const Node& node, int depth) {
        const Cost leaf = work_.objective.leaf(node.weight, node.majority);
        Facts facts;
        facts.improve(leaf, kLeaf);
        if (depth == 0 || node.features == 0 || work_.objective.closed(leaf, node.rows))
            return facts;
        if (depth <= std::min(work_.options.exact_levels, 2)) {  // not in the cache
            work_.bottom.solve(node, work_.level[depth], depth, kInfiniteCost, facts);
            return facts;
        }
        const Facts known = work_.cache.find(node.hash.key(), depth);
        return known.upper <= leaf ? known : facts;
    }

    Workspace& work_;
    Tree& tree_;
};

}  // namespace

Cost rebuild(Workspace& work, const Node& root, const Facts& facts, Tree& tree) {
    return Rebuilder(work, tree).build(root, work.options.max_depth, facts);
}

}  // namespace beamtree
