// 0, 1, 2, 3, ...: one unit per pass. It never goes far beyond what is needed, but takes many
// passes.
#pragma once

#include "schedule/schedule.hpp"

namespace beamtree {

class Monotonic final : public Schedule {
  public:
    static constexpr const char* kName = "monotonic";
    double increment() override { return 1; }
};

}  // namespace beamtree
