// The list of the built-in rules. The passes, make_search and the tests of the core take up a new
// rule from here.
//
// To add a rule: 1. write a measure, one file in this folder (threshold.hpp says what it must
// have); 2. include it and list it below; 3. write its class in Python, as
// src/beamtree/_engine/strategy.py says.
#pragma once

#include "rule/combined.hpp"
#include "rule/complete.hpp"
#include "rule/discrepancy.hpp"
#include "rule/gain.hpp"
#include "rule/halving_top_k.hpp"
#include "rule/purity.hpp"
#include "rule/threshold.hpp"
#include "rule/top_k.hpp"

#define BEAMTREE_MEASURES(X) \
    X(Discrepancy)           \
    X(Gain)                  \
    X(HalvingTopK)           \
    X(Purity)                \
    X(TopK)

namespace beamtree {

/// Calls function(measure) for a value of every type of the list.
template <class Function>
void for_each_measure(Function function) {
#define BEAMTREE_CALL(Measure) function(Measure{});
    BEAMTREE_MEASURES(BEAMTREE_CALL)
#undef BEAMTREE_CALL
}

}  // namespace beamtree
