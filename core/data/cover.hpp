// The cover of a node is the set of training rows that reach it. It is stored as the nonzero words
// of a bit set over the rows of the dataset, and known by its hash.
//
// The hash is multilinear: H(S) = sum of word_i * random_i modulo 2^192, with random numbers of 192
// bits. Its upper 128 bits are the *key* of the cover. Two given covers have the same key with
// probability 2^-128 over the choice of the random numbers (Lemire & Kaser 2014, theorem 2.1), so a
// search that stores N covers meets a collision with a probability below N^2 / 2^129. The hash is
// additive over disjoint covers: the hash of one side of a split is that of the node minus that of
// the other side.
#pragma once

#include <cstdint>
#include <vector>

#include "data/wide.hpp"

namespace beamtree {

struct CoverKey {
    Word high = 0, low = 0;
    friend bool operator==(const CoverKey&, const CoverKey&) = default;
};

/// A number modulo 2^192.
struct CoverHash {
    Word low = 0, middle = 0, high = 0;

    CoverKey key() const { return {high, middle}; }

    void add_product(Word word, const CoverHash& random) {
        const auto first = static_cast<Wide>(word) * random.low;
        const auto second = static_cast<Wide>(word) * random.middle;
        const auto sum_low = static_cast<Wide>(low) + static_cast<Word>(first);
        const auto sum_middle = static_cast<Wide>(middle) + static_cast<Word>(first >> 64) +
                                static_cast<Word>(second) + static_cast<Word>(sum_low >> 64);
        low = static_cast<Word>(sum_low);
        middle = static_cast<Word>(sum_middle);
        high += word * random.high + static_cast<Word>(second >> 64) +
                static_cast<Word>(sum_middle >> 64);
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

/// The random numbers of the hash, one per word. They are the same in every run, so that runs
/// repeat exactly.
class CoverHasher {
  public:
    explicit CoverHasher(int words);

    const CoverHash& operator[](std::uint32_t word) const { return random_[word]; }

  private:
    std::vector<CoverHash> random_;
};

struct Cover {
    std::vector<std::uint32_t> index;  ///< positions of the nonzero words, increasing
    std::vector<Word> word;            ///< the words at these positions
    int size = 0;                      ///< how many elements of the two vectors are in use

    /// Sets this cover to the rows of `parent` in which `column` is 1, or 0 if `one` is false.
    void intersect(const Cover& parent, const Word* column, bool one);
    CoverHash hash(const CoverHasher& hasher) const;
    /// Returns the hash of the rows of this cover in which `column` is 1.
    CoverHash hash_of_side(const CoverHasher& hasher, const Word* column) const;
};

}  // namespace beamtree
