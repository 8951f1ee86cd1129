// A table of cells. A cell is the optimum of the last two levels for one side of a split; here it
// is found by the key of its cover. The three-level kernel meets the same cover by the splits {f,
// g} and {g, f}, and every hit saves half of an evaluation. New values overwrite old ones, which
// costs only time.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "cache/spin_lock.hpp"
#include "data/cover.hpp"
#include "data/pages.hpp"
#include "objective/objective.hpp"

namespace beamtree {

class CellTable {
  public:
    static constexpr std::size_t kUsualBytes = std::size_t{96} << 20;

    /// The table grows with its contents, up to `bytes`. For one thread it has only one shard: the
    /// number of shards decides which values are overwritten, and with that the path of the search.
    explicit CellTable(std::size_t bytes = kUsualBytes, bool threads = false)
        : count_(threads ? kShards : 1),
          shards_(std::make_unique<Shard[]>(count_)),
          limit_(bytes / count_),
          threads_(threads) {}

    /// Returns the optimum of depth 2, or -1 if it is not known.
    Cost find(const CoverKey& key) const {
        const Shard& shard = shard_of(key);
        const SpinGuard guard(shard.lock, threads_);
        if (shard.size == 0) return -1;
        const Slot* bucket = shard.bucket_of(key);
        for (int i = 0; i < kWays; ++i)
            if (bucket[i].key == key) return bucket[i].filled - 1;
        return -1;
    }
    void insert(const CoverKey& key, Cost optimum) { insert(key, optimum, logs_); }
    /// Inserts what another process has found, which is not logged again.
    void insert_found(const CoverKey& key, Cost optimum) { insert(key, optimum, false); }
    /// From now on, keeps what is inserted for `take_log`.
    void keep_log() { logs_ = true; }
    /// Calls take(key, optimum) for everything that was inserted since the last call.
    template <class Take>
    void take_log(Take take) {
        for (std::size_t i = 0; i < count_; ++i) {
            const SpinGuard guard(shards_[i].lock, threads_);
            for (const auto& [key, optimum] : shards_[i].log) take(key, optimum);
            shards_[i].log.clear();
        }
    }
    std::size_t bytes() const {
        std::size_t total = 0;
        for (std::size_t i = 0; i < count_; ++i) {
            const SpinGuard guard(shards_[i].lock, threads_);
            total += shards_[i].pages.size();
        }
        return total;
    }

  private:
    static constexpr int kWays = 4;
    static constexpr std::size_t kShards = 64;
    static constexpr std::size_t kFirstSize = 1 << 10;

    struct Slot {
        CoverKey key;
        Cost filled;  ///< optimum + 1; 0 marks an empty slot
    };

    struct alignas(64) Shard {
        mutable SpinLock lock;
        Pages pages;
        std::size_t size = 0, stored = 0;
        std::vector<std::pair<CoverKey, Cost>> log;

        Slot* slots() const { return pages.as<Slot>(); }
        Slot* bucket_of(const CoverKey& key) const {
            return slots() + (key.low & (size - 1) & ~std::size_t{kWays - 1});
        }
        void put(const Slot& slot) {
            Slot* bucket = bucket_of(slot.key);
            int victim = static_cast<int>(slot.key.high % kWays);
            for (int i = 0; i < kWays; ++i) {
                if (bucket[i].filled > 0 && !(bucket[i].key == slot.key)) continue;
                if (bucket[i].filled == 0) ++stored;
                victim = i;
                break;
            }
            bucket[victim] = slot;
        }
        /// Grows in place to four times the size, or as far as the limit allows. The values of
        /// every old bucket go to that bucket or to new ones, which are empty.
        void grow(std::size_t limit, std::size_t first) {
            const auto fits = [&](std::size_t slots) {
                return Pages::peak(pages.size(), slots * sizeof(Slot)) <= limit;
            };
            std::size_t larger = size == 0 ? first : 4 * size;
            while (larger > size && !fits(larger)) larger /= 2;
            if (larger <= size || larger < kWays) return;
            pages.grow(larger * sizeof(Slot));
            const std::size_t old = std::exchange(size, larger);
            stored = 0;
            for (std::size_t i = 0; i < old; i += kWays) {
                Slot bucket[kWays];
                std::copy_n(slots() + i, kWays, bucket);
                std::fill_n(slots() + i, kWays, Slot{});
                for (const Slot& slot : bucket)
                    if (slot.filled > 0) put(slot);
            }
        }
    };

    void insert(const CoverKey& key, Cost optimum, bool logs) {
        Shard& shard = shard_of(key);
        const SpinGuard guard(shard.lock, threads_);
        if (2 * shard.stored > shard.size || shard.size == 0)
            shard.grow(limit_, kFirstSize / (threads_ ? kWays : 1));
        if (shard.size > 0) shard.put({key, optimum + 1});
        if (logs) shard.log.emplace_back(key, optimum);
    }

    /// The shard is chosen by bits of the key that choose neither the bucket nor the victim.
    Shard& shard_of(const CoverKey& key) const { return shards_[(key.high >> 58) & (count_ - 1)]; }

    std::size_t count_;
    std::unique_ptr<Shard[]> shards_;
    std::size_t limit_;  ///< bytes of a shard
    bool threads_;
    bool logs_ = false;
};

}  // namespace beamtree
