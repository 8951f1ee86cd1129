// The objectives of searches over sorted columns. To add one, write its file in core/objective/ and
// list it here; RoundsOf and GreedyGainsOf need a specialization for it.
#pragma once

#include "objective/misclassification.hpp"
#include "objective/squared_error.hpp"

#define BEAMTREE_SORTED_OBJECTIVES(X) \
    X(Misclassification)              \
    X(SquaredError)
