// Operations on words of 64 bits, in which the columns of a dataset are packed.
#pragma once

#include <bit>
#include <cstdint>

namespace beamtree {

using Word = std::uint64_t;
inline constexpr int kWordBits = 64;

/// Returns the number of set bits. Where the compiler may not use an instruction for it, it would
/// call a library function; the code below can be inlined and vectorised.
inline int popcount(Word word) {
#ifdef __POPCNT__
    return std::popcount(word);
#else
    word -= (word >> 1) & 0x5555555555555555ULL;
    word = (word & 0x3333333333333333ULL) + ((word >> 2) & 0x3333333333333333ULL);
    word = (word + (word >> 4)) & 0x0F0F0F0F0F0F0F0FULL;
    return static_cast<int>((word * 0x0101010101010101ULL) >> 56);
#endif
}

/// Returns a word whose lowest `bits` bits are set, for `bits` from 0 to 64.
inline Word low_bits(int bits) {
    return bits >= kWordBits ? ~Word{0} : (Word{1} << bits) - 1;
}

inline int words_for(std::int64_t rows) {
    return static_cast<int>((rows + kWordBits - 1) / kWordBits);
}

/// Transposes a block of 64 x 64 bits in place: bit c of word r becomes bit r of word c.
inline void transpose64(Word block[kWordBits]) {
    Word mask = 0x00000000FFFFFFFFULL;
    for (int width = 32; width != 0; width >>= 1, mask ^= mask << width) {
        for (int r = 0; r < kWordBits; r = (r + width + 1) & ~width) {
            const Word swap = ((block[r] >> width) ^ block[r + width]) & mask;
            block[r] ^= swap << width;
            block[r + width] ^= swap;
        }
    }
}

}  // namespace beamtree
