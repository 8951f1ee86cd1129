#include "node/node_counts.hpp"

#include <algorithm>

namespace beamtree {

template <class T>
bool NodeCounts::inherit(const Node& node, T* const* out) const {
    if (!inherits(node)) return false;
    with_lane_of(node.origin.parent->lane_bytes_,
                 [&](auto from) { inherit_from<T, decltype(from)>(node, out); });
    return true;
}

template <class T, class From>
void NodeCounts::inherit_from(const Node& node, T* const* out) const {
    const Origin& from = node.origin;
    const NodeCounts& parent = *from.parent;
    const LaneCounts<From>& counts = parent.lanes<From>();
    const std::size_t size = static_cast<std::size_t>(parent.features_) * parent.stride_;
    const From* store = parent.triples.memory.data<From>();
    const std::size_t slot = parent.triples.slot[from.feature];
    for (int p = 0, q = 0; p < planes_.count(); ++p, ++q) {
        while (parent.planes_.plane[q] != planes_.plane[p])
            ++q;  // a parent has all planes of its child
        const From* one = store + (slot * parent.planes_.count() + q) * size;
        const From* whole = counts.pairs[q];
        for (int g = 0; g < features_; ++g) {
            const std::size_t row = static_cast<std::size_t>(node.position[g]) * parent.stride_;
            T* to = out[p] + static_cast<std::size_t>(g) * stride_;
            for (int h = 0; h < features_; ++h) {
                const std::size_t at = row + node.position[h];
                to[h] = static_cast<T>(from.one ? one[at] : whole[at] - one[at]);
            }
            std::fill(to + features_, to + stride_, T{0});
        }
    }
}

/// Lays out the arrays for a node, except the pair counts.
template <class T>
LaneCounts<T>& NodeCounts::lay_out(const Dataset& data, const Node& node,
                                   const Misclassification& objective) {
    auto& counts = std::get<LaneCounts<T>>(lanes_);
    features_ = node.features;
    stride_ = node.stride;
    planes_.choose(data, node);
    triples.clear(features_);
    const int count = planes_.count();
    T* next = arrays_.get<T>(static_cast<std::size_t>(stride_) * (count + 2));
    const auto take = [&] {
        T* array = next;
        next += stride_;
        return array;
    };
    counts.margins = objective.counts_margins(planes_.classes);
    counts.single.resize(count);
    counts.total.resize(count);
    for (int p = 0; p < count; ++p) {
        counts.single[p] = take();
        counts.total[p] = static_cast<T>(node.plane_weight[planes_.plane[p]]);
    }
    counts.weight_one = take();
    counts.margin_single = take();
    counts.rows_one = objective.rows_are_weight || count == planes_.classes
                          ? counts.weight_one
                          : counts.single[planes_.classes];
    return counts;
}

template <class T>
void NodeCounts::lay_out_pairs(LaneCounts<T>& counts) {
    const int count = planes_.count();
    const std::size_t size = static_cast<std::size_t>(features_) * stride_;
    T* matrix = pairs_.get<T>((count + (counts.margins ? 1 : 0)) * size);
    counts.pairs.resize(count);
    for (int p = 0; p < count; ++p) counts.pairs[p] = matrix + p * size;
    if (counts.margins) counts.margin_pairs = matrix + count * size;
}

template <class T>
bool NodeCounts::count(const Dataset& data, const Node& node, const Misclassification& objective,
                       Counter& counter) {
    if (has<T>(node)) return true;
    lane_bytes_ = 0;  // until all pairs are counted
    LaneCounts<T>& counts = lay_out<T>(data, node, objective);
    lay_out_pairs(counts);
    if (!inherit<T>(node, counts.pairs.data()) &&
        !counter.count_pairs<T>({node.columns.data(), 1, node.words, node.segment_word.data(),
                                 node.segment_rows.data()},
                                planes_, features_, stride_, counts.pairs.data()))
        return false;
    std::fill_n(counts.weight_one, stride_, T{0});
    for (int p = 0; p < planes_.count(); ++p) {
        if (!counter.make_symmetric(counts.pairs[p], features_, stride_)) return false;
        std::fill_n(counts.single[p], stride_, T{0});
        for (int g = 0; g < features_; ++g) {
            counts.single[p][g] = counts.pairs[p][static_cast<std::size_t>(g) * stride_ + g];
            if (p < planes_.classes)
                counts.weight_one[g] = static_cast<T>(counts.weight_one[g] + counts.single[p][g]);
        }
    }
    if (counts.margins && !count_margins(counts, counter.loop())) return false;
    cover_ = node.hash.key();
    feature_.assign(node.feature.begin(), node.feature.begin() + features_);
    lane_bytes_ = sizeof(T);
    return true;
}

template <class T>
bool NodeCounts::count_singles(const Dataset& data, const Node& node,
                               const Misclassification& objective, const Kernel& kernel,
                               StoppableLoop& loop) {
    lane_bytes_ = 0;
    LaneCounts<T>& counts = lay_out<T>(data, node, objective);
    std::fill_n(counts.weight_one, stride_, T{0});
    for (int p = 0; p < planes_.count(); ++p) std::fill_n(counts.single[p], stride_, T{0});
    const auto& segments = data.segments();
    std::vector<std::int32_t> ones(segments.size());
    const bool counted_all = loop.each(features_, node.words * work::kWord, [&](int f, int last) {
        for (; f < last; ++f) {
            kernel.count_segments(node.column(f), 1, node.segment_word.data(),
                                  static_cast<int>(segments.size()), ones.data());
            int p = 0;
            for (std::size_t s = 0; s < segments.size(); ++s) {  // in the order of planes
                while (p < planes_.count() && planes_.plane[p] < segments[s].plane) ++p;
                if (p == planes_.count()) break;
                if (planes_.plane[p] != segments[s].plane) continue;
                const auto weight = static_cast<T>(static_cast<T>(ones[s]) << segments[s].shift);
                counts.single[p][f] = static_cast<T>(counts.single[p][f] + weight);
                if (p < planes_.classes)
                    counts.weight_one[f] = static_cast<T>(counts.weight_one[f] + weight);
            }
        }
    });
    if (counts.margins) count_margin_singles(counts);
    return counted_all;
}

template <class T>
void NodeCounts::count_margin_singles(LaneCounts<T>& counts) const {
    for (int g = 0; g < stride_; ++g)
        counts.margin_single[g] = static_cast<T>(counts.single[0][g] - counts.single[1][g]);
    counts.margin_total = static_cast<T>(counts.total[0] - counts.total[1]);
}

template <class T>
bool NodeCounts::count_margins(LaneCounts<T>& counts, StoppableLoop& loop) const {
    count_margin_singles(counts);
    return loop.each(features_, stride_ / kBlock, [&](int first, int last) {
        const std::size_t end = static_cast<std::size_t>(last) * stride_;
        for (std::size_t i = static_cast<std::size_t>(first) * stride_; i < end; ++i)
            counts.margin_pairs[i] = static_cast<T>(counts.pairs[0][i] - counts.pairs[1][i]);
    });
}

#define BEAMTREE_INSTANTIATE(T)                                                               \
    template bool NodeCounts::count<T>(const Dataset&, const Node&, const Misclassification&, \
                                       Counter&);                                             \
    template bool NodeCounts::count_singles<T>(                                               \
        const Dataset&, const Node&, const Misclassification&, const Kernel&, StoppableLoop&);
BEAMTREE_INSTANTIATE(std::uint16_t)
BEAMTREE_INSTANTIATE(std::uint32_t)
BEAMTREE_INSTANTIATE(std::uint64_t)

}  // namespace beamtree
