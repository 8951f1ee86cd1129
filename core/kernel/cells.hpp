// Where the counts of a pair of features come from: granules, or matrices counted before.
// Part of kernel_of.hpp: nothing here may come from the standard library.
#pragma once

#include "kernel/kernel.hpp"

namespace beamtree {

/// Cells of the small side, counted from its granules.
template <class I, class T>
struct CountedCells {
    const Granules& granules;
    int stride;
    typename I::Bits* own;

    void start(int g) {
        for (int w = 0; w < granules.count; ++w)
            own[w] = I::broadcast(granules.data[static_cast<std::size_t>(w) * stride + g]);
    }
    inline __attribute__((always_inline)) auto cell(int plane, int, int h) const {
        auto sum = I::template zero<T>();
        for (int r = granules.plane_begin[plane]; r < granules.plane_begin[plane + 1]; ++r) {
            const Run& run = granules.runs[r];
            const auto counts = I::count(
                own + run.begin, granules.data + static_cast<std::size_t>(run.begin) * stride + h,
                stride, run.end - run.begin);
            sum = I::add(sum, I::template widen<T>(counts, run.shift));
        }
        return sum;
    }
    inline __attribute__((always_inline)) auto margin(int g, int h) const {
        return I::sub(cell(0, g, h), cell(1, g, h));
    }
};

/// The same for two classes of unit weight, with N0 and N1 granules: no loops are left.
template <class I, int N0, int N1>
struct FixedCells {
    const Granules& granules;
    int stride;
    typename I::Bits* own;

    void start(int g) {
        for (int w = 0; w < N0 + N1; ++w)
            own[w] = I::broadcast(granules.data[static_cast<std::size_t>(w) * stride + g]);
    }
    inline __attribute__((always_inline)) auto margin(int, int h) const {
        return I::template count_margin<N0, N1>(own, granules.data + h, stride);
    }
};

/// The same with any numbers of granules.
template <class I>
struct PlainCells {
    const Granules& granules;
    int stride;
    typename I::Bits* own;
    int n0, n1;

    void start(int g) {
        for (int w = 0; w < n0 + n1; ++w)
            own[w] = I::broadcast(granules.data[static_cast<std::size_t>(w) * stride + g]);
    }
    inline __attribute__((always_inline)) auto margin(int, int h) const {
        return I::count_margin(own, granules.data + h, stride, n0, n1);
    }
};

/// Cells of the small side, counted before.
template <class I, class T>
struct StoredCells {
    const T* const* pairs;
    int stride;

    void start(int) {}
    inline __attribute__((always_inline)) auto cell(int plane, int g, int h) const {
        return I::load(pairs[plane] + static_cast<std::size_t>(g) * stride + h);
    }
    inline __attribute__((always_inline)) auto margin(int g, int h) const {
        return I::sub(cell(0, g, h), cell(1, g, h));
    }
};

/// The margins of a node itself.
template <class I, class T>
struct StoredMargins {
    const T* pairs;
    int stride;

    void start(int) {}
    inline __attribute__((always_inline)) auto margin(int g, int h) const {
        return I::load(pairs + static_cast<std::size_t>(g) * stride + h);
    }
};

}  // namespace beamtree
