// The facts about a subproblem: bounds on its optimum, and the first split of its best known tree.
#pragma once

#include "objective/objective.hpp"

namespace beamtree {

inline constexpr int kLeaf = -1;

/// Always lower <= optimum <= upper. The tree behind `upper` follows from the split and the facts
/// of the two children.
struct Facts {
    Cost lower = 0;
    Cost upper = kInfiniteCost;
    int split = kLeaf;  ///< feature of the dataset, or kLeaf

    bool solved() const { return lower >= upper; }
    /// Whether the search for a tree that costs less than `bound` is over.
    bool settled(Cost bound) const { return lower >= upper || lower >= bound; }
    /// Raises the lower bound, but never above the upper bound.
    void raise(Cost value) {
        if (value > lower) lower = value < upper ? value : upper;
    }
    /// Takes over a tree that costs less than the best known one.
    void improve(Cost value, int feature) {
        if (value < upper) {
            upper = value;
            split = feature;
        }
    }
};

}  // namespace beamtree
