// Finds the best trees of depth 2 for every first split.
// This is a part of kernel_of.hpp: nothing here may come from the standard library.
#pragma once

#include "kernel/cells.hpp"
#include "kernel/kernel.hpp"

namespace beamtree {

// Builds with sanitizers set this to a smaller number, because they take long to compile.
#ifndef BEAMTREE_FIXED_GRANULES
#define BEAMTREE_FIXED_GRANULES 4
#endif
inline constexpr int kMaxFixedGranules = BEAMTREE_FIXED_GRANULES;

/// The weight of the heaviest class in each of the four leaves of a pair of features (g, h), for a
/// block of features h: of the rows in which both are 1, only g is 1, only h is 1, or none is 1.
template <class I, class T>
struct Cells {
    using Block = typename I::template Block<T>;
    Block both = I::template zero<T>(), only_g = both, only_h = both, none = both;

    /// Takes one more class into account.
    inline __attribute__((always_inline)) void take(const Block& in_both, const Block& g_total,
                                                    const Block& not_g_total,
                                                    const Block& h_total) {
        const Block in_only_h = I::sub(h_total, in_both);
        both = I::max(both, in_both);
        only_g = I::max(only_g, I::sub(g_total, in_both));
        only_h = I::max(only_h, in_only_h);
        none = I::max(none, I::sub(not_g_total, in_only_h));
    }
};

/// The values of one side for one feature g.
template <class I, class T>
struct SideRow {
    using Block = typename I::template Block<T>;
    const Side<T>& side;
    Block* g_total;      ///< [plane] weight of the rows in which g is 1
    Block* not_g_total;  ///< [plane] weight of the rows in which g is 0
    Block g_rows = I::template zero<T>(), not_g_rows = g_rows;
    Block one = g_rows,
          zero = g_rows;  ///< best values of g so far, for the features h of each lane

