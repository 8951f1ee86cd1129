// Optima of the bottom two levels by cover. The three-level kernel meets the same cover from {f, g}
// and {g, f}; a hit saves half an evaluation. Lossy: an old value gives way to a new one, and
// nothing but time is lost.
#pragma once

#include <cstdint>
#include <vector>

#include "data/cover.hpp"
#include "objective/objective.hpp"

namespace beamtree {

class CellTable {
  public:
    CellTable() : slots_(kFirstSize) {}

    /// The optimum of depth 2, or -1 if it is not known.
    Cost find(const Key& key) const {
        const Slot* bucket = bucket_of(key);
        for (int i = 0; i < kWays; ++i)
            if (bucket[i].key == key) return bucket[i].optimum;
        return -1;
    }
    void insert(const Key& key, Cost optimum) {
        if (2 * stored_ > slots_.size() && slots_.size() < kLastSize) grow();
        put(key, optimum);
    }

  private:
    static constexpr int kWays = 4;
    static constexpr std::size_t kFirstSize = 1 << 10;
    static constexpr std::size_t kLastSize = 1 << 22;  ///< 96 MB

    struct Slot {
        Key key;
        Cost optimum = -1;
    };

    Slot* bucket_of(const Key& key) {
        return slots_.data() + (key.low & (slots_.size() - 1) & ~std::size_t{kWays - 1});
    }
    const Slot* bucket_of(const Key& key) const {
        return const_cast<CellTable*>(this)->bucket_of(key);
    }
    void put(const Key& key, Cost optimum) {
        Slot* bucket = bucket_of(key);
        int victim = static_cast<int>(key.high % kWays);
        for (int i = 0; i < kWays; ++i) {
            if (bucket[i].optimum >= 0 && !(bucket[i].key == key)) continue;
            if (bucket[i].optimum < 0) ++stored_;
            victim = i;
            break;
        }
        bucket[victim] = {key, optimum};
    }
    void grow() {
        std::vector<Slot> old(4 * slots_.size());
        old.swap(slots_);
        stored_ = 0;
        for (const Slot& slot : old)
            if (slot.optimum >= 0) put(slot.key, slot.optimum);
    }

    std::vector<Slot> slots_;
    std::size_t stored_ = 0;
};

}  // namespace beamtree
