// Polishing in sorted form: the subtrees of the incumbent are searched again, with more of the
// rule's budget than a pass from the root has left there. See search/polish.hpp.
#pragma once

#include "sorted/sorted_form.hpp"

namespace beamtree {

class SortedPolish {
  public:
    SortedPolish(SortedWorkspace& work, Passes<SortedForm>& passes, const PassMode& mode,
                 Cost incumbent)
        : work_(work), passes_(passes), mode_(mode), incumbent_(incumbent) {}

    /// Polishes the subtrees of a node, first the small ones and then the larger ones. Returns the
    /// facts of the node.
    Facts run(const SortedNode& node, int depth) {
        Facts facts;
        for (levels_ = kSmall; levels_ <= kLarge; ++levels_) facts = polish(node, depth);
        return facts;
    }

    bool finished() const { return finished_ && !work_.meter.stopped(); }

  private:
    static constexpr int kSmall = 3, kLarge = 4;  ///< levels of the subtrees
    static constexpr double kAhead = 2;           ///< extra units of the rule for large subtrees
    static constexpr double kAll = 1e6;           ///< the same for small ones: practically no limit

    Facts polish(const SortedNode& node, int depth) {
        Facts facts = work_.cache.find(node.hash.key(), depth);
        if (facts.solved() || depth <= work_.exact_levels() || work_.meter.stopped()) return facts;
        const Place place = facts.split == kLeaf ? Place{} : node.place_of(work_.data, facts.split);
        if (place.order < 0) return facts;
        if (depth > levels_) {
            Cost cost = work_.objective.penalty;
            for (const bool right : {false, true}) {
                const SortedNode& child = make_side(work_, node, depth, place, right);
                Facts found = polish(child, depth - 1);
                found.improve(work_.objective.leaf_cost(child.sums), kLeaf);
                cost += found.upper;
            }
            facts.improve(cost, facts.split);
            facts = work_.cache.merge(node.hash.key(), depth, facts);
            return facts;
        }
        const bool root = depth == work_.options.max_depth;
        const PassEnd end = passes_.run(
            node, depth, {facts.upper, mode_, root ? incumbent_ : 0, depth <= 3 ? kAll : kAhead});
        finished_ = finished_ && end.finished;
        return end.root;
    }

    SortedWorkspace& work_;
    Passes<SortedForm>& passes_;
    PassMode mode_;
    Cost incumbent_;
    int levels_ = kSmall;
    bool finished_ = true;
};

}  // namespace beamtree
