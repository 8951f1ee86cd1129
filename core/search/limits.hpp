// When to stop. The hot path only adds to a counter; clocks and flags are read when enough work
// has been done for it to matter.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <utility>

namespace beamtree {

/// Asked now and then, from the searching thread; true ends the search.
using Poll = std::function<bool()>;

class Limits {
  public:
    Limits(double time_limit, Poll poll)
        : time_limit_(time_limit), poll_(std::move(poll)), start_(Clock::now()) {
        if (time_limit_ <= 0) stopped_ = true;
    }

    /// Counts work (about a nanosecond each) and, now and then, looks at the clock.
    void spend(std::int64_t work) {
        until_look_ -= work;
        if (until_look_ <= 0) look();
    }
    bool stopped() const { return stopped_; }
    /// From any thread: ends the search soon, with the best tree so far.
    void interrupt() { interrupted_.store(true, std::memory_order_relaxed); }
    bool interrupted() const { return interrupted_.load(std::memory_order_relaxed); }
    double seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

  private:
    using Clock = std::chrono::steady_clock;
    static constexpr std::int64_t kWorkBetweenLooks = 100'000;
    static constexpr double kSecondsBetweenPolls = 0.05;

    void look() {
        until_look_ = kWorkBetweenLooks;
        const double now = seconds();
        if (poll_ && now >= next_poll_) {
            next_poll_ = now + kSecondsBetweenPolls;
            if (poll_()) interrupt();
        }
        stopped_ = stopped_ || interrupted() || now >= time_limit_;
    }

    double time_limit_;
    Poll poll_;
    Clock::time_point start_;
    std::int64_t until_look_ = kWorkBetweenLooks;
    double next_poll_ = kSecondsBetweenPolls;
    bool stopped_ = false;
    std::atomic<bool> interrupted_ = false;
};

}  // namespace beamtree
