#include "exact/exact_solver.hpp"

#include <algorithm>

#include "node/class_weights.hpp"

namespace beamtree {

ExactSolver::ExactSolver(const Dataset& data, const Objective& objective, const Kernel& kernel,
                         const Options& options, CellTable& cell_table, Meter& meter,
                         Statistics& statistics)
    : data_(data),
      objective_(objective),
      kernel_(kernel),
      options_(options),
      statistics_(statistics),
      loop_(meter, options.hooks.stop_at_look > 0 ? 1 : work::kBetweenLooks),
      pairs_(data, objective, kernel, loop_, options),
      cell_table_(cell_table) {}

void ExactSolver::solve(const Node& node, NodeBuffers& buffers, int depth, Cost bound,
                        Facts& facts) {
    if (depth == 1) {
        solve1(node, facts);
        return;
    }
    with_lanes(node, [&](auto lane) {
        using T = decltype(lane);
        if (depth == 3)
            solve3<T>(node, buffers, bound, facts, false);
        else
            solve2<T>(node, buffers, facts);
    });
}

void ExactSolver::solve1(const Node& node, Facts& facts) {
    ClassWeights weights(data_, kernel_, node);
    for (int f = 0; f < node.features; ++f) {
        if (loop_.stopped()) return;
        weights.split(f);
        loop_.spend(node.words * work::kWord);
        if (weights.rows_one() < objective_.min_rows || weights.rows_zero() < objective_.min_rows)
            continue;
        const std::int64_t right = *std::max_element(weights.one().begin(), weights.one().end()) +
                                   *std::max_element(weights.zero().begin(), weights.zero().end());
        // Cancelled weight is in `right` once, and in no plane of the classes.
        const std::int64_t tied =
            data_.planes().tied >= 0 ? node.plane_weight[data_.planes().tied] : 0;
        facts.improve(objective_.leaf(node.weight, right - tied) + objective_.penalty,
                      node.feature[f]);
    }
    facts.raise(facts.upper);
}

template <class T>
void ExactSolver::solve2(const Node& node, NodeBuffers& buffers, Facts& facts) {
    const std::optional<Cost> optimum =
        remember(node, pairs_.sweeps<T>(node, buffers) ? pairs_.sweep<T>(node, buffers)
                                                       : pairs_.score<T>(node, buffers));
    if (!optimum) return;
    for (int f = 0; f < node.features; ++f)
        if (admissible<T>(node, buffers, f)) facts.improve(buffers.score[f], node.feature[f]);
    facts.raise(*optimum);
}

template <class T>
void ExactSolver::solve3(const Node& node, NodeBuffers& buffers, Cost bound, Facts& facts,
                         bool all_scores) {
    const std::optional<Cost> shallow = score<T>(node, buffers);
    if (!shallow) return;
    auto& lanes = std::get<NodeLanes<T>>(buffers.lanes);
    buffers.order.clear();
    for (int f = 0; f < node.features; ++f) {
        if (!admissible<T>(node, buffers, f)) continue;
        buffers.order.emplace_back(buffers.score[f], f);
        facts.improve(buffers.score[f], node.feature[f]);
    }
    if (facts.settled(bound)) return;
    start_bounds<T>(node, buffers, *shallow);
    std::sort(buffers.order.begin(), buffers.order.end());
    Cost least = kInfiniteCost;
    for (const auto& [score, f] : buffers.order) {
        const Cost floor = side<T>(node, buffers, f, true).floor(objective_, lanes.lower_one[f]) +
                           side<T>(node, buffers, f, false).floor(objective_, lanes.lower_zero[f]) +
                           objective_.penalty;
        const Cost goal = all_scores ? bound : std::min(bound, facts.upper);
        if (floor >= goal) {
            ++statistics_.bounded;
            least = std::min(least, floor);
            buffers.score[f] = floor;
            continue;
        }
        if (loop_.stopped()) return;
        if (options_.ablations.cell_cache) loop_.spend(node.cover.size * work::kHashedWord);
        const CoverHash hash_one =
            options_.ablations.cell_cache
                ? node.cover.hash_of_side(data_.hasher(), data_.column(node.feature[f]))
                : CoverHash{};
        const CellPair cell = cells<T>(node, buffers, f, hash_one, goal - objective_.penalty);
        const Cost cost = cell.one + cell.zero + objective_.penalty;
        if (cell.exact) facts.improve(cost, node.feature[f]);
        if (loop_.stopped()) return;
        bound_siblings<T>(node, buffers, f, cell.one, cell.zero);
        least = std::min(least, cost);
        buffers.score[f] = cost;
        if (facts.solved()) return;
    }
    facts.raise(least);
}

template <class T>
std::optional<Cost> ExactSolver::score(const Node& node, NodeBuffers& buffers) {
    return remember(node, pairs_.score<T>(node, buffers));
}

std::optional<Cost> ExactSolver::remember(const Node& node, std::optional<Cost> optimum) {
    if (optimum && options_.ablations.cell_cache && !node.narrow)
        cell_table_.insert(node.hash.key(), *optimum);
    return optimum;
}

template <class T>
SideSummary ExactSolver::side(const Node& node, NodeBuffers& buffers, int f, bool one) const {
    const NodeCounts<T>& counts = std::get<NodeLanes<T>>(buffers.lanes).counts;
    SideSummary out;
    std::int64_t majority = 0;
    for (int p = 0; p < buffers.planes.classes; ++p) {
        const auto in_one = static_cast<std::int64_t>(counts.single[p][f]);
        const auto weight = one ? in_one : static_cast<std::int64_t>(counts.total[p]) - in_one;
        out.weight += weight;
        majority = std::max(majority, weight);
    }
    const auto rows_one = static_cast<std::int64_t>(counts.rows_one[f]);
    out.rows = one ? rows_one : node.rows - rows_one;
    out.leaf = objective_.leaf(out.weight, majority);
    out.closed = objective_.closed(out.leaf, out.rows);
    return out;
}

template <class T>
CellPair ExactSolver::cells(const Node& node, NodeBuffers& buffers, int f,
                            const CoverHash& hash_one, Cost goal) {
    const NodeLanes<T>& lanes = std::get<NodeLanes<T>>(buffers.lanes);
    const SideSummary sides[2] = {side<T>(node, buffers, f, false),
                                  side<T>(node, buffers, f, true)};
    const CoverKey key[2] = {(node.hash - hash_one).key(), hash_one.key()};
    Cost value[2] = {sides[0].floor(objective_, lanes.lower_zero[f]),
                     sides[1].floor(objective_, lanes.lower_one[f])};
    bool wanted[2] = {!sides[0].closed, !sides[1].closed};
    for (int s = 0; options_.ablations.cell_cache && s < 2; ++s) {
        if (!wanted[s]) continue;
        const Cost known = cell_table_.find(key[s]);
        if (known < 0) continue;
        ++statistics_.cell_hits;
        value[s] = known;
        wanted[s] = false;
    }
    if (!wanted[0] && !wanted[1]) return {value[1], value[0], true};
    if (value[0] + value[1] >= goal) {
        ++statistics_.bounded;
        return {value[1], value[0], false};
    }
    ++statistics_.cells;
    if (!pairs_.evaluate<T>(node, buffers, f, sides, wanted, value))
        return {value[1], value[0], false};
    for (int s = 0; options_.ablations.cell_cache && !node.narrow && s < 2; ++s)
        if (wanted[s]) cell_table_.insert(key[s], value[s]);
    return {value[1], value[0], true};
}

template <class T>
void ExactSolver::start_bounds(const Node& node, NodeBuffers& buffers, Cost shallow) {
    NodeLanes<T>& lanes = std::get<NodeLanes<T>>(buffers.lanes);
    const std::int64_t known =
        options_.ablations.parent_bound ? objective_.whole_weight(shallow) : 0;
    const int plane = data_.planes().unavoidable;
    const std::int64_t lost = plane >= 0 ? node.plane_weight[plane] : 0;
    std::fill_n(lanes.lower_one, node.stride, T{0});
    std::fill_n(lanes.lower_zero, node.stride, T{0});
    if (known == 0 && lost == 0) return;
    for (int f = 0; f < node.features; ++f) {
        if (loop_.stopped()) return;  // the others have the bound 0
        if (lost > 0) loop_.spend(node.words * work::kWord);
        const auto one = static_cast<std::int64_t>(lanes.counts.weight_one[f]);
        const std::int64_t lost_one = lost > 0 ? count_plane(data_, node, f, plane) : 0;
        // A side's rows are a subset of the node's: similarity holds for any leaf size.
        const std::int64_t lower_one = std::max(known - (node.weight - one), lost_one);
        const std::int64_t lower_zero = std::max(known - one, lost - lost_one);
        lanes.lower_one[f] = static_cast<T>(std::clamp<std::int64_t>(lower_one, 0, one));
        lanes.lower_zero[f] =
            static_cast<T>(std::clamp<std::int64_t>(lower_zero, 0, node.weight - one));
    }
}

template <class T>
void ExactSolver::bound_siblings(const Node& node, NodeBuffers& buffers, int f, Cost lower_one,
                                 Cost lower_zero) {
    if (!options_.ablations.similarity_bound || (lower_one <= 0 && lower_zero <= 0)) return;
    loop_.spend(node.stride / kBlock * (4 + buffers.planes.classes));
    NodeLanes<T>& lanes = std::get<NodeLanes<T>>(buffers.lanes);
    const auto whole = [&](Cost cost) {
        return static_cast<T>(std::min(objective_.whole_weight(cost), node.weight));
    };
    kernel_.lanes<T>().similarity({node.stride, buffers.planes.classes, lanes.counts.pairs.data(),
                                   lanes.counts.weight_one, static_cast<T>(node.weight), f,
                                   whole(lower_one), whole(lower_zero), objective_.min_rows > 1,
                                   lanes.lower_one, lanes.lower_zero});
}

#define BEAMTREE_INSTANTIATE(T)                                                               \
    template std::optional<Cost> ExactSolver::score<T>(const Node&, NodeBuffers&);            \
    template void ExactSolver::solve3<T>(const Node&, NodeBuffers&, Cost, Facts&, bool);      \
    template CellPair ExactSolver::cells<T>(const Node&, NodeBuffers&, int, const CoverHash&, \
                                            Cost);                                            \
    template SideSummary ExactSolver::side<T>(const Node&, NodeBuffers&, int, bool) const;    \
    template void ExactSolver::start_bounds<T>(const Node&, NodeBuffers&, Cost);              \
    template void ExactSolver::bound_siblings<T>(const Node&, NodeBuffers&, int, Cost, Cost);
BEAMTREE_INSTANTIATE(std::uint16_t)
BEAMTREE_INSTANTIATE(std::uint32_t)
BEAMTREE_INSTANTIATE(std::uint64_t)

}  // namespace beamtree
