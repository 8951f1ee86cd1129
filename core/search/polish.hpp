// Searches the subtrees of the incumbent again, with more of the rule's units than a pass from the
// root has left there.
#pragma once

#include <algorithm>

#include "search/passes.hpp"

namespace beamtree {

class Polish {
  public:
    static constexpr int kLevels = 5;  ///< of the subtrees

    /// Pauses when the root has a tree that costs less than `incumbent`.
    Polish(Workspace& work, Passes& passes, const PassMode& mode, Cost incumbent)
        : work_(work), passes_(passes), mode_(mode), incumbent_(incumbent) {}

    /// Facts of the node after its subtrees were searched.
    Facts run(const Node& node, int depth) {
        Facts facts = work_.cache.find(node.hash.key(), depth);
        if (facts.solved() || facts.split == kLeaf || depth < 4 || work_.meter.stopped())
            return facts;
        if (depth <= kLevels) {
            const PassEnd end = passes_.run(node, depth, facts.upper, mode_, incumbent_,
                                            depth == 4 ? kAll : kAhead);
            finished_ = finished_ && end.finished;
            return end.root;
        }
        return work_.cache.merge(node.hash.key(), depth, through_children(node, depth, facts));
    }

    bool finished() const { return finished_ && !work_.meter.stopped(); }

  private:
    static constexpr double kAhead = 3, kAll = 1e6;

    Facts through_children(const Node& node, int depth, Facts facts) {
        Level& level = work_.level[depth];
        const auto place = std::lower_bound(node.feature.begin(),
                                            node.feature.begin() + node.features, facts.split);
        const int f = static_cast<int>(place - node.feature.begin());
        const CoverHash hash_one =
            node.cover.hash_of_side(work_.data.hasher(), work_.data.column(facts.split));
        Cost cost = work_.objective.penalty;
        for (const bool one : {false, true}) {
            level.child.make_child(work_.data, node, f, one, one ? hash_one : node.hash - hash_one,
                                   level.selection, work_.kernel, [](int) { return true; });
            level.child.drop_unsplittable(work_.data, work_.objective.min_rows);
            Facts child = run(level.child, depth - 1);
            child.improve(work_.objective.leaf(level.child.weight, level.child.majority), kLeaf);
            cost += child.upper;
        }
        facts.improve(cost, facts.split);
        return facts;
    }
    Workspace& work_;
    Passes& passes_;
    PassMode mode_;
    Cost incumbent_;
    bool finished_ = true;
};

}  // namespace beamtree
