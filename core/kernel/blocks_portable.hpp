// Blocks of 16 features in vectors of 16 bytes. GCC and Clang translate them to the vector
// instructions that every machine of a family has (SSE2, NEON, ...).
#pragma once

#include <cstdint>

#include "kernel/kernel.hpp"

namespace beamtree {

struct PortableBlocks {
    static constexpr const char* name = "portable";
    static constexpr bool needs_compress_steps = true;
    static constexpr bool has_fixed = false;  ///< FixedCells gain too little here
    static constexpr int kRegisterBytes = 16;

    template <class T>
    struct Block {
        static constexpr int kLanes = 16 / sizeof(T);
        static constexpr int kParts = kBlock / kLanes;
        typedef T Part __attribute__((vector_size(16)));
        Part part[kParts];
    };

    template <class T, class F>
    static inline __attribute__((always_inline)) Block<T> map(F function) {
        Block<T> out;
        for (int i = 0; i < Block<T>::kParts; ++i) out.part[i] = function(i);
        return out;
    }
    template <class T>
    static Block<T> zero() {
        return fill(T{0});
    }
    template <class T>
    static Block<T> fill(T value) {
        return map<T>([=](int) { return typename Block<T>::Part{} + value; });
    }
    template <class T>
    static Block<T> load(const T* from) {
        const auto* at = reinterpret_cast<const typename Block<T>::Part*>(from);
        return map<T>([=](int i) { return at[i]; });
    }
    template <class T>
    static void store(T* to, const Block<T>& a) {
        auto* at = reinterpret_cast<typename Block<T>::Part*>(to);
        for (int i = 0; i < Block<T>::kParts; ++i) at[i] = a.part[i];
    }
    template <class T>
    static Block<T> add(const Block<T>& a, const Block<T>& b) {
        return map<T>([&](int i) { return a.part[i] + b.part[i]; });
    }
    template <class T>
    static Block<T> sub(const Block<T>& a, const Block<T>& b) {
        return map<T>([&](int i) { return a.part[i] - b.part[i]; });
    }
    template <class T>
    static Block<T> max(const Block<T>& a, const Block<T>& b) {
        return map<T>([&](int i) { return a.part[i] > b.part[i] ? a.part[i] : b.part[i]; });
    }
    /// Returns the magnitudes of signed lanes.
    template <class T>
    static Block<T> abs(const Block<T>& a) {
        return map<T>([&](int i) {
            const auto sign = typename Block<T>::Part{} - (a.part[i] >> (8 * sizeof(T) - 1));
            return (a.part[i] ^ sign) - sign;
        });
    }
    /// max(a - b, 0)
    template <class T>
    static Block<T> sub_or_zero(const Block<T>& a, const Block<T>& b) {
        return sub(max(a, b), b);
    }
    /// `value` where both `a` and `b` are at least `least`, else 0.
    template <class T>
    static Block<T> keep_if(const Block<T>& value, const Block<T>& a, const Block<T>& b,
                            const Block<T>& least) {
        return map<T>([&](int i) {
            const auto both = (a.part[i] >= least.part[i]) & (b.part[i] >= least.part[i]);
            return both ? value.part[i] : typename Block<T>::Part{};
        });
    }
    /// `value` where `a` is 0, else 0.
    template <class T>
    static Block<T> keep_if_zero(const Block<T>& value, const Block<T>& a) {
        return map<T>(
            [&](int i) { return a.part[i] == T{0} ? value.part[i] : typename Block<T>::Part{}; });
    }
    template <class T>
    static T largest(const Block<T>& a) {
        T most = 0;
        for (int i = 0; i < kBlock; ++i) {
            const T lane = a.part[i / Block<T>::kLanes][i % Block<T>::kLanes];
            most = lane > most ? lane : most;
        }
        return most;
    }
    /// Converts the counts of a run to lanes of type T, and multiplies them by the weight of a row.
    template <class T>
    static Block<T> widen(const Block<std::uint16_t>& a, int shift) {
        if constexpr (sizeof(T) == 2) {
            return map<T>([&](int i) { return a.part[i] << static_cast<T>(shift); });
        } else {
            return map<T>([&](int i) {
                typename Block<T>::Part out;
                for (int j = 0; j < Block<T>::kLanes; ++j) {
                    const int lane = i * Block<T>::kLanes + j;
                    out[j] = static_cast<T>(a.part[lane / 8][lane % 8]) << shift;
                }
                return out;
            });
        }
    }

    using Bits = std::uint16_t;  ///< a granule of one feature
    static Bits broadcast(std::uint16_t rows) { return rows; }

    /// Counts the rows in which feature g (`own`) and each feature of the block are both 1.
    static Block<std::uint16_t> count(const Bits* own, const std::uint16_t* granules, int stride,
                                      int count) {
        using Half = Block<std::uint16_t>::Part;
        Block<std::uint16_t> total = zero<std::uint16_t>();
        for (int begin = 0; begin < count;
             begin += 31) {  // the counts of 31 * 8 rows fit into a byte
            const int end = begin + 31 < count ? begin + 31 : count;
            Half bytes[2] = {};
            for (int w = begin; w < end; ++w, granules += stride) {
                for (int i = 0; i < 2; ++i) {
                    Half x = reinterpret_cast<const Half*>(granules)[i] & own[w];
                    x = x - ((x >> 1) & 0x5555);
                    x = (x & 0x3333) + ((x >> 2) & 0x3333);
                    bytes[i] += (x + (x >> 4)) & 0x0F0F;
                }
            }
            for (int i = 0; i < 2; ++i) total.part[i] += (bytes[i] & 0xFF) + (bytes[i] >> 8);
        }
        return total;
    }

    static int popcount(Word word) { return beamtree::popcount(word); }
    static Word compress(Word word, Word mask, const CompressSteps* steps) {
        word &= mask;
        for (int step = 0; step < 6; ++step) {
            const Word moving = word & steps->step[step];
            word = (word ^ moving) | (moving >> (1 << step));
        }
        return word;
    }
};

}  // namespace beamtree
