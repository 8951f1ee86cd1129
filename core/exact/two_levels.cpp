#include "exact/two_levels.hpp"

namespace beamtree {

template <class T>
Depth2<T> TwoLevelSolver::start(const Node& node, const NodeBuffers& buffers) const {
    Depth2<T> in;
    in.stride = node.stride;
    in.planes = buffers.planes.count();
    in.classes = buffers.planes.classes;
    in.min_rows = static_cast<T>(objective_.min_rows);  // a node that is not closed has more rows
    in.margins = std::get<NodeLanes<T>>(buffers.lanes).counts.margins;
    return in;
}

template <class T>
bool TwoLevelSolver::run(const Node& node, Depth2<T>& in) {
    const int sides = in.small.wanted + in.big.wanted, planes = in.margins ? 1 : in.classes;
    const auto lane_work = static_cast<std::int64_t>(sizeof(T) / 2) * work::kPair;
    return loop_.each_pair(node.features, node.stride,
                           sides * planes * lane_work + in.granules.count * work::kGranule,
                           [&](int first, int last) {
                               in.first = first;
                               in.last = last;
                               kernel_.lanes<T>().depth2(in);
                           });
}

template <class T>
Depth2<T> TwoLevelSolver::start_whole(const Node& node, NodeBuffers& buffers) const {
    NodeLanes<T>& lanes = std::get<NodeLanes<T>>(buffers.lanes);
    const NodeCounts<T>& counts = lanes.counts;
    Depth2<T> in = start<T>(node, buffers);
    in.small = {true,
                counts.single.data(),
                counts.total.data(),
                counts.rows_one,
                static_cast<T>(node.rows),
                lanes.best_one,
                lanes.best_zero};
    if (in.margins) {
        in.small.single = &counts.margin_single;
        in.small.total = &counts.margin_total;
    }
    return in;
}

template <class T>
Cost TwoLevelSolver::best_of_whole(const Node& node, NodeBuffers& buffers,
                                   const Depth2<T>& in) const {
    const NodeCounts<T>& counts = std::get<NodeLanes<T>>(buffers.lanes).counts;
    buffers.score.resize(node.features);
    SideSummary whole;
    whole.weight = node.weight;
    whole.rows = node.rows;
    whole.leaf = objective_.leaf(node.weight, node.majority);
    return best_of(node, in, in.small, whole, counts.single.data(), counts.total.data(),
                   buffers.score.data());
}

template <class T>
std::optional<Cost> TwoLevelSolver::score(const Node& node, NodeBuffers& buffers) {
    if (!count<T>(node, buffers)) return {};
    const NodeCounts<T>& counts = std::get<NodeLanes<T>>(buffers.lanes).counts;
    Depth2<T> in = start_whole<T>(node, buffers);
    if (in.margins)
        in.node_pairs = &counts.margin_pairs;
    else
        in.small_pairs = counts.pairs.data();
    in.scratch = counter_.scratch(0, in.planes);
    if (!run(node, in)) return {};
    return best_of_whole(node, buffers, in);
}

template <class T>
std::optional<Cost> TwoLevelSolver::sweep(const Node& node, NodeBuffers& buffers) {
    if (!buffers.count_singles<T>(data_, node, objective_, kernel_, loop_)) return {};
    NodeLanes<T>& lanes = std::get<NodeLanes<T>>(buffers.lanes);
    const int planes = buffers.planes.count();
    T* rows = small_pairs_.get<T>(static_cast<std::size_t>(planes) * node.stride);
    lanes.small_pairs.resize(planes);
    for (int p = 0; p < planes; ++p)
        lanes.small_pairs[p] = rows + static_cast<std::size_t>(p) * node.stride;
    Depth2<T> in = start_whole<T>(node, buffers);
    in.scratch = counter_.scratch(0, in.planes);
    if (!sweep_.run(node, buffers.planes, in, lanes.small_pairs.data())) return {};
    return best_of_whole(node, buffers, in);
}

template <class T>
bool TwoLevelSolver::sweeps(const Node& node, const NodeBuffers& buffers) {
    constexpr int kFewest = 256;  // less features are not worth a look at their order
    constexpr std::size_t kLarge = std::size_t{256} << 20;
    constexpr int kPrice = 4;  // times the work, to do without large pair counts
    if (options_.ablations.sweep == "never" || buffers.has<T>(node)) return false;
    planes_.choose(data_, node);
    const bool margins = planes_.classes == 2 && objective_.min_rows <= 1;
    const std::size_t matrix = static_cast<std::size_t>(node.features) * node.stride * sizeof(T);
    const std::size_t bytes = matrix * (planes_.count() + (margins ? 1 : 0));
    const bool must = options_.ablations.sweep == "always" || bytes > pair_bytes_;
    if (!must && node.features < kFewest) return false;
    if (!sweep_.prepare(node)) return true;  // stopped, as will be the sweep
    return must || sweep_.work(node, margins ? 1 : planes_.classes, sizeof(T)) <
                       score_work<T>(node, planes_, margins) * (bytes > kLarge ? kPrice : 1);
}

template <class T>
std::int64_t TwoLevelSolver::score_work(const Node& node, const NodePlanes& planes,
                                        bool margins) const {
    const std::int64_t blocks = std::int64_t{node.features} * (node.stride / kBlock + 1) / 2;
    const std::int64_t lane = sizeof(T) / 2;
    const std::int64_t copied = 2 * blocks * planes.count() * lane;  // cleared, made symmetric
    const std::int64_t scored = blocks * (margins ? 1 : planes.classes) * lane * work::kPair;
    const std::int64_t counted =
        NodeBuffers::inherits(node)
            ? 2 * blocks * kBlock * planes.count()
            : blocks * counter_.granules(node.segment_rows.data(), planes) * work::kGranule;
    return counted + copied + scored;
}

template <class T>
Cost TwoLevelSolver::best_of(const Node& node, const Depth2<T>& in, const Side<T>& side,
                             const SideSummary& summary, const T* const* single, const T* total,
                             Cost* scores) const {
    // The kernel's best is the correct weight or, of margins, the sum of margins.
    const auto errors = [&](std::int64_t weight, std::int64_t best) {
        return objective_.leaf(weight, in.margins ? (weight + best) / 2 : best);
    };
    const bool plain = objective_.penalty == 0 && objective_.min_rows <= 1;
    if (plain && scores == nullptr) {
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
        if (scores != nullptr) scores[g] = cost;
        best = std::min(best, cost);
    }
    return best;
}

template <class T>
bool TwoLevelSolver::evaluate(const Node& node, NodeBuffers& buffers, int f,
                              const SideSummary sides[2], const bool wanted[2], Cost value[2]) {
    NodeLanes<T>& lanes = std::get<NodeLanes<T>>(buffers.lanes);
    const bool selected = select_small_side(node, buffers, f);
    const int granules = counter_.granules(buffers.side_segment_rows.data(), buffers.planes);
    // A side of many rows is counted by way of the store, as the side where f is 1; else the small
    // side is counted while it is evaluated, if its granules stay in the cache.
    const bool store = granules > options_.hooks.fused_granules * buffers.planes.count() &&
                       triples_fit<T>(node, buffers);
    const bool small = store ? true : selected, big = !small;
    fill_sides<T>(node, buffers, f, small);

    Depth2<T> in = start<T>(node, buffers);
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
    if (store) {
        if (!count_one_side<T>(node, buffers, f, selected)) return false;
        in.small_pairs = lanes.small_pairs.data();
    } else {
        const auto rows = pack(node, buffers, buffers.every_feature, node.stride);
        if (!rows) return false;
        if (counter_.fit(granules, node.stride)) {
            in.granules = counter_.make_granules(*rows, buffers.planes, node.features, node.stride);
        } else {
            if (!count_apart<T>(node, buffers, *rows)) return false;
            in.small_pairs = lanes.small_pairs.data();
        }
    }
    in.scratch = counter_.scratch(in.granules.count, in.planes);
    if (!run(node, in)) return false;
    if (wanted[small])
        value[small] = best_of(node, in, in.small, sides[small], lanes.small.single.data(),
                               lanes.small.total.data(), nullptr);
    if (wanted[big])
        value[big] = best_of(node, in, in.big, sides[big], lanes.big.single.data(),
                             lanes.big.total.data(), nullptr);
    return true;
}

/// Selects the side of `f` with fewer physical rows; returns which it is.
bool TwoLevelSolver::select_small_side(const Node& node, NodeBuffers& buffers, int f) {
    loop_.spend(2 * node.words * work::kWord);
    int rows_one = 0;
    for (int w = 0; w < node.words; ++w) rows_one += popcount(node.column(f)[w]);
    const bool one = 2 * rows_one <= node.physical_rows;
    const auto& segments = data_.segments();
    buffers.selection.clear(kernel_.needs_moves);
    buffers.side_segment_word.resize(segments.size());
    buffers.side_segment_rows.resize(segments.size());
    for (std::size_t s = 0; s < segments.size(); ++s) {
        buffers.side_segment_word[s] = buffers.selection.words();
        const bool counted =
            segments[s].plane < data_.planes().classes || segments[s].plane == data_.planes().rows;
        buffers.side_segment_rows[s] =
            counted ? buffers.selection.add_segment(node.column(f), node.segment_word[s],
                                                    node.segment_rows[s], one)
                    : 0;
    }
    return one;
}

/// What the pair counts of the node say of both sides of `f`: the row of `f` is the side where it
/// is 1, the rest is the other.
template <class T>
void TwoLevelSolver::fill_sides(const Node& node, NodeBuffers& buffers, int f,
                                bool small_is_one) const {
    NodeLanes<T>& lanes = std::get<NodeLanes<T>>(buffers.lanes);
    const NodeCounts<T>& counts = lanes.counts;
    const int planes = buffers.planes.count(), classes = buffers.planes.classes,
              stride = node.stride;
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

std::optional<PackedRows> TwoLevelSolver::pack(const Node& node, NodeBuffers& buffers,
                                               const std::vector<int>& features, int stride) {
    const int words = buffers.selection.words(), count = static_cast<int>(features.size());
    Word* columns = side_columns_.get<Word>(static_cast<std::size_t>(stride) * words);
    const bool packed =
        loop_.each(count, buffers.selection.parent_words() * work::kWord, [&](int first, int last) {
            for (int i = first; i < last; ++i)
                buffers.selection.compress(kernel_, node.column(features[i]), columns + i, stride);
        });
    if (!packed) return {};
    for (int w = 0; w < words; ++w)
        std::fill_n(columns + static_cast<std::size_t>(w) * stride + count, stride - count,
                    Word{0});
    return PackedRows{columns, stride, 1, buffers.side_segment_word.data(),
                      buffers.side_segment_rows.data()};
}

/// Pair counts of the selected rows, which stand in `rows`.
template <class T>
bool TwoLevelSolver::count_apart(const Node& node, NodeBuffers& buffers, const PackedRows& rows) {
    NodeLanes<T>& lanes = std::get<NodeLanes<T>>(buffers.lanes);
    const int planes = buffers.planes.count();
    const std::size_t size = static_cast<std::size_t>(node.features) * node.stride;
    T* matrix = small_pairs_.get<T>(size * planes);
    lanes.small_pairs.resize(planes);
    for (int p = 0; p < planes; ++p) lanes.small_pairs[p] = matrix + p * size;
    return counter_.count_pairs<T>(rows, buffers.planes, node.features, node.stride,
                                   lanes.small_pairs.data());
}

#define BEAMTREE_INSTANTIATE(T)                                                       \
    template std::optional<Cost> TwoLevelSolver::score<T>(const Node&, NodeBuffers&); \
    template std::optional<Cost> TwoLevelSolver::sweep<T>(const Node&, NodeBuffers&); \
    template bool TwoLevelSolver::sweeps<T>(const Node&, const NodeBuffers&);         \
    template bool TwoLevelSolver::evaluate<T>(const Node&, NodeBuffers&, int,         \
                                              const SideSummary[2], const bool[2], Cost[2]);
BEAMTREE_INSTANTIATE(std::uint16_t)
BEAMTREE_INSTANTIATE(std::uint32_t)
BEAMTREE_INSTANTIATE(std::uint64_t)

}  // namespace beamtree
