// The form of a search that holds its rows as groups of equal rows, for regression on few tests;
// see BitForm in pass/bit_form.hpp.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <utility>

#include "grouped/grouped_workspace.hpp"
#include "pass/gains.hpp"
#include "pass/passes.hpp"
#include "pass/ranking.hpp"
#include "rule/node_context.hpp"

namespace beamtree {

/// Lists the features that can split a node, and measures their gains: the share of the cost of the
/// leaf that a split saves.
class GroupedGains {
  public:
    GroupedGains(GroupedWorkspace& work, Heuristic heuristic)
        : work_(work), heuristic_(heuristic) {}

    Heuristic heuristic() const { return heuristic_; }
    void list_admissible(const GroupedNode& node, GroupedBuffers& buffers);

  private:
    GroupedWorkspace& work_;
    Heuristic heuristic_;
};

/// What rules see of a node and of the two sides of its splits.
class GroupedSplitSums {
  public:
    GroupedSplitSums(const GroupedData& data, const Kernel&, const GroupedNode& node)
        : data_(data), node_(node) {}

    void split(int f) { feature_ = f; }
    void describe(NodeContext& context) const { describe(node_.total, context); }
    void describe(bool one, NodeContext& context) const {
        describe(node_.side(feature_, one), context);
    }

  private:
    void describe(const GroupSums& sums, NodeContext& context) const;

    const GroupedData& data_;
    const GroupedNode& node_;
    int feature_ = 0;
};

/// Nodes are never narrow: there are few features.
struct NeverNarrow {
    NeverNarrow(GroupedWorkspace&, GroupedGains&) {}
    static const GroupedNode& outer_features(const GroupedNode& node, GroupedBuffers&,
                                             const PassMode&) {
        return node;
    }
    static void look_ahead(const GroupedNode&, GroupedBuffers&, const PassMode&) {}
    static void solve(const GroupedNode&, GroupedBuffers&, const PassMode&, Cost, Facts&) {}
};

struct GroupedWorker;

struct GroupedForm {
    static constexpr bool kAnyDepths = false;
    static constexpr bool kBalancedProbes = false;
    static constexpr double kFirstTarget = 0.15;
    static constexpr int kLookaheadLevels = kMaxDepth + 1;  ///< scores of two levels are enough
    using Node = GroupedNode;
    using Workspace = GroupedWorkspace;
    using Gains = GroupedGains;
    using Narrow = NeverNarrow;
    using SplitSums = GroupedSplitSums;
    using Worker = GroupedWorker;
    using Polish = PolishOf<GroupedForm>;
    template <SearchRule Rule>
    using PassOf = Pass<GroupedForm, Rule>;

    static int exact_levels(const GroupedWorkspace& work) { return work.options.exact_levels; }
    static int first_width(const GroupedWorkspace&) { return PassMode::kAllFeatures; }
    static bool narrows(const PassMode&, const GroupedNode&) { return false; }
    static int find_place(const GroupedWorkspace& work, const GroupedNode& node, int column) {
        for (int f = 0; f < node.features; ++f)
            if (work.data.original(node.feature[f]) == column) return f;
        throw std::logic_error("a tree splits a node by a feature that the node does not have");
    }
    static int split_of(const GroupedWorkspace&, const GroupedNode& node, int place) {
        return node.feature[place];
    }
    static PathStep step(const GroupedWorkspace& work, const GroupedNode& node, int f, bool one) {
        return {work.data.original(node.feature[f]), one != work.data.flipped(node.feature[f])};
    }
    /// The node may know the test as one that is equal or opposite to it on these rows.
    static std::pair<int, bool> find_side(const GroupedWorkspace& work, const GroupedNode& node,
                                          int column, bool one);
    static void prepare(const GroupedWorkspace&, GroupedNode& node) { node.make_lists(); }
    static Cost floor(const GroupedWorkspace& work, const GroupedNode&) {
        return work.objective.penalty;
    }
    static Cost early_bound(GroupedWorkspace& work, const GroupedNode& node, const TreeSize& size,
                            Cost goal) {
        return work.clusters.bound(node, size, goal);
    }
    static void keep_bound(GroupedWorkspace&, const GroupedNode&, const TreeSize&, Cost) {}
    static Cost probe_margin(const GroupedWorkspace&) { return 0; }
    static Cost slack(const GroupedWorkspace& work, const GroupedNode& node, int levels) {
        return work.objective.slack(levels, node.rows);
    }
    static Cover cover_of(const GroupedNode& node);
    static bool polishes_first() { return false; }
    /// Shallow trees are proved fastest at once. Deep ones need passes under a rule to be good
    /// soon.
    static std::int64_t direct_work(int depth) { return depth <= 5 ? 2'000'000'000 : 300'000'000; }
};

/// What one thread of a search works with, and how it ranks features.
struct GroupedWorker {
    GroupedWorker(GroupedShared& shared, Heuristic heuristic, int thread)
        : work(shared, thread), ranking(work, heuristic) {}
    GroupedWorkspace work;
    RankingOf<GroupedForm> ranking;
};

inline int place_of(const GroupedNode& node, int feature) {
    return node.place_of(feature);
}
/// Makes one side of feature `f` of a node with `depth` levels left, in the buffers of that depth:
/// the side where the column of the problem is 1, or 0.
GroupedNode& make_side(GroupedWorkspace& work, const GroupedNode& node, int depth, int f,
                       bool right);
/// Makes the side where the feature is 1, or 0, for a pass.
void make_child(GroupedWorkspace& work, const GroupedNode& node, const PairSums& counts, int f,
                bool one, std::int64_t rows, GroupedChild& child);

}  // namespace beamtree
