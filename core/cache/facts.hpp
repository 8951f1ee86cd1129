// What is known of a subproblem.
#pragma once

#include "objective/objective.hpp"

namespace beamtree {

inline constexpr int kLeaf = -1;

/// lower <= OPT <= upper, and upper is realised by the split and its children's facts.
struct Facts {
    Cost lower = 0;
    Cost upper = kInfiniteCost;
    int split = kLeaf;  ///< feature of the dataset, or kLeaf

    bool solved() const { return lower >= upper; }
    bool settled(Cost bound) const { return lower >= upper || lower >= bound; }
    void raise(Cost value) {
        if (value > lower) lower = value < upper ? value : upper;
    }
    void improve(Cost value, int feature) {
        if (value < upper) {
            upper = value;
            split = feature;
        }
    }
};

}  // namespace beamtree
