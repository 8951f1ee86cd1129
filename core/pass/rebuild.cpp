#include <stdexcept>
#include <string>

#include "pass/rebuild_of.hpp"

namespace beamtree {

template Cost rebuild(Workspace&, Ranking&, const PassMode&, const Node&, const TreeSize&,
                      const Facts&, const RepairOf<BitForm>&, Tree&);

Cost rebuild_bottom(Workspace& work, Ranking& ranking, const Node& node, int depth,
                    const Facts& facts, Tree& tree) {
    const RepairOf<BitForm> none = [](const Node&, const TreeSize&, Cost upper) -> Facts {
        throw std::logic_error("kernels have no tree for an upper bound of " +
                               std::to_string(upper));
    };
    return rebuild(work, ranking, {}, node, {depth, kAnyLeaves}, facts, none, tree);
}

}  // namespace beamtree
