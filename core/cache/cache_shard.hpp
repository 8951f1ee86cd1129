// A part of the cache: a table with open addressing, the memory of its memos, and what to forget
// when there is no room. For one thread at a time: the cache locks it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cache/facts.hpp"
#include "cache/pool.hpp"
#include "data/cover.hpp"
#include "data/pages.hpp"

namespace beamtree {

/// All zero where there is none.
struct CacheSlot {
    CoverKey key;
    Cost lower, upper;
    std::int32_t split;
    Pool::Index memo, scores;
    std::uint16_t holders;        ///< threads that search it
    std::uint8_t depth_plus_one;  ///< remaining depth + 1; 0 marks an empty slot
    bool used : 1;                ///< lately
    bool ranking : 1;             ///< a thread ranks its features

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

    /// Keeps within so many bytes, most of them for the table. Before the first use.
    void set_limit(std::size_t bytes);

    /// The subproblem's entry, or null. Valid until the next `make`.
    CacheSlot* find(const CoverKey& key, int depth) {
        if (slots() == nullptr) return nullptr;
        CacheSlot* slot = slot_of(key, depth);
        return slot->empty() ? nullptr : slot;
    }
    /// The same, made if there is none; null if all that is there is busy and there is no room.
    CacheSlot* make(const CoverKey& key, int depth) {
        CacheSlot* slot = find(key, depth);
        return slot != nullptr ? slot : insert(key, depth);
    }
    /// Changes a slot's block (slot->memo or slot->scores) for one of so many bytes. Null if there
    /// is no room.
    void* change_block(Pool::Index& block, std::size_t bytes);
    const Pool& pool() const { return pool_; }

    /// Calls `function(slot)` for all entries.
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

    /// Which entries go: all whose turn is before `last`, and a share of those whose turn it is,
    /// evenly over the table: what is left of it must not be crowded anywhere.
    struct EvictionPlan {
        int last = 0;
        std::int64_t share = 0, whole = 0;  ///< how much of how much goes in that turn
        std::int64_t due = 0;               ///< times the whole, where negative: gone too early

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
    /// The slot of a subproblem, or the empty one where it would go.
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
