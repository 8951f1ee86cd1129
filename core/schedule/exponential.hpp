// 0, 1, 2, 4, 8, ...: the threshold doubles. It takes few passes, but the last of them may go far
// beyond what was needed.
#pragma once

#include "schedule/schedule.hpp"

namespace beamtree {

class Exponential final : public Schedule {
  public:
    static constexpr const char* kName = "exponential";
    double increment() override {
        const double step = total_ == 0 ? 1 : total_;
        total_ += step;
        return step;
    }

  private:
    double total_ = 0;
};

}  // namespace beamtree
