#include "pass/bit_form.hpp"
#include "pass/ranking_of.hpp"

namespace beamtree {

template class RankingOf<BitForm>;

}  // namespace beamtree
