// Prepares a node for the loop over its features: counts it, bounds its children by the facts in
// the cache, and sorts the features in the order of the heuristic.
#pragma once

#include <cstdint>
#include <vector>

#include "cache/facts.hpp"
#include "cache/tree_size.hpp"
#include "pass/narrow.hpp"

namespace beamtree {

/// The form (see bit_form.hpp) says how rows are held; the bodies are in ranking_of.hpp.
template <class Form>
class RankingOf {
  public:
    using Node = typename Form::Node;
    using Workspace = typename Form::Workspace;

    RankingOf(Workspace& work, Heuristic heuristic)
        : work_(work), gains_(work, heuristic), narrow_(work, gains_) {}
    RankingOf(const RankingOf&) = delete;  // its parts refer to each other
    RankingOf& operator=(const RankingOf&) = delete;

    /// Counts a node, bounds its children, and ranks its admissible features, all in the buffers of
    /// its depth. Adds to `facts` what the cache knows of the children. Returns the optimum of the
    /// node with three levels if it is known, else -1.
    Cost rank(const Node& node, const TreeSize& size, const PassMode& mode, Facts& facts);

    /// Returns the facts of a child of a ranked node that are known without a search, if it gets
    /// this number of leaves.
    Facts child_facts(const Node& node, const TreeSize& size, int f, bool one, int leaves);
    /// Sets `known` of the buffers to the facts of both children of a ranked node.
    void recall_split(const Node& node, const TreeSize& size, int f);
    /// Raises the bounds of the children of all features by what is known of those of `f`.
    void bound_siblings(const Node& node, const TreeSize& size, int f);

    /// Returns a node with some of its features, see NarrowSolver.
    const Node& outer_features(const Node& node, int depth, const PassMode& mode) {
        return narrow_.outer_features(node, work_.buffers[depth], mode);
    }
    /// Solves three levels of a node with some of its features, see NarrowSolver.
    void solve_narrow(const Node& node, const PassMode& mode, Cost bound, Facts& facts) {
        narrow_.solve(node, work_.buffers[3], mode, bound, facts);
    }

  private:
    bool uses_scores() const {
        return gains_.heuristic() == Heuristic::kAuto ||
               gains_.heuristic() == Heuristic::kLookahead;
    }
    Cost make_scores(const Node& node, const TreeSize& size, const PassMode& mode);
    void start_bounds(const Node& node, const TreeSize& size, Cost three_levels);
    void recall_children(const Node& node, const TreeSize& size, Facts& facts);
    void sort(RankedFeatures& ranked, int depth);
    void sort_by_balance(const Node& node, int depth);

    Workspace& work_;
    typename Form::Gains gains_;
    typename Form::Narrow narrow_;
    std::vector<int> by_score_, by_gain_;  ///< features by one measure, while they are mixed
    std::vector<bool> taken_;              ///< (features,) while they are mixed
    std::vector<std::int64_t> smaller_;    ///< (features,) rows of the smaller side of a split
};

}  // namespace beamtree
