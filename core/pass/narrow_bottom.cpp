#include "pass/narrow_bottom.hpp"

#include "node/narrow.hpp"
#include "pass/children.hpp"

namespace beamtree {

template <class T>
void solve_narrow(Workspace& work, Ranking& ranking, const PassMode& mode, const Node& node,
                  int depth, Cost bound, Facts& facts) {
    NodeBuffers& buffers = work.buffers[depth];
    if (!work.exact.score<T>(node, buffers)) return;
    ranking.list_admissible<T>(node, buffers);
    ranking.measure_gains(node, buffers);
    for (const int f : buffers.ranked) facts.improve(buffers.score[f], node.feature[f]);
    if (facts.settled(bound) || work.meter.stopped()) return;
    narrow(node, buffers, mode.width, work.narrow.child);
    Facts found = facts;
    work.exact.solve3<T>(work.narrow.child, work.narrow, bound, found, false);
    if (found.upper >= facts.upper) return;
    facts.improve(found.upper, found.split);
    if (work.meter.stopped()) return;
    const int f = place_of(node, facts.split);
    const CellPair cell =
        work.exact.cells<T>(node, buffers, f, buffers.child_hash[f], kInfiniteCost);
    if (!cell.exact) return;  // stopped: bounds of the sides, not trees
    facts.improve(cell.one + cell.zero + work.objective.penalty, node.feature[f]);
}

#define BEAMTREE_INSTANTIATE(T)                                                                  \
    template void solve_narrow<T>(Workspace&, Ranking&, const PassMode&, const Node&, int, Cost, \
                                  Facts&);
BEAMTREE_INSTANTIATE(std::uint16_t)
BEAMTREE_INSTANTIATE(std::uint32_t)
BEAMTREE_INSTANTIATE(std::uint64_t)

}  // namespace beamtree
