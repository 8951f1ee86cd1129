// Blocks of 16 features in AVX2: one, two or four registers for lanes of 16, 32 or 64 bits. Counts
// of 64 bits stay far below 2^63, so that signed comparisons are correct.
#pragma once

#include <immintrin.h>

#include <cstdint>

#include "kernel/kernel.hpp"

namespace beamtree {

struct Avx2Blocks {
    static constexpr const char* name = "avx2";
    static constexpr bool needs_compress_steps = false;
    static constexpr bool has_fixed = true;
    static constexpr int kRegisterBytes = 32;

    template <class T>
    struct Block {
        static constexpr int kRegisters = sizeof(T) / 2;
        __m256i part[kRegisters];
    };

    template <class T, class F>
    static inline __attribute__((always_inline)) Block<T> map(F function) {
        Block<T> out;
        for (int i = 0; i < Block<T>::kRegisters; ++i) out.part[i] = function(i);
        return out;
    }
    template <class T>
    static Block<T> zero() {
        return map<T>([](int) { return _mm256_setzero_si256(); });
    }
    template <class T>
    static Block<T> fill(T value) {
        if constexpr (sizeof(T) == 2)
            return {{_mm256_set1_epi16(static_cast<short>(value))}};
        else if constexpr (sizeof(T) == 4)
            return map<T>([=](int) { return _mm256_set1_epi32(static_cast<int>(value)); });
        else
            return map<T>([=](int) { return _mm256_set1_epi64x(static_cast<long long>(value)); });
    }
    template <class T>
    static Block<T> load(const T* from) {
        const auto* at = reinterpret_cast<const __m256i*>(from);
        return map<T>([=](int i) { return _mm256_load_si256(at + i); });
    }
    template <class T>
    static void store(T* to, const Block<T>& a) {
        auto* at = reinterpret_cast<__m256i*>(to);
        for (int i = 0; i < Block<T>::kRegisters; ++i) _mm256_store_si256(at + i, a.part[i]);
    }
    template <class T>
    static Block<T> add(const Block<T>& a, const Block<T>& b) {
        return map<T>([&](int i) {
            if constexpr (sizeof(T) == 2)
                return _mm256_add_epi16(a.part[i], b.part[i]);
            else if constexpr (sizeof(T) == 4)
                return _mm256_add_epi32(a.part[i], b.part[i]);
            else
                return _mm256_add_epi64(a.part[i], b.part[i]);
        });
    }
    template <class T>
    static Block<T> sub(const Block<T>& a, const Block<T>& b) {
        return map<T>([&](int i) {
            if constexpr (sizeof(T) == 2)
                return _mm256_sub_epi16(a.part[i], b.part[i]);
            else if constexpr (sizeof(T) == 4)
                return _mm256_sub_epi32(a.part[i], b.part[i]);
            else
                return _mm256_sub_epi64(a.part[i], b.part[i]);
        });
    }
    template <class T>
    static Block<T> max(const Block<T>& a, const Block<T>& b) {
        return map<T>([&](int i) {
            if constexpr (sizeof(T) == 2)
                return _mm256_max_epu16(a.part[i], b.part[i]);
            else if constexpr (sizeof(T) == 4)
                return _mm256_max_epu32(a.part[i], b.part[i]);
            else
                return _mm256_blendv_epi8(b.part[i], a.part[i],
                                          _mm256_cmpgt_epi64(a.part[i], b.part[i]));
        });
    }
    /// Returns the magnitudes of signed lanes.
    template <class T>
    static Block<T> abs(const Block<T>& a) {
        return map<T>([&](int i) {
            if constexpr (sizeof(T) == 2) {
                return _mm256_abs_epi16(a.part[i]);
            } else if constexpr (sizeof(T) == 4) {
                return _mm256_abs_epi32(a.part[i]);
            } else {
                const __m256i sign = _mm256_cmpgt_epi64(_mm256_setzero_si256(), a.part[i]);
                return _mm256_sub_epi64(_mm256_xor_si256(a.part[i], sign), sign);
            }
        });
    }
    /// max(a - b, 0)
    template <class T>
    static Block<T> sub_or_zero(const Block<T>& a, const Block<T>& b) {
        return sub(max(a, b), b);
    }
    template <class T>
    static __m256i equal(__m256i a, __m256i b) {
        if constexpr (sizeof(T) == 2)
            return _mm256_cmpeq_epi16(a, b);
        else if constexpr (sizeof(T) == 4)
            return _mm256_cmpeq_epi32(a, b);
        else
            return _mm256_cmpeq_epi64(a, b);
    }
    /// `value` where both `a` and `b` are at least `least`, else 0.
    template <class T>
    static Block<T> keep_if(const Block<T>& value, const Block<T>& a, const Block<T>& b,
                            const Block<T>& least) {
        const Block<T> most_a = max(a, least), most_b = max(b, least);
        return map<T>([&](int i) {
            const __m256i both = _mm256_and_si256(equal<T>(most_a.part[i], a.part[i]),
                                                  equal<T>(most_b.part[i], b.part[i]));
            return _mm256_and_si256(value.part[i], both);
        });
    }
    /// `value` where `a` is 0, else 0.
    template <class T>
    static Block<T> keep_if_zero(const Block<T>& value, const Block<T>& a) {
        return map<T>([&](int i) {
            return _mm256_and_si256(value.part[i], equal<T>(a.part[i], _mm256_setzero_si256()));
        });
    }
    template <class T>
    static T largest(const Block<T>& a) {
        if constexpr (sizeof(T) == 2) {
            const __m256i inverse = _mm256_xor_si256(a.part[0], _mm256_set1_epi16(-1));
            const __m128i least = _mm_min_epu16(_mm256_castsi256_si128(inverse),
                                                _mm256_extracti128_si256(inverse, 1));
            return static_cast<T>(~_mm_cvtsi128_si32(_mm_minpos_epu16(least)));
        } else {
            alignas(32) T lane[kBlock];
            store(lane, a);
            T most = lane[0];
            for (int i = 1; i < kBlock; ++i) most = lane[i] > most ? lane[i] : most;
            return most;
        }
    }
    /// Converts the counts of a run to lanes of type T, and multiplies them by the weight of a row.
    template <class T>
    static Block<T> widen(const Block<std::uint16_t>& a, int shift) {
        const __m128i by = _mm_cvtsi32_si128(shift);
        if constexpr (sizeof(T) == 2) {
            return {{_mm256_sll_epi16(a.part[0], by)}};
        } else if constexpr (sizeof(T) == 4) {
            return {{_mm256_sll_epi32(_mm256_cvtepu16_epi32(half(a, 0)), by),
                     _mm256_sll_epi32(_mm256_cvtepu16_epi32(half(a, 1)), by)}};
        } else {
            return map<T>([&](int i) {
                const __m128i four = i & 1 ? _mm_srli_si128(half(a, i / 2), 8) : half(a, i / 2);
                return _mm256_sll_epi64(_mm256_cvtepu16_epi64(four), by);
            });
        }
    }

