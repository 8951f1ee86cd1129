#include "cache/cache.hpp"

#include <algorithm>
#include <bit>
#include <limits>

namespace beamtree {

namespace {

constexpr std::size_t kMostShards = 64;
/// A smaller shard would hold too few entries and memos; small caches have fewer shards instead.
constexpr std::size_t kLeastShardBytes = 64 << 10;
constexpr std::size_t kLeastShardPages = 8;
constexpr int kMostWidth = 1 << 30;

/// A memo in the pool. Memos of rules with up to three parts take one unit of the pool, those with
/// four parts take two.
struct MemoBlock {
    Pool::Header header;
    std::int32_t width;
    Cost bound;
    double reach_need[2 * kMaxRuleParts];

    static constexpr int kShortParts = 3;
    static constexpr std::size_t bytes(int parts) {
        return offsetof(MemoBlock, reach_need) + 2 * sizeof(double) * parts;
    }
    static int parts_of(const Memo& memo) {
        int parts = kMaxRuleParts;
        while (parts > kShortParts && memo.reach[parts - 1] == 0 && memo.need[parts - 1] == 0)
            --parts;
        return parts;
    }
    int parts() const { return header.units > 1 ? kMaxRuleParts : kShortParts; }

    void set(const Memo& memo, int count) {
        width = memo.width;
        bound = memo.bound;
        for (int i = 0; i < count; ++i) {
            reach_need[2 * i] = memo.reach[i];
            reach_need[2 * i + 1] = memo.need[i];
        }
    }
    Memo get() const {
        Memo memo;
        memo.width = width;
        memo.bound = bound;
        for (int i = 0; i < parts(); ++i) {
            memo.reach[i] = reach_need[2 * i];
            memo.need[i] = reach_need[2 * i + 1];
        }
        return memo;
    }
};
static_assert(MemoBlock::bytes(MemoBlock::kShortParts) == Pool::kUnit);

/// The head of a block of scores; the scores follow it.
struct ScoresBlock {
    Pool::Header header;
    std::int32_t width;
    std::int32_t features;
    std::int32_t unused;
    Cost three_levels;

