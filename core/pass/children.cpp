#include "pass/children.hpp"

namespace beamtree {

void make_child(Workspace& work, const Node& node, const NodeCounts& counts, int f, bool one,
                std::int64_t rows, ChildBuffers& child) {
    const CoverHash hash = child.hash(node, f, one);
    const auto leave = [&](std::int64_t words) {
        work.meter.spend(words * work::kWord);
        return work.meter.stopped();
    };
    if (node.whole != nullptr) {  // the child has all features that can split it
        child.node.make_child(
            work.data, *node.whole, node.position[f], one, hash, child.selection, work.kernel,
            [](int) { return true; }, leave);
        child.node.drop_unsplittable(work.data, work.objective, leave);
        return;
    }
    with_lanes(node, [&](auto lane) {
        using T = decltype(lane);
        const LaneCounts<T>& lanes = counts.lanes<T>();
        const std::size_t row = static_cast<std::size_t>(f) * node.stride;
        const int classes = counts.planes().classes;
        const T* rows_pair =
            counts.planes().count() > classes ? lanes.pairs[classes] + row : nullptr;
        const auto keep = [&](int g) {
            std::int64_t both = 0;
            if (rows_pair != nullptr) {
                both = static_cast<std::int64_t>(rows_pair[g]);
            } else {
                for (int p = 0; p < classes; ++p)
                    both += static_cast<std::int64_t>(lanes.pairs[p][row + g]);
            }
            const std::int64_t in_one =
                one ? both : static_cast<std::int64_t>(lanes.rows_one[g]) - both;
            return work.objective.can_split(in_one, rows - in_one);
        };
        child.node.make_child(work.data, node, f, one, hash, child.selection, work.kernel, keep,
                              leave);
    });
    child.node.origin = {&counts, f, one};
}

}  // namespace beamtree
