// Polishing: the subtrees of the incumbent are searched again, with more of the rule's budget than
// a pass from the root has left there.
#pragma once

#include "pass/children.hpp"
#include "pass/passes.hpp"

namespace beamtree {

template <class Form>
class PolishOf {
  public:
    using Node = typename Form::Node;
    using Workspace = typename Form::Workspace;

    static constexpr int kLevels = 5;  ///< levels of the subtrees that are searched again

    /// A polish of the whole tree pauses when it finds one that costs less than `incumbent`.
    PolishOf(Workspace& work, Passes<Form>& passes, const PassMode& mode, Cost incumbent)
        : work_(work), passes_(passes), mode_(mode), incumbent_(incumbent) {}

    /// Polishes the subtrees of a node, and returns the facts of the node.
    Facts run(const Node& node, const TreeSize& size) {
        Facts facts = work_.cache.find(size.key(node.hash), size.depth);
        if (facts.solved() || size.depth < 4 || work_.meter.stopped()) return facts;
        const int f = facts.split == kLeaf ? kLeaf : place_of(node, facts.split);
        if (f == kLeaf) return facts;
        if (size.depth <= kLevels) {
            const bool root = size.depth == work_.options.max_depth;
            const PassEnd end = passes_.run(
                node, size,
                {facts.upper, mode_, root ? incumbent_ : 0, size.depth == 4 ? kAll : kAhead});
            finished_ = finished_ && end.finished;
            return end.root;
        }
        const ChildSizes sizes = choose_sizes(
            size,
            [&](bool one) -> const Node& { return make_side(work_, node, size.depth, f, one); },
            [&](const Node& child, const TreeSize& of) {
                return std::min(work_.objective.leaf_cost(child.sums),
                                work_.cache.find(of.key(child.hash), of.depth).upper);
            });
        Cost cost = work_.objective.penalty;
        for (const bool one : {false, true}) {
            Node& child = make_side(work_, node, size.depth, f, one);
            Form::prepare(work_, child);
            Facts found = run(child, sizes.of(one));
            found.improve(work_.objective.leaf_cost(child.sums), kLeaf);
            cost += found.upper;
        }
        facts.improve(cost, facts.split);
        return work_.cache.merge(size.key(node.hash), size.depth, facts);
    }

    bool finished() const { return finished_ && !work_.meter.stopped(); }

  private:
    static constexpr double kAhead = 3;  ///< extra units of the rule for subtrees of five levels
    static constexpr double kAll = 1e6;  ///< the same for four levels: practically no limit

    Workspace& work_;
    Passes<Form>& passes_;
    PassMode mode_;
    Cost incumbent_;
    bool finished_ = true;
};

}  // namespace beamtree