    static std::size_t bytes(int features) {
        return sizeof(ScoresBlock) + sizeof(float) * static_cast<std::size_t>(features);
    }
    float* scores() { return reinterpret_cast<float*>(this + 1); }
    const float* scores() const { return reinterpret_cast<const float*>(this + 1); }
};

/// An entry in a checkpoint; its memo and its scores follow it.
struct SavedEntry {
    CoverKey key;
    Cost lower, upper;
    std::int32_t split;
    std::uint8_t depth, used, has_memo, has_scores;
};

void store_memo(CacheShard& shard, CacheSlot& slot, const Memo& memo) {
    const int parts = MemoBlock::parts_of(memo);
    void* block = shard.change_block(slot.memo, MemoBlock::bytes(parts));
    if (block != nullptr) static_cast<MemoBlock*>(block)->set(memo, parts);
}

template <class T>
void store_scores(CacheShard& shard, CacheSlot& slot, int features, int width, const T* scores,
                  Cost three_levels) {
    auto* block =
        static_cast<ScoresBlock*>(shard.change_block(slot.scores, ScoresBlock::bytes(features)));
    if (block == nullptr) return;
    block->width = width;
    block->features = features;
    block->unused = 0;
    block->three_levels = three_levels;
    for (int f = 0; f < features; ++f) block->scores()[f] = static_cast<float>(scores[f]);
}

}  // namespace

Cache::Cache(std::size_t bytes, bool threads) : threads_(threads) {
    const std::size_t least = std::max(kLeastShardBytes, kLeastShardPages * Pages::page_size());
    bytes = std::max({bytes, kLeastBytes, least});
    count_ = std::min(kMostShards, std::bit_floor(bytes / least));
    shards_ = std::make_unique<Shard[]>(count_);
    for (std::size_t i = 0; i < count_; ++i)
        shards_[i].table.set_limit(bytes == kNoLimit ? kNoLimit : bytes / count_);
}

void Cache::drop_tree(const CoverKey& key, int depth) {
    Shard& shard = shard_of(key);
    const SpinGuard guard(shard.lock, threads_);
    CacheSlot* slot = shard.table.find(key, depth);
    if (slot != nullptr) slot->set({slot->lower, kInfiniteCost, kLeaf});
}

bool Cache::find_memo(const CoverKey& key, int depth, Memo& out) {
    Shard& shard = shard_of(key);
    const SpinGuard guard(shard.lock, threads_);
    CacheSlot* slot = shard.table.find(key, depth);
    if (slot == nullptr || slot->memo == 0) return false;
    mark_used(*slot);
    out = shard.table.pool().at<MemoBlock>(slot->memo)->get();
    return true;
}

void Cache::set_memo(const CoverKey& key, int depth, const Memo& memo) {
    Shard& shard = shard_of(key);
    const SpinGuard guard(shard.lock, threads_);
    CacheSlot* slot = shard.table.make(key, depth);
    if (slot != nullptr) store_memo(shard.table, *slot, memo);
}

bool Cache::recall_scores(const CoverKey& key, int depth, int features, int width,
                          std::vector<Cost>& scores, Cost& three_levels) {
    Shard& shard = shard_of(key);
    const SpinGuard guard(shard.lock, threads_);
    CacheSlot* slot = shard.table.find(key, depth);
    if (slot == nullptr || slot->scores == 0) return false;
    const auto* block = shard.table.pool().at<ScoresBlock>(slot->scores);
    if (block->features != features || block->width < width) return false;
    mark_used(*slot);
    scores.resize(static_cast<std::size_t>(features));
    for (int f = 0; f < features; ++f) scores[f] = static_cast<Cost>(block->scores()[f]);
    three_levels = block->three_levels;
    return true;
}

void Cache::store_scores(const CoverKey& key, int depth, int features, int width,
                         const std::vector<Cost>& scores, Cost three_levels) {
    Shard& shard = shard_of(key);
    const SpinGuard guard(shard.lock, threads_);
    CacheSlot* slot = shard.table.make(key, depth);
    if (slot != nullptr)
        beamtree::store_scores(shard.table, *slot, features, width, scores.data(), three_levels);
}

Cache::Grant Cache::claim(const CoverKey& key, int depth, bool join) {
    Shard& shard = shard_of(key);
    const SpinGuard guard(shard.lock, threads_);
    CacheSlot* slot = shard.table.make(key, depth);
    if (slot == nullptr) return Grant::kUncounted;
    if (slot->holders > 0 && !join) return Grant::kRefused;
    if (slot->holders == std::numeric_limits<std::uint16_t>::max()) return Grant::kUncounted;
    ++slot->holders;
    return Grant::kCounted;
}

void Cache::release(const CoverKey& key, int depth) {
    Shard& shard = shard_of(key);
    const SpinGuard guard(shard.lock, threads_);
    CacheSlot* slot = shard.table.find(key, depth);
    if (slot != nullptr && slot->holders > 0) --slot->holders;
}

int Cache::holders(const CoverKey& key, int depth) {
    Shard& shard = shard_of(key);
    const SpinGuard guard(shard.lock, threads_);
    const CacheSlot* slot = shard.table.find(key, depth);
    return slot != nullptr ? slot->holders : 0;
}

bool Cache::start_ranking(const CoverKey& key, int depth) {
    Shard& shard = shard_of(key);
    const SpinGuard guard(shard.lock, threads_);
    CacheSlot* slot = shard.table.make(key, depth);
    if (slot == nullptr) return true;
    if (slot->ranking) return false;
    slot->ranking = true;
    return true;
}

void Cache::end_ranking(const CoverKey& key, int depth) {
    Shard& shard = shard_of(key);
    const SpinGuard guard(shard.lock, threads_);
    CacheSlot* slot = shard.table.find(key, depth);
    if (slot != nullptr) slot->ranking = false;
}

template <class Function>
auto Cache::sum(Function function) const {
    decltype(function(shards_[0].table)) total = 0;
    for (std::size_t i = 0; i < count_; ++i) {
        const SpinGuard guard(shards_[i].lock, threads_);
        total += function(shards_[i].table);
    }
    return total;
}

std::int64_t Cache::entries() const {
    return sum([](const CacheShard& shard) { return shard.entries(); });
}

std::int64_t Cache::evicted() const {
    return evicted_before_ + sum([](const CacheShard& shard) { return shard.evicted(); });
}

std::size_t Cache::bytes() const {
    return sum([](const CacheShard& shard) { return shard.bytes(); });
}

void Cache::save(Writer& out) const {
    out.put(static_cast<std::uint64_t>(count_));
    out.put(evicted());
    for (std::size_t i = 0; i < count_; ++i) {
        const CacheShard& shard = shards_[i].table;
        const SpinGuard guard(shards_[i].lock, threads_);
        out.put(shard.entries());
        shard.each([&](const CacheSlot& slot) {
            out.put(SavedEntry{slot.key, slot.lower, slot.upper, slot.split,
                               static_cast<std::uint8_t>(slot.depth()), slot.used, slot.memo != 0,
                               slot.scores != 0});
            if (slot.memo != 0) {
                const Memo memo = shard.pool().at<MemoBlock>(slot.memo)->get();
                out.put_array(memo.reach.data(), memo.reach.size());
                out.put_array(memo.need.data(), memo.need.size());
                out.put(memo.bound);
                out.put(memo.width);
            }
            if (slot.scores != 0) {
                const auto* block = shard.pool().at<ScoresBlock>(slot.scores);
                out.put(block->features);
                out.put(block->width);
                out.put(block->three_levels);
                out.put_array(block->scores(), static_cast<std::size_t>(block->features));
            }
        });
    }
}

void Cache::load(Reader& in, int max_depth, int features) {
    const auto shards = in.get_in<std::uint64_t>(1, kMostShards, "a shard count of");
    evicted_before_ = in.get_in<std::int64_t>(0, kInfiniteCost, "a count of evicted entries of");
    for (std::uint64_t i = 0; i < shards; ++i) {
        const auto entries = in.get_in<std::int64_t>(0, std::numeric_limits<std::int64_t>::max(),
                                                     "an entry count of");
        for (std::int64_t e = 0; e < entries; ++e) load_entry(in, max_depth, features);
    }
}

/// Reads and checks the whole entry before any of it is stored.
void Cache::load_entry(Reader& in, int max_depth, int features) {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    const auto saved = in.get<SavedEntry>();
    checked_in<int>(saved.depth, 1, max_depth, "a remaining depth of");
    checked_in<Cost>(saved.lower, 0, kInfiniteCost, "a lower bound of");
    checked_in<Cost>(saved.upper, saved.lower, kInfiniteCost, "an upper bound of");
    checked_in<int>(saved.split, kLeaf, features - 1, "a split by feature");
    for (const int mark : {saved.used, saved.has_memo, saved.has_scores})
        checked_in(mark, 0, 1, "a mark of");

    Memo memo;
    if (saved.has_memo) {
        for (double& reach : memo.reach) reach = in.get_in(-kInfinity, kInfinity, "a reach of");
        for (double& need : memo.need) need = in.get_in(-kInfinity, kInfinity, "a needed reach of");
        memo.bound = in.get_in<Cost>(-1, kInfiniteCost, "an explored bound of");
        memo.width = in.get_in<int>(0, kMostWidth, "an explored width of");
    }
    std::vector<float> scores;
    int width = 0;
    Cost three_levels = -1;
    if (saved.has_scores) {
        const int count = in.get_in<int>(0, features, "a score count of");
        width = in.get_in<int>(0, kMostWidth, "a score width of");
        three_levels = in.get_in<Cost>(-1, kInfiniteCost, "a three-level optimum of");
        scores.resize(static_cast<std::size_t>(count));
        in.get_array(scores.data(), scores.size());
        // A score is the sum of two costs, which may be infinite. Sorting would fail on NaN.
        for (const float score : scores)
            checked_in(score, 0.0F, 2 * static_cast<float>(kInfiniteCost), "a score of");
    }

    Shard& shard = shard_of(saved.key);
    const SpinGuard guard(shard.lock, threads_);
    CacheSlot* slot = shard.table.make(saved.key, saved.depth);
    if (slot == nullptr) return;
    slot->set({saved.lower, saved.upper, saved.split});
    slot->used = saved.used != 0;
    if (saved.has_memo) store_memo(shard.table, *slot, memo);
    if (saved.has_scores)
        beamtree::store_scores(shard.table, *slot, static_cast<int>(scores.size()), width,
                               scores.data(), three_levels);
}

}  // namespace beamtree
