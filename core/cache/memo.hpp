// What a pass notes about a subproblem besides the facts, so that later passes do not repeat its
// work.
#pragma once

#include "objective/objective.hpp"
#include "rule/rule.hpp"

namespace beamtree {

/// A pass explored the subproblem for trees below `bound` as far as `reach` allowed. To find more,
/// a pass needs at least the reach `need`.
struct Memo {
    Reach reach{}, need{};
    Cost bound = -1;
    int width = 0;  ///< number of features that were tried, if the node is wide
};

}  // namespace beamtree
