#include <algorithm>

#include "data/wide.hpp"
#include "testing.hpp"

using namespace beamtree;

namespace {

// Each sum, difference, product and shift of two words is a constant, so the compiler checks these.
constexpr TwoWords kTop = TwoWords(1) << 127;
constexpr TwoWords kMost = TwoWords(0) - TwoWords(1);
constexpr Word kAll = ~Word{0};
static_assert(static_cast<Word>(kMost) == kAll && static_cast<Word>(kMost >> 64) == kAll);
static_assert(kMost + 1 == TwoWords(0) && kTop + kTop == TwoWords(0));
static_assert(kTop > TwoWords(kAll) && TwoWords(1) < kTop && (kTop >> 127) == TwoWords(1));
static_assert(TwoWords(kAll) * kAll == (TwoWords(kAll - 1) << 64) + 1);
static_assert(kMost * kMost == TwoWords(1));

#ifdef __SIZEOF_INT128__
__extension__ using Native = unsigned __int128;

TwoWords two_words(Native number) {
    return (TwoWords(static_cast<Word>(number >> 64)) << 64) + static_cast<Word>(number);
}

/// The class does as the type of the compiler.
void equal_to_the_built_in_type() {
    for (auto& [random, trial] : testing::Trials(5, 2000)) {
        // Words of few bits and words that are nearly full have most carries.
        const auto word = [&]() -> Word {
            const Word bits = random.next() >> random.below(64);
            return random.below(2) == 0 ? bits : ~bits;
        };
        const Native a = (static_cast<Native>(word()) << 64) + word();
        const Native b = (static_cast<Native>(word()) << 64) + word();
        const TwoWords x = two_words(a), y = two_words(b);
        EXPECT(x + y == two_words(a + b));
        EXPECT(x - y == two_words(a - b));
        EXPECT(x * y == two_words(a * b));
        EXPECT((x < y) == (a < b) && (x == y) == (a == b));
        EXPECT(std::min(x, y) == two_words(std::min(a, b)));
        const auto bits = static_cast<int>(random.below(128));
        EXPECT((x << bits) == two_words(a << bits));
        EXPECT((x >> bits) == two_words(a >> bits));
        TwoWords sum = x;
        sum += y;
        EXPECT(sum == x + y && static_cast<Word>(sum) == static_cast<Word>(a + b));
    }
}
#endif

}  // namespace

int main() {
#ifdef __SIZEOF_INT128__
    equal_to_the_built_in_type();
#endif
    return testing::report();
}
