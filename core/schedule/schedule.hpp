// How fast a rule is relaxed: the increments, in units of the rule, from pass to pass.
#pragma once

#include <cstdint>

namespace beamtree {

/// Asked once a pass.
class Schedule {
  public:
    virtual ~Schedule() = default;
    /// What the next relaxation adds.
    double next() {
        ++steps_;
        return increment();
    }
    /// How often `next` was called; a schedule that did so as often goes on alike.
    std::int64_t steps() const { return steps_; }

  private:
    virtual double increment() = 0;

    std::int64_t steps_ = 0;
};

}  // namespace beamtree
