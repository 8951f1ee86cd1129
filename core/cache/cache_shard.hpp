// One part of the cache: a hash table with open addressing, a pool of memory for memos and scores,
// and the eviction of entries when there is no room. The cache locks it, so that only one thread at
// a time uses it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cache/facts.hpp"
#include "cache/pool.hpp"
#include "data/cover.hpp"
#include "data/pages.hpp"

namespace beamtree {

/// An entry, or an empty slot, which is all zero.
struct CacheSlot {
    CoverKey key;
    Cost lower, upper;
    std::int32_t split;
    Pool::Index memo, scores;
    std::uint16_t holders;        ///< number of threads that search it
    std::uint8_t depth_plus_one;  ///< remaining depth + 1; 0 marks an empty slot
    bool used : 1;                ///< since the last eviction
    bool ranking : 1;             ///< whether a thread ranks its features

    int depth() const { return depth_plus_one - 1; }
    bool empty() const { return depth_plus_one == 0; }
    bool busy() const { return holders > 0 || ranking; }
    Facts facts() const { return {lower, upper, split}; }
    void set(const Facts& facts) {
        lower = facts.lower;
        upper = facts.upper;
        split = facts.split;
    }
};
static_assert(sizeof(CacheSlot) == 48);

class CacheShard {
  public:
    static constexpr std::size_t kNoLimit = static_cast<std::size_t>(-1);

    /// Sets the bytes that the shard may take, most of them for the table. Must be called before
    /// the first use.
    void set_limit(std::size_t bytes);

    /// Returns the entry of a subproblem, or null. It stays valid until the next `make`.
    CacheSlot* find(const CoverKey& key, int depth) {
        if (slots() == nullptr) return nullptr;
        CacheSlot* slot = slot_of(key, depth);
        return slot->empty() ? nullptr : slot;
    }
    /// Returns the entry of a subproblem, and makes one if the subproblem has no entry yet. Returns
    /// null if the shard has no room because all entries are claimed.
    CacheSlot* make(const CoverKey& key, int depth) {
        CacheSlot* slot = find(key, depth);
        return slot != nullptr ? slot : insert(key, depth);
    }
    /// Replaces the block of a slot (slot->memo or slot->scores) by one of the given size. Returns
    /// null if there is no room.
    void* change_block(Pool::Index& block, std::size_t bytes);
    const Pool& pool() const { return pool_; }

    /// Calls function(slot) for every entry.
    template <class Function>
    void each(Function function) const {
        for (std::size_t i = 0; i < capacity_; ++i)
            if (!slots()[i].empty()) function(slots()[i]);
    }
    std::int64_t entries() const { return static_cast<std::int64_t>(entries_); }
    std::int64_t evicted() const { return evicted_; }
    std::size_t bytes() const { return table_.size() + pool_.bytes(); }

  private:
    static constexpr std::size_t kFirstSize = 64;

    /// Decides which entries are evicted: all whose turn is before `last`, and a share of those of
    /// turn `last`. That share is spread evenly over the table, so that no part of it stays
    /// crowded.
    struct EvictionPlan {
        int last = 0;
        std::int64_t share = 0,
                     whole =
                         0;  ///< sizes of the part of turn `last` that is evicted, and of all of it
        std::int64_t due = 0;  ///< size that should be gone by now and is not, times `whole`

        bool drops(int turn, std::size_t size) {
            if (turn != last) return turn < last;
            const bool taken = due >= 0 && share > 0;
            if (taken) due -= whole * static_cast<std::int64_t>(size);
            due += share * static_cast<std::int64_t>(size);
            return taken;
        }
    };

    CacheSlot* slots() const { return table_.as<CacheSlot>(); }
    std::size_t home(const CoverKey& key, int depth) const {
        return (key.low + static_cast<Word>(depth) * 0x9E3779B97F4A7C15ULL) & (capacity_ - 1);
    }
    /// Returns the slot of a subproblem, or the empty slot where its entry belongs.
    CacheSlot* slot_of(const CoverKey& key, int depth) const {
        std::size_t at = home(key, depth);
        while (!slots()[at].empty() && !(slots()[at].depth() == depth && slots()[at].key == key))
            at = (at + 1) & (capacity_ - 1);
        return slots() + at;
    }
    bool crowded() const { return 10 * (entries_ + 1) > 7 * capacity_; }
    static std::size_t peak(std::size_t slots);
    bool take_memory_of_pool();
    CacheSlot* insert(const CoverKey& key, int depth);
    void grow();
    void move_entries_home();
    void evict();
    void evict_blocks();
    template <class Size>
    EvictionPlan plan_eviction(std::size_t goal, Size size) const;
    void free_blocks(CacheSlot& slot);

    Pages table_;
    std::size_t capacity_ = 0, entries_ = 0;
    std::size_t bytes_ = kNoLimit, most_slots_ = kNoLimit;
    std::int64_t evicted_ = 0;
    Pool pool_;
};

}  // namespace beamtree
