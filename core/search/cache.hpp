// What is known of subproblems: (cover, remaining depth) -> bounds and the split of the best tree.
//
// Invariant: lower <= OPT <= upper, and upper is realised by the split and its children's facts.
// Facts go in and out by value, and writing only ever merges: lowers rise, uppers fall. So a
// version for threads (sharded, or with versioned slots) needs no other interface.
#pragma once

#include <cstdint>
#include <vector>

#include "data/cover.hpp"
#include "objective/objective.hpp"

namespace beamtree {

inline constexpr int kLeaf = -1;

struct Facts {
    Cost lower = 0;
    Cost upper = kInfiniteCost;
    int split = kLeaf;  ///< feature of the dataset, or kLeaf

    bool solved() const { return lower >= upper; }
    bool settled(Cost bound) const { return lower >= upper || lower >= bound; }
    void raise(Cost value) {
        if (value > lower) lower = value < upper ? value : upper;
    }
    void improve(Cost value, int feature) {
        if (value < upper) {
            upper = value;
            split = feature;
        }
    }
};

class Cache {
  public:
    Cache() : slots_(kFirstSize) {}

    /// What is known; nothing (lower 0, upper infinite) if the subproblem was never met.
    Facts find(const Key& key, int depth) const {
        const Slot& slot = slots_[place(key, depth)];
        return slot.depth == depth ? slot.facts : Facts{};
    }
    /// Adds what was learned to what is known, and returns the sum.
    Facts merge(const Key& key, int depth, const Facts& learned) {
        if (10 * (used_ + 1) > 7 * slots_.size()) grow();
        Slot& slot = slots_[place(key, depth)];
        if (slot.depth != depth) {
            slot = {key, learned, depth, -1};
            ++used_;
        } else {
            slot.facts.improve(learned.upper, learned.split);
            slot.facts.raise(learned.lower);
        }
        return slot.facts;
    }
    /// The number of the subproblem's memo, or -1.
    int memo(const Key& key, int depth) const {
        const Slot& slot = slots_[place(key, depth)];
        return slot.depth == depth ? slot.memo : -1;
    }
    void set_memo(const Key& key, int depth, int memo) {
        merge(key, depth, {});
        slots_[place(key, depth)].memo = memo;
    }
    std::int64_t entries() const { return static_cast<std::int64_t>(used_); }

  private:
    static constexpr std::size_t kFirstSize = 1 << 10;
    static constexpr int kEmpty = -1;

    struct Slot {
        Key key;
        Facts facts;
        int depth = kEmpty;
        int memo = -1;
    };

    /// The slot of a subproblem, or the empty one where it would go.
    std::size_t place(const Key& key, int depth) const {
        const std::size_t mask = slots_.size() - 1;
        std::size_t at = (key.low + static_cast<Word>(depth) * 0x9E3779B97F4A7C15ULL) & mask;
        while (slots_[at].depth != kEmpty && !(slots_[at].depth == depth && slots_[at].key == key))
            at = (at + 1) & mask;
        return at;
    }
    void grow() {
        std::vector<Slot> old(2 * slots_.size());
        old.swap(slots_);
        for (const Slot& slot : old)
            if (slot.depth != kEmpty) slots_[place(slot.key, slot.depth)] = slot;
    }

    std::vector<Slot> slots_;
    std::size_t used_ = 0;
};

}  // namespace beamtree
