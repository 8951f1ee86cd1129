// A schedule says how fast a rule is relaxed: by how many units its threshold grows from one pass
// to the next.
#pragma once

#include <cstdint>

namespace beamtree {

/// Called once per pass, so that a virtual function is cheap enough.
class Schedule {
  public:
    virtual ~Schedule() = default;
    /// Returns the units that the next relaxation adds.
    double next() {
        ++steps_;
        return increment();
    }
    /// Returns how often `next` was called. A new schedule on which `next` is called as often goes
    /// on in the same way.
    std::int64_t steps() const { return steps_; }

  private:
    virtual double increment() = 0;

    std::int64_t steps_ = 0;
};

}  // namespace beamtree
