// What passes remember of a subproblem besides the facts, only to avoid repeats.
#pragma once

#include "objective/objective.hpp"
#include "rule/rule.hpp"

namespace beamtree {

/// "Explored with this reach, below this bound, with so many features; to find more it needs this
/// reach."
struct Memo {
    Reach reach{}, need{};
    Cost bound = -1;
    int width = 0;  ///< features of a wide node that were considered
};

}  // namespace beamtree
