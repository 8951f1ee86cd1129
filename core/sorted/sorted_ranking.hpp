// Ranks the orders of a node, and chooses the threshold of each that is tried first.
#pragma once

#include "pass/narrow.hpp"
#include "sorted/sorted_workspace.hpp"

namespace beamtree {

/// Whether a heuristic ranks orders by the cost of trees of two levels, and not by gains.
inline bool looks_ahead(Heuristic heuristic) {
    return heuristic == Heuristic::kAuto || heuristic == Heuristic::kLookahead;
}

template <SearchObjective O>
class SortedRanking {
  public:
    explicit SortedRanking(SortedWorkspace<O>& work) : work_(work) {}

    /// Ranks the orders of a node with `depth` levels left, in the buffers of that depth. `gains`
    /// says whether the gains of all thresholds are wanted, and `scores` whether the cost of trees
    /// of two levels may be computed. Returns false if the search was stopped.
    bool rank(const SortedNode<O>& node, int depth, bool gains, bool scores);

  private:
    bool find_scores(const SortedNode<O>& node, int depth, bool compute);
    void measure_gains(const SortedNode<O>& node, RankedOrder& ranked);

    SortedWorkspace<O>& work_;
    std::vector<Cost> stored_;  ///< scores and first places, as the cache holds them
};

}  // namespace beamtree
