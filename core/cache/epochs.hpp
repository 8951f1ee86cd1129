// Decides when memory that threads read without a lock may be freed: not before every thread that
// could have found it has finished reading.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <limits>
#include <memory>

namespace beamtree {

class Epochs {
  public:
    explicit Epochs(int threads) : threads_(threads), place_(new Place[threads]) {}

    /// While a Look exists, its thread may read; what it finds is not freed.
    class Look {
      public:
        Look(Epochs& epochs, int thread) : since_(epochs.place_[thread].since) {
            since_.store(epochs.now_.load());
        }
        ~Look() { since_.store(kNever, std::memory_order_release); }
        Look(const Look&) = delete;
        Look& operator=(const Look&) = delete;

      private:
        std::atomic<std::uint64_t>& since_;
    };

    /// Returns a stamp for memory that new looks cannot find any more.
    std::uint64_t retire() { return now_.fetch_add(1); }
    /// Memory with a smaller stamp than this is read by no thread.
    std::uint64_t oldest_look() const {
        std::uint64_t oldest = kNever;
        for (int i = 0; i < threads_; ++i) oldest = std::min(oldest, place_[i].since.load());
        return oldest;
    }

  private:
    static constexpr std::uint64_t kNever = std::numeric_limits<std::uint64_t>::max();
    struct alignas(64) Place {
        std::atomic<std::uint64_t> since = kNever;
    };

    int threads_;
    std::unique_ptr<Place[]> place_;
    std::atomic<std::uint64_t> now_ = 0;
};

}  // namespace beamtree
