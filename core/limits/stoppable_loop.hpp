// Long operations in pieces of about a millisecond, between which they can be stopped.
#pragma once

#include <algorithm>
#include <cstdint>

#include "kernel/kernel.hpp"
#include "limits/limits.hpp"

namespace beamtree {

class StoppableLoop {
  public:
    /// StoppableLoop of so much `work`, about a nanosecond each.
    StoppableLoop(Meter& meter, std::int64_t work) : meter_(meter), work_(work) {}

    void spend(std::int64_t work) { meter_.spend(work); }
    bool stopped() const { return meter_.stopped(); }

    /// Calls part(first, last) for ranges that make up [0, count), each of whose items costs
    /// `item_work`. False: it was stopped before the last of them.
    template <class Part>
    [[nodiscard]] bool each(int count, std::int64_t item_work, Part part) {
        const auto most = static_cast<int>(
            std::clamp<std::int64_t>(work_ / std::max<std::int64_t>(item_work, 1), 1, 1 << 30));
        for (int first = 0; first < count;) {
            if (stopped()) return false;
            const int last = count - first > most ? first + most : count;
            part(first, last);
            spend(item_work * (last - first));
            first = last;
        }
        return true;
    }
    /// The same for the rows of a matrix of (features, stride), of which only the blocks on and
    /// right of the diagonal cost anything: `block_work`.
    template <class Part>
    [[nodiscard]] bool each_pair(int features, int stride, std::int64_t block_work, Part part) {
        const auto blocks = [&](int row) { return (stride - row / kBlock * kBlock) / kBlock; };
        const std::int64_t most = work_ / std::max<std::int64_t>(block_work, 1);
        for (int first = 0; first < features;) {
            if (stopped()) return false;
            int last = features;
            std::int64_t cost = static_cast<std::int64_t>(features - first) *
                                (blocks(first) + blocks(features - 1)) / 2;
            if (cost > most)
                for (last = first, cost = 0; last < features && (cost < most || last == first);)
                    cost += blocks(last++);
            part(first, last);
            spend(cost * block_work);
            first = last;
        }
        return true;
    }

  private:
    Meter& meter_;
    std::int64_t work_;
};

/// What operations cost, measured with AVX2 on lanes of 16 bits.
namespace work {

inline constexpr std::int64_t kBetweenLooks = 1'000'000;
inline constexpr std::int64_t kGranule = 1;     ///< to count one of a pair of a feature and a block
inline constexpr std::int64_t kPair = 3;        ///< to score such a pair, a plane and side
inline constexpr std::int64_t kPairOfRow = 2;   ///< the same, in a row of pair counts of its own
inline constexpr std::int64_t kRange = 3;       ///< to start on a range of features
inline constexpr std::int64_t kRangeBlock = 1;  ///< to add to a block of it
inline constexpr std::int64_t kCommonWord = 1;  ///< to count a word of two columns
inline constexpr std::int64_t kWord = 2;        ///< to compress or count a word of a column
inline constexpr std::int64_t kHashedWord = 4;
inline constexpr std::int64_t kGain = 40;     ///< of one feature, from its class weights
inline constexpr std::int64_t kRecall = 200;  ///< two children from the cache

}  // namespace work

}  // namespace beamtree
