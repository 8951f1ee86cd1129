// Lists the features that can split a node, and measures their gains by the heuristic of the
// search.
#pragma once

#include "pass/workspace.hpp"

namespace beamtree {

/// The orders in which a search can try the features of a node.
enum class Heuristic {
    kAuto,       ///< lookahead, by turns with information gain where five levels are left
    kLookahead,  ///< by the cost of the best tree of depth 3 (near the bottom 2) of a split
    kInformationGain,
    kGainRatio,
    kGini,
    kError,
    kGiven,  ///< in the order of the columns
};

class Gains {
  public:
    Gains(Workspace& work, Heuristic heuristic) : work_(work), heuristic_(heuristic) {}

    Heuristic heuristic() const { return heuristic_; }
    /// Lists the admissible features of a node that is counted in `buffers`, in increasing order,
    /// with their gains and the hashes of their children. If the search is stopped meanwhile, the
    /// list is not complete.
    void list_admissible(const Node& node, NodeBuffers& buffers);
    /// Sets the gains of the features in ranked.order, and the best of them.
    void measure(const Node& node, RankedFeatures& ranked);

  private:
    Workspace& work_;
    Heuristic heuristic_;
};

}  // namespace beamtree
