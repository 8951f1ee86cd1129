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

    /// Fills level.ranked with the admissible features of the node, best first, and level.gain.
    /// Adds to `facts` what the cache knows of the children. Returns the optimum of the node with
    /// three levels if it is known, else -1.
    template <class T>
    Cost rank(const Node& node, int depth, const PassMode& mode, Facts& facts);

    /// What is known of a child, without a search.
    template <class T>
    Facts child_facts(const Node& node, int depth, int f, bool one);

    /// level.ranked, without an order, and level.child_hash.
    template <class T>
    void list_admissible(const Node& node, Level& level);
    /// level.few: the node with the best features by gain.
    const Node& outer_features(const Node& node, Level& level, const PassMode& mode);
    /// level.gain and level.best_gain, of the features in level.ranked.
    void measure_gains(const Node& node, Level& level);

  private:
    bool by_key() const {
        return heuristic_ == Heuristic::kAuto || heuristic_ == Heuristic::kLookahead;
    }
    template <class T>
    Cost make_keys(const Node& node, int depth, const PassMode& mode);
    template <class T>
    void look_ahead_narrow(const Node& node, int depth, const PassMode& mode);
    template <class T>
    void recall_children(const Node& node, int depth, Facts& facts);
    void sort(Level& level, int depth);

    Workspace& work_;
    Heuristic heuristic_;
};

}  // namespace beamtree
