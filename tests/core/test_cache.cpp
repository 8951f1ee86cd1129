#include <map>

#include "search/cache.hpp"
#include "search/cell_table.hpp"
#include "testing.hpp"

using namespace beamtree;

namespace {

void merging_only_tightens() {
    Cache cache;
    testing::Random random(5);
    std::map<std::pair<int, int>, Facts> expected;
    for (int step = 0; step < 50000; ++step) {
        const int place = random.below(3000), depth = random.below(3);
        const Key key{static_cast<Word>(place) * 77, static_cast<Word>(place) << 40};
        Facts learned{random.below(50), 50 + random.below(50), random.below(9)};
        Facts& facts =
            expected.try_emplace({place, depth}, Facts{0, kInfiniteCost, kLeaf}).first->second;
        facts.improve(learned.upper, learned.split);
        facts.raise(learned.lower);
        cache.merge(key, depth, learned);
        const Facts known = cache.find(key, depth);
        EXPECT(known.lower == facts.lower && known.upper == facts.upper &&
               known.split == facts.split);
    }
    EXPECT(cache.entries() == static_cast<std::int64_t>(expected.size()));
    EXPECT(cache.find(Key{1, 2}, 3).upper == kInfiniteCost);
}

void lower_never_passes_upper() {
    Facts facts;
    facts.improve(10, 4);
    facts.raise(25);
    EXPECT(facts.lower == 10 && facts.solved());
}

/// What is found is what was put in, however often the table grew or values gave way.
void cells_are_right_or_absent() {
    CellTable table;
    testing::Random random(6);
    int found = 0;
    for (int step = 0; step < 20000; ++step) {
        const auto value = static_cast<Word>(step);
        table.insert({value * 0x9E3779B97F4A7C15ull, value * 0xD1B54A32D192ED03ull}, step);
        const auto other = static_cast<Word>(random.below(step + 1));
        const Cost known =
            table.find({other * 0x9E3779B97F4A7C15ull, other * 0xD1B54A32D192ED03ull});
        EXPECT(known == -1 || known == static_cast<Cost>(other));
        found += known >= 0;
    }
    EXPECT(found > 10000);
}

}  // namespace

int main() {
    merging_only_tightens();
    lower_never_passes_upper();
    cells_are_right_or_absent();
    return testing::report();
}
