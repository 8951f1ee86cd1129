#include "cache/cache_shard.hpp"

#include <algorithm>
#include <array>

namespace beamtree {

namespace {

constexpr int kMostLevels = 32;
constexpr int kTurns = 2 * kMostLevels;

/// Returns the turn in which an entry is evicted. Entries with few levels go first, because every
/// further level multiplies the work to compute them again by about the number of features. Among
/// entries of equally many levels, those that were not used since the last eviction go first.
int turn_of(const CacheSlot& slot) {
    return 2 * std::min(slot.depth(), kMostLevels - 1) + (slot.used ? 1 : 0);
}

}  // namespace

std::size_t CacheShard::peak(std::size_t slots) {
    const std::size_t from = slots > kFirstSize ? slots / 2 : 0;
    return Pages::peak(Pages::whole(from * sizeof(CacheSlot)), slots * sizeof(CacheSlot));
}

void CacheShard::set_limit(std::size_t bytes) {
    if (bytes == kNoLimit) return;
    bytes_ = bytes;
    most_slots_ = kFirstSize;
    while (peak(2 * most_slots_) <= bytes / 4 * 3) most_slots_ *= 2;
    pool_ = Pool(bytes - std::min(bytes, peak(most_slots_)));
}

/// A search that stores nothing besides facts does not need the pool. Its memory goes to the table,
/// if it suffices to double the table.
bool CacheShard::take_memory_of_pool() {
    if (pool_.bytes() > 0 || peak(2 * capacity_) > bytes_) return false;
    most_slots_ = 2 * capacity_;
    pool_ = Pool(bytes_ - peak(most_slots_));
    return true;
}

CacheSlot* CacheShard::insert(const CoverKey& key, int depth) {
    if (crowded()) {
        if (capacity_ < most_slots_ || take_memory_of_pool())
            grow();
        else
            evict();
        if (entries_ + 1 >= capacity_) {
            ++evicted_;  // counts as evicted at once
            return nullptr;
        }
    }
    CacheSlot* slot = slot_of(key, depth);
    *slot = CacheSlot{};
    slot->key = key;
    slot->set(Facts{});
    slot->depth_plus_one = static_cast<std::uint8_t>(depth + 1);
    slot->used = true;
    ++entries_;
    return slot;
}

/// Doubles the table in place, so that there is never a second copy of it.
void CacheShard::grow() {
    const std::size_t capacity = std::max(2 * capacity_, kFirstSize);
    table_.grow(capacity * sizeof(CacheSlot));
    capacity_ = capacity;
    move_entries_home();
}

/// Moves every entry to the slot where `slot_of` finds it, after the table grew or entries were
/// dropped. Every move brings an entry nearer to its home slot, so the loop ends. When nothing
/// moves any more, there is no empty slot between an entry and its home slot.
void CacheShard::move_entries_home() {
    for (bool moved = true; moved;) {
        moved = false;
        for (std::size_t i = 0; i < capacity_; ++i) {
            CacheSlot& slot = slots()[i];
            if (slot.empty() || home(slot.key, slot.depth()) == i) continue;
            const CacheSlot entry = slot;
            slot.depth_plus_one = 0;
            CacheSlot* nearer = slot_of(entry.key, entry.depth());
            *nearer = entry;
            moved = moved || nearer != &slot;
        }
    }
}

/// Plans which entries to drop so that their sizes add up to `goal`.
template <class Size>
CacheShard::EvictionPlan CacheShard::plan_eviction(std::size_t goal, Size size) const {
    std::array<std::size_t, kTurns> total{};
    each([&](const CacheSlot& slot) {
        if (!slot.busy()) total[turn_of(slot)] += size(slot);
    });
    int last = 0;
    for (; last < kTurns && total[last] < goal; ++last) goal -= total[last];
    if (last == kTurns) return {last};
    return {last, static_cast<std::int64_t>(goal), static_cast<std::int64_t>(total[last])};
}

void CacheShard::evict() {
    EvictionPlan plan =
        plan_eviction((entries_ + 3) / 4, [](const CacheSlot&) { return std::size_t{1}; });
    for (std::size_t i = 0; i < capacity_; ++i) {
        CacheSlot& slot = slots()[i];
        if (slot.empty()) continue;
        if (!slot.busy() && plan.drops(turn_of(slot), 1)) {
            free_blocks(slot);
            slot.depth_plus_one = 0;
            --entries_;
            ++evicted_;
        }
        slot.used = false;
    }
    pool_.join();
    move_entries_home();
}

/// Drops at least half of the memory of memos and scores. All facts stay.
void CacheShard::evict_blocks() {
    const auto size = [this](const CacheSlot& slot) {
        return (slot.memo != 0 ? pool_.block_bytes(slot.memo) : 0) +
               (slot.scores != 0 ? pool_.block_bytes(slot.scores) : 0);
    };
    EvictionPlan plan = plan_eviction((pool_.used() + 1) / 2, size);
    for (std::size_t i = 0; i < capacity_; ++i) {
        CacheSlot& slot = slots()[i];
        if (slot.empty()) continue;
        if (!slot.busy() && size(slot) > 0 && plan.drops(turn_of(slot), size(slot)))
            free_blocks(slot);
        slot.used = false;
    }
    pool_.join();
}

void CacheShard::free_blocks(CacheSlot& slot) {
    for (Pool::Index* block : {&slot.memo, &slot.scores}) {
        if (*block != 0) pool_.free(*block);
        *block = 0;
    }
}

void* CacheShard::change_block(Pool::Index& block, std::size_t bytes) {
    if (block != 0) {
        const std::size_t had = pool_.block_bytes(block);
        if (had >= bytes && had < bytes + Pool::kUnit) return pool_.at<void>(block);
        pool_.free(block);
        block = 0;
    }
    block = pool_.allocate(bytes);
    if (block == 0 && pool_.could_hold(bytes)) {
        evict_blocks();
        block = pool_.allocate(bytes);
    }
    return block != 0 ? pool_.at<void>(block) : nullptr;
}

}  // namespace beamtree
