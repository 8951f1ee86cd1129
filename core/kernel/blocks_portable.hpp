// Blocks of 16 features in plain C++: compilers turn the loops into the vector instructions of any
// machine (SSE2, NEON, ...).
#pragma once

#include <cstdint>

#include "kernel/kernel.hpp"

namespace beamtree {

struct PortableBlocks {
    static constexpr const char* name = "portable";
    static constexpr bool needs_moves = true;
    static constexpr bool has_fixed = false;  ///< FixedCells are worth their code

    template <class T>
    struct Block {
        T lane[kBlock];
    };

    template <class T, class F>
    static Block<T> map(F function) {
        Block<T> out;
        for (int i = 0; i < kBlock; ++i) out.lane[i] = static_cast<T>(function(i));
        return out;
    }
    template <class T>
    static Block<T> zero() {
        return map<T>([](int) { return 0; });
    }
    template <class T>
    static Block<T> fill(T value) {
        return map<T>([=](int) { return value; });
    }
    template <class T>
    static Block<T> load(const T* from) {
        return map<T>([=](int i) { return from[i]; });
    }
    template <class T>
    static void store(T* to, const Block<T>& a) {
        for (int i = 0; i < kBlock; ++i) to[i] = a.lane[i];
    }
    template <class T>
    static Block<T> add(const Block<T>& a, const Block<T>& b) {
        return map<T>([&](int i) { return a.lane[i] + b.lane[i]; });
    }
    template <class T>
    static Block<T> sub(const Block<T>& a, const Block<T>& b) {
        return map<T>([&](int i) { return a.lane[i] - b.lane[i]; });
    }
    template <class T>
    static Block<T> max(const Block<T>& a, const Block<T>& b) {
        return map<T>([&](int i) { return a.lane[i] > b.lane[i] ? a.lane[i] : b.lane[i]; });
    }
    /// max(a - b, 0)
    template <class T>
    static Block<T> sub_or_zero(const Block<T>& a, const Block<T>& b) {
        return map<T>([&](int i) { return a.lane[i] > b.lane[i] ? a.lane[i] - b.lane[i] : 0; });
    }
    /// `value` where both `a` and `b` are at least `least`, else 0.
    template <class T>
    static Block<T> keep_if(const Block<T>& value, const Block<T>& a, const Block<T>& b,
                            const Block<T>& least) {
        return map<T>([&](int i) {
            return a.lane[i] >= least.lane[i] && b.lane[i] >= least.lane[i] ? value.lane[i] : 0;
        });
    }
    /// `value` where `a` is 0, else 0.
    template <class T>
    static Block<T> keep_if_zero(const Block<T>& value, const Block<T>& a) {
        return map<T>([&](int i) { return a.lane[i] == 0 ? value.lane[i] : 0; });
    }
    template <class T>
    static T largest(const Block<T>& a) {
        T most = a.lane[0];
        for (int i = 1; i < kBlock; ++i) most = a.lane[i] > most ? a.lane[i] : most;
        return most;
    }
    /// The counts of a run, each shifted by its weight.
    template <class T>
    static Block<T> widen(const Block<std::uint16_t>& a, int shift) {
        return map<T>([&](int i) { return static_cast<T>(a.lane[i]) << shift; });
    }

    using Bits = std::uint16_t;  ///< a granule of one feature
    static Bits broadcast(std::uint16_t rows) { return rows; }

    /// Rows that feature g (`own`) and each feature of the block have in common.
    static Block<std::uint16_t> count(const Bits* own, const std::uint16_t* granules, int stride,
                                      int count) {
        Block<std::uint16_t> total = zero<std::uint16_t>();
        for (int begin = 0; begin < count; begin += 31) {  // 31 * 8 rows fit a byte
            const int end = begin + 31 < count ? begin + 31 : count;
            Block<std::uint16_t> bytes = zero<std::uint16_t>();
            for (int w = begin; w < end; ++w, granules += stride) {
                for (int i = 0; i < kBlock; ++i) {
                    std::uint16_t x = granules[i] & own[w];
                    x = static_cast<std::uint16_t>(x - ((x >> 1) & 0x5555));
                    x = static_cast<std::uint16_t>((x & 0x3333) + ((x >> 2) & 0x3333));
                    x = static_cast<std::uint16_t>((x + (x >> 4)) & 0x0F0F);
                    bytes.lane[i] = static_cast<std::uint16_t>(bytes.lane[i] + x);
                }
            }
            total = add(total, map<std::uint16_t>([&](int i) {
                            return (bytes.lane[i] & 0xFF) + (bytes.lane[i] >> 8);
                        }));
        }
        return total;
    }

    static Word compress(Word word, const SelectedWord& selected) {
        word &= selected.mask;
        for (int step = 0; step < 6; ++step) {
            const Word moving = word & selected.move[step];
            word = (word ^ moving) | (moving >> (1 << step));
        }
        return word;
    }
};

}  // namespace beamtree
