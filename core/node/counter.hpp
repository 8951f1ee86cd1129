// Counts pairs of features: for every plane, the weight of the rows in which both features of a
// pair are 1. Kernels count granules, 16 rows of one segment with one bit per row and feature, so
// columns are first cut into granules.
#pragma once

#include <cstdint>
#include <vector>

#include "data/aligned.hpp"
#include "kernel/kernel.hpp"
#include "limits/stoppable_loop.hpp"
#include "node/node.hpp"

namespace beamtree {

/// The planes of a node that kernels count: the classes that it has, then the rows if they have a
/// plane. Kernels number them from 0.
struct NodePlanes {
    std::vector<int> plane;  ///< their indices in the dataset, increasing
    int classes = 0;         ///< how many of them are classes
    int count() const { return static_cast<int>(plane.size()); }
    void choose(const Dataset& data, const Node& node);
};

/// Rows in columns of words, one segment after the other. Word w of feature f is at
/// columns[w * word_step + f * feature_step].
struct PackedRows {
    const Word* columns = nullptr;
    int word_step = 0, feature_step = 0;
    const int* segment_word = nullptr;  ///< (segments,) first word of each
    const int* segment_rows = nullptr;  ///< (segments,) number of rows of each
};

/// Cuts columns into granules and counts them. Each thread has its own, with scratch memory.
class Counter {
  public:
    Counter(const Dataset& data, const Kernel& kernel, StoppableLoop& loop)
        : data_(data), kernel_(kernel), loop_(loop) {}

    /// Sets `pairs`, [plane] -> (features, stride), to the pair counts of all `rows`, in the blocks
    /// on and above the diagonal. Returns false if the search was stopped meanwhile: the counts
    /// must not be used then.
    template <class T>
    [[nodiscard]] bool count_pairs(const PackedRows& rows, const NodePlanes& planes, int features,
                                   int stride, T* const* pairs);
    /// Copies the blocks above the diagonal to those below it. Returns false if the search was
    /// stopped meanwhile.
    template <class T>
    [[nodiscard]] bool make_symmetric(T* pairs, int features, int stride);
    /// Returns the granules of all `rows`, valid until the next call.
    Granules make_granules(const PackedRows& rows, const NodePlanes& planes, int features,
                           int stride);
    /// Number of granules that make_granules would make.
    int granules(const int* segment_rows, const NodePlanes& planes) const;
    /// Whether a number of granules fits into the first-level cache of a processor.
    bool fit(int granules, int stride) const {
        return static_cast<std::int64_t>(granules) * stride * 2 <= kCacheBytes;
    }
    StoppableLoop& loop() { return loop_; }
    /// Scratch memory for the kernel of depth 2.
    void* scratch(int granules, int planes) {
        return scratch_.get(depth2_scratch(granules, planes));
    }

  private:
    static constexpr int kCacheBytes = 32768;

    /// Number of granules that are counted at once, so that they stay in the cache.
    int chunk_granules(int stride) const;
    /// Writes the granules [first, first + count) of a segment; `first` is a multiple of 4.
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
