#include "cache/cache.hpp"

#include <algorithm>
#include <map>

#include "testing.hpp"

using namespace beamtree;

namespace {

/// Returns a random-looking key, as covers have.
CoverKey key_of(Word place) {
    testing::Random random(place + 1);
    random.next();
    const Word high = random.next();
    return {high, random.next()};
}

bool same(const Facts& a, const Facts& b) {
    return a.lower == b.lower && a.upper == b.upper && a.split == b.split;
}

void merging_only_tightens() {
    for (auto& [random, trial] : testing::Trials(5, 5)) {
        Cache cache;
        std::map<std::pair<int, int>, Facts> expected;
        for (int step = 0; step < 10'000; ++step) {
            const int place = random.below(3000), depth = random.below(3);
            const CoverKey key{static_cast<Word>(place) * 77, static_cast<Word>(place) << 40};
            Facts learned{random.below(50), 50 + random.below(50), random.below(9)};
            Facts& facts =
                expected.try_emplace({place, depth}, Facts{0, kInfiniteCost, kLeaf}).first->second;
            facts.improve(learned.upper, learned.split);
            facts.raise(learned.lower);
            cache.merge(key, depth, learned);
            EXPECT(same(cache.find(key, depth), facts));
        }
        EXPECT(cache.entries() == static_cast<std::int64_t>(expected.size()));
        EXPECT(cache.evicted() == 0);
        EXPECT(cache.find(CoverKey{1, 2}, 3).upper == kInfiniteCost);
    }
}

void lower_never_passes_upper() {
    Facts facts;
    facts.improve(10, 4);
    facts.raise(25);
    EXPECT(facts.lower == 10 && facts.solved());
}

void a_dropped_tree_leaves_the_lower_bound() {
    Cache cache;
    cache.merge(key_of(1), 4, {7, 9, 2});
    cache.drop_tree(key_of(1), 4);
    cache.drop_tree(key_of(2), 4);
    EXPECT(same(cache.find(key_of(1), 4), {7, kInfiniteCost, kLeaf}));
    EXPECT(same(cache.merge(key_of(1), 4, {0, 8, 5}), {7, 8, 5}));
    EXPECT(cache.entries() == 1);
}

Memo memo_of(int number, int parts) {
    Memo memo;
    for (int i = 0; i < parts; ++i) {
        memo.reach[i] = number + i;
        memo.need[i] = number + 10 + i;
    }
    memo.bound = number;
    memo.width = 3;
    return memo;
}

bool same(const Memo& a, const Memo& b) {
    return a.reach == b.reach && a.need == b.need && a.bound == b.bound && a.width == b.width;
}

void memos_and_keys_are_kept() {
    Cache cache;
    Memo memo;
    std::vector<Cost> scores;
    Cost three_levels = 0;
    EXPECT(!cache.find_memo(key_of(1), 4, memo));
    cache.merge(key_of(1), 4, {1, 2, 3});
    EXPECT(!cache.find_memo(key_of(1), 4, memo));
    EXPECT(!cache.recall_scores(key_of(1), 4, 2, 1, scores, three_levels));
    for (const int parts : {1, 4, 3, 0, 4, 2}) {
        cache.set_memo(key_of(1), 4, memo_of(parts, parts));
        EXPECT(cache.find_memo(key_of(1), 4, memo) && same(memo, memo_of(parts, parts)));
    }
    for (const int features : {2, 500, 3, 20000}) {
        std::vector<Cost> made(features);
        for (int f = 0; f < features; ++f) made[f] = f * 3;
        made[0] = kInfiniteCost;
        cache.store_scores(key_of(1), 4, features, 48, made, 17);
        EXPECT(cache.recall_scores(key_of(1), 4, features, 48, scores, three_levels));
        EXPECT(three_levels == 17 && static_cast<int>(scores.size()) == features);
        EXPECT(std::equal(scores.begin() + 1, scores.end(), made.begin() + 1) &&
               scores[0] > (1 << 30));
        EXPECT(!cache.recall_scores(key_of(1), 4, features, 49, scores, three_levels));
        EXPECT(!cache.recall_scores(key_of(1), 4, features + 1, 1, scores, three_levels));
    }
    EXPECT(cache.find_memo(key_of(1), 4, memo) && same(memo, memo_of(2, 2)));
    EXPECT(same(cache.find(key_of(1), 4), {1, 2, 3}));
    EXPECT(cache.entries() == 1);
}

/// The contents of an entry follow from its key, so that everything that is found can be checked.
void find_and_check(Cache& cache, Word place, int depth, int features) {
    const auto number = static_cast<int>(place % 1000);
    const Facts facts = cache.find(key_of(place), depth);
    EXPECT(same(facts, {}) || same(facts, {number, number + 5, number}));
    Memo memo;
    if (cache.find_memo(key_of(place), depth, memo)) EXPECT(same(memo, memo_of(number, 1)));
    std::vector<Cost> scores;
    Cost three_levels = 0;
    if (cache.recall_scores(key_of(place), depth, features, 1, scores, three_levels))
        EXPECT(three_levels == number && std::all_of(scores.begin(), scores.end(),
                                                     [&](Cost score) { return score == number; }));
}

void a_limit_is_kept(testing::Random& random, std::size_t bytes, bool threads) {
#ifdef BEAMTREE_CHECKED
    const std::size_t before = Pages::held;
    Pages::most = before;
#endif
    constexpr int kFeatures = 90;
    Cache cache(bytes, threads);
    int memos = 0;
    for (int step = 0; step < 60'000; ++step) {
        const Word place = random.below(40'000);
        const auto number = static_cast<int>(place % 1000);
        const int depth = 3 + static_cast<int>(place % 4);
        cache.merge(key_of(place), depth, {number, number + 5, number});
        if (place % 3 != 0) cache.set_memo(key_of(place), depth, memo_of(number, 1));
        if (place % 4 == 0)
            cache.store_scores(key_of(place), depth, kFeatures, 9,
                               std::vector<Cost>(kFeatures, number), number);
        Memo memo;
        memos += place % 3 != 0 && cache.find_memo(key_of(place), depth, memo);
        const Word other = random.below(40'000);
        find_and_check(cache, other, 3 + static_cast<int>(other % 4), kFeatures);
        if (step % 64 == 0) EXPECT(cache.bytes() <= bytes);
    }
    EXPECT(cache.evicted() > 0 && cache.entries() > 100);
    EXPECT(memos > 30'000);  // there is always room for one more
#ifdef BEAMTREE_CHECKED
    EXPECT(Pages::most - before <= bytes);  // also while tables are copied
#endif
}

void limits_are_kept() {
    for (auto& [random, trial] : testing::Trials(9, 1)) {
        a_limit_is_kept(random, Cache::kLeastBytes, false);
        a_limit_is_kept(random, std::size_t{1} << 20, true);
    }
}

/// Entries with more levels are kept longer, and of entries with equally many levels those that are
/// used.
void the_cheapest_go_first() {
    Cache cache(Cache::kLeastBytes);
    const auto there = [&](int first, int depth) {
        int count = 0;
        for (int place = first; place < first + 200; ++place)
            count += cache.find(key_of(place), depth).lower == place;
        return count;
    };
    const auto flood = [&](int first, int depth, bool use) {
        for (int step = 0; step < 20'000; ++step) {
            cache.merge(key_of(first + step), depth, {1, 2, 3});
            if (use && step % 100 == 0) there(300, 4);
        }
    };
    for (int place = 1; place < 201; ++place) cache.merge(key_of(place), 6, {place, 999, 1});
    for (int place = 300; place < 500; ++place) cache.merge(key_of(place), 4, {place, 999, 1});
    flood(1000, 3, true);
    EXPECT(cache.evicted() > 10'000);
    EXPECT(there(1, 6) == 200 && there(300, 4) == 200);
    flood(30'000, 4, false);
    EXPECT(there(1, 6) == 200 && there(300, 4) < 100);
    flood(60'000, 6, false);
    EXPECT(there(1, 6) < 100);
}

/// Two runs of the same steps evict the same entries.
void evictions_repeat_exactly() {
    for (auto& [random, trial] : testing::Trials(2, 1)) {
        Cache one(Cache::kLeastBytes), other(Cache::kLeastBytes);
        for (int step = 0; step < 10'000; ++step) {
            const int place = random.below(5000), sought = random.below(5000),
                      depth = 3 + random.below(4);
            for (Cache* cache : {&one, &other}) {
                cache->merge(key_of(place), 3 + place % 4, {place, 9999, 1});
                cache->find(key_of(sought), depth);
            }
        }
        EXPECT(one.evicted() > 0 && one.evicted() == other.evicted());
        for (int place = 0; place < 5000; ++place)
            EXPECT(same(one.find(key_of(place), 3 + place % 4),
                        other.find(key_of(place), 3 + place % 4)));
    }
}

void what_is_claimed_stays() {
    Cache cache(Cache::kLeastBytes, true);
    EXPECT(cache.claim(key_of(1), 3, false) != Cache::Grant::kRefused);
    EXPECT(cache.claim(key_of(1), 3, false) == Cache::Grant::kRefused);
    EXPECT(cache.claim(key_of(1), 3, true) != Cache::Grant::kRefused);
    EXPECT(cache.holders(key_of(1), 3) == 2 && cache.holders(key_of(1), 4) == 0);
    cache.set_memo(key_of(1), 3, memo_of(1, 4));
    EXPECT(cache.start_ranking(key_of(2), 3));
    cache.merge(key_of(2), 3, {4, 5, 6});
    Memo memo;
    const auto flood = [&](Word first) {
        for (Word place = first; place < first + 20'000; ++place) {
            cache.merge(key_of(place), 9, {1, 2, 3});
            cache.set_memo(key_of(place), 9, memo_of(1, 1));
        }
    };
    flood(10);
    EXPECT(cache.evicted() > 1000);
    EXPECT(cache.holders(key_of(1), 3) == 2 && !cache.start_ranking(key_of(2), 3));
    EXPECT(cache.find_memo(key_of(1), 3, memo) && same(memo, memo_of(1, 4)));
    EXPECT(same(cache.find(key_of(2), 3), {4, 5, 6}));
    cache.release(key_of(1), 3);
    cache.release(key_of(1), 3);
    cache.release(key_of(1), 3);  // once more than claimed
    cache.end_ranking(key_of(2), 3);
    EXPECT(cache.holders(key_of(1), 3) == 0 && cache.start_ranking(key_of(2), 3));
    cache.end_ranking(key_of(2), 3);
    EXPECT(cache.claim(key_of(1), 3, false) != Cache::Grant::kRefused);
    cache.release(key_of(1), 3);
    flood(30'000);
    EXPECT(!cache.find_memo(key_of(1), 3, memo) && same(cache.find(key_of(2), 3), {}));
}

/// A cache that is full of claimed entries stores no others, and keeps the claims.
void a_cache_full_of_claims_works() {
    Cache cache(Cache::kLeastBytes, true);
    for (Word place = 0; place < 5000; ++place)
        EXPECT(cache.claim(key_of(place), 5, false) != Cache::Grant::kRefused);
    EXPECT(cache.evicted() > 0 && cache.bytes() <= Cache::kLeastBytes);
    EXPECT(same(cache.merge(key_of(9999), 5, {1, 2, 3}), {1, 2, 3}));
    for (Word place = 0; place < 5000; ++place) cache.release(key_of(place), 5);
    cache.merge(key_of(9999), 5, {1, 2, 3});
    EXPECT(same(cache.find(key_of(9999), 5), {1, 2, 3}) && cache.evicted() > 0);
}

}  // namespace

int main() {
    merging_only_tightens();
    lower_never_passes_upper();
    a_dropped_tree_leaves_the_lower_bound();
    memos_and_keys_are_kept();
    limits_are_kept();
    the_cheapest_go_first();
    evictions_repeat_exactly();
    what_is_claimed_stays();
    a_cache_full_of_claims_works();
    return testing::report();
}
