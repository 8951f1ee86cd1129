// Loops that can be stopped: long operations run in pieces of about a millisecond, and the limits
// are looked at between two pieces.
#pragma once

#include <algorithm>
#include <cstdint>

#include "kernel/kernel.hpp"
#include "limits/limits.hpp"

namespace beamtree {

class StoppableLoop {
  public:
    /// `work` is the size of a piece.
    StoppableLoop(Meter& meter, std::int64_t work) : meter_(meter), work_(work) {}

    void spend(std::int64_t work) { meter_.spend(work); }
    bool stopped() const { return meter_.stopped(); }

    /// Calls part(first, last) for consecutive ranges that make up [0, count). Every item costs
    /// `item_work`. Returns false if the loop was stopped before the last range.
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
    /// Does this for the rows of a matrix (features, stride). Only the blocks on the diagonal and
    /// to its right have a cost, which is `block_work` per block.
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

/// The work of operations, measured with AVX2 on lanes of 16 bits. A *granule* is 16 rows, a
/// *plane* is one of the sums over rows that a node needs, and a *block* is 16 features.
namespace work {

inline constexpr std::int64_t kBetweenLooks = 1'000'000;
inline constexpr std::int64_t kGranule = 1;  ///< to count one granule for a feature and a block
inline constexpr std::int64_t kPair = 3;     ///< to score a feature and a block, per plane and side
inline constexpr std::int64_t kPairOfRow = 2;   ///< to score them in a single row of pair counts
inline constexpr std::int64_t kRange = 3;       ///< to start a range of features
inline constexpr std::int64_t kRangeBlock = 1;  ///< to add to one block of a range
/// To count the rows that a word of two columns has in common.
inline constexpr std::int64_t kCommonWord = 1;
inline constexpr std::int64_t kWord = 2;  ///< to compress or count a word of a column
inline constexpr std::int64_t kHashedWord = 4;
inline constexpr std::int64_t kGain =
    40;  ///< to compute the gain of a feature from its class weights
inline constexpr std::int64_t kRecall = 200;  ///< to find the facts of two children in the cache

}  // namespace work

}  // namespace beamtree
