// How the work is shared between passes and probes, and which bound a probe has to prove.
#include "search/probing.hpp"

#include <vector>

#include "streams.hpp"
#include "testing.hpp"

using namespace beamtree;

namespace {

constexpr std::int64_t kFirstSlice = 1000;

/// Returns the share of the work that probes get in the long run.
double share_of_probes(bool improves) {
    Probing probing(kFirstSlice);
    double passes = 0, probes = 0;
    for (int turn = 0; turn < 300; ++turn) {
        const std::int64_t work = std::min<std::int64_t>(probing.slice(), 1'000'000);
        if (probing.turn()) {
            probing.spent_on_probes(work);
            probes += static_cast<double>(work);
        } else {
            probing.spent_on_passes(work, improves);
            passes += static_cast<double>(work);
        }
    }
    return probes / (passes + probes);
}

/// Probes get two fifths of the work while the tree improves, and up to four fifths once it does
/// not.
void probes_get_more_when_the_tree_stays() {
    const double improving = share_of_probes(true), idle = share_of_probes(false);
    EXPECT(0.35 < improving && improving < 0.45);
    EXPECT(0.75 < idle && idle < 0.85);
}

void the_passes_come_first() {
    Probing probing(kFirstSlice);
    EXPECT(!probing.turn());
    probing.spent_on_passes(2 * kFirstSlice - 1, false);
    EXPECT(!probing.turn());
    probing.spent_on_passes(1, false);
    EXPECT(probing.turn());
}

/// A turn is a seventh of the work so far, and not less than the first one.
void turns_grow_with_the_work() {
    Probing probing(kFirstSlice);
    EXPECT(probing.slice() == kFirstSlice);
    probing.spent_on_passes(3 * kFirstSlice, true);
    probing.spent_on_probes(3 * kFirstSlice);
    EXPECT(probing.slice() == kFirstSlice);
    probing.spent_on_probes(8 * kFirstSlice);
    EXPECT(probing.slice() == 2 * kFirstSlice);
}

/// Targets lie above the lower bound and never above the cost. A target stays until it is reached.
/// Every step is at least one unit. The last target is the cost itself, and there are not too many.
void targets_climb_to_the_cost() {
    for (auto& [random, trial] : testing::Trials(1, 500)) {
        Probing probing(kFirstSlice);
        const Cost unit = 1 + random.below(4);
        Cost upper = 1 + random.below(trial % 2 ? 200 : 1'000'000), lower = 0;
        int targets = 0;
        while (lower < upper) {
            const Cost target = probing.target(lower, upper, unit);
            EXPECT(lower < target && target <= upper);
            EXPECT(target == upper || target >= lower + unit);
            probing.spent_on_probes(1 + random.below(1'000'000));
            if (random.below(3) == 0 &&
                lower + 1 < target) {  // a part of the way: the target stays
                lower += 1 + random.below(static_cast<int>(target - lower) - 1);
                EXPECT(probing.target(lower, upper, unit) == target);
            }
            if (random.below(4) == 0)  // the tree improves: the target is never above its cost
                upper = std::max(lower + 1, upper - random.below(static_cast<int>(upper / 4) + 1));
            EXPECT(probing.target(lower, upper, unit) <= upper);
            lower = std::max(lower, std::min(target, upper));
            ++targets;
        }
        EXPECT(lower == upper && targets <= 60);
    }
}

/// Returns the lower bounds that probes prove, if each probe costs `factor` times the one before.
std::vector<Cost> ladder(double factor) {
    Probing probing(kFirstSlice);
    std::vector<Cost> lower = {0};
    double work = 1000;
    while (lower.back() < 1'000'000) {
        lower.push_back(probing.target(lower.back(), 1'000'000, 1));
        probing.spent_on_probes(static_cast<std::int64_t>(work));
        work *= factor;
    }
    return lower;
}

void dear_probes_take_smaller_steps() {
    const auto cheap = ladder(1.01), dear = ladder(6);
    EXPECT(cheap[1] == 150'000 && dear[1] == 150'000);  // first 15% of the cost
    EXPECT(cheap[2] == 300'000);                        // then twice as much
    EXPECT(dear.size() > cheap.size());
    for (const auto& targets : {cheap, dear})
        for (std::size_t i = 1; i + 1 < targets.size(); ++i) {
            EXPECT(targets[i] <= targets[i - 1] + (1'000'000 - targets[i - 1]) * 0.4 + 1);
            if (i > 1) EXPECT(targets[i] <= 2 * targets[i - 1]);
        }
}

void the_first_target_can_be_chosen() {
    Probing probing(kFirstSlice, 0.03);
    EXPECT(probing.target(0, 1'000'000, 1) == 30'000);
    probing.spent_on_probes(1000);
    EXPECT(probing.target(30'000, 1'000'000, 1) == 60'000);
}

/// When the bound is close, the next probe has to prove the tree optimal.
void a_close_bound_is_proved() {
    Probing probing(kFirstSlice);
    EXPECT(probing.target(75, 100, 1) == 100);
    Probing other(kFirstSlice);
    EXPECT(other.target(50, 100, 1) == 70);
    Probing few(kFirstSlice);
    EXPECT(few.target(1, 6, 1) == 6);
}

void a_saved_ladder_goes_on() {
    for (auto& [random, trial] : testing::Trials(2, 100)) {
        Probing probing(kFirstSlice), copy(kFirstSlice);
        Cost lower = 0;
        const auto step = [&](Probing& one, Cost& bound, std::int64_t work, bool improved) {
            bound = one.target(bound, 1'000'000, 1);
            if (one.turn())
                one.spent_on_probes(work);
            else
                one.spent_on_passes(work, improved);
        };
        for (int i = random.below(8); i > 0 && lower < 1'000'000; --i)
            step(probing, lower, 1 + random.below(100'000), random.below(2) == 0);
        const testing::Bytes bytes = testing::saved(probing);
        Reader in(testing::source_of(bytes));
        copy.load(in);
        EXPECT(testing::saved(copy) == bytes);
        Cost same = lower;
        while (lower < 1'000'000) {
            const int work = 1 + random.below(100'000), improved = random.below(2);
            EXPECT(probing.turn() == copy.turn() && probing.slice() == copy.slice());
            step(probing, lower, work, improved == 0);
            step(copy, same, work, improved == 0);
            EXPECT(lower == same);
        }
    }
}

}  // namespace

int main() {
    probes_get_more_when_the_tree_stays();
    the_passes_come_first();
    turns_grow_with_the_work();
    targets_climb_to_the_cost();
    dear_probes_take_smaller_steps();
    the_first_target_can_be_chosen();
    a_close_bound_is_proved();
    a_saved_ladder_goes_on();
    return testing::report();
}
