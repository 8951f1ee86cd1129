#include "pass/children.hpp"

namespace beamtree {

template <class T>
void make_child(Workspace& work, const Node& node, int depth, int f, bool one, std::int64_t rows) {
    NodeBuffers& buffers = work.buffers[depth];
    const CoverHash hash = one ? buffers.child_hash[f] : node.hash - buffers.child_hash[f];
    const auto leave = [&](std::int64_t words) {
        work.meter.spend(words * work::kWord);
        return work.meter.stopped();
    };
    if (node.whole != nullptr) {  // the child chooses anew from all features
        buffers.child.make_child(
            work.data, *node.whole, node.position[f], one, hash, buffers.selection, work.kernel,
            [](int) { return true; }, leave);
        buffers.child.drop_unsplittable(work.data, work.objective.min_rows, leave);
        return;
    }
    const auto& counts = std::get<NodeLanes<T>>(buffers.lanes).counts;
    const std::int64_t min_rows = work.objective.min_rows;
    const std::size_t row = static_cast<std::size_t>(f) * node.stride;
    const int classes = buffers.planes.classes;
    const T* rows_pair = buffers.planes.count() > classes ? counts.pairs[classes] + row : nullptr;
    const auto keep = [&](int g) {
        std::int64_t both = 0;
        if (rows_pair != nullptr) {
            both = static_cast<std::int64_t>(rows_pair[g]);
        } else {
            for (int p = 0; p < classes; ++p)
                both += static_cast<std::int64_t>(counts.pairs[p][row + g]);
        }
        const std::int64_t in_one =
            one ? both : static_cast<std::int64_t>(counts.rows_one[g]) - both;
        return in_one >= min_rows && rows - in_one >= min_rows;
    };
    buffers.child.make_child(work.data, node, f, one, hash, buffers.selection, work.kernel, keep,
                             leave);
    buffers.child.origin = {&buffers, f, one, sizeof(T)};
}

template void make_child<std::uint16_t>(Workspace&, const Node&, int, int, bool, std::int64_t);
template void make_child<std::uint32_t>(Workspace&, const Node&, int, int, bool, std::int64_t);
template void make_child<std::uint64_t>(Workspace&, const Node&, int, int, bool, std::int64_t);

}  // namespace beamtree
