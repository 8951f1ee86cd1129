// The objectives of searches over sorted columns. To add one, write its file in core/objective/ and
// list it here. sorted/rounds.hpp says how to make it fast.
#pragma once

#include "objective/misclassification.hpp"
#include "objective/own_objective.hpp"
#include "objective/squared_error.hpp"

#define BEAMTREE_SORTED_OBJECTIVES(X) \
    X(Misclassification)              \
    X(SquaredError)                   \
    X(OwnObjective)
