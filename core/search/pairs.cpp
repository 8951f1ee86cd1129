#include "search/pairs.hpp"

namespace beamtree {

template <class T>
Depth2<T> PairSolver::start(const Node& node, const Level& level) const {
    Depth2<T> in;
    in.features = node.features;
    in.stride = node.stride;
    in.planes = level.planes.count();
    in.classes = level.planes.classes;
    in.min_rows = static_cast<T>(objective_.min_rows);  // a node that is not closed has more rows
    in.margins = std::get<LevelLanes<T>>(level.lanes).counts.margins;
    return in;
}

template <class T>
void PairSolver::run(const Depth2<T>& in, int granules) {
    kernel_.lanes<T>().depth2(in);
    limits_.spend(static_cast<std::int64_t>(in.features) * in.stride / kBlock * (4 + granules));
}

template <class T>
Cost PairSolver::score(const Node& node, Level& level) {
    LevelLanes<T>& lanes = level.count<T>(data_, node, objective_, counter_);
    const NodeCounts<T>& counts = lanes.counts;
    Depth2<T> in = start<T>(node, level);
    in.small = {true,
                counts.single.data(),
                counts.total.data(),
                counts.rows_one,
                static_cast<T>(node.rows),
                lanes.best_one,
                lanes.best_zero};
    if (in.margins) {
        in.node_pairs = &counts.margin_pairs;
        in.small.single = &counts.margin_single;
        in.small.total = &counts.margin_total;
    } else {
        in.small_pairs = counts.pairs.data();
    }
    in.scratch = counter_.scratch(0, in.planes);
    run(in, granules_for(node.physical_rows));
    level.key.resize(node.features);
    SideSummary whole;
    whole.weight = node.weight;
    whole.rows = node.rows;
    whole.leaf = objective_.leaf(node.weight, node.majority);
    return best_of(node, in, in.small, whole, counts.single.data(), counts.total.data(),
                   level.key.data());
}

template <class T>
Cost PairSolver::best_of(const Node& node, const Depth2<T>& in, const Side<T>& side,
                         const SideSummary& summary, const T* const* single, const T* total,
                         Cost* keys) const {
    // The kernel's best is the correct weight or, of margins, the sum of margins.
    const auto errors = [&](std::int64_t weight, std::int64_t best) {
        return objective_.leaf(weight, in.margins ? (weight + best) / 2 : best);
    };
    const bool plain = objective_.penalty == 0 && objective_.min_rows <= 1;
    if (plain && keys == nullptr) {
        const T best = kernel_.lanes<T>().largest_sum(side.best_one, side.best_zero, in.stride);
        return errors(summary.weight, static_cast<std::int64_t>(best));
    }
    const auto fits = [&](int g) {
        if (objective_.min_rows <= 1) return true;
        const auto rows = static_cast<std::int64_t>(side.rows_single[g]);
        return rows >= objective_.min_rows && summary.rows - rows >= objective_.min_rows;
    };
    Cost best = summary.leaf;
    for (int g = 0; g < node.features; ++g) {
        const auto best_one = static_cast<std::int64_t>(side.best_one[g]);
        const auto best_zero = static_cast<std::int64_t>(side.best_zero[g]);
        Cost cost = kInfiniteCost;
        if (plain) {
            cost = errors(summary.weight, best_one + best_zero);
        } else if (fits(g)) {
            std::int64_t one = 0, leaf_one = 0, leaf_zero = 0;
            for (int p = 0; p < in.classes; ++p) {
                const auto weight = static_cast<std::int64_t>(single[p][g]);
                one += weight;
                leaf_one = std::max(leaf_one, weight);
                leaf_zero = std::max(leaf_zero, static_cast<std::int64_t>(total[p]) - weight);
            }
            const std::int64_t zero = summary.weight - one;
            cost = objective_.penalty +
                   std::min(objective_.leaf(one, leaf_one),
                            errors(one, best_one) + objective_.penalty) +
                   std::min(objective_.leaf(zero, leaf_zero),
                            errors(zero, best_zero) + objective_.penalty);
        }
        if (keys != nullptr) keys[g] = cost;
        best = std::min(best, cost);
    }
    return best;
}

template <class T>
void PairSolver::evaluate(const Node& node, Level& level, int f, const SideSummary sides[2],
                          const bool wanted[2], Cost value[2]) {
    LevelLanes<T>& lanes = std::get<LevelLanes<T>>(level.lanes);
    const bool small = select_small_side(node, level, f), big = !small;
    fill_sides<T>(node, level, f, small);

    Depth2<T> in = start<T>(node, level);
    in.node_pairs = in.margins ? &lanes.counts.margin_pairs : lanes.counts.pairs.data();
    in.small = {wanted[small],    lanes.small.single.data(),         lanes.small.total.data(),
                lanes.small.rows, static_cast<T>(sides[small].rows), lanes.best_one,
                lanes.best_zero};
    in.big = {wanted[big],     lanes.big.single.data(),         lanes.big.total.data(),
              lanes.big.rows,  static_cast<T>(sides[big].rows), lanes.other_one,
              lanes.other_zero};
    if (in.margins) {
        in.small.single = &lanes.small.margin_single;
        in.small.total = &lanes.small.margin_total;
        in.big.single = &lanes.big.margin_single;
        in.big.total = &lanes.big.margin_total;
    }
    count_small_side(node, level, in);
    run(in, 4 * level.selection.words());
    if (wanted[small])
        value[small] = best_of(node, in, in.small, sides[small], lanes.small.single.data(),
                               lanes.small.total.data(), nullptr);
    if (wanted[big])
        value[big] = best_of(node, in, in.big, sides[big], lanes.big.single.data(),
                             lanes.big.total.data(), nullptr);
}

/// Selects the side of `f` with fewer physical rows; returns which it is.
bool PairSolver::select_small_side(const Node& node, Level& level, int f) const {
    int rows_one = 0;
    for (int w = 0; w < node.words; ++w) rows_one += popcount(node.column(f)[w]);
    const bool one = 2 * rows_one <= node.physical_rows;
    const auto& segments = data_.segments();
    level.selection.clear(kernel_.needs_moves);
    level.side_segment_word.resize(segments.size());
    level.side_segment_rows.resize(segments.size());
    for (std::size_t s = 0; s < segments.size(); ++s) {
        level.side_segment_word[s] = level.selection.words();
        const bool counted =
            segments[s].plane < data_.planes().classes || segments[s].plane == data_.planes().rows;
        level.side_segment_rows[s] =
            counted ? level.selection.add_segment(node.column(f), node.segment_word[s],
                                                  node.segment_rows[s], one)
                    : 0;
    }
    return one;
}

/// What the pair counts of the node say of both sides of `f`: the row of `f` is the side where it
/// is 1, the rest is the other.
template <class T>
void PairSolver::fill_sides(const Node& node, Level& level, int f, bool small_is_one) const {
    LevelLanes<T>& lanes = std::get<LevelLanes<T>>(level.lanes);
    const NodeCounts<T>& counts = lanes.counts;
    const int planes = level.planes.count(), classes = level.planes.classes, stride = node.stride;
    SideLanes<T>& one = small_is_one ? lanes.small : lanes.big;
    SideLanes<T>& zero = small_is_one ? lanes.big : lanes.small;
    const std::size_t row = static_cast<std::size_t>(f) * stride;
    const auto split = [&](const T* pairs, const T* single, T total, const T*& one_single, T* rest,
                           const T*& zero_single, T& one_total, T& zero_total) {
        one_single = pairs + row;
        for (int h = 0; h < stride; ++h) rest[h] = static_cast<T>(single[h] - one_single[h]);
        zero_single = rest;
        one_total = single[f];
        zero_total = static_cast<T>(total - single[f]);
    };
    for (SideLanes<T>* side : {&one, &zero}) {
        side->single.resize(planes);
        side->total.resize(planes);
    }
    for (int p = 0; p < planes; ++p)
        split(counts.pairs[p], counts.single[p], counts.total[p], one.single[p], lanes.rest[p],
              zero.single[p], one.total[p], zero.total[p]);
    if (counts.margins)
        split(counts.margin_pairs, counts.margin_single, counts.margin_total, one.margin_single,
              lanes.margin_rest, zero.margin_single, one.margin_total, zero.margin_total);
    if (objective_.min_rows <= 1) return;
    for (SideLanes<T>* side : {&one, &zero}) {
        std::fill_n(side->rows, stride, T{0});
        for (int p = planes > classes ? classes : 0; p < planes; ++p)
            for (int h = 0; h < stride; ++h)
                side->rows[h] = static_cast<T>(side->rows[h] + side->single[p][h]);
    }
}

/// Packs the selected rows; as granules if these stay in the cache, else as pair counts.
template <class T>
void PairSolver::count_small_side(const Node& node, Level& level, Depth2<T>& in) {
    LevelLanes<T>& lanes = std::get<LevelLanes<T>>(level.lanes);
    const int features = node.features, stride = node.stride, words = level.selection.words();
    Word* columns = level.side_columns.get<Word>(static_cast<std::size_t>(stride) * words);
    for (int g = 0; g < features; ++g)
        level.selection.compress(kernel_, node.column(g), columns + g, stride);
    for (int w = 0; w < words; ++w)
        std::fill_n(columns + static_cast<std::size_t>(w) * stride + features, stride - features,
                    Word{0});
    const PackedRows rows{columns, stride, 1, level.side_segment_word.data(),
                          level.side_segment_rows.data()};
    if (counter_.granules_fit(rows.segment_rows, level.planes, stride)) {
        in.granules = counter_.make_granules(rows, level.planes, features, stride);
    } else {
        const std::size_t size = static_cast<std::size_t>(features) * stride;
        T* matrix = level.small_pairs.get<T>(in.planes * size);
        lanes.small_pairs.resize(in.planes);
        for (int p = 0; p < in.planes; ++p) lanes.small_pairs[p] = matrix + p * size;
        counter_.count_pairs<T>(rows, level.planes, features, stride, lanes.small_pairs.data());
        in.small_pairs = lanes.small_pairs.data();
    }
    in.scratch = counter_.scratch(in.granules.count, in.planes);
}

#define BEAMTREE_INSTANTIATE(T)                                                           \
    template Cost PairSolver::score<T>(const Node&, Level&);                              \
    template void PairSolver::evaluate<T>(const Node&, Level&, int, const SideSummary[2], \
                                          const bool[2], Cost[2]);
BEAMTREE_INSTANTIATE(std::uint16_t)
BEAMTREE_INSTANTIATE(std::uint32_t)
BEAMTREE_INSTANTIATE(std::uint64_t)

}  // namespace beamtree
