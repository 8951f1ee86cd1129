// When to stop. The hot path only adds to a counter; clocks and flags are read when enough work
// has been done for it to matter.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

namespace beamtree {

class Limits {
  public:
    explicit Limits(double time_limit) : time_limit_(time_limit), start_(Clock::now()) {
        if (time_limit_ <= 0) stopped_ = true;
    }

    /// Counts work (about a nanosecond each) and, now and then, looks at the clock.
    void spend(std::int64_t work) {
        until_look_ -= work;
        if (until_look_ <= 0) look();
    }
    bool stopped() const { return stopped_; }
    /// From another thread.
    void cancel() { cancelled_.store(true, std::memory_order_relaxed); }
    bool cancelled() const { return cancelled_.load(std::memory_order_relaxed); }
    double seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

  private:
    using Clock = std::chrono::steady_clock;
    static constexpr std::int64_t kWorkBetweenLooks = 100'000;

    void look() {
        until_look_ = kWorkBetweenLooks;
        stopped_ = stopped_ || cancelled() || seconds() >= time_limit_;
    }

    double time_limit_;
    Clock::time_point start_;
    std::int64_t until_look_ = kWorkBetweenLooks;
    bool stopped_ = false;
    std::atomic<bool> cancelled_ = false;
};

}  // namespace beamtree
