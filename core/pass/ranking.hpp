// Prepares a node for the loop over its features: counts it, bounds its children by what is known,
// and puts the features into the heuristic's order.
#pragma once

#include <cstdint>

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

class Ranking {
  public:
    Ranking(Workspace& work, Heuristic heuristic) : work_(work), heuristic_(heuristic) {}

    /// Fills buffers.ranked with the admissible features of the node, best first, and buffers.gain.
    /// Adds to `facts` what the cache knows of the children. Returns the optimum of the node with
    /// three levels if it is known, else -1.
    template <class T>
    Cost rank(const Node& node, int depth, const PassMode& mode, Facts& facts);

    /// What is known of a child, without a search.
    template <class T>
    Facts child_facts(const Node& node, int depth, int f, bool one);

    /// buffers.ranked, without an order, and buffers.child_hash.
    template <class T>
    void list_admissible(const Node& node, NodeBuffers& buffers);
    /// buffers.few: the node with the best features by gain.
    const Node& outer_features(const Node& node, NodeBuffers& buffers, const PassMode& mode);
    /// buffers.gain and buffers.best_gain, of the features in buffers.ranked.
    void measure_gains(const Node& node, NodeBuffers& buffers);

  private:
    bool uses_scores() const {
        return heuristic_ == Heuristic::kAuto || heuristic_ == Heuristic::kLookahead;
    }
    template <class T>
    Cost make_scores(const Node& node, int depth, const PassMode& mode);
    template <class T>
    void look_ahead_narrow(const Node& node, int depth, const PassMode& mode);
    template <class T>
    void recall_children(const Node& node, int depth, Facts& facts);
    void sort(NodeBuffers& buffers, int depth);

    Workspace& work_;
    Heuristic heuristic_;
};

}  // namespace beamtree
