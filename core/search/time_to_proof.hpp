// How many more seconds a search needs until its tree is proved, estimated from how its lower bound
// has risen so far.
//
// The bound rises in *rungs*. A probe proves that no tree costs less than its target, and the next
// target is larger. The work on the bound grows a little more steeply than a line: a curve, a power
// of the bound, is laid through the last rung and an earlier one, and followed up to the cost of
// the tree. The first rung often costs more than the next ones, so a curve that has to begin at the
// begin of the search is a flat one. Over sorted columns, a probe that asks for the whole proof
// raises the bound on its way. Then the same work removes the same share of the gap, again and
// again, until hardly anything is left of it.
//
// The seconds that each unit of the work took lately turn what is left into time, whatever share of
// the search the bound gets, and however many threads there are. benchmarks/proof_estimate.py
// measures how far the estimates are from the truth. Nothing in a search depends on them.
#pragma once

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "objective/objective.hpp"

namespace beamtree {

/// A turn of a search that was to raise its lower bound.
struct BoundTurn {
    std::int64_t work = 0;
    bool whole = false;  ///< it asked for the whole proof, not for a small target
};

class TimeToProof {
  public:
    /// Not a number.
    static constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

    /// Notes a turn, with the state of the search after it. The first call is for the state in
    /// which the search begins; its work does not count. What the first turn finds is no rung,
    /// since a part of the bound costs nothing, for example the penalties of any tree.
    void note(const BoundTurn& turn, double seconds, Cost lower, Cost cost) {
        const auto bound = static_cast<double>(lower);
        if (rungs_.empty()) {
            rungs_.push_back({bound, 0, seconds});
            return;
        }
        work_ += static_cast<double>(turn.work);
        seconds_ = seconds;
        if (bound > rungs_.back().lower) {
            if (!begun_) rungs_.clear();
            rungs_.push_back({bound, work_, seconds});
        }
        begun_ = begun_ || turn.work > 0;
        seconds_left_ = lower >= cost ? 0 : estimate(static_cast<double>(cost), turn.whole);
    }
    /// The seconds that were left after the last turn, or kUnknown: there was no rung yet. May be
    /// called from any thread.
    double seconds_left() const { return seconds_left_.load(std::memory_order_relaxed); }

  private:
    static constexpr double kPower = 1.5, kPowerFromBegin = 0.8;
    /// A curve that does not begin at the begin of the search has this share of the bound and of
    /// the work behind it at most.
    static constexpr double kShareOfBound = 0.5, kShareOfWork = 0.6;
    /// A probe that asks for the whole proof is done when this share of the cost is left of the
    /// gap.
    static constexpr double kLastGap = 0.005;
    /// At least this share of the work since the last rung, and of what was left then, is left now.
    static constexpr double kLeastLeft = 0.25;
    /// The speed is that of the last turns with this share of the work.
    static constexpr double kLately = 1.0 / 3;

    struct Rung {
        double lower = 0;
        double work = 0;  ///< on the lower bound, until the rung was reached
        double seconds = 0;
    };

    double estimate(double cost, bool whole) const {
        const Rung& last = rungs_.back();
        if (rungs_.size() < 2 || last.work <= 0) return kUnknown;
        const double left_then = whole ? work_to_close(cost) : work_to_climb(cost);
        const double since = work_ - last.work;
        const double left = std::max(left_then - since, kLeastLeft * std::max(left_then, since));
        return left * seconds_per_work();
    }
    /// The work from the last rung to the cost, rung by rung.
    double work_to_climb(double cost) const {
        const Rung &first = begin_of_curve(), &last = rungs_.back();
        const double power = &first == rungs_.data() ? kPowerFromBegin : kPower;
        const auto height = [power](double bound) { return std::pow(bound, power); };
        return (last.work - first.work) * (height(cost) - height(last.lower)) /
               (height(last.lower) - height(first.lower));
    }
    const Rung& begin_of_curve() const {
        const Rung& last = rungs_.back();
        std::size_t i = rungs_.size() - 1;
        while (i > 0 && (rungs_[i].lower > kShareOfBound * last.lower ||
                         rungs_[i].work > kShareOfWork * last.work))
            --i;
        return rungs_[i];
    }
    /// The work from the last rung to the cost, if the gap shrinks evenly.
    double work_to_close(double cost) const {
        const Rung &first = rungs_.front(), &last = rungs_.back();
        const auto gap = [cost](double bound) { return std::max(1 - bound / cost, kLastGap); };
        const double shrunk = std::log(gap(first.lower) / gap(last.lower));
        if (shrunk <= 0) return 0;  // the bound was as high when the search began
        return (last.work - first.work) * std::log(gap(last.lower) / kLastGap) / shrunk;
    }
    double seconds_per_work() const {
        std::size_t i = rungs_.size() - 1;
        while (i > 0 && work_ - rungs_[i].work < kLately * work_) --i;
        return (seconds_ - rungs_[i].seconds) / (work_ - rungs_[i].work);
    }

    std::vector<Rung> rungs_;  ///< the first is where the search began
    bool begun_ = false;       ///< the first turn is over
    double work_ = 0;          ///< on the lower bound
    double seconds_ = 0;
    std::atomic<double> seconds_left_ = kUnknown;
};

}  // namespace beamtree
