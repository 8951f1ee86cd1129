// The gains of the features of a node, by the heuristic of the search.
#pragma once

#include "pass/workspace.hpp"

namespace beamtree {

/// The orders that a search can have.
enum class Heuristic {
    kAuto,       ///< lookahead, in turns with information gain where five levels are left
    kLookahead,  ///< the error of the best tree of depth 3 (2, near the bottom) below a split
    kInformationGain,
    kGainRatio,
    kGini,
    kError,
    kGiven,  ///< as the columns stand
};

class Gains {
  public:
    Gains(Workspace& work, Heuristic heuristic) : work_(work), heuristic_(heuristic) {}

    Heuristic heuristic() const { return heuristic_; }
    /// Lists the admissible features of a node that is counted in `buffers`, in no order, and their
    /// gains and children's hashes. If the search is stopped, the result must not be used.
    void list_admissible(const Node& node, NodeBuffers& buffers);
    /// Sets the gains of the listed features.
    void measure(const Node& node, RankedFeatures& ranked);

  private:
    Workspace& work_;
    Heuristic heuristic_;
};

}  // namespace beamtree
