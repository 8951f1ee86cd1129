// The cache of subproblems. A subproblem is a cover (the set of rows that reach a node, known by
// its 128-bit key) and the number of levels of splits that are left. An entry holds its facts, and
// what passes noted about it.
//
// Invariant: lower <= optimum <= upper, and the tree behind `upper` follows from the split and the
// facts of the children, unless those were evicted. Facts are copied in and out under the lock of a
// shard, and writing only merges them: lower bounds rise, upper bounds fall. So no thread sees an
// entry that is half written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "cache/cache_shard.hpp"
#include "cache/facts.hpp"
#include "cache/memo.hpp"
#include "cache/spin_lock.hpp"
#include "data/cover.hpp"
#include "data/stream.hpp"

namespace beamtree {

class Cache {
  public:
    static constexpr std::size_t kNoLimit = CacheShard::kNoLimit;
    static constexpr std::size_t kLeastBytes = 256 << 10;

    /// The cache takes at most `bytes`, but at least kLeastBytes. When it is full, it evicts the
    /// entries that are cheapest to compute again. With one thread, all runs evict the same
    /// entries. `threads` says whether several threads use the cache.
    explicit Cache(std::size_t bytes = kNoLimit, bool threads = false);

    /// Returns the facts about a subproblem: lower 0 and upper infinite if it has no entry.
    Facts find(const CoverKey& key, int depth) {
        Shard& shard = shard_of(key);
        const SpinGuard guard(shard.lock, threads_);
        CacheSlot* slot = shard.table.find(key, depth);
        if (slot == nullptr) return {};
        mark_used(*slot);
        return slot->facts();
    }
    /// Merges new facts into the entry, and returns the result.
    Facts merge(const CoverKey& key, int depth, const Facts& learned) {
        Shard& shard = shard_of(key);
        const SpinGuard guard(shard.lock, threads_);
        CacheSlot* slot = shard.table.make(key, depth);
        if (slot == nullptr) return learned;
        Facts facts = slot->facts();
        facts.improve(learned.upper, learned.split);
        facts.raise(learned.lower);
        slot->set(facts);
        return facts;
    }
    /// Forgets the upper bound of an entry, whose tree is incomplete because a child was evicted.
    /// The lower bound stays.
    void drop_tree(const CoverKey& key, int depth);

    bool find_memo(const CoverKey& key, int depth, Memo& out);
    void set_memo(const CoverKey& key, int depth, const Memo& memo);

    /// The scores by which the features of a subproblem are ordered, and its optimum with three
    /// levels or -1. Scores are stored as floats, because only their order matters. recall_scores
    /// returns false unless there are scores of exactly `features` features that were made with at
    /// least `width` of them.
    bool recall_scores(const CoverKey& key, int depth, int features, int width,
                       std::vector<Cost>& scores, Cost& three_levels);
    void store_scores(const CoverKey& key, int depth, int features, int width,
                      const std::vector<Cost>& scores, Cost three_levels);

    // Claims count the threads that search a subproblem at present. A claimed entry is not evicted.
    // Claims only spread the work over the threads: if the cache is full of claimed entries,
    // further claims are granted without being counted.

    enum class Grant { kRefused, kUncounted, kCounted };
    /// Refuses if another thread holds the subproblem, unless `join` is set. A counted claim must
    /// be given back with `release`.
    Grant claim(const CoverKey& key, int depth, bool join);
    void release(const CoverKey& key, int depth);
    int holders(const CoverKey& key, int depth);
    /// Returns false if another thread is ranking the features of this subproblem.
    bool start_ranking(const CoverKey& key, int depth);
    void end_ranking(const CoverKey& key, int depth);

    std::int64_t entries() const;
    std::int64_t evicted() const;
    std::size_t bytes() const;

    /// Saves and loads facts, memos and scores, but no claims. `save` must not be called while
    /// threads search, because they would wait for the disk. `load` expects an empty cache, and
    /// evicts entries for which there is no room. It throws std::invalid_argument if an entry has
    /// more levels or features than the search; the cache must not be used after that.
    void save(Writer& out) const;
    void load(Reader& in, int max_depth, int features);

  private:
    struct alignas(64) Shard {
        mutable SpinLock lock;
        CacheShard table;
    };

    /// The shard is chosen by other bits of the key than the slot.
    Shard& shard_of(const CoverKey& key) const { return shards_[(key.high >> 58) & (count_ - 1)]; }
    static void mark_used(CacheSlot& slot) {
        if (!slot.used) slot.used = true;  // readers must not write to a cache line needlessly
    }
    template <class Function>
    auto sum(Function function) const;
    void load_entry(Reader& in, int max_depth, int features);

    std::size_t count_ = 0;            ///< number of shards
    std::int64_t evicted_before_ = 0;  ///< evictions of the search that was saved
    std::unique_ptr<Shard[]> shards_;
    bool threads_;
};

}  // namespace beamtree
