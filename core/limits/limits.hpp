// The limits of a search: time, nodes, interrupts, and slices of work. The threads of a search
// share one Limits object, and each has a Meter. In the hot path a thread only adds to the counter
// of its meter. The clock and the flags are read ("a look") when enough work has been done.
//
// A *step* of a search is one call of Search::next or Search::run, with its own budget of time. A
// *slice* is a part of a step with a given amount of work, after which another part of the search
// has its turn. One unit of *work* takes about a nanosecond.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <limits>
#include <utility>

#include "data/stream.hpp"
#include "objective/objective.hpp"

namespace beamtree {

/// Called now and then by the thread that runs the search. If it returns true, the step ends.
using Poll = std::function<bool()>;

/// Thrown by a rule, or by an objective of the caller's own, when the user interrupts it. It ends
/// the step; the search can go on after it.
struct Interrupted {};

/// The time and the nodes that a step may take, and the gap at which it may end.
struct Budget {
    double seconds = std::numeric_limits<double>::infinity();
    std::int64_t nodes =
        std::numeric_limits<std::int64_t>::max();  ///< limit for all steps of the search together
    double gap = 0;  ///< share of the cost; at 0 the step ends only with the proof
    Cost slack = 0;  ///< cost that the rounding of weights may add to the gap

    bool enough(Cost cost, Cost lower) const {
        return gap > 0 &&
               static_cast<double>(cost - lower + slack) <= gap * static_cast<double>(cost);
    }
};

enum class Stop { kNone, kSlice, kTime, kNodes, kInterrupt };

class Limits {
  public:
    /// For tests, `stop_at_look` stops a step as if its time were over, at the look of that number;
    /// the next step stops after twice as many looks, and so on. Every `spend` is a look then. With
    /// 0 no step is stopped that way.
    explicit Limits(Poll poll, std::int64_t stop_at_look = 0)
        : poll_(std::move(poll)), testing_(stop_at_look > 0), stop_at_look_(stop_at_look) {}

    /// Starts a step: the clock runs until `pause`. An interrupt that came since the last step ends
    /// this one at once. A step whose time is not zero does at least `work` before its time is
    /// over. Only if `may_cut` is set, `cut_slice` ends its slices.
    void run(const Budget& budget, std::int64_t work, bool may_cut = false) {
        begin_ = Clock::now();
        running_ = true;
        next_poll_ = kSecondsBetweenPolls;
        deadline_ = budget.seconds;
        node_limit_ = budget.nodes;
        least_end_ = this->work() + work;
        may_cut_ = may_cut;
        stop_ = Stop::kNone;
        if (budget.seconds <= 0) stop_ = Stop::kTime;
        if (nodes() >= node_limit_) stop_ = Stop::kNodes;
        if (interrupted_.exchange(false)) stop_ = Stop::kInterrupt;
    }
    void pause() {
        before_ = seconds();
        running_ = false;
    }
    /// Starts the next slice, of the given work.
    void slice(std::int64_t work) {
        slice_end_ = work < kForever - this->work() ? this->work() + work : kForever;
        if (why() == Stop::kSlice) stop_ = Stop::kNone;
        look(true);  // slices without work must not go on after the time is over
    }

    bool stopped() const { return why() != Stop::kNone; }
    Stop why() const { return stop_.load(std::memory_order_relaxed); }
    std::int64_t work() const { return work_.load(std::memory_order_relaxed); }
    std::int64_t nodes() const { return nodes_.load(std::memory_order_relaxed); }
    /// Seconds that the steps took, without the time between them.
    double seconds() const { return before_ + (running_ ? since_begin() : 0); }
    /// Returns the seconds at the last look. May be called from any thread.
    double shown_seconds() const { return shown_.load(std::memory_order_relaxed); }
    /// Ends the step soon. May be called from any thread.
    void interrupt() { interrupted_.store(true); }
    /// Looks, and returns whether the user interrupted the step.
    bool interrupted() {
        look(true);
        return why() == Stop::kInterrupt || interrupted_.load();
    }

    /// Ends the slice soon, or the first one of the next step. May be called from any thread.
    void cut_slice() { cut_.store(true); }
    /// Counts nodes of other processes.
    void add_nodes(std::int64_t nodes) { nodes_.fetch_add(nodes, std::memory_order_relaxed); }

    void count_node() {
        if (nodes_.fetch_add(1, std::memory_order_relaxed) + 1 >= node_limit_) stop(Stop::kNodes);
    }
    /// Adds work and looks. Returns the work that may be done until the next look. `polls` must be
    /// true only in the thread that runs the search.
    std::int64_t spend(std::int64_t work, bool polls) {
        work_.fetch_add(work, std::memory_order_relaxed);
        return look(polls);
    }

    void save(Writer& writer) const {
        writer.put(seconds());
        writer.put(work());
        writer.put(nodes());
    }
    void load(Reader& reader) {
        before_ = reader.get_in(0.0, 1e12, "a time in seconds of");
        work_ = reader.get_in<std::int64_t>(0, kForever / 4, "a work of");
        nodes_ = reader.get_in<std::int64_t>(0, kForever / 4, "a node count of");
    }

    static constexpr std::int64_t kForever = std::numeric_limits<std::int64_t>::max();

