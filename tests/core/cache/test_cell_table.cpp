#include "cache/cell_table.hpp"

#include "testing.hpp"

using namespace beamtree;

namespace {

CoverKey key_of(Word value) {
    return {value * 0x9E3779B97F4A7C15ull, value * 0xD1B54A32D192ED03ull};
}

/// Every value that is found is the one that was inserted, also after the table grew or overwrote
/// values. Returns how many of 20,000 values were found.
int found_in(CellTable& table, std::size_t limit) {
    testing::Random random(6);
    int found = 0;
    for (int step = 0; step < 20000; ++step) {
        table.insert(key_of(step + 1), step);
        EXPECT(table.find(key_of(step + 1)) == step || limit < 4096);
        const int other = random.below(step + 1);
        const Cost known = table.find(key_of(other + 1));
        EXPECT(known == -1 || known == other);
        found += known >= 0;
        EXPECT(table.bytes() <= limit);
    }
    return found;
}

void cells_are_right_or_absent() {
    for (const bool threads : {false, true}) {
        CellTable table(CellTable::kUsualBytes, threads);
        const int found = found_in(table, CellTable::kUsualBytes);
        EXPECT(found > 18000);
    }
}

void a_small_table_overwrites() {
    for (const std::size_t bytes : {std::size_t{64} << 10, std::size_t{1} << 20}) {
        CellTable one(bytes), many(std::max(bytes, std::size_t{1} << 19), true);
        const int found = found_in(one, bytes);
        EXPECT(found > 500);
        EXPECT(found_in(many, std::max(bytes, std::size_t{1} << 19)) > 500);
    }
}

void a_table_without_memory_holds_nothing() {
    CellTable table(0, true);
    EXPECT(found_in(table, 0) == 0);
}

}  // namespace

int main() {
    cells_are_right_or_absent();
    a_small_table_overwrites();
    a_table_without_memory_holds_nothing();
    return testing::report();
}
