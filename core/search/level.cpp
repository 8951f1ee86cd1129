#include "search/level.hpp"

#include <algorithm>

namespace beamtree {

namespace {

template <class T>
void make_symmetric(T* pairs, int features, int stride) {
    for (int g = 0; g < features; ++g)
        for (int h = (g / kBlock + 1) * kBlock; h < features; ++h)
            pairs[static_cast<std::size_t>(h) * stride + g] =
                pairs[static_cast<std::size_t>(g) * stride + h];
}

}  // namespace

template <class T>
LevelLanes<T>& Level::count(const Dataset& data, const Node& node, const Objective& objective,
                            Counter& counter) {
    auto& level = std::get<LevelLanes<T>>(lanes);
    NodeCounts<T>& counts = level.counts;
    const int features = node.features, stride = node.stride;
    planes.choose(data, node);
    const int count = planes.count();

    // 16 lanes of every array are cleared or written before they are read, padding included.
    T* next = arrays.get<T>(static_cast<std::size_t>(stride) * (2 * count + 12));
    const auto take = [&] {
        T* array = next;
        next += stride;
        return array;
    };
    counts.margins = planes.classes == 2 && objective.min_rows <= 1;
    const std::size_t size = static_cast<std::size_t>(features) * stride;
    T* matrix = pairs.get<T>((count + (counts.margins ? 1 : 0)) * size);
    counts.pairs.resize(count);
    counts.single.resize(count);
    counts.total.resize(count);
    level.rest.resize(count);
    for (int p = 0; p < count; ++p) {
        counts.pairs[p] = matrix + p * size;
        counts.single[p] = take();
        level.rest[p] = take();
        counts.total[p] = static_cast<T>(node.plane_weight[planes.plane[p]]);
    }
    for (T** array : {&level.best_one, &level.best_zero, &level.other_one, &level.other_zero,
                      &level.small.rows, &level.big.rows, &level.lower_one, &level.lower_zero,
                      &level.margin_rest, &counts.weight_one, &counts.margin_single})
        *array = take();

    counter.count_pairs<T>(
        {node.columns.data(), 1, node.words, node.segment_word.data(), node.segment_rows.data()},
        planes, features, stride, counts.pairs.data());
    std::fill_n(counts.weight_one, stride, T{0});
    for (int p = 0; p < count; ++p) {
        make_symmetric(counts.pairs[p], features, stride);
        std::fill_n(counts.single[p], stride, T{0});
        for (int g = 0; g < features; ++g) {
            counts.single[p][g] = counts.pairs[p][static_cast<std::size_t>(g) * stride + g];
            if (p < planes.classes)
                counts.weight_one[g] = static_cast<T>(counts.weight_one[g] + counts.single[p][g]);
        }
    }
    if (counts.margins) {
        counts.margin_pairs = matrix + count * size;
        for (std::size_t i = 0; i < size; ++i)
            counts.margin_pairs[i] = static_cast<T>(counts.pairs[0][i] - counts.pairs[1][i]);
        for (int g = 0; g < stride; ++g)
            counts.margin_single[g] = static_cast<T>(counts.single[0][g] - counts.single[1][g]);
        counts.margin_total = static_cast<T>(counts.total[0] - counts.total[1]);
    }
    counts.rows_one = objective.rows_are_weight || count == planes.classes
                          ? counts.weight_one
                          : counts.single[planes.classes];
    return level;
}

template LevelLanes<std::uint16_t>& Level::count(const Dataset&, const Node&, const Objective&,
                                                 Counter&);
template LevelLanes<std::uint32_t>& Level::count(const Dataset&, const Node&, const Objective&,
                                                 Counter&);
template LevelLanes<std::uint64_t>& Level::count(const Dataset&, const Node&, const Objective&,
                                                 Counter&);

}  // namespace beamtree
