#include "node/node_buffers.hpp"

#include <algorithm>
#include <array>
#include <numeric>

namespace beamtree {

template <class T>
bool NodeBuffers::inherit(const Node& node, T* const* out) const {
    if (!inherits(node)) return false;
    const Origin& from = node.origin;
    if (from.lane_bytes == 2)
        inherit_from<T, std::uint16_t>(node, out);
    else if (from.lane_bytes == 4)
        inherit_from<T, std::uint32_t>(node, out);
    else
        inherit_from<T, std::uint64_t>(node, out);
    return true;
}

template <class T, class From>
void NodeBuffers::inherit_from(const Node& node, T* const* out) const {
    const Origin& from = node.origin;
    const NodeBuffers& parent = *from.parent;
    const auto& counts = std::get<NodeLanes<From>>(parent.lanes).counts;
    const std::size_t size = static_cast<std::size_t>(parent.features) * parent.stride;
    const From* store = parent.triples.memory.data<From>();
    const std::size_t slot = parent.triples.slot[from.feature];
    for (int p = 0, q = 0; p < planes.count(); ++p, ++q) {
        while (parent.planes.plane[q] != planes.plane[p]) ++q;  // a node's planes are its parent's
        const From* one = store + (slot * parent.planes.count() + q) * size;
        const From* whole = counts.pairs[q];
        for (int g = 0; g < features; ++g) {
            const std::size_t row = static_cast<std::size_t>(node.position[g]) * parent.stride;
            T* to = out[p] + static_cast<std::size_t>(g) * stride;
            for (int h = 0; h < features; ++h) {
                const std::size_t at = row + node.position[h];
                to[h] = static_cast<T>(from.one ? one[at] : whole[at] - one[at]);
            }
            std::fill(to + features, to + stride, T{0});
        }
    }
}

/// Lays out the arrays for a node, but for the pair counts.
template <class T>
void NodeBuffers::lay_out(const Dataset& data, const Node& node, const Objective& objective) {
    auto& node_lanes = std::get<NodeLanes<T>>(lanes);
    NodeCounts<T>& counts = node_lanes.counts;
    features = node.features;
    stride = node.stride;
    planes.choose(data, node);
    triples.clear(features);
    every_feature.resize(features);
    std::iota(every_feature.begin(), every_feature.end(), 0);
    const int count = planes.count();

    const std::array<T**, 11> single_arrays = {
        &node_lanes.best_one,   &node_lanes.best_zero,  &node_lanes.other_one,
        &node_lanes.other_zero, &node_lanes.small.rows, &node_lanes.big.rows,
        &node_lanes.lower_one,  &node_lanes.lower_zero, &node_lanes.margin_rest,
        &counts.weight_one,     &counts.margin_single};
    T* next = arrays.get<T>(static_cast<std::size_t>(stride) * (2 * count + single_arrays.size()));
    const auto take = [&] {
        T* array = next;
        next += stride;
        return array;
    };
    counts.margins = planes.classes == 2 && objective.min_rows <= 1;
    counts.single.resize(count);
    counts.total.resize(count);
    node_lanes.rest.resize(count);
    for (int p = 0; p < count; ++p) {
        counts.single[p] = take();
        node_lanes.rest[p] = take();
        counts.total[p] = static_cast<T>(node.plane_weight[planes.plane[p]]);
    }
    for (T** array : single_arrays) *array = take();
    std::fill_n(node_lanes.lower_one, stride, T{0});  // until bounds are known
    std::fill_n(node_lanes.lower_zero, stride, T{0});
    counts.rows_one = objective.rows_are_weight || count == planes.classes
                          ? counts.weight_one
                          : counts.single[planes.classes];
}

template <class T>
void NodeBuffers::lay_out_pairs() {
    NodeCounts<T>& counts = std::get<NodeLanes<T>>(lanes).counts;
    const int count = planes.count();
    const std::size_t size = static_cast<std::size_t>(features) * stride;
    T* matrix = pairs.get<T>((count + (counts.margins ? 1 : 0)) * size);
    counts.pairs.resize(count);
    for (int p = 0; p < count; ++p) counts.pairs[p] = matrix + p * size;
    if (counts.margins) counts.margin_pairs = matrix + count * size;
}

template <class T>
bool NodeBuffers::count(const Dataset& data, const Node& node, const Objective& objective,
                        Counter& counter) {
    if (has<T>(node)) return true;
    lane_bytes = 0;  // until all is counted
    lay_out<T>(data, node, objective);
    lay_out_pairs<T>();
    NodeCounts<T>& counts = std::get<NodeLanes<T>>(lanes).counts;
    if (!inherit<T>(node, counts.pairs.data()) &&
        !counter.count_pairs<T>({node.columns.data(), 1, node.words, node.segment_word.data(),
                                 node.segment_rows.data()},
                                planes, features, stride, counts.pairs.data()))
        return false;
    std::fill_n(counts.weight_one, stride, T{0});
    for (int p = 0; p < planes.count(); ++p) {
        if (!counter.make_symmetric(counts.pairs[p], features, stride)) return false;
        std::fill_n(counts.single[p], stride, T{0});
        for (int g = 0; g < features; ++g) {
            counts.single[p][g] = counts.pairs[p][static_cast<std::size_t>(g) * stride + g];
            if (p < planes.classes)
                counts.weight_one[g] = static_cast<T>(counts.weight_one[g] + counts.single[p][g]);
        }
    }
    if (counts.margins && !count_margins(counts, counter.loop())) return false;
    counted = node.hash.key();
    feature.assign(node.feature.begin(), node.feature.begin() + features);
    lane_bytes = sizeof(T);
    return true;
}

template <class T>
bool NodeBuffers::count_singles(const Dataset& data, const Node& node, const Objective& objective,
                                const Kernel& kernel, StoppableLoop& loop) {
    lane_bytes = 0;
    lay_out<T>(data, node, objective);
    NodeCounts<T>& counts = std::get<NodeLanes<T>>(lanes).counts;
    std::fill_n(counts.weight_one, stride, T{0});
    for (int p = 0; p < planes.count(); ++p) std::fill_n(counts.single[p], stride, T{0});
    const auto& segments = data.segments();
    std::vector<std::int32_t> ones(segments.size());
    const bool counted_all = loop.each(features, node.words * work::kWord, [&](int f, int last) {
        for (; f < last; ++f) {
            kernel.count_segments(node.column(f), 1, node.segment_word.data(),
                                  static_cast<int>(segments.size()), ones.data());
            int p = 0;
            for (std::size_t s = 0; s < segments.size(); ++s) {  // in the order of planes
                while (p < planes.count() && planes.plane[p] < segments[s].plane) ++p;
                if (p == planes.count()) break;
                if (planes.plane[p] != segments[s].plane) continue;
                const auto weight = static_cast<T>(static_cast<T>(ones[s]) << segments[s].shift);
                counts.single[p][f] = static_cast<T>(counts.single[p][f] + weight);
                if (p < planes.classes)
                    counts.weight_one[f] = static_cast<T>(counts.weight_one[f] + weight);
            }
        }
    });
    if (counts.margins) count_margin_singles(counts);
    return counted_all;
}

template <class T>
void NodeBuffers::count_margin_singles(NodeCounts<T>& counts) const {
    for (int g = 0; g < stride; ++g)
        counts.margin_single[g] = static_cast<T>(counts.single[0][g] - counts.single[1][g]);
    counts.margin_total = static_cast<T>(counts.total[0] - counts.total[1]);
}

template <class T>
bool NodeBuffers::count_margins(NodeCounts<T>& counts, StoppableLoop& loop) const {
    count_margin_singles(counts);
    return loop.each(features, stride / kBlock, [&](int first, int last) {
        const std::size_t end = static_cast<std::size_t>(last) * stride;
        for (std::size_t i = static_cast<std::size_t>(first) * stride; i < end; ++i)
            counts.margin_pairs[i] = static_cast<T>(counts.pairs[0][i] - counts.pairs[1][i]);
    });
}

#define BEAMTREE_INSTANTIATE(T)                                                                   \
    template bool NodeBuffers::count<T>(const Dataset&, const Node&, const Objective&, Counter&); \
    template bool NodeBuffers::count_singles<T>(const Dataset&, const Node&, const Objective&,    \
                                                const Kernel&, StoppableLoop&);
BEAMTREE_INSTANTIATE(std::uint16_t)
BEAMTREE_INSTANTIATE(std::uint32_t)
BEAMTREE_INSTANTIATE(std::uint64_t)

}  // namespace beamtree
