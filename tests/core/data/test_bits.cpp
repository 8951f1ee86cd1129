#include "data/bits.hpp"
#include "testing.hpp"

using namespace beamtree;

namespace {

void transpose_swaps_rows_and_columns() {
    testing::Random random(1);
    Word block[kWordBits], turned[kWordBits];
    for (int r = 0; r < kWordBits; ++r) block[r] = turned[r] = random.next();
    transpose64(turned);
    for (int r = 0; r < kWordBits; ++r)
        for (int c = 0; c < kWordBits; ++c) EXPECT((block[r] >> c & 1) == (turned[c] >> r & 1));
}

}  // namespace

int main() {
    transpose_swaps_rows_and_columns();
    return testing::report();
}
