// Prepares a node for the loop over its features: counts it, bounds its children by the facts in
// the cache, and sorts the features in the order of the heuristic.
#pragma once

#include <vector>

#include "pass/gains.hpp"
#include "pass/narrow.hpp"
#include "pass/workspace.hpp"

namespace beamtree {

class Ranking {
  public:
    Ranking(Workspace& work, Heuristic heuristic)
        : work_(work), gains_(work, heuristic), narrow_(work, gains_) {}
    Ranking(const Ranking&) = delete;  // its parts refer to each other
    Ranking& operator=(const Ranking&) = delete;

    /// Counts a node with `depth` levels left, bounds its children, and ranks its admissible
    /// features, all in the buffers of that depth. Adds to `facts` what the cache knows of the
    /// children. Returns the optimum of the node with three levels if it is known, else -1.
    Cost rank(const Node& node, int depth, const PassMode& mode, Facts& facts);

    /// Returns the facts of a child of a ranked node that are known without a search.
    Facts child_facts(const Node& node, int depth, int f, bool one);

    /// Solves nodes of which only some features are tried.
    NarrowSolver& narrow() { return narrow_; }

  private:
    bool uses_scores() const {
        return gains_.heuristic() == Heuristic::kAuto ||
               gains_.heuristic() == Heuristic::kLookahead;
    }
    Cost make_scores(const Node& node, int depth, const PassMode& mode);
    void recall_children(const Node& node, int depth, Facts& facts);
    void sort(RankedFeatures& ranked, int depth);

    Workspace& work_;
    Gains gains_;
    NarrowSolver narrow_;
    std::vector<int> by_score_, by_gain_;  ///< features by one measure, while they are mixed
    std::vector<bool> taken_;              ///< (features,) while they are mixed
};

}  // namespace beamtree
