#include "exact/two_levels.hpp"

namespace beamtree {

/// Lays out the arrays of both sides of a split.
template <class T>
auto TwoLevelSolver::lay_out(int planes, int stride) -> SplitLanes<T>& {
    SplitLanes<T>& lanes = std::get<SplitLanes<T>>(lanes_);
    if (lanes.stride == stride && static_cast<int>(lanes.zero_single.size()) == planes)
        return lanes;  // as for the split before
    lanes.stride = 0;
    T* next = lanes.arrays.template get<T>(static_cast<std::size_t>(stride) * (planes + 7));
    const auto take = [&] {
        T* array = next;
        next += stride;
        return array;
    };
    for (SideLanes<T>* side : {&lanes.small, &lanes.big}) {
        side->rows = take();
        side->best_one = take();
        side->best_zero = take();
    }
    lanes.zero_margin = take();
    lanes.zero_single.resize(planes);
    for (T*& array : lanes.zero_single) array = take();
    lanes.stride = stride;
    return lanes;
}

template <class T>
Depth2<T> TwoLevelSolver::start(const Node& node, const NodeCounts& counts) const {
    Depth2<T> in;
    in.stride = node.stride;
    in.planes = counts.planes().count();
    in.classes = counts.planes().classes;
    in.min_rows = static_cast<T>(objective_.min_rows);  // a node that is not closed has more rows
    in.margins = counts.lanes<T>().margins;
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
Depth2<T> TwoLevelSolver::start_whole(const Node& node, const NodeCounts& counts) {
    const LaneCounts<T>& lanes = counts.lanes<T>();
    const SideLanes<T>& side = lay_out<T>(counts.planes().count(), node.stride).small;
    Depth2<T> in = start<T>(node, counts);
    in.small = {true,           lanes.single.data(),       lanes.total.data(),
                lanes.rows_one, static_cast<T>(node.rows), side.best_one,
                side.best_zero};
    if (in.margins) {
        in.small.single = &lanes.margin_single;
        in.small.total = &lanes.margin_total;
    }
    return in;
}

template <class T>
Cost TwoLevelSolver::best_of_whole(const Node& node, const NodeCounts& counts, const Depth2<T>& in,
                                   std::vector<Cost>& scores, StumpCosts* stumps) const {
    const LaneCounts<T>& lanes = counts.lanes<T>();
    scores.resize(node.features);
    SideSummary whole;
    whole.weight = node.sums.weight;
    whole.rows = node.rows;
    whole.leaf = objective_.leaf_cost(node.sums);
    if (stumps != nullptr) {
        for (auto& side : stumps->side) side.resize(node.features);
        return best_and_extra(node, in, in.small, whole, lanes.single.data(), lanes.total.data(),
                              scores.data(), stumps->side, CellExtra::kBound, stumps->any_depth);
    }
    return best_of(node, in, in.small, whole, lanes.single.data(), lanes.total.data(),
                   scores.data());
}

template <class T>
std::optional<Cost> TwoLevelSolver::score(const Node& node, NodeCounts& counts,
                                          std::vector<Cost>& scores, StumpCosts* stumps) {
    if (!count<T>(node, counts)) return {};
    const LaneCounts<T>& lanes = counts.lanes<T>();
    Depth2<T> in = start_whole<T>(node, counts);
    if (in.margins)
        in.node_pairs = &lanes.margin_pairs;
    else
        in.small_pairs = lanes.pairs.data();
    in.scratch = counter_.scratch(0, in.planes);
    if (!run(node, in)) return {};
    return best_of_whole(node, counts, in, scores, stumps);
}

template <class T>
std::optional<Cost> TwoLevelSolver::sweep(const Node& node, NodeCounts& counts,
                                          std::vector<Cost>& scores, StumpCosts* stumps) {
    if (!counts.count_singles<T>(data_, node, objective_, kernel_, loop_)) return {};
    const int planes = counts.planes().count();
    Depth2<T> in = start_whole<T>(node, counts);
    std::vector<T*>& row = std::get<SplitLanes<T>>(lanes_).small_pairs;
    T* rows = small_pairs_.get<T>(static_cast<std::size_t>(planes) * node.stride);
    row.resize(planes);
    for (int p = 0; p < planes; ++p) row[p] = rows + static_cast<std::size_t>(p) * node.stride;
    in.scratch = counter_.scratch(0, in.planes);
    if (!sweep_.run(node, counts.planes(), in, row.data())) return {};
    return best_of_whole(node, counts, in, scores, stumps);
}

template <class T>
bool TwoLevelSolver::sweeps(const Node& node, const NodeCounts& counts) {
    constexpr int kFewest = 256;  // with fewer features a sweep does not pay
    constexpr std::size_t kLarge = std::size_t{256} << 20;
    constexpr int kPrice = 4;  // how much more work large pair counts are worth
    if (options_.ablations.sweep == "never" || counts.has<T>(node)) return false;
    planes_.choose(data_, node);
    const bool margins = objective_.counts_margins(planes_.classes);
    const std::size_t matrix = static_cast<std::size_t>(node.features) * node.stride * sizeof(T);
    const std::size_t bytes = matrix * (planes_.count() + (margins ? 1 : 0));
    const bool must = options_.ablations.sweep == "always" || bytes > pair_bytes_;
    if (!must && node.features < kFewest) return false;
    if (!sweep_.prepare(node)) return true;  // stopped, and so will be the sweep
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
        NodeCounts::inherits(node)
            ? 2 * blocks * kBlock * planes.count()
            : blocks * counter_.granules(node.segment_rows.data(), planes) * work::kGranule;
    return counted + copied + scored;
}

template <class T>
Cost TwoLevelSolver::best_of(const Node& node, const Depth2<T>& in, const Side<T>& side,
                             const SideSummary& summary, const T* const* single, const T* total,
                             Cost* scores) const {
    // The kernel returns the largest correct weight or, with margins, the largest sum of margins.
    const auto cost_of = [&](std::int64_t weight, std::int64_t best) {
        return objective_.error_cost(weight - (in.margins ? (weight + best) / 2 : best));
    };
    const bool plain = objective_.penalty == 0 && !objective_.has_minimum();
    if (plain && scores == nullptr) {
        const T best = kernel_.lanes<T>().largest_sum(side.best_one, side.best_zero, in.stride);
        return cost_of(summary.weight, static_cast<std::int64_t>(best));
    }
    const auto fits = [&](int g) {
        if (!objective_.has_minimum()) return true;
        const auto rows = static_cast<std::int64_t>(side.rows_single[g]);
        return objective_.can_split(rows, summary.rows - rows);
    };
    Cost best = summary.leaf;
    for (int g = 0; g < node.features; ++g) {
        const auto best_one = static_cast<std::int64_t>(side.best_one[g]);
        const auto best_zero = static_cast<std::int64_t>(side.best_zero[g]);
        Cost cost = kInfiniteCost;
        if (plain) {
            cost = cost_of(summary.weight, best_one + best_zero);
        } else if (fits(g)) {
            LeafSums one, zero;
            for (int p = 0; p < in.classes; ++p) {
                const auto weight = static_cast<std::int64_t>(single[p][g]);
                one.add_class(weight);
                zero.add_class(static_cast<std::int64_t>(total[p]) - weight);
            }
            cost = objective_.penalty +
                   std::min(objective_.leaf_cost(one),
                            cost_of(one.weight, best_one) + objective_.penalty) +
                   std::min(objective_.leaf_cost(zero),
                            cost_of(zero.weight, best_zero) + objective_.penalty);
        }
        if (scores != nullptr) scores[g] = cost;
        best = std::min(best, cost);
    }
    return best;
}

template <class T>
Cost TwoLevelSolver::best_and_extra(const Node& node, const Depth2<T>& in, const Side<T>& side,
                                    const SideSummary& summary, const T* const* single,
                                    const T* total, Cost* scores, std::vector<Cost>* stumps,
                                    CellExtra which, Cost& extra) const {
    const Cost penalty = objective_.penalty;
    Cost best = summary.leaf;
    extra = summary.leaf;
    for (int g = 0; g < node.features; ++g) {
        if (scores != nullptr) scores[g] = kInfiniteCost;
        if (objective_.has_minimum()) {
            const auto rows = static_cast<std::int64_t>(side.rows_single[g]);
            if (!objective_.can_split(rows, summary.rows - rows)) continue;
        }
        LeafSums sums[2];
        for (int p = 0; p < in.classes; ++p) {
            const auto weight = static_cast<std::int64_t>(single[p][g]);
            sums[1].add_class(weight);
            sums[0].add_class(static_cast<std::int64_t>(total[p]) - weight);
        }
        const std::int64_t kernel_best[2] = {static_cast<std::int64_t>(side.best_zero[g]),
                                             static_cast<std::int64_t>(side.best_one[g])};
        Cost leaf[2], stump[2];
        for (const int s : {0, 1}) {
            const std::int64_t right =
                in.margins ? (sums[s].weight + kernel_best[s]) / 2 : kernel_best[s];
            leaf[s] = objective_.leaf_cost(sums[s]);
            stump[s] = std::min(leaf[s], objective_.error_cost(sums[s].weight - right) + penalty);
            if (stumps != nullptr) stumps[s][g] = stump[s];
        }
        const Cost cost = stump[0] + stump[1] + penalty;
        if (scores != nullptr) scores[g] = cost;
        best = std::min(best, cost);
        if (which == CellExtra::kThreeLeaves) {
            extra = std::min(extra, std::min(leaf[0] + stump[1], stump[0] + leaf[1]) + penalty);
        } else if (objective_.pays(sums[0]) && objective_.pays(sums[1])) {
            const Cost more = 2 * penalty;  // a side of three leaves and more
            extra = std::min(extra, std::min(stump[0], more) + std::min(stump[1], more) + penalty);
        }
    }
    return best;
}

template <class T>
bool TwoLevelSolver::evaluate(const Node& node, NodeCounts& counts, int f,
                              const SideSummary sides[2], const bool wanted[2], Cost value[2],
                              CellExtra which, Cost* extra) {
    const LaneCounts<T>& whole = counts.lanes<T>();
    const NodePlanes& planes = counts.planes();
    const bool selected = rows_.select_smaller(node, f);
    const int granules = counter_.granules(rows_.segment_rows(), planes);
    // A side of many rows is counted by way of the store, which has the sides where a feature is 1.
    // The small side of few rows is counted while it is evaluated, if its granules fit the cache.
    const bool store =
        granules > options_.hooks.fused_granules * planes.count() && triples_.fits<T>(node, planes);
    const bool small = store ? true : selected, big = !small;
    SplitLanes<T>& lanes = lay_out<T>(planes.count(), node.stride);
    fill_sides<T>(node, counts, f, small, lanes);

    Depth2<T> in = start<T>(node, counts);
    in.node_pairs = in.margins ? &whole.margin_pairs : whole.pairs.data();
    const auto side_of = [&](const SideLanes<T>& side, bool one) {
        return Side<T>{wanted[one],
                       in.margins ? &side.margin_single : side.single.data(),
                       in.margins ? &side.margin_total : side.total.data(),
                       side.rows,
                       static_cast<T>(sides[one].rows),
                       side.best_one,
                       side.best_zero};
    };
    in.small = side_of(lanes.small, small);
    in.big = side_of(lanes.big, big);
    if (store) {
        in.small_pairs = triples_.count_one_side<T>(node, counts, f, rows_, selected);
        if (in.small_pairs == nullptr) return false;
    } else {
        const auto rows = rows_.pack(node);
        if (!rows) return false;
        if (counter_.fit(granules, node.stride)) {
            in.granules = counter_.make_granules(*rows, planes, node.features, node.stride);
        } else {
            if (!count_apart<T>(node, planes, *rows, lanes)) return false;
            in.small_pairs = lanes.small_pairs.data();
        }
    }
    in.scratch = counter_.scratch(in.granules.count, in.planes);
    if (!run(node, in)) return false;
    const auto find_best = [&](bool one, const Side<T>& side, const SideLanes<T>& sums) {
        if (!wanted[one]) return;
        value[one] = extra == nullptr
                         ? best_of(node, in, side, sides[one], sums.single.data(),
                                   sums.total.data(), nullptr)
                         : best_and_extra(node, in, side, sides[one], sums.single.data(),
                                          sums.total.data(), nullptr, nullptr, which, extra[one]);
    };
    find_best(small, in.small, lanes.small);
    find_best(big, in.big, lanes.big);
    return true;
}

/// Takes the single counts of both sides of `f` from the pair counts of the node: the row of `f`
/// has those of the side where it is 1, and the rest belongs to the other side.
template <class T>
void TwoLevelSolver::fill_sides(const Node& node, const NodeCounts& counts, int f,
                                bool small_is_one, SplitLanes<T>& lanes) const {
    const LaneCounts<T>& whole = counts.lanes<T>();
    const int planes = counts.planes().count(), classes = counts.planes().classes,
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
        split(whole.pairs[p], whole.single[p], whole.total[p], one.single[p], lanes.zero_single[p],
              zero.single[p], one.total[p], zero.total[p]);
    if (whole.margins)
        split(whole.margin_pairs, whole.margin_single, whole.margin_total, one.margin_single,
              lanes.zero_margin, zero.margin_single, one.margin_total, zero.margin_total);
    if (!objective_.has_minimum()) return;
    for (SideLanes<T>* side : {&one, &zero}) {
        std::fill_n(side->rows, stride, T{0});
        for (int p = planes > classes ? classes : 0; p < planes; ++p)
            for (int h = 0; h < stride; ++h)
                side->rows[h] = static_cast<T>(side->rows[h] + side->single[p][h]);
    }
}

/// Counts the pairs of the small side, whose packed rows are given, into lanes.small_pairs.
template <class T>
bool TwoLevelSolver::count_apart(const Node& node, const NodePlanes& planes, const PackedRows& rows,
                                 SplitLanes<T>& lanes) {
    const std::size_t size = static_cast<std::size_t>(node.features) * node.stride;
    T* matrix = small_pairs_.get<T>(size * planes.count());
    lanes.small_pairs.resize(planes.count());
    for (int p = 0; p < planes.count(); ++p) lanes.small_pairs[p] = matrix + p * size;
    return counter_.count_pairs<T>(rows, planes, node.features, node.stride,
                                   lanes.small_pairs.data());
}

#define BEAMTREE_INSTANTIATE(T)                                                                    \
    template std::optional<Cost> TwoLevelSolver::score<T>(const Node&, NodeCounts&,                \
                                                          std::vector<Cost>&, StumpCosts*);        \
    template std::optional<Cost> TwoLevelSolver::sweep<T>(const Node&, NodeCounts&,                \
                                                          std::vector<Cost>&, StumpCosts*);        \
    template bool TwoLevelSolver::sweeps<T>(const Node&, const NodeCounts&);                       \
    template bool TwoLevelSolver::evaluate<T>(const Node&, NodeCounts&, int, const SideSummary[2], \
                                              const bool[2], Cost[2], CellExtra, Cost*);
BEAMTREE_INSTANTIATE(std::uint16_t)
BEAMTREE_INSTANTIATE(std::uint32_t)
BEAMTREE_INSTANTIATE(std::uint64_t)

}  // namespace beamtree
