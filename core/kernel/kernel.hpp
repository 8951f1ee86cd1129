// The interface of the kernels: what is done for every pair of features, in lanes of 16, 32 or 64
// bits, by one table of functions an instruction set.
//
// Counts are of *correct* weight, so that two classes and many are alike: a cell's best leaf is
// right in its heaviest class. With two classes a leaf of weight w and margin d = |w0 - w1| is
// right in (w + d) / 2; the weights of the leaves below a split add up to the same sum whatever the
// second split, so margins alone tell the best, and one plane of signed counts is enough.
//
// Features stand in blocks of 16; the rows of a node in *granules* of 16 rows, a word of 16 bits
// for each feature: (granules, stride).
//
// To add an instruction set: 1. write blocks_NAME.hpp (the operations on one block of 16
// features), 2. write NAME.cpp (one line: make_kernel), 3. list it in select.cpp and in
// CMakeLists.txt with its compiler flags.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "data/bits.hpp"

namespace beamtree {

inline constexpr int kBlock = 16;             ///< features in a block, rows in a granule
inline constexpr int kMaxRunGranules = 4064;  ///< a run's counts fit 16 bits

inline int padded(int features) {
    return (features + kBlock - 1) / kBlock * kBlock;
}

/// Some rows of a word of the parent's columns.
struct SelectedWord {
    Word mask = 0;
    std::uint32_t word = 0;
    std::uint16_t rows = 0;  ///< set bits of the mask
    bool last = false;       ///< of its segment: the next one starts a new word of the output
};

/// Bits that move right by 1, 2, 4, .. 32 in a parallel compress (Warren, Hacker's Delight, 7-4),
/// for kernels without an instruction for it.
struct CompressSteps {
    Word step[6];
};

/// Granules [begin, end) of one segment; each of their rows weighs 2^shift.
struct Run {
    int begin = 0, end = 0, shift = 0;
};

/// Features [begin, end) of a node.
struct Range {
    int begin = 0, end = 0;
};

/// Rows in granules. Plane p has the runs plane_begin[p] .. plane_begin[p + 1].
struct Granules {
    const std::uint16_t* data = nullptr;  ///< (granules, stride)
    int count = 0;
    const Run* runs = nullptr;
    const int* plane_begin = nullptr;
};

/// One side of a split, for which the best trees of depth 2 are sought.
template <class T>
struct Side {
    bool wanted = false;
    const T* const* single = nullptr;  ///< [plane] -> (stride,) weight in which a feature is 1
    const T* total = nullptr;          ///< [plane]
    const T* rows_single = nullptr;    ///< (stride,) rows; only where leaves have a minimum
    T rows_total = 0;
    /// Out (stride,): the most correct weight (or, of margins, the largest sum of margins) where g
    /// is 1, after one more split; and where g is 0.
    T* best_one = nullptr;
    T* best_zero = nullptr;
};

/// The best second splits below every first split g, on one or both sides of a split. Either the
/// small side is counted from its granules, or its pair counts are given; the other side is the
/// node less the small side.
template <class T>
struct Depth2 {
    /// The first splits [first, last) of which one call looks at the pairs with later features.
    /// Calls for parts of the features, in their order, do together what one call for all does.
    int first = 0, last = 0;
    int stride = 0;
    int planes = 0;   ///< class planes, then the rows plane if there is one
    int classes = 0;  ///< how many of them are classes
    /// Two classes, no minimum of rows: single, total and node_pairs have one plane, of margins
    /// (the first class less the second, modulo the lane); granules and small_pairs still have two.
    bool margins = false;
    T min_rows = 0;                         ///< above 1: leaves have a minimum
    Granules granules;                      ///< of the small side, if granules.data
    const T* const* small_pairs = nullptr;  ///< else [plane] -> (features, stride)
    const T* const* node_pairs = nullptr;   ///< of the node, if big.wanted
    Side<T> small, big;
    void* scratch = nullptr;  ///< depth2_scratch() bytes, aligned to 64
};

/// Bytes of scratch that depth2 needs for so many granules and planes.
std::size_t depth2_scratch(int granules, int planes);

/// Lower bounds of the children of all features, from those of one feature (similarity).
template <class T>
struct Similarity {
    int stride = 0, classes = 0;
    const T* const* pairs = nullptr;  ///< [class] -> (features, stride), symmetric
    const T* weight_one = nullptr;    ///< (stride,) weight in which a feature is 1
    T weight = 0;
    int feature = 0;
    T lower_one = 0, lower_zero = 0;  ///< of the children of `feature`, in whole weight
    bool subsets_only = false;        ///< leaves have a minimum: only subsets are comparable
    T* one = nullptr;                 ///< in and out (stride,)
    T* zero = nullptr;
};

template <class T>
struct LaneKernel {
    /// Adds the pair counts of the granules [0, count), each row weighing 2^shift, to the blocks on
    /// and above the diagonal of `pairs`, of its rows [first, last).
    void (*count_pairs)(const std::uint16_t* granules, int count, int shift, int first, int last,
                        int stride, T* pairs, void* scratch) = nullptr;
    void (*depth2)(const Depth2<T>&) = nullptr;
    /// The same of the small side below the first split `first` alone, with all features;
    /// small_pairs, of margins if it goes by margins, has only the row of that split.
    void (*depth2_row)(const Depth2<T>&) = nullptr;
    /// Adds `value`, modulo the lane, to some features of such a row.
    void (*add_ranges)(const Range* ranges, int count, T value, T* row) = nullptr;
    void (*similarity)(const Similarity<T>&) = nullptr;
    /// Largest best_one[g] + best_zero[g] over (stride,), padding included.
    T (*largest_sum)(const T* one, const T* zero, int stride) = nullptr;
};

struct Kernel {
    const char* name = "";
    LaneKernel<std::uint16_t> lane16;
    LaneKernel<std::uint32_t> lane32;
    LaneKernel<std::uint64_t> lane64;
    /// Packs the selected bits of a column, each segment from a new word on; the words of the
    /// output stand `stride` apart.
    void (*compress)(const Word* column, const SelectedWord* selected, const CompressSteps* steps,
                     int count, Word* out, int stride) = nullptr;
    /// In how many rows of each segment (columns, segments) each of some adjacent columns is 1.
    /// Segment s has the words from begin[s] to begin[s + 1], the first from 0.
    void (*count_segments)(const Word* columns, int count, const int* begin, int segments,
                           std::int32_t* rows) = nullptr;
    /// The same for the rows in which two columns are both 1.
    void (*count_common)(const Word* column, const Word* other, const int* begin, int segments,
                         std::int32_t* rows) = nullptr;
    /// Weight of the rows of a sparse cover (words and their places) that are not in a dense one,
    /// or some of it that is at least `enough`; `weight` is that of a row of each word.
    std::int64_t (*weight_outside)(const std::uint32_t* index, const Word* word, std::size_t size,
                                   const Word* dense, const std::int64_t* weight,
                                   std::int64_t enough) = nullptr;
    /// Splits a word of 64 rows of each of `stride` features into `granules` (1 to 4) rows of out.
    void (*split_words)(const Word* words, int granules, int stride, std::uint16_t* out) = nullptr;
    bool needs_compress_steps = false;  ///< compress reads the steps

    template <class T>
    const LaneKernel<T>& lanes() const {
        if constexpr (sizeof(T) == 2)
            return lane16;
        else if constexpr (sizeof(T) == 4)
            return lane32;
        else
            return lane64;
    }
};

/// The kernels that this machine can run, best first.
std::vector<Kernel> available_kernels();
/// By name; "auto" takes what the environment variable BEAMTREE_SIMD names, or else the best.
/// Throws std::invalid_argument for a name that is not available here.
Kernel select_kernel(const std::string& name);

}  // namespace beamtree
