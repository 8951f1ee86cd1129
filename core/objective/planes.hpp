// The planes of a dataset: the sums over rows that a node needs, one plane per class and a few
// more.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "objective/misclassification.hpp"

namespace beamtree {

/// The indices of the planes. The classes are the planes 0 .. classes - 1; each other plane has its
/// index here, or -1 if the problem does not need it. Kernels count the classes and `rows`.
struct Planes {
    int classes = 0;  ///< number of classes
    /// The number of merged rows, if the weights do not give it (for min_samples_leaf).
    int rows = -1;
    /// Weight that all classes have in common in a group of rows with equal features. It is
    /// cancelled and becomes an offset of the cost; only heuristics count it.
    int tied = -1;
    /// The number of rows, for rules of the user that ask for it.
    int seen = -1;
    /// Weight outside the heaviest class of its group of rows with equal features: no tree
    /// classifies it correctly, which gives a lower bound.
    int unavoidable = -1;
    int count = 0;  ///< number of planes

    bool is_class(int plane) const { return plane < classes; }
    /// Whether kernels count the plane.
    bool counted(int plane) const { return plane < classes || plane == rows; }
    int last_counted() const { return std::max(classes - 1, rows); }
    /// How many planes kernels count.
    int counted_planes() const { return classes + (rows >= 0 ? 1 : 0); }

    /// The functions below take the sum of each plane over some rows.

    LeafSums leaf_sums(const std::vector<std::int64_t>& sum) const {
        LeafSums sums;
        for (int k = 0; k < classes; ++k) sums.add_class(sum[k]);
        return sums;
    }
    /// Rows as min_samples_leaf counts them.
    std::int64_t rows_of(const std::vector<std::int64_t>& sum, std::int64_t weight) const {
        return rows >= 0 ? sum[rows] : weight;
    }
    /// The weight that every tree misclassifies, because equal rows reach the same leaf.
    std::int64_t least_error(const std::vector<std::int64_t>& sum) const {
        return unavoidable >= 0 ? sum[unavoidable] : 0;
    }
    /// Weight that each class lost because it was cancelled.
    std::int64_t cancelled(const std::vector<std::int64_t>& sum) const {
        return tied >= 0 ? sum[tied] : 0;
    }
};

/// Returns the planes of a problem. `cancel` says whether equal rows of all classes are cancelled.
inline Planes choose_planes(int classes, const Misclassification& objective, bool cancel,
                            bool show_rows, bool unavoidable) {
    Planes planes;
    planes.classes = planes.count = classes;
    if (objective.has_minimum() && !objective.rows_are_weight) planes.rows = planes.count++;
    if (cancel) planes.tied = planes.count++;
    if (show_rows) planes.seen = planes.count++;
    // What is left of two classes that cancel is of one class only.
    if (unavoidable && !(cancel && classes <= 2)) planes.unavoidable = planes.count++;
    return planes;
}

}  // namespace beamtree
