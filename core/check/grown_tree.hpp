// A tree and what it costs.
#pragma once

#include "data/tree.hpp"
#include "objective/objective.hpp"

namespace beamtree {

struct GrownTree {
    Tree tree;
    Cost cost = kInfiniteCost;
};

}  // namespace beamtree
