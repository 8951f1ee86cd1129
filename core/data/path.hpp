// A path from the root of the problem to a subproblem.
#pragma once

#include <vector>

namespace beamtree {

/// A step of a path: a test of the problem, and the side where it is 1 or 0.
struct PathStep {
    int test = 0;
    bool one = false;
};
using Path = std::vector<PathStep>;

}  // namespace beamtree
