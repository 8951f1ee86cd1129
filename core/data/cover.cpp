#include "data/cover.hpp"

namespace beamtree {

namespace {

/// splitmix64 (Steele, Lea, Flood 2014).
Word next_random(Word& state) {
    Word z = (state += 0x9E3779B97F4A7C15ULL);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
    return z ^ (z >> 31);
}

}  // namespace

CoverHasher::CoverHasher(int words) : random_(words) {
    Word state = 0x6265616D74726565ULL;
    for (CoverHash& random : random_) {
        random.low = next_random(state);
        random.middle = next_random(state);
        random.high = next_random(state);
    }
}

void Cover::intersect(const Cover& parent, const Word* column, bool one) {
    index.resize(static_cast<std::size_t>(parent.size));
    word.resize(static_cast<std::size_t>(parent.size));
    const Word flip = one ? 0 : ~Word{0};
    int kept = 0;
    for (int i = 0; i < parent.size; ++i) {
        const Word rows = parent.word[i] & (column[parent.index[i]] ^ flip);
        index[kept] = parent.index[i];
        word[kept] = rows;
        kept += rows != 0 ? 1 : 0;
    }
    size = kept;
}

CoverHash Cover::hash(const CoverHasher& hasher) const {
    CoverHash sum;
    for (int i = 0; i < size; ++i) {
        sum.add_product(word[i], hasher[index[i]]);
    }
    return sum;
}

CoverHash Cover::hash_of_side(const CoverHasher& hasher, const Word* column) const {
    CoverHash sum;
    for (int i = 0; i < size; ++i) {
        sum.add_product(word[i] & column[index[i]], hasher[index[i]]);
    }
    return sum;
}

}  // namespace beamtree
