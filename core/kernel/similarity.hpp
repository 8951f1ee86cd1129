// Bounds the children of all features by means of the children of one feature.
// This is a part of kernel_of.hpp: nothing here may come from the standard library.
#pragma once

#include "kernel/kernel.hpp"

namespace beamtree {

/// Uses optimum(S) >= lower(S') - weight(S' \ S), where S is a child of any feature h and S' a
/// child of the given feature g.
template <class I, class T>
void similarity(const Similarity<T>& in) {
    using Block = typename I::template Block<T>;
    const std::size_t row = static_cast<std::size_t>(in.feature) * in.stride;
    const T weight_g = in.weight_one[in.feature];
    const Block lower_one = I::template fill<T>(in.lower_one);
    const Block lower_zero = I::template fill<T>(in.lower_zero);
    const Block g_one = I::template fill<T>(weight_g);
    const Block g_zero = I::template fill<T>(static_cast<T>(in.weight - weight_g));
    for (int h = 0; h < in.stride; h += kBlock) {
        Block both = I::load(in.pairs[0] + row + h);
        for (int p = 1; p < in.classes; ++p) both = I::add(both, I::load(in.pairs[p] + row + h));
        const Block only_h = I::sub(I::load(in.weight_one + h), both);
        const Block only_g = I::sub(g_one, both), none = I::sub(g_zero, only_h);
        Block one_from_one = I::sub_or_zero(lower_one, only_g);
        Block one_from_zero = I::sub_or_zero(lower_zero, none);
        Block zero_from_one = I::sub_or_zero(lower_one, both);
        Block zero_from_zero = I::sub_or_zero(lower_zero, only_h);
        if (in.subsets_only) {
            one_from_one = I::keep_if_zero(one_from_one, only_h);
            one_from_zero = I::keep_if_zero(one_from_zero, both);
            zero_from_one = I::keep_if_zero(zero_from_one, none);
            zero_from_zero = I::keep_if_zero(zero_from_zero, only_g);
        }
        I::store(in.one + h, I::max(I::load(in.one + h), I::max(one_from_one, one_from_zero)));
        I::store(in.zero + h, I::max(I::load(in.zero + h), I::max(zero_from_one, zero_from_zero)));
    }
}

}  // namespace beamtree
