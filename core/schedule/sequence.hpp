// A schedule that the user gives as cumulated multiples of the unit. After its end the last
// increment is repeated, or 1 if that increment is smaller.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "schedule/schedule.hpp"

namespace beamtree {

class Sequence final : public Schedule {
  public:
    static constexpr const char* kName = "sequence";
    /// `values` must not be empty, and must not decrease.
    explicit Sequence(std::vector<double> values) : values_(std::move(values)) {}
    double increment() override {
        if (at_ + 1 < values_.size()) {
            last_ = values_[at_ + 1] - values_[at_];
            ++at_;
            return last_;
        }
        return std::max(last_, 1.0);
    }

  private:
    std::vector<double> values_;
    std::size_t at_ = 0;
    double last_ = 0;
};

}  // namespace beamtree
