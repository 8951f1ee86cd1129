// When a step of a search stops, and for which reason.
#include "limits/limits.hpp"

#include <cmath>
#include <thread>
#include <vector>

#include "streams.hpp"
#include "testing.hpp"

using namespace beamtree;

namespace {

constexpr double kForever = std::numeric_limits<double>::infinity();
constexpr std::int64_t kAnyNodes = std::numeric_limits<std::int64_t>::max();

void without_limits_nothing_stops() {
    Limits limits({});
    limits.run({}, 0);
    for (int i = 0; i < 1000; ++i) {
        limits.spend(1'000'000, true);
        limits.count_node();
    }
    EXPECT(limits.why() == Stop::kNone && !limits.stopped());
    EXPECT(limits.work() == 1'000'000'000 && limits.nodes() == 1000);
}

void a_step_without_time_stops_at_once() {
    Limits limits({});
    limits.run({0, kAnyNodes}, 1'000'000);
    EXPECT(limits.why() == Stop::kTime);
}

/// However short its time is, a step does a least amount of work, so that many short steps finish a
/// search.
void a_short_step_does_its_least_work() {
    Limits limits({});
    limits.spend(500, true);  // work of an earlier step
    limits.run({1e-9, kAnyNodes}, 1000);
    limits.spend(999, true);
    EXPECT(!limits.stopped());
    limits.spend(1, true);
    EXPECT(limits.why() == Stop::kTime);
}

void nodes_are_counted_over_all_steps() {
    Limits limits({});
    limits.run({kForever, 3}, 0);
    for (const bool stopped : {false, false, true}) {
        limits.count_node();
        EXPECT(limits.stopped() == stopped);
    }
    EXPECT(limits.why() == Stop::kNodes);
    limits.run({kForever, 3}, 0);
    EXPECT(limits.why() == Stop::kNodes);
    limits.run({kForever, 4}, 0);
    EXPECT(!limits.stopped());
    limits.count_node();
    EXPECT(limits.why() == Stop::kNodes);
}

void a_slice_ends_after_its_work() {
    Limits limits({});
    limits.run({}, 0);
    for (const std::int64_t work : {1000, 1, 250'000}) {
        limits.slice(work);
        EXPECT(!limits.stopped());
        limits.spend(work - 1, true);
        EXPECT(!limits.stopped());
        limits.spend(1, true);
        EXPECT(limits.why() == Stop::kSlice);
    }
    limits.slice(Limits::kForever);
    limits.spend(1'000'000'000, true);
    EXPECT(!limits.stopped());
}

/// Even slices in which no work is done look at the clock.
void slices_see_the_time() {
    Limits limits({});
    limits.run({1e-9, kAnyNodes}, 0);
    limits.slice(1000);
    EXPECT(limits.why() == Stop::kTime);
    limits.slice(1000);
    EXPECT(limits.why() == Stop::kTime);
}

/// The reason that ends a step replaces the end of a slice, and nothing replaces that reason.
void the_first_reason_stays() {
    Limits limits({});
    limits.run({kForever, 1}, 0);
    limits.slice(1);
    limits.spend(1, true);
    EXPECT(limits.why() == Stop::kSlice);
    limits.count_node();
    EXPECT(limits.why() == Stop::kNodes);
    limits.interrupt();
    limits.spend(1, true);
    limits.slice(1);
    limits.spend(1, true);
    EXPECT(limits.why() == Stop::kNodes);
    limits.run({1e-9, limits.nodes() + 1}, 0);
    limits.spend(1, true);
    limits.count_node();
    EXPECT(limits.why() != Stop::kNodes);
}

void an_interrupt_ends_one_step() {
    Limits limits({});
    limits.interrupt();  // between two steps: it ends the next one
    limits.run({}, 0);
    EXPECT(limits.why() == Stop::kInterrupt);
    limits.run({}, 0);
    EXPECT(!limits.stopped());
    limits.interrupt();
    limits.spend(1, true);
    EXPECT(limits.why() == Stop::kInterrupt);
    limits.run({}, 0);
    EXPECT(!limits.stopped());
    // A step that stopped for another reason leaves the interrupt to the next one.
    limits.run({kForever, 1}, 0);
    limits.count_node();
    limits.interrupt();
    limits.spend(1, true);
    EXPECT(limits.why() == Stop::kNodes && limits.interrupted());
    limits.run({}, 0);
    EXPECT(limits.why() == Stop::kInterrupt);
}

/// Only the thread that runs the search calls the poll, and not at every look.
void the_poll_is_asked_now_and_then() {
    int asked = 0;
    Limits limits([&] { return ++asked == 2; });
    limits.run({}, 0);
    std::int64_t looks = 0;
    while (limits.seconds() < 0.05) {
        limits.spend(1, false);
        ++looks;
    }
    EXPECT(asked == 0 && !limits.stopped());
    while (!limits.stopped()) limits.spend(1, true);
    EXPECT(asked == 2 && limits.why() == Stop::kInterrupt);
    EXPECT(limits.seconds() >= 0.05 && looks > 10);
}

void time_between_steps_does_not_count() {
    Limits limits({});
    limits.run({}, 0);
    limits.spend(1, true);
    limits.pause();
    const double before = limits.seconds();
    EXPECT(before > 0 && limits.shown_seconds() > 0 && limits.shown_seconds() <= before);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    EXPECT(limits.seconds() == before);
    limits.run({}, 0);
    EXPECT(limits.seconds() >= before);
}

/// Tests of the search stop it at the look of a number, then after twice as many, and so on.
void tests_choose_the_look() {
    Limits limits({}, 3);
    for (const int looks : {3, 6, 12}) {
        limits.run({}, 0);
        for (int look = 1; look <= looks; ++look) {
            EXPECT(!limits.stopped());
            EXPECT(limits.spend(1, true) == 0);  // every `spend` is a look
        }
        EXPECT(limits.why() == Stop::kTime);
    }
}

void grace_suspends_every_limit() {
    Limits limits({});
    limits.run({1e-9, 5}, 0);
    limits.slice(10);
    EXPECT(limits.why() == Stop::kTime);
    {
        const Grace grace(limits);
        EXPECT(!limits.stopped());
        for (int i = 0; i < 10; ++i) limits.count_node();
        limits.spend(1000, true);
        EXPECT(!limits.stopped());
    }
    EXPECT(limits.why() == Stop::kTime);
    limits.run({kForever, 100}, 0);
    limits.slice(1000);
    {
        const Grace grace(limits);
    }
    EXPECT(!limits.stopped());
    limits.spend(1000, true);
    EXPECT(limits.why() == Stop::kSlice);
    for (int i = 0; i < 100; ++i) limits.count_node();
    EXPECT(limits.why() == Stop::kNodes);
}

/// The grace ends after its time, and an interrupt ends it earlier.
void grace_is_short() {
    Limits limits({});
    limits.run({1e-9, kAnyNodes}, 0);
    limits.spend(1, true);
    {
        const Grace grace(limits);
        const double begin = limits.seconds();
        while (!limits.stopped()) limits.spend(1, true);
        EXPECT(limits.why() == Stop::kTime && limits.seconds() - begin >= 0.01);
    }
    limits.run({}, 0);
    {
        const Grace grace(limits);
        limits.interrupt();
        limits.spend(1, true);
        EXPECT(limits.why() == Stop::kInterrupt);
    }
    EXPECT(limits.why() == Stop::kInterrupt);
}

/// Every thread has its own meter, and no work is lost.
void meters_add_up() {
    Limits limits({});
    limits.run({}, 0);
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
        threads.emplace_back([&, t] {
            Meter meter(limits, t == 0);
            for (int i = 0; i < 20'000; ++i) {
                meter.spend(i % 100);
                if (i % 10 == 0) meter.count_node();
            }
            meter.flush();
        });
    for (std::thread& thread : threads) thread.join();
    EXPECT(limits.work() == 4 * 200 * 4950 && limits.nodes() == 4 * 2000);
}

/// A meter passes its work on when a slice is used up, and seldom before that.
void a_meter_looks_when_it_matters() {
    Limits limits({});
    limits.run({}, 0);
    limits.slice(1'050'000);
    Meter meter(limits, true);
    int handed_over = 0;
    std::int64_t before = limits.work(), spent = 0;
    for (; !meter.stopped(); spent += 10) {
        meter.spend(10);
        handed_over += limits.work() != before;
        before = limits.work();
    }
    EXPECT(spent >= 1'050'000 && spent <= 1'050'010);
    EXPECT(handed_over >= 1 && handed_over <= 100);
}

void a_meter_watches_a_flag() {
    Limits limits({});
    limits.run({}, 0);
    Meter meter(limits, true);
    std::atomic<bool> over = false;
    meter.watch(&over);
    EXPECT(!meter.stopped());
    over = true;
    EXPECT(meter.stopped() && !limits.stopped());
    meter.watch(nullptr);
    EXPECT(!meter.stopped());
}

void a_gap_is_enough() {
    Budget budget;
    EXPECT(!budget.enough(100, 100));  // without a gap only the proof ends a search
    budget.gap = 0.1;
    EXPECT(budget.enough(100, 90) && !budget.enough(100, 89));
    budget.slack = 1;
    EXPECT(budget.enough(100, 91) && !budget.enough(100, 90));
}

void counters_are_saved() {
    Limits limits({});
    limits.run({}, 0);
    limits.spend(12'345, true);
    for (int i = 0; i < 7; ++i) limits.count_node();
    limits.pause();
    const testing::Bytes bytes = testing::saved(limits);
    Limits copy({});
    Reader in(testing::source_of(bytes));
    copy.load(in);
    EXPECT(copy.work() == 12'345 && copy.nodes() == 7);
    EXPECT(copy.seconds() == limits.seconds() && testing::saved(copy) == bytes);
    copy.run({kForever, 8}, 0);
    copy.count_node();
    EXPECT(copy.why() == Stop::kNodes);
}

}  // namespace

int main() {
    without_limits_nothing_stops();
    a_step_without_time_stops_at_once();
    a_short_step_does_its_least_work();
    nodes_are_counted_over_all_steps();
    a_slice_ends_after_its_work();
    slices_see_the_time();
    the_first_reason_stays();
    an_interrupt_ends_one_step();
    the_poll_is_asked_now_and_then();
    time_between_steps_does_not_count();
    tests_choose_the_look();
    grace_suspends_every_limit();
    grace_is_short();
    meters_add_up();
    a_meter_looks_when_it_matters();
    a_meter_watches_a_flag();
    a_gap_is_enough();
    counters_are_saved();
    return testing::report();
}
