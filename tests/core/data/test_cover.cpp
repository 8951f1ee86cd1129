#include <set>

#include "data/cover.hpp"
#include "testing.hpp"

using namespace beamtree;

namespace {

Cover cover_of(const std::vector<Word>& words) {
    Cover cover;
    for (std::size_t i = 0; i < words.size(); ++i) {
        if (words[i] == 0) continue;
        cover.index.push_back(static_cast<std::uint32_t>(i));
        cover.word.push_back(words[i]);
        ++cover.size;
    }
    return cover;
}

bool same(const CoverHash& a, const CoverHash& b) {
    return a.low == b.low && a.middle == b.middle && a.high == b.high;
}

/// The hash of a cover minus that of one side is the hash of the other side, with all borrows and
/// carries.
void hash_is_additive() {
    const CoverHasher hasher(9);
    for (auto& [random, trial] : testing::Trials(3, 1000)) {
        std::vector<Word> words(9), column(9);
        for (Word& word : words) word = random.below(4) == 0 ? 0 : random.next();
        for (Word& word : column) word = random.next();
        const Cover whole = cover_of(words);
        Cover one, zero;
        one.intersect(whole, column.data(), true);
        zero.intersect(whole, column.data(), false);
        EXPECT(same(one.hash(hasher), whole.hash_of_side(hasher, column.data())));
        EXPECT(same(zero.hash(hasher), whole.hash(hasher) - one.hash(hasher)));
    }
}

/// Covers that differ in any one row have different keys.
void neighbours_differ() {
    const CoverHasher hasher(40);
    std::set<std::pair<Word, Word>> keys;
    for (int row = 0; row < 40 * 64; ++row) {
        std::vector<Word> words(40, ~Word{0});
        words[row / 64] ^= Word{1} << (row % 64);
        const CoverKey key = cover_of(words).hash(hasher).key();
        keys.insert({key.high, key.low});
    }
    EXPECT(keys.size() == 40 * 64);
}

}  // namespace

int main() {
    hash_is_additive();
    neighbours_differ();
    return testing::report();
}
