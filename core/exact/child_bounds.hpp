// Lower bounds of the children of all features of a node, in the node's lanes: as weights, see
// Misclassification::lane_bound.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "data/aligned.hpp"

namespace beamtree {

class ChildBounds {
  public:
    /// Sets the bounds of all children to 0.
    template <class T>
    void clear(int stride) {
        stride_ = stride;
        lane_bytes_ = sizeof(T);
        std::fill_n(memory_.get<T>(2 * static_cast<std::size_t>(stride)), 2 * stride, T{0});
    }
    /// (stride,) Bounds of the children where the feature is 1, or where it is 0.
    template <class T>
    T* side(bool one) {
        return memory_.get<T>(2 * static_cast<std::size_t>(stride_)) + (one ? stride_ : 0);
    }
    /// Bound of one child, for callers who know the lanes of the node and for those who do not.
    template <class T>
    std::int64_t at(int f, bool one) const {
        return static_cast<std::int64_t>(memory_.data<T>()[one ? stride_ + f : f]);
    }
    std::int64_t at(int f, bool one) const {
        if (lane_bytes_ == 2) return at<std::uint16_t>(f, one);
        return lane_bytes_ == 4 ? at<std::uint32_t>(f, one) : at<std::uint64_t>(f, one);
    }

  private:
    int stride_ = 0, lane_bytes_ = 2;
    AlignedBuffer memory_;
};

}  // namespace beamtree
