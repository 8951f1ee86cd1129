// Polishing in sorted form: the subtrees of the incumbent are searched again, with more of the
// rule's budget than a pass from the root has left there. See search/polish.hpp.
#pragma once

#include "sorted/sorted_form.hpp"

namespace beamtree {

template <SearchObjective O>
class SortedPolish {
  public:
    SortedPolish(SortedWorkspace<O>& work, Passes<SortedForm<O>>& passes, const PassMode& mode,
                 Cost incumbent)
        : work_(work), passes_(passes), mode_(mode), incumbent_(incumbent) {}

    /// Polishes the subtrees of a node, first the small ones and then the larger ones. Returns the
    /// facts of the node.
    Facts run(const SortedNode<O>& node, const TreeSize& size) {
        Facts facts;
        for (levels_ = kSmall; levels_ <= kLarge; ++levels_) facts = polish(node, size);
        return facts;
    }

    bool finished() const { return finished_ && !work_.meter.stopped(); }

  private:
    static constexpr int kSmall = 3, kLarge = 4;  ///< levels of the subtrees
    static constexpr double kAhead = 2;           ///< extra units of the rule for large subtrees
    static constexpr double kAll = 1e6;           ///< the same for small ones: practically no limit

    Facts polish(const SortedNode<O>& node, const TreeSize& size) {
        Facts facts = work_.cache.find(size.key(node.hash), size.depth);
        if (facts.solved() || size.depth <= work_.exact_levels() || work_.meter.stopped())
            return facts;
        const Place place = facts.split == kLeaf ? Place{} : node.place_of(work_.data, facts.split);
        if (place.order < 0) return facts;
        if (size.depth > levels_) {
            const ChildSizes sizes = choose_sizes(
                size,
                [&](bool right) -> const SortedNode<O>& {
                    return make_side(work_, node, size.depth, place, right);
                },
                [&](const SortedNode<O>& child, const TreeSize& of) {
                    return std::min(work_.objective.leaf_cost(child.sums),
                                    work_.cache.find(of.key(child.hash), of.depth).upper);
                });
            Cost cost = work_.objective.penalty;
            for (const bool right : {false, true}) {
                const SortedNode<O>& child = make_side(work_, node, size.depth, place, right);
                Facts found = polish(child, sizes.of(right));
                found.improve(work_.objective.leaf_cost(child.sums), kLeaf);
                cost += found.upper;
            }
            facts.improve(cost, facts.split);
            return work_.cache.merge(size.key(node.hash), size.depth, facts);
        }
        const bool root = size.depth == work_.options.max_depth;
        const PassEnd end = passes_.run(
            node, size,
            {facts.upper, mode_, root ? incumbent_ : 0, size.depth <= 3 ? kAll : kAhead});
        finished_ = finished_ && end.finished;
        return end.root;
    }

    SortedWorkspace<O>& work_;
    Passes<SortedForm<O>>& passes_;
    PassMode mode_;
    Cost incumbent_;
    int levels_ = kSmall;
    bool finished_ = true;
};

}  // namespace beamtree
