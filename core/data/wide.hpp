// Unsigned numbers of 128 bits. Compilers for 64-bit machines other than Microsoft's have them
// built in; the class below does the same with two words. It has only the operations that the core
// uses.
#pragma once

#include <compare>

#include "data/bits.hpp"

namespace beamtree {

class TwoWords {
  public:
    constexpr TwoWords(Word low = 0) : low_(low) {}

    explicit constexpr operator Word() const { return low_; }

    friend constexpr TwoWords operator+(const TwoWords& a, const TwoWords& b) {
        const Word low = a.low_ + b.low_;
        return {a.high_ + b.high_ + (low < a.low_ ? 1 : 0), low};
    }
    friend constexpr TwoWords operator-(const TwoWords& a, const TwoWords& b) {
        return {a.high_ - b.high_ - (a.low_ < b.low_ ? 1 : 0), a.low_ - b.low_};
    }
    /// The product modulo 2^128. Each half of a word is multiplied with each half of the other.
    friend constexpr TwoWords operator*(const TwoWords& a, const TwoWords& b) {
        const Word a0 = a.low_ & kHalf, a1 = a.low_ >> 32;
        const Word b0 = b.low_ & kHalf, b1 = b.low_ >> 32;
        const Word low = a0 * b0;
        const Word first = a1 * b0 + (low >> 32);  // at most 2^64 - 2^32
        const Word second = a0 * b1 + (first & kHalf);
        const Word high = a1 * b1 + (first >> 32) + (second >> 32);
        return {high + a.high_ * b.low_ + a.low_ * b.high_, (second << 32) | (low & kHalf)};
    }
    friend constexpr TwoWords operator<<(const TwoWords& a, int bits) {
        if (bits == 0) return a;
        if (bits >= 64) return {a.low_ << (bits - 64), 0};
        return {(a.high_ << bits) | (a.low_ >> (64 - bits)), a.low_ << bits};
    }
    friend constexpr TwoWords operator>>(const TwoWords& a, int bits) {
        if (bits == 0) return a;
        if (bits >= 64) return {0, a.high_ >> (bits - 64)};
        return {a.high_ >> bits, (a.low_ >> bits) | (a.high_ << (64 - bits))};
    }
    constexpr TwoWords& operator+=(const TwoWords& other) { return *this = *this + other; }
    friend constexpr auto operator<=>(const TwoWords&, const TwoWords&) = default;

  private:
    static constexpr Word kHalf = 0xFFFFFFFF;

    constexpr TwoWords(Word high, Word low) : high_(high), low_(low) {}

    Word high_ = 0, low_ = 0;  // compared in this order
};

#if defined(__SIZEOF_INT128__) && !defined(BEAMTREE_PORTABLE)
__extension__ using Wide = unsigned __int128;
#else
using Wide = TwoWords;
#endif

}  // namespace beamtree
