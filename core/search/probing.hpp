// Probing. A probe is a complete pass that only has to show that no tree costs less than a target.
// Probes raise the lower bound while the incumbent still improves, and they fill the cache with
// bounds that shorten the proof. This class decides when it is the turn of a probe, which it
// measures in work and not in seconds, and which target to prove next.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "data/stream.hpp"
#include "objective/objective.hpp"

namespace beamtree {

class Probing {
  public:
    static constexpr int kWarmPasses = 3;

    /// The first target is this share of the incumbent's cost.
    Probing(std::int64_t first_slice, double first_target = 0.15)
        : first_slice_(first_slice), first_target_(first_target) {}

    /// The amount of work of the next turn.
    std::int64_t slice() const { return std::max(first_slice_, (pass_work_ + probe_work_) / 7); }
    /// Whether the next turn is a probe. The share of probes grows while the tree does not improve.
    bool turn() const {
        const std::int64_t total = pass_work_ + probe_work_;
        if (total < 2 * first_slice_) return false;
        const double idle =
            static_cast<double>(pass_work_ - improved_) / static_cast<double>(pass_work_);
        const double share = 0.4 + 0.4 * std::max(0.0, (idle - 0.25) / 0.75);
        return static_cast<double>(probe_work_) < share * static_cast<double>(total);
    }
    std::int64_t probe_work() const { return probe_work_; }
    void spent_on_passes(std::int64_t work, bool improved) {
        pass_work_ += work;
        if (improved) improved_ = pass_work_;
    }
    void spent_on_probes(std::int64_t work) {
        probe_work_ += work;
        target_work_ += work;
    }

    /// The bound to prove next. `lower` and `upper` are the bound and the cost of the incumbent;
    /// all three include the cost of cancelled rows.
    Cost target(Cost lower, Cost upper, Cost unit) {
        if (target_ > lower && target_ <= upper) return target_;
        if (target_ > 0 && target_work_ > 0) adapt_growth(lower);
        target_work_ = 0;
        const auto low = static_cast<double>(lower), high = static_cast<double>(upper);
        double next =
            std::max({low * growth_, low + static_cast<double>(unit), first_target_ * high});
        next = std::min(next, low + std::max(static_cast<double>(unit), 0.4 * (high - low)));
        const bool close =
            lower > 0 && high - low <= std::max(0.3 * high, 5.0 * static_cast<double>(unit));
        target_ = close || next > 0.88 * high ? upper : static_cast<Cost>(std::ceil(next));
        return target_ = std::clamp(target_, lower + 1, upper);
    }

    void save(Writer& writer) const {
        for (const std::int64_t value :
             {pass_work_, probe_work_, improved_, target_, last_lower_, target_work_, last_work_})
            writer.put(value);
        writer.put(growth_);
    }
    void load(Reader& reader) {
        for (std::int64_t* value : {&pass_work_, &probe_work_, &improved_, &target_, &last_lower_,
                                    &target_work_, &last_work_})
            *value = reader.get_in<std::int64_t>(0, kInfiniteCost, "a work of");
        growth_ = reader.get_in(1.0, 2.0, "a growth of");
    }

  private:
    /// Chooses the growth of targets so that each costs about three times the work of the one
    /// before.
    void adapt_growth(Cost lower) {
        if (last_work_ > 0 && last_lower_ > 0 && lower > last_lower_) {
            const double slope =
                std::log(static_cast<double>(target_work_) / static_cast<double>(last_work_)) /
                std::log(static_cast<double>(lower) / static_cast<double>(last_lower_));
            growth_ = slope <= 0.1 ? 2.0 : std::clamp(std::pow(3.0, 1 / slope), 1.15, 2.0);
        }
        last_work_ = target_work_;
        last_lower_ = lower;
    }

    std::int64_t first_slice_;
    double first_target_;
    std::int64_t pass_work_ = 0, probe_work_ = 0;
    std::int64_t improved_ = 0;  ///< value of pass_work_ when the tree last improved
    Cost target_ = 0, last_lower_ = 0;
    std::int64_t target_work_ = 0, last_work_ = 0;
    double growth_ = 2.0;
};

}  // namespace beamtree
