// When memory that threads look at without a lock may be freed: not before all who could have seen
// it have looked away.
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

    /// A thread looks, until it goes out of scope. What it finds stays where it is so long.
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

    /// A stamp for what can no longer be found, from now on.
    std::uint64_t retire() { return now_.fetch_add(1); }
    /// What has an earlier stamp than this is seen by nobody.
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
