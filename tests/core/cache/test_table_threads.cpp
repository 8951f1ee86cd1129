// Several threads use one table. `make test-threads` runs this test under the thread sanitizer.
#include <algorithm>
#include <atomic>
#include <mutex>
#include <thread>

#include "cache/archive.hpp"
#include "cache/cache.hpp"
#include "cache/cell_table.hpp"
#include "testing.hpp"

using namespace beamtree;

namespace {

constexpr int kThreads = 4;

CoverKey key_of(Word place) {
    return {place * 0x9E3779B97F4A7C15ull, place * 0xD1B54A32D192ED03ull};
}

/// Calls function(thread, expect) in each thread; expect(condition) counts failures.
template <class Function>
void in_threads(Function function) {
    std::atomic<int> failed = 0;
    std::vector<std::thread> threads;
    for (int t = 0; t < kThreads; ++t)
        threads.emplace_back([&, t] { function(t, [&](bool so) { failed += !so; }); });
    for (std::thread& thread : threads) thread.join();
    EXPECT(failed == 0);
}

/// Threads merge bounds that enclose the optimum, place % 100.
void facts_stay_true(std::size_t bytes, int places) {
    Cache cache(bytes, true);
    in_threads([&](int t, auto expect) {
        testing::Random random(t + 1);
        std::vector<Cost> scores;
        for (int step = 0; step < 12'000; ++step) {
            const Word place = random.below(places);
            const CoverKey key = key_of(place);
            const int depth = 3 + static_cast<int>(place % 4),
                      optimum = static_cast<int>(place % 100);
            const Facts known = cache.find(key, depth);
            expect(known.lower <= optimum && optimum <= known.upper);
            const Cost upper = optimum + random.below(20);
            const Facts merged = cache.merge(
                key, depth,
                {std::max(0, optimum - random.below(20)), upper, static_cast<int>(upper)});
            expect(merged.lower <= optimum && optimum <= merged.upper && merged.upper <= upper);
            expect(merged.split == static_cast<int>(merged.upper));  // facts are never mixed
            if (step % 50 == 0) cache.drop_tree(key, depth);
            Memo memo;
            if (cache.find_memo(key, depth, memo))
                expect(memo.bound == optimum && memo.reach[0] == optimum &&
                       memo.need[3] == place % 3);
            memo.reach = {static_cast<double>(optimum), 0, 0, 0};
            memo.need = {0, 0, 0, static_cast<double>(place % 3)};
            memo.bound = optimum;
            if (step % 2 == 0) cache.set_memo(key, depth, memo);
            Cost three_levels = 0;
            if (cache.recall_scores(key, depth, 30, 1, scores, three_levels))
                expect(three_levels == optimum && scores[29] == optimum);
            if (step % 5 == 0)
                cache.store_scores(key, depth, 30, 5, std::vector<Cost>(30, optimum), optimum);
            if (step % 100 == 0) expect(cache.bytes() <= bytes && cache.entries() > 0);
        }
    });
    EXPECT((cache.evicted() > 0) == (bytes < Cache::kNoLimit));
}

/// Without `join`, only one thread at a time holds a claim.
void claims_exclude() {
    Cache cache(Cache::kLeastBytes, true);
    constexpr int kPlaces = 7;
    std::atomic<int> inside[kPlaces] = {};
    in_threads([&](int t, auto expect) {
        testing::Random random(t + 1);
        for (int step = 0; step < 10'000; ++step) {
            const int place = random.below(kPlaces);
            if (cache.claim(key_of(place), 4, false) == Cache::Grant::kCounted) {
                expect(++inside[place] == 1);
                expect(cache.start_ranking(key_of(place), 4));
                expect(cache.holders(key_of(place), 4) >= 1);
                cache.end_ranking(key_of(place), 4);
                --inside[place];
                cache.release(key_of(place), 4);
            }
            cache.merge(key_of(100 + random.below(50'000)), 5, {1, 2, 3});
        }
    });
    for (int place = 0; place < kPlaces; ++place) {
        EXPECT(cache.holders(key_of(place), 4) == 0);
        EXPECT(cache.claim(key_of(place), 4, false) == Cache::Grant::kCounted);
    }
    EXPECT(cache.evicted() > 0);
}

void cells_are_right_or_absent() {
    for (const std::size_t bytes : {CellTable::kUsualBytes, std::size_t{1} << 20}) {
        CellTable table(bytes, true);
        in_threads([&](int t, auto expect) {
            testing::Random random(t + 1);
            for (int step = 0; step < 30'000; ++step) {
                const int place = 1 + random.below(60'000), other = 1 + random.below(60'000);
                table.insert(key_of(place), place);
                const Cost known = table.find(key_of(other));
                expect(known == -1 || known == other);
            }
        });
        EXPECT(table.bytes() <= bytes);
    }
}

void the_archive_is_shared() {
    testing::Random random(4);
    const auto owned = testing::random_problem(random, 200, 8, 2, 1);
    const Misclassification objective;
    const Dataset data(owned.view(), objective, {});
    const Kernel kernel = select_kernel("auto");
    Archive archive(data, objective, kernel, 20'000, kThreads);
    in_threads([&](int t, auto expect) {
        testing::Random own(t + 1);
        Archive::Scratch scratch(data, t);
        Node node;
        node.make_root(data);
        const Cost weight = node.sums.weight;
        for (int step = 0; step < 3000; ++step) {
            archive.add(node, 1 + own.below(static_cast<int>(weight)));
            const Cost bound = archive.bound(node, 1 + own.below(50), scratch);
            expect(0 <= bound && bound <= weight);
            expect(archive.bytes() <= 20'000);
        }
    });
    EXPECT(archive.records() > 10);
}

/// Threads count under one lock.
void the_lock_excludes() {
    SpinLock lock;
    int count = 0;
    in_threads([&](int, auto) {
        for (int step = 0; step < 20'000; ++step) {
            const SpinGuard guard(lock, true);
            ++count;
        }
    });
    EXPECT(count == kThreads * 20'000);
}

}  // namespace

int main() {
    facts_stay_true(Cache::kNoLimit, 5000);
    facts_stay_true(Cache::kLeastBytes, 20'000);
    claims_exclude();
    cells_are_right_or_absent();
    the_archive_is_shared();
    the_lock_excludes();
    return testing::report();
}
