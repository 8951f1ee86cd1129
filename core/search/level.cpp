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
    T* next = arrays.get<T>(static_cast<std::size_t>(stride) * (2 * count + 10));
    const auto take = [&] {
        T* array = next;
        next += stride;
        return array;
    };
    T* matrix = pairs.get<T>(static_cast<std::size_t>(count) * features * stride);
    counts.pairs.resize(count);
    counts.single.resize(count);
    counts.total.resize(count);
    level.side_single.resize(count);
    for (int p = 0; p < count; ++p) {
        counts.pairs[p] = matrix + static_cast<std::size_t>(p) * features * stride;
        counts.single[p] = take();
        level.side_single[p] = take();
        counts.total[p] = static_cast<T>(node.plane_weight[planes.plane[p]]);
    }
    for (T** array : {&level.best_one, &level.best_zero, &level.other_one, &level.other_zero,
                      &level.side_rows_one, &level.side_rows_zero, &level.lower_one,
                      &level.lower_zero, &counts.weight_one})
        *array = take();

    counter.count_pairs<T>({node.columns.data(), 1, node.words, node.segment_word.data(),
                            node.segment_rows.data()},
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
    counts.rows_one = objective.rows_are_weight || count == planes.classes
                          ? counts.weight_one
                          : counts.single[planes.classes];
    return level;
}

template LevelLanes<std::uint16_t>& Level::count(const Dataset&, const Node&, const Objective&, Counter&);
template LevelLanes<std::uint32_t>& Level::count(const Dataset&, const Node&, const Objective&, Counter&);
template LevelLanes<std::uint64_t>& Level::count(const Dataset&, const Node&, const Objective&, Counter&);

}  // namespace beamtree