    inline __attribute__((always_inline)) void start(int g, int planes) {
        for (int p = 0; p < planes; ++p) {
            const T in_g = side.single[p][g];
            g_total[p] = I::template fill<T>(in_g);
            not_g_total[p] = I::template fill<T>(static_cast<T>(side.total[p] - in_g));
        }
        one = zero = I::template zero<T>();
    }
    void start_rows(int g) {
        g_rows = I::template fill<T>(side.rows_single[g]);
        not_g_rows = I::template fill<T>(static_cast<T>(side.rows_total - side.rows_single[g]));
    }
    inline __attribute__((always_inline)) void finish_pair(int h, const Block& g_one,
                                                           const Block& g_zero, const Block& h_one,
                                                           const Block& h_zero) {
        one = I::max(one, g_one);
        zero = I::max(zero, g_zero);
        I::store(side.best_one + h, I::max(I::load(side.best_one + h), h_one));
        I::store(side.best_zero + h, I::max(I::load(side.best_zero + h), h_zero));
    }
    template <bool MinRows>
    inline __attribute__((always_inline)) void score(int h, const Cells<I, T>& cells,
                                                     const Block& rows, const Block& least) {
        const Block g_one = I::add(cells.both, cells.only_g),
                    g_zero = I::add(cells.only_h, cells.none);
        const Block h_one = I::add(cells.both, cells.only_h),
                    h_zero = I::add(cells.only_g, cells.none);
        if constexpr (MinRows) {
            const Block only_g = I::sub(g_rows, rows);
            const Block only_h = I::sub(I::load(side.rows_single + h), rows);
            const Block none = I::sub(not_g_rows, only_h);
            finish_pair(
                h, I::keep_if(g_one, rows, only_g, least), I::keep_if(g_zero, only_h, none, least),
                I::keep_if(h_one, rows, only_h, least), I::keep_if(h_zero, only_g, none, least));
        } else {
            finish_pair(h, g_one, g_zero, h_one, h_zero);
        }
    }
    inline __attribute__((always_inline)) void score_margin(int h, const Block& in_both) {
        const Block in_only_h = I::sub(I::load(side.single[0] + h), in_both);
        const Block both = I::abs(in_both), only_g = I::abs(I::sub(g_total[0], in_both));
        const Block only_h = I::abs(in_only_h), none = I::abs(I::sub(not_g_total[0], in_only_h));
        finish_pair(h, I::add(both, only_g), I::add(only_h, none), I::add(both, only_h),
                    I::add(only_g, none));
    }
    void finish(int g) {
        const T most_one = I::largest(one), most_zero = I::largest(zero);
        if (most_one > side.best_one[g]) side.best_one[g] = most_one;
        if (most_zero > side.best_zero[g]) side.best_zero[g] = most_zero;
    }
    void clear_best(int stride) {
        for (int h = 0; h < stride; h += kBlock) {
            I::store(side.best_one + h, I::template zero<T>());
            I::store(side.best_zero + h, I::template zero<T>());
        }
    }
};

/// Scores all pairs (g, h) in the blocks on the diagonal and to its right. Each pair counts for g
/// and for h as the first split.
template <class I, class T, bool MinRows, bool Small, bool Big, class Source>
void score_pairs(const Depth2<T>& in, Source source) {
    using Block = typename I::template Block<T>;
    const int classes = in.classes, stride = in.stride;
    auto* totals = static_cast<Block*>(in.scratch);
    SideRow<I, T> small{in.small, totals, totals + classes};
    SideRow<I, T> big{in.big, totals + 2 * classes, totals + 3 * classes};
    const Block least = I::template fill<T>(in.min_rows);
    if (in.first == 0) {
        if constexpr (Small) small.clear_best(stride);
        if constexpr (Big) big.clear_best(stride);
    }
    for (int g = in.first; g < in.last; ++g) {
        source.start(g);
        if constexpr (Small) small.start(g, classes);
        if constexpr (Big) big.start(g, classes);
        if constexpr (MinRows && Small) small.start_rows(g);
        if constexpr (MinRows && Big) big.start_rows(g);
        const std::size_t row = static_cast<std::size_t>(g) * stride;
        for (int h = g / kBlock * kBlock; h < stride; h += kBlock) {
            Cells<I, T> small_cells, big_cells;
            Block small_rows = I::template zero<T>(), big_rows = small_rows;
            for (int p = 0; p < classes; ++p) {
                const Block cell = source.cell(p, g, h);
                if constexpr (Small)
                    small_cells.take(cell, small.g_total[p], small.not_g_total[p],
                                     I::load(in.small.single[p] + h));
                if constexpr (MinRows) small_rows = I::add(small_rows, cell);
                if constexpr (Big) {
                    const Block rest = I::sub(I::load(in.node_pairs[p] + row + h), cell);
                    big_cells.take(rest, big.g_total[p], big.not_g_total[p],
                                   I::load(in.big.single[p] + h));
                    if constexpr (MinRows) big_rows = I::add(big_rows, rest);
                }
            }
            if constexpr (MinRows) {
                if (in.planes > classes) {  // the number of rows has its own plane
                    small_rows = source.cell(classes, g, h);
                    if constexpr (Big)
                        big_rows = I::sub(I::load(in.node_pairs[classes] + row + h), small_rows);
                }
            }
            if constexpr (Small) small.template score<MinRows>(h, small_cells, small_rows, least);
            if constexpr (Big) big.template score<MinRows>(h, big_cells, big_rows, least);
        }
        if constexpr (Small) small.finish(g);
        if constexpr (Big) big.finish(g);
    }
}

/// Does this by margins, for two classes without a minimum size of leaves.
template <class I, class T, bool Small, bool Big, class Source>
void score_margins(const Depth2<T>& in, Source source) {
    using Block = typename I::template Block<T>;
    Block totals[4];
    SideRow<I, T> small{in.small, totals, totals + 1}, big{in.big, totals + 2, totals + 3};
    if (in.first == 0) {
        if constexpr (Small) small.clear_best(in.stride);
        if constexpr (Big) big.clear_best(in.stride);
    }
    for (int g = in.first; g < in.last; ++g) {
        source.start(g);
        if constexpr (Small) small.start(g, 1);
        if constexpr (Big) big.start(g, 1);
        const std::size_t row = static_cast<std::size_t>(g) * in.stride;
        for (int h = g / kBlock * kBlock; h < in.stride; h += kBlock) {
            const Block margin = source.margin(g, h);
            if constexpr (Small) small.score_margin(h, margin);
            if constexpr (Big)
                big.score_margin(h, I::sub(I::load(in.node_pairs[0] + row + h), margin));
        }
        if constexpr (Small) small.finish(g);
        if constexpr (Big) big.finish(g);
    }
}

template <class I, class T, class Source>
void score_margin_sides(const Depth2<T>& in, Source source) {
    if (in.small.wanted && in.big.wanted)
        score_margins<I, T, true, true>(in, source);
    else if (in.small.wanted)
        score_margins<I, T, true, false>(in, source);
    else
        score_margins<I, T, false, true>(in, source);
}

template <class I, class T, bool MinRows, class Source>
void score_sides(const Depth2<T>& in, Source source) {
    if (in.small.wanted && in.big.wanted)
        score_pairs<I, T, MinRows, true, true>(in, source);
    else if (in.small.wanted)
        score_pairs<I, T, MinRows, true, false>(in, source);
    else
        score_pairs<I, T, MinRows, false, true>(in, source);
}

template <class I, class T, class Source>
void score(const Depth2<T>& in, Source source) {
    if (in.margins)
        score_margin_sides<I>(in, source);
    else if (in.min_rows > 1)
        score_sides<I, T, true>(in, source);
    else
        score_sides<I, T, false>(in, source);
}

/// Calls score_margin_sides with the numbers of granules of both classes as constants, if they are
/// small. Returns false if they are not.
template <class I, int N0, int N1>
bool score_fixed(const Depth2<std::uint16_t>& in, typename I::Bits* own, int n0, int n1) {
    if constexpr (N0 > kMaxFixedGranules) {
        return false;
    } else if constexpr (N1 > kMaxFixedGranules) {
        return score_fixed<I, N0 + 1, 0>(in, own, n0, n1);
    } else {
        if (n0 != N0 || n1 != N1) return score_fixed<I, N0, N1 + 1>(in, own, n0, n1);
        score_margin_sides<I>(in, FixedCells<I, N0, N1>{in.granules, in.stride, own});
        return true;
    }
}

/// Returns the number of granules of a plane that has at most one run, of unit weight; otherwise
/// -1.
static inline int plain_granules(const Granules& granules, int plane) {
    const int begin = granules.plane_begin[plane], runs = granules.plane_begin[plane + 1] - begin;
    if (runs == 0) return 0;
    return runs == 1 && granules.runs[begin].shift == 0
               ? granules.runs[begin].end - granules.runs[begin].begin
               : -1;
}

template <class I, class T>
void depth2(const Depth2<T>& in) {
    if (in.granules.data == nullptr) {
        if (in.margins && in.small_pairs == nullptr)
            score_margins<I, T, true, false>(in, StoredMargins<I, T>{in.node_pairs[0], in.stride});
        else
            score<I>(in, StoredCells<I, T>{in.small_pairs, in.stride});
        return;
    }
    auto* totals = static_cast<typename I::template Block<T>*>(in.scratch);
    auto* own = reinterpret_cast<typename I::Bits*>(totals + 4 * in.planes);
    if constexpr (sizeof(T) == 2 && I::has_fixed) {
        if (in.margins) {
            const int n0 = plain_granules(in.granules, 0), n1 = plain_granules(in.granules, 1);
            if (n0 >= 0 && n1 >= 0) {
                if (!score_fixed<I, 0, 0>(in, own, n0, n1))
                    score_margin_sides<I>(in, PlainCells<I>{in.granules, in.stride, own, n0, n1});
                return;
            }
        }
    }
    score<I>(in, CountedCells<I, T>{in.granules, in.stride, own});
}

}  // namespace beamtree
