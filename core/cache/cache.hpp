// What is known of subproblems: (cover, remaining depth) -> bounds and the split of the best tree,
// and what passes remember of them.
//
// Invariant: lower <= OPT <= upper, and upper is realised by the split and its children's facts,
// as long as those were not evicted. Facts go in and out by value under the lock of a shard, and
// writing only ever merges: lowers rise, uppers fall. So no thread sees a torn entry.
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

    /// For one thread or several; keeps within `bytes`, or kLeastBytes if that is more, by evicting
    /// what is cheapest to find out again. The order is the same in every run of one thread.
    explicit Cache(std::size_t bytes = kNoLimit, bool threads = false);

    /// What is known; nothing (lower 0, upper infinite) if the subproblem was never met, or was
    /// evicted.
    Facts find(const CoverKey& key, int depth) {
        Shard& shard = shard_of(key);
        const SpinGuard guard(shard.lock, threads_);
        CacheSlot* slot = shard.table.find(key, depth);
        if (slot == nullptr) return {};
        mark_used(*slot);
        return slot->facts();
    }
    /// Adds what was learned to what is known, and returns the sum.
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
    /// Forgets the tree behind an upper bound, which turned out to be incomplete because a child
    /// was evicted. The lower bound stays.
    void drop_tree(const CoverKey& key, int depth);

    bool find_memo(const CoverKey& key, int depth, Memo& out);
    void set_memo(const CoverKey& key, int depth, const Memo& memo);

    /// Scores of the features of a subproblem, kept as floats (they only order), with the width
    /// they were made with, and the optimum of three levels or -1. False unless there are scores of
    /// so many features, made with at least `width`.
    bool recall_scores(const CoverKey& key, int depth, int features, int width,
                       std::vector<Cost>& scores, Cost& three_levels);
    void store_scores(const CoverKey& key, int depth, int features, int width,
                      const std::vector<Cost>& scores, Cost three_levels);

    // Claims, for threads: how many search a subproblem now. What is claimed is not evicted. They
    // only spread the work: where a cache is full of claims, more of them are not counted.

    enum class Grant { kRefused, kUncounted, kCounted };
    /// Refused: another holds it, and not `join`. Counted: one more holds it, until `release`.
    Grant claim(const CoverKey& key, int depth, bool join);
    void release(const CoverKey& key, int depth);
    int holders(const CoverKey& key, int depth);
    /// False: another thread is ranking the features of this subproblem.
    bool start_ranking(const CoverKey& key, int depth);
    void end_ranking(const CoverKey& key, int depth);

    std::int64_t entries() const;
    std::int64_t evicted() const;
    std::size_t bytes() const;

    /// Facts, memos and scores; no claims. Not while threads search: they would wait for the disk.
    /// A cache is loaded while it is empty, and evicts what goes beyond its bytes. Throws
    /// std::invalid_argument if an entry cannot be of a search of so many levels and features; the
    /// cache is of no use then.
    void save(Writer& out) const;
    void load(Reader& in, int max_depth, int features);

  private:
    struct alignas(64) Shard {
        mutable SpinLock lock;
        CacheShard table;
    };

    /// By bits that do not choose the slot.
    Shard& shard_of(const CoverKey& key) const { return shards_[(key.high >> 58) & (count_ - 1)]; }
    static void mark_used(CacheSlot& slot) {
        if (!slot.used) slot.used = true;  // readers do not dirty a cache line for nothing
    }
    template <class Function>
    auto sum(Function function) const;
    void load_entry(Reader& in, int max_depth, int features);

    std::size_t count_ = 0;            ///< of the shards
    std::int64_t evicted_before_ = 0;  ///< by the search that was saved
    std::unique_ptr<Shard[]> shards_;
    bool threads_;
};

}  // namespace beamtree
