// The form of a search that holds its rows as columns of bits.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <utility>

#include "data/path.hpp"
#include "node/class_weights.hpp"
#include "pass/gains.hpp"
#include "pass/narrow.hpp"
#include "pass/ranking.hpp"
#include "pass/workspace.hpp"
#include "rule/rule.hpp"

namespace beamtree {

template <class Form, SearchRule Rule>
class Pass;
template <class Form>
class PolishOf;
struct Worker;

/// A *form* is the way in which a search holds its rows. It names the types of a node, of a worker
/// and of a pass. This one holds columns of bits; sorted/sorted_form.hpp holds sorted columns.
///
/// Passes over columns of bits and over groups of equal rows have the same loops (pass.hpp,
/// ranking.hpp, rebuild.hpp), which are templates over the form. Its workspace has the members of
/// Workspace that they use, and there are functions make_child and make_side as in children.hpp.
struct BitForm {
    static constexpr bool kAnyDepths = false;   ///< passes of any depth are in price/
    static constexpr int kLookaheadLevels = 4;  ///< least depth at which three levels are scored
    /// Whether probes try the most balanced splits first, below the root.
    static constexpr bool kBalancedProbes = true;
    static constexpr double kFirstTarget = 0.03;  ///< of the first probe, as a share of the cost
    using Node = beamtree::Node;
    using Workspace = beamtree::Workspace;
    using Gains = beamtree::Gains;
    using Narrow = NarrowSolver;
    using SplitSums = ClassWeights;
    using Worker = beamtree::Worker;
    using Polish = PolishOf<BitForm>;
    template <SearchRule Rule>
    using PassOf = Pass<BitForm, Rule>;
    /// Levels at the bottom that are solved exactly, whatever the rule.
    static int exact_levels(const Workspace& work) { return work.options.exact_levels; }
    /// The width of the first passes, see PassMode.
    static int first_width(const Workspace& work) {
        const bool wide = work.options.subsets && work.data.features() > work.options.hooks.wide;
        return wide ? work.options.hooks.first_width : PassMode::kAllFeatures;
    }
    static bool narrows(const PassMode& mode, const Node& root) { return mode.narrows(root); }
    /// Returns the place in a node of a column by which a tree of the search splits it.
    static int find_place(const Workspace& work, const Node& node, int column) {
        for (int f = 0; f < node.features; ++f)
            if (work.data.original(node.feature[f]) == column) return f;
        throw std::logic_error("a tree splits a node by a feature that the node does not have");
    }
    /// By what the facts of a node name the split at a place.
    static int split_of(const Workspace&, const Node& node, int place) {
        return node.feature[place];
    }
    /// The step of a path that leads to one side of a feature of a node.
    static PathStep step(const Workspace& work, const Node& node, int f, bool one) {
        return {work.data.original(node.feature[f]), one};
    }
    /// The place of a test, and the side of it on which the test is `one`.
    static std::pair<int, bool> find_side(const Workspace& work, const Node& node, int column,
                                          bool one) {
        return {find_place(work, node, column), one};
    }
    /// Makes a node that was made for a tree ready for a pass.
    static void prepare(const Workspace& work, Node& node) {
        node.drop_unsplittable(work.data, work.objective);
    }
    /// No tree with a split costs less.
    static Cost floor(const Workspace& work, const Node& node) {
        return work.objective.split_floor(node.least_error);
    }
    /// Returns a lower bound that is known without a search, or that takes little time: here from
    /// similar nodes that were searched before. Bounds from `goal` on are worth the same.
    static Cost early_bound(Workspace& work, const Node& node, const TreeSize& size, Cost goal) {
        return work.archive[size.depth].bound(node, goal, work.similar);
    }
    static void keep_bound(Workspace& work, const Node& node, const TreeSize& size, Cost lower) {
        work.archive[size.depth].add(node, lower);
    }
    /// By how much a probe of the last three levels may prove more than twice its target.
    static Cost probe_margin(const Workspace& work) { return work.objective.error_cost(10); }
    /// By how much the bound of a child is lowered before it bounds other children. The last
    /// argument is the number of levels of the child.
    static Cost slack(const Workspace&, const Node&, int) { return 0; }
    static const Cover& cover_of(const Node& node) { return node.cover; }
    /// Whether trees that come from elsewhere are polished before the next pass.
    static bool polishes_first() { return false; }
    /// The work of the first probes that ask for the whole proof, and not for small targets.
    static std::int64_t direct_work(int) { return 0; }
};

using Ranking = RankingOf<BitForm>;

/// What one thread of a search works with, and how it ranks features.
struct Worker {
    Worker(Shared& shared, const TableBytes& bytes, Heuristic heuristic, int thread)
        : work(shared, bytes, thread), ranking(work, heuristic) {}
    Workspace work;
    Ranking ranking;
};

}  // namespace beamtree
