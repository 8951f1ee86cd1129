// Saving and loading the cache.
#include "cache/cache.hpp"
#include "streams.hpp"

using namespace beamtree;

namespace {

constexpr int kDepth = 7, kFeatures = 40;

CoverKey key_of(Word place) {
    return {place * 0x9E3779B97F4A7C15ull, place * 0xD1B54A32D192ED03ull};
}

void fill(Cache& cache, int entries) {
    testing::Random random(12);
    for (Word place = 0; place < static_cast<Word>(entries); ++place) {
        const int depth = 1 + static_cast<int>(place % kDepth), lower = random.below(100);
        cache.merge(key_of(place), depth,
                    {lower, place % 5 == 0 ? kInfiniteCost : lower + random.below(9),
                     place % 5 == 0 ? kLeaf : random.below(kFeatures)});
        Memo memo;
        memo.reach = {random.below(9) / 2.0, 0, 0, place % 7 == 0 ? 1.0 : 0.0};
        memo.need = {std::numeric_limits<double>::infinity(), 0, 0, 0};
        memo.bound = random.below(100);
        memo.width = 1 << 30;
        if (place % 2 == 0) cache.set_memo(key_of(place), depth, memo);
        std::vector<Cost> scores(random.below(kFeatures + 1));
        for (Cost& score : scores)
            score = random.below(20) == 0 ? kInfiniteCost : random.below(1000);
        if (place % 3 == 0)
            cache.store_scores(key_of(place), depth, static_cast<int>(scores.size()),
                               1 + place % 50, scores, static_cast<Cost>(place % 60) - 1);
    }
    cache.claim(key_of(1), 1, false);  // claims are not saved
}

void a_loaded_cache_is_the_same() {
    Cache cache;
    fill(cache, 3000);
    const testing::Bytes bytes = testing::saved(cache);
    Cache copy(Cache::kNoLimit, true);
    Reader in(testing::source_of(bytes));
    copy.load(in, kDepth, kFeatures);
    EXPECT(copy.entries() == cache.entries() && copy.holders(key_of(1), 1) == 0);
    EXPECT(testing::saved(copy).size() == bytes.size());
    for (Word place = 0; place < 3000; ++place) {
        const int depth = 1 + static_cast<int>(place % kDepth);
        const Facts was = cache.find(key_of(place), depth), is = copy.find(key_of(place), depth);
        EXPECT(was.lower == is.lower && was.upper == is.upper && was.split == is.split);
        Memo old_memo, memo;
        EXPECT(cache.find_memo(key_of(place), depth, old_memo) ==
               copy.find_memo(key_of(place), depth, memo));
        EXPECT(old_memo.reach == memo.reach && old_memo.need == memo.need &&
               old_memo.bound == memo.bound && old_memo.width == memo.width);
        for (int features = 0; features <= kFeatures; ++features) {
            std::vector<Cost> old_scores, scores;
            Cost old_three = 0, three = 0;
            EXPECT(cache.recall_scores(key_of(place), depth, features, 1, old_scores, old_three) ==
                   copy.recall_scores(key_of(place), depth, features, 1, scores, three));
            EXPECT(old_scores == scores && old_three == three);
        }
    }
}

void what_does_not_fit_is_evicted() {
    Cache cache;
    fill(cache, 20'000);
    const testing::Bytes bytes = testing::saved(cache);
    Cache copy(Cache::kLeastBytes);
    Reader in(testing::source_of(bytes));
    copy.load(in, kDepth, kFeatures);
    EXPECT(copy.bytes() <= Cache::kLeastBytes);
    EXPECT(copy.evicted() > 0 && copy.entries() > 100);
    for (Word place = 0; place < 20'000; ++place) {
        const int depth = 1 + static_cast<int>(place % kDepth);
        const Facts was = cache.find(key_of(place), depth), is = copy.find(key_of(place), depth);
        EXPECT(is.lower == 0 || is.lower == was.lower);
    }
}

void other_searches_are_refused() {
    Cache cache;
    fill(cache, 300);
    const testing::Bytes bytes = testing::saved(cache);
    for (const auto& [depth, features] : {std::pair{kDepth - 1, kFeatures}, {kDepth, 20}}) {
        Cache copy;
        Reader in(testing::source_of(bytes));
        bool refused = false;
        try {
            copy.load(in, depth, features);
        } catch (const std::invalid_argument&) {
            refused = true;
        }
        EXPECT(refused);
    }
}

void hostile_streams_do_no_harm() {
    Cache cache;
    fill(cache, 200);
    testing::expect_refusals(77, 1000, 300, testing::saved(cache), [](const Source& source) {
        Reader in(source);
        Cache copy(Cache::kLeastBytes);
        copy.load(in, kDepth, kFeatures);
        std::vector<Cost> scores;
        Cost three_levels = 0;
        for (Word place = 0; place < 20; ++place)
            copy.recall_scores(key_of(place), static_cast<int>(place % 8), 9, 1, scores,
                               three_levels);
        testing::saved(copy);
    });
}

}  // namespace

int main() {
    a_loaded_cache_is_the_same();
    what_does_not_fit_is_evicted();
    other_searches_are_refused();
    hostile_streams_do_no_harm();
    return testing::report();
}
