// Packs the rows of a node from columns into granules, and counts rows and pairs.
// This is a part of kernel_of.hpp: nothing here may come from the standard library.
#pragma once

#include "kernel/kernel.hpp"

namespace beamtree {

template <class I>
void compress(const Word* column, const SelectedWord* selected, const CompressSteps* steps,
              int count, Word* out, int stride) {
    Word packed = 0;
    int filled = 0;
    for (int i = 0; i < count; ++i) {
        const SelectedWord& from = selected[i];
        const Word bits = I::compress(column[from.word], from.mask,
                                      I::needs_compress_steps ? steps + i : nullptr);
        packed |= bits << filled;
        filled += from.rows;
        if (filled >= kWordBits) {
            *out = packed;
            out += stride;
            filled -= kWordBits;
            packed = filled > 0 ? bits >> (from.rows - filled) : 0;
        }
        if (from.last && filled > 0) {
            *out = packed;
            out += stride;
            packed = 0;
            filled = 0;
        }
    }
}

template <class I>
void count_segments(const Word* columns, int count, const int* begin, int segments,
                    std::int32_t* rows) {
    const int words = begin[segments];
    for (int c = 0; c < count; ++c, columns += words) {
        for (int s = 0; s < segments; ++s) {
            std::int32_t ones = 0;
            for (int w = begin[s]; w < begin[s + 1]; ++w) ones += I::popcount(columns[w]);
            *rows++ = ones;
        }
    }
}

template <class I>
void count_common(const Word* column, const Word* other, const int* begin, int segments,
                  std::int32_t* rows) {
    for (int s = 0; s < segments; ++s) {
        std::int32_t ones = 0;
        for (int w = begin[s]; w < begin[s + 1]; ++w) ones += I::popcount(column[w] & other[w]);
        rows[s] = ones;
    }
}

template <class I>
std::int64_t weight_outside(const std::uint32_t* index, const Word* word, std::size_t size,
                            const Word* dense, const std::int64_t* weight, std::int64_t enough) {
    std::int64_t outside = 0;
    for (std::size_t i = 0; i < size && outside < enough; ++i) {
        const std::uint32_t at = index[i];
        outside += I::popcount(word[i] & ~dense[at]) * weight[at];
    }
    return outside;
}

template <class I>
void split_words(const Word* words, int granules, int stride, std::uint16_t* out) {
    for (int g = 0; g < granules; ++g, out += stride)
        for (int f = 0; f < stride; ++f)
            out[f] = static_cast<std::uint16_t>(words[f] >> (g * kBlock));
}

template <class I, class T>
void count_pairs(const std::uint16_t* granules, int count, int shift, int first, int last,
                 int stride, T* pairs, void* scratch) {
    auto* own = static_cast<typename I::Bits*>(scratch);
    for (int g = first; g < last; ++g) {
        for (int w = 0; w < count; ++w)
            own[w] = I::broadcast(granules[static_cast<std::size_t>(w) * stride + g]);
        T* row = pairs + static_cast<std::size_t>(g) * stride;
        for (int h = g / kBlock * kBlock; h < stride; h += kBlock) {
            const auto counts = I::count(own, granules + h, stride, count);
            I::store(row + h, I::add(I::load(row + h), I::template widen<T>(counts, shift)));
        }
    }
}

}  // namespace beamtree
