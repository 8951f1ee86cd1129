// What passes remember of subproblems besides the facts, only to avoid repeats: how far a
// subproblem was explored, and the keys of its features.
#pragma once

#include <cstdint>
#include <vector>

#include "data/cover.hpp"
#include "objective/objective.hpp"
#include "rule/threshold.hpp"
#include "search/cache.hpp"

namespace beamtree {

/// "Explored with this reach, below this bound, with so many features; to find more it needs this
/// reach."
struct Memo {
    Reach reach{}, need{};
    Cost bound = -1;         ///< -1: not explored yet
    int width = 0;           ///< features of a wide node that were considered
    Cost three_levels = -1;  ///< the optimum of the cover with three levels, or -1
    int key_width = 0;       ///< the same, when the keys were made; 0: there are none
    std::size_t first = 0;   ///< of the keys
    int features = 0;
};

class Memos {
  public:
    explicit Memos(Cache& cache) : cache_(cache) {}

    /// The memo of a subproblem, if it has one. Valid until the next `of`.
    Memo* find(const Key& key, int depth) {
        const int at = cache_.memo(key, depth);
        return at < 0 ? nullptr : &memos_[at];
    }
    Memo& of(const Key& key, int depth) {
        int at = cache_.memo(key, depth);
        if (at < 0) {
            at = static_cast<int>(memos_.size());
            memos_.emplace_back();
            cache_.set_memo(key, depth, at);
        }
        return memos_[at];
    }
    /// Keys of the features of a subproblem, as floats: they only order.
    void set_keys(Memo& memo, int width, const std::vector<Cost>& keys, int features) {
        if (memo.key_width == 0 || memo.features != features) {
            memo.key_width = 0;
            if (keys_.size() > kMostKeys) return;
            memo.first = keys_.size();
            memo.features = features;
            keys_.resize(keys_.size() + features);
        }
        memo.key_width = width;
        for (int f = 0; f < features; ++f) keys_[memo.first + f] = static_cast<float>(keys[f]);
    }
    Cost key(const Memo& memo, int f) const { return static_cast<Cost>(keys_[memo.first + f]); }

  private:
    static constexpr std::size_t kMostKeys = std::size_t{1} << 26;  ///< 256 MB

    Cache& cache_;
    std::vector<Memo> memos_;
    std::vector<float> keys_;
};

}  // namespace beamtree