  private:
    friend class Grace;
    using Clock = std::chrono::steady_clock;
    static constexpr std::int64_t kWorkBetweenLooks = 100'000;
    static constexpr double kSecondsBetweenPolls = 0.03;

    double since_begin() const {
        return std::chrono::duration<double>(Clock::now() - begin_).count();
    }
    /// Sets the reason for stopping. Only the end of a slice may be replaced by another reason. No
    /// reason is withdrawn while a pass runs: every caller must see that its work is incomplete.
    bool stop(Stop why) {
        Stop now = stop_.load();
        while (now == Stop::kNone || (now == Stop::kSlice && why != Stop::kSlice))
            if (stop_.compare_exchange_weak(now, why)) return true;
        return false;
    }
    bool tests_stop() {
        if (!testing_ || ++looks_ < stop_at_look_) return false;
        stop_at_look_ *= 2;
        looks_ = 0;
        return true;
    }
    std::int64_t look(bool polls) {
        const double now = since_begin();
        shown_.store(before_ + now, std::memory_order_relaxed);
        if (polls && poll_ && now >= next_poll_) {
            next_poll_ = now + kSecondsBetweenPolls;
            if (poll_()) interrupt();
        }
        const std::int64_t left = slice_end_ - work();
        if (why() == Stop::kNone || why() == Stop::kSlice) {
            if (interrupted_.load(std::memory_order_relaxed)) {
                if (stop(Stop::kInterrupt)) interrupted_.store(false);
            } else if ((now >= deadline_ && work() >= least_end_) || (polls && tests_stop())) {
                stop(Stop::kTime);
            } else if (left <= 0 || (may_cut_ && cut_.load(std::memory_order_relaxed))) {
                cut_.store(false);
                stop(Stop::kSlice);
            }
        }
        if (testing_) return 0;
        return left > 0 ? std::min(left, kWorkBetweenLooks) : kWorkBetweenLooks;
    }

    Poll poll_;
    const bool testing_;
    Clock::time_point begin_ = Clock::now();
    bool running_ = false, may_cut_ = false;
    double before_ = 0, deadline_ = 0, next_poll_ = 0;
    std::int64_t slice_end_ = kForever, least_end_ = 0, node_limit_ = kForever;
    std::int64_t stop_at_look_, looks_ = 0;
    std::atomic<std::int64_t> work_ = 0, nodes_ = 0;
    std::atomic<double> shown_ = 0;
    std::atomic<Stop> stop_ = Stop::kNone;
    std::atomic<bool> interrupted_ = false, cut_ = false;
};

/// Grants a stopped search a moment (10 ms and 1% of its time) to collect what it has found.
/// Afterwards the limits are as they were.
class Grace {
  public:
    explicit Grace(Limits& limits)
        : limits_(limits),
          stop_(limits.why()),
          deadline_(limits.deadline_),
          slice_end_(limits.slice_end_),
          node_limit_(limits.node_limit_) {
        const double now = limits.since_begin();
        limits.deadline_ = std::max(deadline_, now + kSeconds + 0.01 * limits.seconds());
        limits.slice_end_ = limits.node_limit_ = Limits::kForever;
        limits.stop_ = Stop::kNone;
    }
    ~Grace() {
        limits_.deadline_ = deadline_;
        limits_.slice_end_ = slice_end_;
        limits_.node_limit_ = node_limit_;
        if (stop_ != Stop::kNone) limits_.stop_ = stop_;
    }
    Grace(const Grace&) = delete;
    Grace& operator=(const Grace&) = delete;

  private:
    static constexpr double kSeconds = 0.01;

    Limits& limits_;
    Stop stop_;
    double deadline_;
    std::int64_t slice_end_, node_limit_;
};

/// Counts the work of one thread.
class Meter {
  public:
    /// `polls` must be true only in the thread that runs the search.
    Meter(Limits& limits, bool polls) : limits_(limits), polls_(polls) {}

    /// Counts work and, now and then, looks at the limits.
    void spend(std::int64_t work) {
        pending_ += work;
        if (pending_ >= room_) flush();
    }
    /// Adds the counted work to that of the search.
    void flush() {
        room_ = limits_.spend(pending_, polls_);
        pending_ = 0;
    }
    void count_node() { limits_.count_node(); }
    void add_nodes(std::int64_t nodes) { limits_.add_nodes(nodes); }
    /// Looks at the limits after a thread has waited. The thread that runs the search counts the
    /// time as the work that others do meanwhile, since steps and slices are measured in it.
    void waited(std::int64_t nanoseconds) {
        if (polls_) pending_ += nanoseconds / kNanosecondsOfWork;
        flush();
    }
    bool stopped() const {
        return limits_.stopped() || (over_ != nullptr && over_->load(std::memory_order_relaxed));
    }
    /// From now on this flag stops the thread, too; null ends that.
    void watch(const std::atomic<bool>* over) { over_ = over; }
    bool interrupted() { return limits_.interrupted(); }
    void interrupt() { limits_.interrupt(); }

  private:
    /// What a unit of work takes in a whole search, roughly. Kernels alone are faster.
    static constexpr std::int64_t kNanosecondsOfWork = 4;

    Limits& limits_;
    bool polls_;
    const std::atomic<bool>* over_ = nullptr;
    std::int64_t pending_ = 0, room_ = 0;
};

}  // namespace beamtree
