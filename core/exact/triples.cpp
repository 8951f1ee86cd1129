#include "exact/triples.hpp"

#include <algorithm>

namespace beamtree {

template <class T>
bool TripleCounter::fits(const Node& node, const NodePlanes& planes) const {
    const std::size_t pairs = static_cast<std::size_t>(node.features) * node.stride;
    return pairs * planes.count() * node.features * sizeof(T) <= bytes_;
}

template <class T>
const T* const* TripleCounter::count_one_side(const Node& node, NodeCounts& counts, int f,
                                              SideRows& side, bool selected_one) {
    auto& [one, rest_of_plane] = std::get<LanePlanes<T>>(planes_);
    TripleStore& triples = counts.triples;
    const int features = node.features, planes = counts.planes().count();
    const std::size_t size = static_cast<std::size_t>(features) * node.stride;
    const int slot = triples.slot[f] >= 0 ? triples.slot[f] : triples.used;
    T* store = triples.memory.get<T>(size * planes *
                                     features);  // the same size for all features of a node
    one.resize(planes);
    for (int p = 0; p < planes; ++p)
        one[p] = store + (static_cast<std::size_t>(slot) * planes + p) * size;

    // Count the pairs of the features that are not stored yet, on the smaller side.
    rest_.clear();
    for (int g = 0; g < features; ++g)
        if (g != f && triples.slot[g] < 0) rest_.push_back(g);
    const int rest = static_cast<int>(rest_.size()), rest_stride = padded(rest);
    const std::size_t rest_size = static_cast<std::size_t>(rest) * rest_stride;
    T* counted = rest_pairs_.get<T>(std::max<std::size_t>(rest_size * planes, 1));
    rest_of_plane.resize(planes);
    for (int p = 0; p < planes; ++p) rest_of_plane[p] = counted + p * rest_size;
    if (rest > 0) {
        const auto rows = side.pack(node, rest_, rest_stride);
        if (!rows || !counter_.count_pairs<T>(*rows, counts.planes(), rest, rest_stride,
                                              rest_of_plane.data()))
            return nullptr;
    }
    for (int p = 0; p < planes; ++p)
        fill<T>(node, counts, f, p, selected_one, rest_of_plane[p], one[p]);
    loop_.spend(static_cast<std::int64_t>(size) * planes);
    if (triples.slot[f] < 0)
        triples.slot[f] = triples.used++;  // only now that all counts are there
    return one.data();
}

/// Fills the matrix of a plane from the pairs that were counted and from those in the store.
template <class T>
void TripleCounter::fill(const Node& node, const NodeCounts& counts, int f, int plane,
                         bool selected_one, const T* counted, T* out) const {
    const TripleStore& triples = counts.triples;
    const int features = node.features, stride = node.stride, planes = counts.planes().count();
    const int rest = static_cast<int>(rest_.size()), rest_stride = padded(rest);
    const std::size_t size = static_cast<std::size_t>(features) * stride;
    const T* store = triples.memory.data<T>();
    const T* whole = counts.lanes<T>().pairs[plane];
    const auto put = [&](int g, int h, T value) {
        out[static_cast<std::size_t>(g) * stride + h] = value;
        out[static_cast<std::size_t>(h) * stride + g] = value;
    };
    for (int i = 0; i < rest; ++i) {
        for (int j = i; j < rest; ++j) {
            const int g = rest_[i], h = rest_[j];
            const T count = counted[static_cast<std::size_t>(i) * rest_stride + j];
            const T all = whole[static_cast<std::size_t>(g) * stride + h];
            put(g, h, selected_one ? count : static_cast<T>(all - count));
        }
    }
    for (int g = 0; g < features; ++g) {
        if (g != f && triples.slot[g] < 0) continue;
        const T* matrix =
            g == f ? whole
                   : store + (static_cast<std::size_t>(triples.slot[g]) * planes + plane) * size;
        const T* row = matrix + static_cast<std::size_t>(f) * stride;
        for (int h = 0; h < features; ++h) put(g, h, row[h]);
        std::fill_n(out + static_cast<std::size_t>(g) * stride + features, stride - features, T{0});
    }
    for (const int g : rest_)
        std::fill_n(out + static_cast<std::size_t>(g) * stride + features, stride - features, T{0});
}

#define BEAMTREE_INSTANTIATE(T)                                                              \
    template bool TripleCounter::fits<T>(const Node&, const NodePlanes&) const;              \
    template const T* const* TripleCounter::count_one_side<T>(const Node&, NodeCounts&, int, \
                                                              SideRows&, bool);
BEAMTREE_INSTANTIATE(std::uint16_t)
BEAMTREE_INSTANTIATE(std::uint32_t)
BEAMTREE_INSTANTIATE(std::uint64_t)

}  // namespace beamtree
