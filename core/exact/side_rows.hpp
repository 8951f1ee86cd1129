// The rows of the smaller side of a split, packed so that kernels can count them.
#pragma once

#include <optional>
#include <vector>

#include "data/aligned.hpp"
#include "data/dataset.hpp"
#include "kernel/kernel.hpp"
#include "limits/stoppable_loop.hpp"
#include "node/counter.hpp"
#include "node/node.hpp"
#include "node/selection.hpp"

namespace beamtree {

class SideRows {
  public:
    SideRows(const Dataset& data, const Kernel& kernel, StoppableLoop& loop)
        : data_(data), kernel_(kernel), loop_(loop) {}

    /// Selects the side of feature `f` that has fewer physical rows. Returns which side it is:
    /// true where the feature is 1.
    bool select_smaller(const Node& node, int f);
    /// (segments,) Selected rows of each segment; 0 for segments that kernels do not count.
    const int* segment_rows() const { return segment_rows_.data(); }

    /// Packs the selected rows of some features. Returns nothing if the search was stopped
    /// meanwhile. The result is valid until the next call.
    std::optional<PackedRows> pack(const Node& node, const std::vector<int>& features, int stride);
    /// Packs the selected rows of all features of the node.
    std::optional<PackedRows> pack(const Node& node);

  private:
    const Dataset& data_;
    const Kernel& kernel_;
    StoppableLoop& loop_;
    Selection selection_;
    std::vector<int> segment_word_, segment_rows_;  ///< (segments,)
    AlignedBuffer columns_;
    std::vector<int> every_feature_;  ///< 0, 1, 2, ...
};

}  // namespace beamtree
