// The kernels, written once for the block operations `I` of any instruction set. There is one
// source file per instruction set, which includes this one and is compiled with its own flags. So
// nothing here may come from the standard library or be a plain inline function: the linker would
// share it with code that must run on every machine.
#pragma once

#include "kernel/depth2.hpp"
#include "kernel/depth2_row.hpp"
#include "kernel/kernel.hpp"
#include "kernel/pair_scores_of.hpp"
#include "kernel/rows.hpp"
#include "kernel/similarity.hpp"
#include "kernel/squares_of.hpp"
#include "kernel/stumps_of.hpp"

namespace beamtree {

template <class I, class T>
T largest_sum(const T* one, const T* zero, int stride) {
    auto most = I::template zero<T>();
    for (int h = 0; h < stride; h += kBlock)
        most = I::max(most, I::add(I::load(one + h), I::load(zero + h)));
    return I::largest(most);
}

template <class I, class T>
LaneKernel<T> make_lanes() {
    return {count_pairs<I, T>, depth2<I, T>,      depth2_row<I, T>,     add_ranges<I, T>,
            similarity<I, T>,  largest_sum<I, T>, lower_to_stumps<I, T>};
}

template <class I>
Kernel make_kernel() {
    Kernel kernel;
    kernel.name = I::name;
    kernel.lane16 = make_lanes<I, std::uint16_t>();
    kernel.lane32 = make_lanes<I, std::uint32_t>();
    kernel.lane64 = make_lanes<I, std::uint64_t>();
    kernel.compress = compress<I>;
    kernel.count_segments = count_segments<I>;
    kernel.count_common = count_common<I>;
    kernel.weight_outside = weight_outside<I>;
    kernel.split_words = split_words<I>;
    kernel.raise_to_stumps = raise_to_stumps<I>;
    kernel.score_pairs = score_pairs<I>;
    kernel.add_up_chains = add_up_chains<I>;
    kernel.needs_compress_steps = I::needs_compress_steps;
    return kernel;
}

}  // namespace beamtree
