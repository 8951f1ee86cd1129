// The interface of the kernels, which do the work for every pair of features. A kernel is a table
// of functions for one instruction set. Each function exists for *lanes* (integers in a vector) of
// 16, 32 and 64 bits.
//
// Kernels maximise the *correct* weight, so that they work alike for any number of classes: a leaf
// is correct in its heaviest class. With two classes, a leaf of weight w and margin d = |w0 - w1|
// is correct in the weight (w + d) / 2. The weights of the leaves below a first split add up to the
// same sum for every second split, so the margins alone show which is best, and one plane of signed
// counts is enough.
//
// The features of a node are arranged in blocks of 16, and its rows in *granules* of 16 rows. A
// granule has one word of 16 bits for each feature. Arrays of granules have the shape (granules,
// stride), where stride is the number of features, rounded up to whole blocks.
//
// To add an instruction set: 1. write blocks_NAME.hpp (the operations on one block of 16 features);
// 2. write NAME.cpp (one line, make_kernel); 3. list it in select.cpp, and in CMakeLists.txt with
// its compiler flags.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "data/bits.hpp"
#include "kernel/pair_scores.hpp"
#include "kernel/squares.hpp"
#include "kernel/stumps.hpp"

namespace beamtree {

inline constexpr int kBlock = 16;  ///< number of features in a block, and of rows in a granule
inline constexpr int kMaxRunGranules = 4064;  ///< so that the counts of a run fit into 16 bits

inline int padded(int features) {
    return (features + kBlock - 1) / kBlock * kBlock;
}

/// A selection among the 64 rows of one word of the parent's columns.
struct SelectedWord {
    Word mask = 0;
    std::uint32_t word = 0;
    std::uint16_t rows = 0;  ///< number of set bits of the mask
    bool last =
        false;  ///< whether it is the last of its segment; the next segment starts a new word
};

/// The steps of a compress in parallel (Warren, Hacker's Delight, section 7-4), for instruction
/// sets that have no instruction for it: the bits of step i move right by 2^i.
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

/// Rows in granules. The runs of plane p are [plane_begin[p], plane_begin[p + 1]).
struct Granules {
    const std::uint16_t* data = nullptr;  ///< (granules, stride)
    int count = 0;
    const Run* runs = nullptr;
    const int* plane_begin = nullptr;
};

/// One side of a split, whose best trees of depth 2 are computed.
template <class T>
struct Side {
    bool wanted = false;
    const T* const* single =
        nullptr;               ///< [plane] -> (stride,) weight of the rows in which a feature is 1
    const T* total = nullptr;  ///< [plane] weight of all rows
    const T* rows_single =
        nullptr;  ///< (stride,) number of those rows; only if leaves have a minimum size
    T rows_total = 0;
    /// Output (stride,): the largest correct weight (by margins: the largest sum of margins) of the
    /// rows in which feature g is 1, after one more split; and of the rows in which g is 0.
    T* best_one = nullptr;
    T* best_zero = nullptr;
};

/// Input and output of `depth2`, which finds the best second split below every first split g, on
/// one or both sides of a split of the node. The small side is counted from its granules, or its
/// pair counts are given. The pair counts of the big side are those of the node minus those of the
/// small side.
template <class T>
struct Depth2 {
    /// One call considers the pairs of the first splits [first, last) with later features. Several
    /// calls for consecutive ranges have the same result as one call for all features.
    int first = 0, last = 0;
    int stride = 0;
    int planes = 0;   ///< class planes, then the rows plane if there is one
    int classes = 0;  ///< number of class planes
    /// Use margins (only for two classes without a minimum size of leaves). Then single, total and
    /// node_pairs have one plane: the first class minus the second, modulo the lane. Granules and
    /// small_pairs still have two planes.
    bool margins = false;
    T min_rows = 0;     ///< leaves have a minimum size if this is above 1
    Granules granules;  ///< rows of the small side, unless granules.data is null
    const T* const* small_pairs = nullptr;  ///< otherwise, [plane] -> (features, stride)
    const T* const* node_pairs = nullptr;   ///< pair counts of the node; needed if big.wanted
    Side<T> small, big;
    void* scratch = nullptr;  ///< depth2_scratch() bytes, aligned to 64 bytes
};

/// Returns the bytes of scratch memory that depth2 needs.
std::size_t depth2_scratch(int granules, int planes);

/// Input and output of `similarity`, which raises the lower bounds of the children of all features
/// by means of the lower bounds of the children of one feature.
template <class T>
struct Similarity {
    int stride = 0, classes = 0;
    const T* const* pairs = nullptr;  ///< [class] -> (features, stride), symmetric
    const T* weight_one = nullptr;    ///< (stride,) weight of the rows in which a feature is 1
    T weight = 0;                     ///< weight of all rows
    int feature = 0;
    T lower_one = 0, lower_zero = 0;  ///< bounds of the children of `feature`, in units of weight
    bool subsets_only = false;  ///< leaves have a minimum size, so that only subsets can be bounded
    T* one = nullptr;   ///< (stride,) lower bounds of the sides where a feature is 1, updated
    T* zero = nullptr;  ///< (stride,) and where it is 0
};

template <class T>
struct LaneKernel {
    /// Adds the pair counts of the granules [0, count), whose rows weigh 2^shift each, to the rows
    /// [first, last) of the matrix `pairs`: to the blocks on the diagonal and to its right.
    void (*count_pairs)(const std::uint16_t* granules, int count, int shift, int first, int last,
                        int stride, T* pairs, void* scratch) = nullptr;
    void (*depth2)(const Depth2<T>&) = nullptr;
    /// Finds the best second splits of the small side below the one first split `first`, among all
    /// features. small_pairs has only the row of that split; by margins, it has one plane.
    void (*depth2_row)(const Depth2<T>&) = nullptr;
    /// Adds `value`, modulo the lane, to the features of these ranges in such a row.
    void (*add_ranges)(const Range* ranges, int count, T value, T* row) = nullptr;
    void (*similarity)(const Similarity<T>&) = nullptr;
    /// Returns the largest one[g] + zero[g] over (stride,), padding included.
    T (*largest_sum)(const T* one, const T* zero, int stride) = nullptr;
    /// Lowers `error` (2, 16), aligned to 32 bytes, to the error of the best stump of each side and
    /// lane, where that is less. The entries are the rows in the order of a column. On input, no
    /// error may be above that of a leaf. So a caller starts with the errors of leaves, and calls
    /// this for one column after another; rows that cannot lower any error cost less time.
    void (*lower_to_stumps)(const StumpLanes<T>&, const Entry* entries, int count,
                            T* error) = nullptr;
};

struct Kernel {
    const char* name = "";
    LaneKernel<std::uint16_t> lane16;
    LaneKernel<std::uint32_t> lane32;
    LaneKernel<std::uint64_t> lane64;
    /// Packs the selected bits of a column. Every segment starts a new word, and consecutive words
    /// of the output are `stride` apart.
    void (*compress)(const Word* column, const SelectedWord* selected, const CompressSteps* steps,
                     int count, Word* out, int stride) = nullptr;
    /// Counts the rows in which a column is 1, for `count` adjacent columns and each segment; the
    /// output is (columns, segments). The words of segment s are [begin[s], begin[s + 1]).
    void (*count_segments)(const Word* columns, int count, const int* begin, int segments,
                           std::int32_t* rows) = nullptr;
    /// Counts the rows of each segment in which two columns are both 1.
    void (*count_common)(const Word* column, const Word* other, const int* begin, int segments,
                         std::int32_t* rows) = nullptr;
    /// Returns the weight of the rows of a sparse cover (words and their positions) that are not in
    /// a dense cover. If it is at least `enough`, any number from `enough` to it may be returned.
    /// `weight` is the weight of each row of a word.
    std::int64_t (*weight_outside)(const std::uint32_t* index, const Word* word, std::size_t size,
                                   const Word* dense, const std::int64_t* weight,
                                   std::int64_t enough) = nullptr;
    /// Splits a word of 64 rows, for each of `stride` features, into `granules` (1 to 4) granules.
    void (*split_words)(const Word* words, int granules, int stride, std::uint16_t* out) = nullptr;
    /// Raises `score` (2, 16), aligned to 64 bytes, to the largest score of a stump of each side
    /// and lane, where that is larger. The entries are the rows in the order of a column.
    void (*raise_to_stumps)(const SquareLanes&, const Entry* entries, int count,
                            double* score) = nullptr;
    /// Sets the scores of both sides of all features after one more split. Returns the largest sum
    /// of both sides, or 0 if no feature leaves enough rows on both sides.
    double (*score_pairs)(const PairScores&) = nullptr;
    /// Turns packed sums (features, stride) of pairs of items into those of pairs of features: the
    /// rows of a feature are those of the items from it to the end of its chain.
    void (*add_up_chains)(const int* chain_end, int features, int stride,
                          std::int64_t* pairs) = nullptr;
    bool needs_compress_steps = false;  ///< whether compress needs them

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

/// Returns the kernels that this machine can run, the best first.
std::vector<Kernel> available_kernels();
/// Returns the kernel of that name. "auto" means the kernel that the environment variable
/// BEAMTREE_SIMD names, or the best one if it is not set. Throws std::invalid_argument if this
/// machine cannot run it.
Kernel select_kernel(const std::string& name);

}  // namespace beamtree
