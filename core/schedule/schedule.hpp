// How fast a rule is relaxed: the increments, in units of the rule, from pass to pass.
#pragma once

namespace beamtree {

/// Asked once a pass.
class Schedule {
  public:
    virtual ~Schedule() = default;
    /// What the next relaxation adds.
    virtual double next() = 0;
};

}  // namespace beamtree
