// The sources of the counts of a pair of features: granules, or matrices that were counted before.
// Each source has start(g), which is called before its cells (g, h), and cell(plane, g, h) or
// margin(g, h), which return the counts of g and a block of features h. `own` holds the granules of
// feature g. This is a part of kernel_of.hpp: nothing here may come from the standard library.
#pragma once

#include "kernel/kernel.hpp"

namespace beamtree {

/// Counts of the small side, counted from its granules.
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

/// Counts of the small side for two classes of unit weight, with N0 and N1 granules as constants,
/// so that the compiler unrolls all loops.
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

/// Counts of the small side for two classes of unit weight, with any number of granules.
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

/// Pair counts of the small side that were counted before.
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

/// Margins of the pairs of a node that were counted before.
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
