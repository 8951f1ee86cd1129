// The interface of the kernel at the bottom of the search over all thresholds. A *stump* is a tree
// with one split. The kernel finds the best stumps by thresholds of a column g, for both sides of
// 16 thresholds of a column f. Each threshold of f has one lane.
//
// Row r is on the left side of lane k if its *bucket* is at most k. So the bucket is 0 if the row
// is on the left side of all lanes, and 16 if it is on the left side of none. With fewer thresholds
// than lanes, all rows are on the left side of the lanes that are left over.
//
// The rows of a node in the order of column g are given as *entries*, one per row: twice the number
// of the row, plus 1 if a *boundary* follows. A boundary is a place where the value of g changes,
// so that a threshold can separate the rows before it from the rows after it.
#pragma once

#include <cstddef>
#include <cstdint>

namespace beamtree {

using Entry = std::uint32_t;

inline Entry make_entry(std::uint32_t row, bool boundary) {
    return row << 1 | (boundary ? 1u : 0u);
}
inline std::uint32_t row_of(Entry entry) {
    return entry >> 1;
}
inline bool has_boundary(Entry entry) {
    return (entry & 1) != 0;
}

/// The number by which the kernel looks up what a row adds to the sums of all lanes.
inline std::uint8_t lane_code(int bucket, int label, int classes) {
    return static_cast<std::uint8_t>(2 * bucket + (classes == 2 ? label : 0));
}

/// The rows of a node and 16 thresholds of column f, as the kernel reads them. Arrays with one
/// number per side and lane have the shape (2, 16), left side first, aligned to 32 bytes. The
/// weight of all rows and the sum of `rows` must be less than 2^16, 2^31 or 2^63 for lanes of 16,
/// 32 or 64 bits.
template <class T>
struct StumpLanes {
    int classes = 0;                       ///< at least 2
    const std::uint8_t* code = nullptr;    ///< (rows,) the lane_code of each row
    const std::uint16_t* label = nullptr;  ///< (rows,) not needed for two classes
    /// (rows,) what a row adds to the sums: its weight. With two classes, the weights of the rows
    /// of class 1 are negated, modulo the lane. Null if each row weighs 1 and counts as one row.
    const T* step = nullptr;
    /// (rows,) how much a row counts towards the minimum size of leaves. Needed if min_rows is
    /// above 1 and `step` is not null.
    const T* rows = nullptr;
    T min_rows = 1;
    const T* class_weight = nullptr;  ///< (classes, 2, 16) weight of each class, side and lane
    const T* side_rows = nullptr;     ///< (2, 16) sums of `rows`; needed if min_rows is above 1
    void* scratch = nullptr;          ///< stumps_scratch() bytes, aligned to 64 bytes
};

inline constexpr int kStumpChunk = 32;  ///< number of entries that are swept forwards and backwards

/// Returns the bytes of scratch memory that the kernel needs.
std::size_t stumps_scratch(int classes);

}  // namespace beamtree
