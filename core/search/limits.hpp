// When to stop. The hot path only adds to a counter; clocks and flags are read when enough work
// has been done for it to matter.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <limits>
#include <utility>

namespace beamtree {

/// Asked now and then, from the searching thread; true ends the search.
using Poll = std::function<bool()>;

/// Thrown by a rule when the user interrupts it: ends the step, not the search.
struct Interrupted {};

enum class Stop { kNone, kSlice, kTime, kNodes, kInterrupt };

class Limits {
  public:
    Limits(std::int64_t node_limit, Poll poll) : node_limit_(node_limit), poll_(std::move(poll)) {}

    /// Starts the clock for so many more seconds. It runs until `pause`. An interrupt that came in
    /// between ends the run at once.
    void run(double seconds) {
        begin_ = Clock::now();
        running_ = true;
        next_poll_ = kSecondsBetweenPolls;
        deadline_ = seconds;
        if (stop_ == Stop::kTime || stop_ == Stop::kInterrupt) stop_ = Stop::kNone;
        if (seconds <= 0) stop_ = Stop::kTime;
        if (interrupted_.exchange(false, std::memory_order_relaxed)) stop_ = Stop::kInterrupt;
    }
    void pause() {
        before_ += since_begin();
        running_ = false;
    }
    /// Ends a slice that is over, and starts one of so much work.
    void slice(std::int64_t work) {
        slice_end_ = work < kForever - work_ ? work_ + work : kForever;
        if (stop_ == Stop::kSlice) stop_ = Stop::kNone;
        look();  // so that no number of slices without work goes on forever
    }

    /// Counts work (about a nanosecond each) and, now and then, looks at the clock.
    void spend(std::int64_t work) {
        work_ += work;
        if (work_ >= next_look_) look();
    }
    void count_node() {
        if (++nodes_ >= node_limit_) stop_ = Stop::kNodes;
    }
    bool stopped() const { return stop_ != Stop::kNone; }
    Stop why() const { return stop_; }
    std::int64_t work() const { return work_; }
    std::int64_t nodes() const { return nodes_; }
    /// Spent in the search, without the time between its steps.
    double seconds() const { return before_ + (running_ ? since_begin() : 0); }
    /// From any thread: ends the step soon, with the best tree so far.
    void interrupt() { interrupted_.store(true, std::memory_order_relaxed); }

    static constexpr std::int64_t kForever = std::numeric_limits<std::int64_t>::max();

  private:
    using Clock = std::chrono::steady_clock;
    static constexpr std::int64_t kWorkBetweenLooks = 100'000;
    static constexpr double kSecondsBetweenPolls = 0.05;

    double since_begin() const {
        return std::chrono::duration<double>(Clock::now() - begin_).count();
    }
    void look() {
        next_look_ = work_ + kWorkBetweenLooks;
        if (slice_end_ > work_) next_look_ = std::min(next_look_, slice_end_);
        const double now = since_begin();
        if (poll_ && now >= next_poll_) {
            next_poll_ = now + kSecondsBetweenPolls;
            if (poll_()) interrupt();
        }
        if (stopped()) return;
        if (interrupted_.exchange(false, std::memory_order_relaxed))
            stop_ = Stop::kInterrupt;
        else if (now >= deadline_)
            stop_ = Stop::kTime;
        else if (work_ >= slice_end_)
            stop_ = Stop::kSlice;
    }

    std::int64_t node_limit_;
    Poll poll_;
    Clock::time_point begin_ = Clock::now();
    bool running_ = false;
    double before_ = 0, deadline_ = 0, next_poll_ = 0;
    std::int64_t work_ = 0, next_look_ = kWorkBetweenLooks, slice_end_ = kForever, nodes_ = 0;
    Stop stop_ = Stop::kNone;
    std::atomic<bool> interrupted_ = false;
};

}  // namespace beamtree
