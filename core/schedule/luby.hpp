// The running sums of 1, 1, 2, 1, 1, 2, 4, 1, 1, 2, 1, 1, 2, 4, 8, ... (Luby, Sinclair & Zuckerman
// 1993): mostly small steps, and a large one now and then.
#pragma once

#include <cstdint>

#include "schedule/schedule.hpp"

namespace beamtree {

class Luby final : public Schedule {
  public:
    static constexpr const char* kName = "luby";
    double increment() override {
        // Knuth's "reluctant doubling".
        const std::uint64_t step = v_;
        if ((u_ & (~u_ + 1)) == v_) {
            ++u_;
            v_ = 1;
        } else {
            v_ *= 2;
        }
        return static_cast<double>(step);
    }

  private:
    std::uint64_t u_ = 1, v_ = 1;
};

}  // namespace beamtree
