#include "pass/bit_form.hpp"
#include "pass/pass_of.hpp"
#include "rule/all_rules.hpp"

namespace beamtree {

template class Pass<BitForm, Complete>;
template class Pass<BitForm, Combined>;
#define BEAMTREE_INSTANCE(Measure) template class Pass<BitForm, Threshold<Measure>>;
BEAMTREE_MEASURES(BEAMTREE_INSTANCE)
#undef BEAMTREE_INSTANCE

}  // namespace beamtree
