// The set of rows that reach a node, as the nonzero words of a bit set over the dataset's rows,
// and its hash.
//
// The hash is multilinear: H(S) = sum of word_i * random_i over the integers modulo 2^192, with
// random_i of 128 bits; its key is the upper 128 bits. For two fixed covers the odds of an equal
// key are 2^-128 over the choice of the random numbers (Lemire & Kaser 2014, theorem 2.1), so a
// search that keeps N covers meets a collision with odds below N^2 / 2^129. It is additive over
// disjoint covers: the hash of one side of a split gives that of the other by a subtraction.
#pragma once

#include <cstdint>
#include <vector>

#include "data/bits.hpp"

namespace beamtree {

__extension__ using Wide = unsigned __int128;

struct Key {
    Word high = 0, low = 0;
    friend bool operator==(const Key&, const Key&) = default;
};

/// A number modulo 2^192.
struct CoverHash {
    Word low = 0, middle = 0, high = 0;

    Key key() const { return {high, middle}; }

    void add_product(Word word, Word random_high, Word random_low) {
        const auto first = static_cast<Wide>(word) * random_low;
        const auto second = static_cast<Wide>(word) * random_high;
        const auto sum_low = static_cast<Wide>(low) + static_cast<Word>(first);
        const auto sum_middle = static_cast<Wide>(middle) + static_cast<Word>(first >> 64) +
                                static_cast<Word>(second) + static_cast<Word>(sum_low >> 64);
        low = static_cast<Word>(sum_low);
        middle = static_cast<Word>(sum_middle);
        high += static_cast<Word>(second >> 64) + static_cast<Word>(sum_middle >> 64);
    }
    friend CoverHash operator-(const CoverHash& a, const CoverHash& b) {
        CoverHash c;
        c.low = a.low - b.low;
        const Word borrow = a.low < b.low ? 1 : 0;
        c.middle = a.middle - b.middle - borrow;
        const bool borrow_middle = a.middle < b.middle || (a.middle == b.middle && borrow != 0);
        c.high = a.high - b.high - (borrow_middle ? 1 : 0);
        return c;
    }
};

/// The random numbers of the hash, one pair a word; fixed, so that runs repeat exactly.
class CoverHasher {
  public:
    explicit CoverHasher(int words);

    const Word* high() const { return high_.data(); }
    const Word* low() const { return low_.data(); }

  private:
    std::vector<Word> high_, low_;
};

struct Cover {
    std::vector<std::uint32_t> index;  ///< positions of the nonzero words, increasing
    std::vector<Word> word;
    int size = 0;

    /// Becomes the rows of `parent` in which `column` is 1 (or 0).
    void intersect(const Cover& parent, const Word* column, bool one);
    CoverHash hash(const CoverHasher& hasher) const;
    /// Hash of the rows of this cover in which `column` is 1.
    CoverHash hash_of_side(const CoverHasher& hasher, const Word* column) const;
};

}  // namespace beamtree
