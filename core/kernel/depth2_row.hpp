// Works on the pair counts of a single first split: adds to them, and finds the best second split.
// This is a part of kernel_of.hpp: nothing here may come from the standard library.
#pragma once

#include "kernel/depth2.hpp"
#include "kernel/kernel.hpp"

namespace beamtree {

/// A plain loop, because ranges start anywhere; compilers vectorise it.
template <class I, class T>
void add_ranges(const Range* ranges, int count, T value, T* row) {
    for (int r = 0; r < count; ++r) {
        const int begin = ranges[r].begin, end = ranges[r].end;
        for (int h = begin; h < end; ++h) row[h] = static_cast<T>(row[h] + value);
    }
}

template <class I, class T, bool MinRows>
void score_row(const Depth2<T>& in) {
    using Block = typename I::template Block<T>;
    const int g = in.first, classes = in.classes;
    auto* totals = static_cast<Block*>(in.scratch);
    SideRow<I, T> row{in.small, totals, totals + classes};
    const Block least = I::template fill<T>(in.min_rows);
    row.start(g, classes);
    if constexpr (MinRows) row.start_rows(g);
    for (int h = 0; h < in.stride; h += kBlock) {
        Cells<I, T> cells;
        Block rows = I::template zero<T>();
        for (int p = 0; p < classes; ++p) {
            const Block both = I::load(in.small_pairs[p] + h);
            cells.take(both, row.g_total[p], row.not_g_total[p], I::load(in.small.single[p] + h));
            if constexpr (MinRows) rows = I::add(rows, both);
        }
        Block one = I::add(cells.both, cells.only_g), zero = I::add(cells.only_h, cells.none);
        if constexpr (MinRows) {
            if (in.planes > classes) rows = I::load(in.small_pairs[classes] + h);
            const Block only_h = I::sub(I::load(in.small.rows_single + h), rows);
            one = I::keep_if(one, rows, I::sub(row.g_rows, rows), least);
            zero = I::keep_if(zero, only_h, I::sub(row.not_g_rows, only_h), least);
        }
        row.one = I::max(row.one, one);
        row.zero = I::max(row.zero, zero);
    }
    in.small.best_one[g] = I::largest(row.one);
    in.small.best_zero[g] = I::largest(row.zero);
}

/// Does this by margins, for two classes without a minimum size of leaves.
template <class I, class T>
void score_margin_row(const Depth2<T>& in) {
    using Block = typename I::template Block<T>;
    const int g = in.first;
    Block totals[2];
    SideRow<I, T> row{in.small, totals, totals + 1};
    row.start(g, 1);
    const Block g_total = totals[0], not_g_total = totals[1];
    Block one = I::template zero<T>(), zero = one;
    for (int h = 0; h < in.stride; h += kBlock) {
        const Block both = I::load(in.small_pairs[0] + h);
        const Block only_h = I::sub(I::load(in.small.single[0] + h), both);
        one = I::max(one, I::add(I::abs(both), I::abs(I::sub(g_total, both))));
        zero = I::max(zero, I::add(I::abs(only_h), I::abs(I::sub(not_g_total, only_h))));
    }
    in.small.best_one[g] = I::largest(one);
    in.small.best_zero[g] = I::largest(zero);
}

template <class I, class T>
void depth2_row(const Depth2<T>& in) {
    if (in.margins)
        score_margin_row<I>(in);
    else if (in.min_rows > 1)
        score_row<I, T, true>(in);
    else
        score_row<I, T, false>(in);
}

}  // namespace beamtree
