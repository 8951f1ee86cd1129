// The counts of a node in lanes of type T: for every plane that the node has, the weight in which
// each feature is 1, and in which each pair of features is.
#pragma once

#include <cstdint>
#include <vector>

#include "data/aligned.hpp"
#include "kernel/kernel.hpp"
#include "limits/stoppable_loop.hpp"
#include "node/node.hpp"

namespace beamtree {

/// Planes of a node that enter the kernels: the classes that it has, then the rows if they have a
/// plane. Kernels see these, numbered from 0.
struct NodePlanes {
    std::vector<int> plane;  ///< of the dataset
    int classes = 0;
    int count() const { return static_cast<int>(plane.size()); }
    void choose(const Dataset& data, const Node& node);
};

/// Rows that stand in columns of words, segment by segment. Word w of feature f stands at
/// w * word_step + f * feature_step.
struct PackedRows {
    const Word* columns = nullptr;
    int word_step = 0, feature_step = 0;
    const int* segment_word = nullptr;  ///< (segments,)
    const int* segment_rows = nullptr;  ///< (segments,)
};

/// Turns columns into granules and counts them. One a thread: it owns scratch memory.
class Counter {
  public:
    Counter(const Dataset& data, const Kernel& kernel, StoppableLoop& loop)
        : data_(data), kernel_(kernel), loop_(loop) {}

    /// Pair counts of all `rows`, in planes of (features, stride), upper blocks only. False: it was
    /// stopped, and the counts are of no use.
    template <class T>
    [[nodiscard]] bool count_pairs(const PackedRows& rows, const NodePlanes& planes, int features,
                                   int stride, T* const* pairs);
    /// Copies the blocks above the diagonal to those below it. False: it was stopped.
    template <class T>
    [[nodiscard]] bool make_symmetric(T* pairs, int features, int stride);
    /// Granules of all `rows` in one piece.
    Granules make_granules(const PackedRows& rows, const NodePlanes& planes, int features,
                           int stride);
    /// How many granules make_granules would make.
    int granules(const int* segment_rows, const NodePlanes& planes) const;
    /// Whether so many granules stay in the first-level cache.
    bool fit(int granules, int stride) const {
        return static_cast<std::int64_t>(granules) * stride * 2 <= kCacheBytes;
    }
    StoppableLoop& loop() { return loop_; }
    void* scratch(int granules, int planes) {
        return scratch_.get(depth2_scratch(granules, planes));
    }

  private:
    static constexpr int kCacheBytes = 32768;

    int chunk_granules(int stride) const;
    /// Granules [first, first + count) of a segment; `first` is a multiple of 4.
    void transpose(const PackedRows& rows, int segment, int first, int count, int features,
                   int stride, std::uint16_t* out);

    const Dataset& data_;
    const Kernel& kernel_;
    StoppableLoop& loop_;
    AlignedBuffer granules_, scratch_, words_;
    std::vector<Run> runs_;
    std::vector<int> plane_begin_;
};

inline int granules_for(int rows) {
    return (rows + kBlock - 1) / kBlock;
}

}  // namespace beamtree