    using Bits = __m256i;  ///< a granule of one feature, repeated 16 times
    static Bits broadcast(std::uint16_t rows) {
        return _mm256_set1_epi16(static_cast<short>(rows));
    }

    /// Counts the rows in which feature g (`own`) and each feature of the block are both 1.
    static inline __attribute__((always_inline)) Block<std::uint16_t> count(
        const Bits* own, const std::uint16_t* granules, int stride, int count) {
        if (count <= 31) return {{pairwise(count_bytes(own, granules, stride, count))}};
        __m256i total = _mm256_setzero_si256();
        for (int w = 0; w < count; w += 31) {
            const int most = count - w < 31 ? count - w : 31;
            total = _mm256_add_epi16(total, pairwise(count_bytes(own + w, granules, stride, most)));
            granules += 31 * static_cast<std::ptrdiff_t>(stride);
        }
        return {{total}};
    }
    /// Returns the counts of n0 granules minus those of the n1 granules that follow.
    static inline __attribute__((always_inline)) Block<std::uint16_t> count_margin(
        const Bits* own, const std::uint16_t* granules, int stride, int n0, int n1) {
        const auto* second = granules + static_cast<std::ptrdiff_t>(n0) * stride;
        if (n0 <= 15 && n1 <= 15)  // the counts of 15 * 8 rows fit into a signed byte
            return {{_mm256_maddubs_epi16(
                _mm256_set1_epi8(1), _mm256_sub_epi8(count_bytes(own, granules, stride, n0),
                                                     count_bytes(own + n0, second, stride, n1)))}};
        return sub(count(own, granules, stride, n0), count(own + n0, second, stride, n1));
    }
    template <int N0, int N1>
    static inline __attribute__((always_inline)) Block<std::uint16_t> count_margin(
        const Bits* own, const std::uint16_t* granules, int stride) {
        __m256i bytes = _mm256_setzero_si256();
#pragma GCC unroll 8
        for (int w = 0; w < N0; ++w, granules += stride)
            bytes = _mm256_add_epi8(bytes, common(own[w], granules));
#pragma GCC unroll 8
        for (int w = N0; w < N0 + N1; ++w, granules += stride)
            bytes = _mm256_sub_epi8(bytes, common(own[w], granules));
        return {{_mm256_maddubs_epi16(_mm256_set1_epi8(1), bytes)}};
    }

    static Word compress(Word word, Word mask, const CompressSteps*) {
        return _pext_u64(word, mask);
    }
    static int popcount(Word word) { return static_cast<int>(_mm_popcnt_u64(word)); }

  private:
    static __m128i half(const Block<std::uint16_t>& a, int which) {
        return which == 0 ? _mm256_castsi256_si128(a.part[0])
                          : _mm256_extracti128_si256(a.part[0], 1);
    }
    /// Returns the popcount of each byte of own & granules (Mula's table of nibbles).
    static inline __attribute__((always_inline)) __m256i common(__m256i own,
                                                                const std::uint16_t* granules) {
        const __m256i bits =
            _mm256_and_si256(own, _mm256_load_si256(reinterpret_cast<const __m256i*>(granules)));
        const __m256i table = _mm256_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4,  //
                                               0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4);
        const __m256i nibble = _mm256_set1_epi8(15);
        const __m256i low = _mm256_and_si256(bits, nibble);
        const __m256i high = _mm256_and_si256(_mm256_srli_epi16(bits, 4), nibble);
        return _mm256_add_epi8(_mm256_shuffle_epi8(table, low), _mm256_shuffle_epi8(table, high));
    }
    /// Adds these popcounts up over at most 31 granules: the counts of 31 * 8 rows fit into a byte.
    static inline __attribute__((always_inline)) __m256i count_bytes(const Bits* own,
                                                                     const std::uint16_t* granules,
                                                                     int stride, int count) {
        __m256i even = _mm256_setzero_si256(), odd = even;
        int w = 0;
        for (; w + 1 < count; w += 2, granules += 2 * static_cast<std::ptrdiff_t>(stride)) {
            even = _mm256_add_epi8(even, common(own[w], granules));
            odd = _mm256_add_epi8(odd, common(own[w + 1], granules + stride));
        }
        if (w < count) even = _mm256_add_epi8(even, common(own[w], granules));
        return _mm256_add_epi8(even, odd);
    }
    static __m256i pairwise(__m256i bytes) {
        return _mm256_maddubs_epi16(bytes, _mm256_set1_epi8(1));
    }
};

}  // namespace beamtree
