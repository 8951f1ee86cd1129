// The time to the proof is estimated from how the lower bound has risen.
#include "search/time_to_proof.hpp"

#include <algorithm>
#include <cmath>

#include "make_search.hpp"
#include "testing.hpp"

using namespace beamtree;

namespace {

constexpr Cost kCost = 200;

/// A search whose units of work take one millisecond, and which works on nothing but its bound.
class Climb {
  public:
    Climb() { estimate_.note({}, 0, 0, kCost); }
    /// Raises the bound to `lower` in a turn after which the work is `work`. Returns the estimate.
    double to(double work, Cost lower, bool whole = false) {
        const auto more = static_cast<std::int64_t>(work) - work_;
        work_ += more;
        estimate_.note({more, whole}, 1e-3 * static_cast<double>(work_), lower, kCost);
        return estimate_.seconds_left();
    }
    double seconds_left() const { return estimate_.seconds_left(); }

  private:
    TimeToProof estimate_;
    std::int64_t work_ = 0;
};

bool within(double estimate, double truth, double factor) {
    return truth / factor <= estimate && estimate <= truth * factor;
}

void nothing_is_known_without_a_rung() {
    Climb climb;
    EXPECT(std::isnan(climb.seconds_left()));
    EXPECT(std::isnan(climb.to(1000, 0)));
    EXPECT(!std::isnan(climb.to(2000, 10)));
}

/// A search may know a part of its bound before it has worked for it.
void what_the_first_turn_finds_is_no_rung() {
    Climb climb;
    EXPECT(std::isnan(climb.to(10, 50)));
    EXPECT(std::isnan(climb.to(10'000, 50)));
    EXPECT(climb.to(20'000, 60) > 20);
}

void nothing_is_left_after_the_proof() {
    Climb climb;
    climb.to(1000, 10);
    EXPECT(climb.to(2000, kCost) == 0);
    EXPECT(Climb().to(1000, kCost) == 0);
}

/// Probes whose work grows like a power of their targets. The first one may cost more.
void the_curve_is_followed_to_the_cost() {
    for (const double power : {1.0, 1.3, 1.6, 2.0})
        for (const double first : {0.0, 20.0}) {
            const auto work = [&](Cost lower) {
                return first + std::pow(static_cast<double>(lower), power);
            };
            Climb climb;
            for (const Cost lower : {8, 16, 32, 64}) {
                const double estimate = climb.to(work(lower), lower);
                const double truth = 1e-3 * (work(kCost) - work(lower));
                if (lower >= 32) EXPECT(within(estimate, truth, 3));
            }
        }
}

/// A probe for the whole proof removes the same share of the gap again and again.
void the_gap_is_followed_to_its_end() {
    Climb climb;
    double gap = kCost;
    for (int turn = 1; turn <= 8; ++turn) {
        gap /= 1.5;
        const double estimate = climb.to(1000.0 * turn, kCost - static_cast<Cost>(gap), true);
        if (turn == 1) continue;
        const double turns = std::log(static_cast<double>(kCost)) / std::log(1.5);
        EXPECT(within(estimate, turns - turn, 1.6));
    }
}

/// A rung that takes longer than was estimated takes even longer, and the estimate does not end.
void the_estimate_falls_with_the_work_but_not_to_nothing() {
    Climb climb;
    climb.to(1000, 20);
    double before = climb.to(2000, 40), least = before;
    for (int turn = 3; turn < 8; ++turn) {
        const double now = climb.to(1000.0 * turn, 40);
        EXPECT(now <= before);
        before = now;
        least = std::min(least, now);
    }
    EXPECT(least > 1);
    EXPECT(climb.to(100'000, 40) > 20);
}

void a_better_tree_is_closer_to_its_proof() {
    TimeToProof estimate;
    estimate.note({}, 0, 0, 300);
    estimate.note({1000}, 1, 0, 300);
    estimate.note({1000}, 2, 50, 300);
    const double before = estimate.seconds_left();
    estimate.note({0}, 2, 50, 200);
    EXPECT(estimate.seconds_left() < before);
}

/// Work on better trees makes the search slower, and so does everything else that takes time.
void the_share_of_the_bound_counts() {
    double seconds[2];
    for (const double share : {1.0, 0.25}) {
        TimeToProof estimate;
        estimate.note({}, 5, 0, 300);
        estimate.note({500}, 5 + 0.5 / share, 0, 300);
        estimate.note({500}, 5 + 1 / share, 50, 300);
        seconds[share < 1] = estimate.seconds_left();
    }
    EXPECT(std::abs(seconds[1] - 4 * seconds[0]) < 1e-9);
}

/// The first turn after a checkpoint is where the estimate begins.
void a_restored_search_begins_anew() {
    TimeToProof estimate;
    estimate.note({5000}, 1000, 50, 200);
    EXPECT(std::isnan(estimate.seconds_left()));
    estimate.note({1000}, 1001, 50, 200);
    estimate.note({1000}, 1002, 60, 200);
    EXPECT(estimate.seconds_left() < 40);
}

testing::OwnedProblem noise() {
    testing::Random random(5);
    testing::OwnedProblem out;
    out.columns = 24;
    for (int i = 0; i < 300; ++i) {
        for (int j = 0; j < out.columns; ++j)
            out.features.push_back(static_cast<std::uint8_t>(random.below(2)));
        out.label.push_back(random.below(2));
        out.weight.push_back(1);
    }
    return out;
}

/// Between two steps, the search says the same as in its outcome; 0 with the proof.
void a_search_has_an_estimate() {
    const auto owned = noise();
    const Problem problem = owned.view();
    Options options;
    options.max_depth = 5;
    options.probe = true;
    options.hooks.probe_work = 1000;
    auto search = make_search(problem, options, {{"discrepancy", {0, 1}, {}}});
    EXPECT(std::isnan(search->progress().time_to_proof));
    int known = 0;
    while (search->next()) {
        const double left = search->progress().time_to_proof;
        const double again = search->outcome().time_to_proof;
        EXPECT(left == again || (std::isnan(left) && std::isnan(again)));
        EXPECT(std::isnan(left) || left >= 0);
        known += left > 0;
    }
    EXPECT(known > 0);
    EXPECT(search->status() == Status::kOptimal);
    EXPECT(search->progress().time_to_proof == 0 && search->outcome().time_to_proof == 0);
}

}  // namespace

int main() {
    nothing_is_known_without_a_rung();
    what_the_first_turn_finds_is_no_rung();
    nothing_is_left_after_the_proof();
    the_curve_is_followed_to_the_cost();
    the_gap_is_followed_to_its_end();
    the_estimate_falls_with_the_work_but_not_to_nothing();
    a_better_tree_is_closer_to_its_proof();
    the_share_of_the_bound_counts();
    a_restored_search_begins_anew();
    a_search_has_an_estimate();
    return testing::report();
}
