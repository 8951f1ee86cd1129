#include "exact/exact_solver.hpp"

#include <algorithm>

#include "node/class_weights.hpp"

namespace beamtree {

namespace {

constexpr Cost kFarBelow = 5;  ///< a bound is far below a cost if a fifth of the cost is between

/// The key under which the table of cells has the second number of a cover.
CoverKey extra_key(CoverKey key, CellExtra which) {
    key.low ^= which == CellExtra::kBound ? 0x5DEECE66D2B79F1BULL : 0x2545F4914F6CDD1DULL;
    return key;
}

}  // namespace

ExactSolver::ExactSolver(const Dataset& data, const Misclassification& objective,
                         const Kernel& kernel, const Options& options, CellTable& cell_table,
                         Meter& meter, Statistics& statistics)
    : data_(data),
      objective_(objective),
      kernel_(kernel),
      options_(options),
      statistics_(statistics),
      loop_(meter, options.hooks.stop_at_look > 0 ? 1 : work::kBetweenLooks),
      two_levels_(data, objective, kernel, loop_, options),
      cell_table_(cell_table) {}

void ExactSolver::solve(const Node& node, NodeCounts& counts, const TreeSize& size, Cost bound,
                        Facts& facts, bool probe) {
    if (size.depth == 1) {
        solve1(node, facts);
        return;
    }
    with_lanes(node, [&](auto lane) {
        using T = decltype(lane);
        if (size.depth == 3 && size.limited())
            solve3_limited<T>(node, counts, size, bound, facts, scores_, false);
        else if (size.depth == 3)
            solve3<T>(node, counts, bound, facts, scores_, false, probe);
        else if (size.limited())
            solve2_limited<T>(node, counts, facts);
        else
            solve2<T>(node, counts, facts);
    });
}

bool ExactSolver::count(const Node& node, NodeCounts& counts) {
    return with_lanes(node,
                      [&](auto lane) { return two_levels_.count<decltype(lane)>(node, counts); });
}

std::optional<Cost> ExactSolver::score2(const Node& node, NodeCounts& counts,
                                        std::vector<Cost>& scores) {
    return remember(node, with_lanes(node, [&](auto lane) {
                        return two_levels_.score<decltype(lane)>(node, counts, scores);
                    }));
}

std::optional<Cost> ExactSolver::score_stumps(const Node& node, NodeCounts& counts,
                                              std::vector<Cost>& scores, StumpCosts& stumps) {
    return remember(node, with_lanes(node, [&](auto lane) {
                        return two_levels_.score<decltype(lane)>(node, counts, scores, &stumps);
                    }));
}

void ExactSolver::score3(const Node& node, NodeCounts& counts, const TreeSize& size, Facts& facts,
                         std::vector<Cost>& scores) {
    with_lanes(node, [&](auto lane) {
        using T = decltype(lane);
        if (size.limited())
            solve3_limited<T>(node, counts, size, kInfiniteCost, facts, scores, true);
        else
            solve3<T>(node, counts, kInfiniteCost, facts, scores, true);
    });
}

CellPair ExactSolver::cells(const Node& node, NodeCounts& counts, int f,
                            const CoverHash& hash_one) {
    return with_lanes(node, [&](auto lane) {
        using T = decltype(lane);
        bounds_.clear<T>(node.stride);
        return cells<T>(node, counts, f, hash_one, bounds_, kInfiniteCost);
    });
}

ExtendedCells ExactSolver::extended_cells(const Node& node, NodeCounts& counts, int f,
                                          const CoverHash& hash_one, CellExtra which,
                                          const bool wanted[2]) {
    return with_lanes(node, [&](auto lane) {
        return extended_cells<decltype(lane)>(node, counts, f, hash_one, which, wanted);
    });
}

SideSummary ExactSolver::side(const Node& node, const NodeCounts& counts, int f, bool one) const {
    return with_lanes(node, [&](auto lane) { return side<decltype(lane)>(node, counts, f, one); });
}

void ExactSolver::start_bounds(const Node& node, const NodeCounts& counts, Cost shallow,
                               ChildBounds& bounds) {
    with_lanes(node,
               [&](auto lane) { start_bounds<decltype(lane)>(node, counts, shallow, bounds); });
}

void ExactSolver::bound_siblings(const Node& node, const NodeCounts& counts, int f, Cost lower_one,
                                 Cost lower_zero, ChildBounds& bounds) {
    with_lanes(node, [&](auto lane) {
        bound_siblings<decltype(lane)>(node, counts, f, lower_one, lower_zero, bounds);
    });
}

void ExactSolver::solve1(const Node& node, Facts& facts) {
    ClassWeights weights(data_, kernel_, node);
    for (int f = 0; f < node.features; ++f) {
        if (loop_.stopped()) return;
        weights.split(f);
        loop_.spend(node.words * work::kWord);
        if (!weights.admissible(objective_)) continue;
        facts.improve(objective_.leaf_cost(weights.leaf(true)) +
                          objective_.leaf_cost(weights.leaf(false)) + objective_.penalty,
                      node.feature[f]);
    }
    facts.raise(facts.upper);
}

template <class T>
void ExactSolver::solve2(const Node& node, NodeCounts& counts, Facts& facts) {
    const std::optional<Cost> optimum = remember(
        node, two_levels_.sweeps<T>(node, counts) ? two_levels_.sweep<T>(node, counts, scores_)
                                                  : two_levels_.score<T>(node, counts, scores_));
    if (!optimum) return;
    for (int f = 0; f < node.features; ++f)
        if (admissible<T>(node, counts, f)) facts.improve(scores_[f], node.feature[f]);
    facts.raise(*optimum);
}

template <class T>
void ExactSolver::solve2_limited(const Node& node, NodeCounts& counts, Facts& facts) {
    const std::optional<Cost> four_leaves =
        remember(node, two_levels_.sweeps<T>(node, counts)
                           ? two_levels_.sweep<T>(node, counts, scores_, &stumps_)
                           : two_levels_.score<T>(node, counts, scores_, &stumps_));
    if (!four_leaves) return;
    for (int f = 0; f < node.features; ++f)
        if (admissible<T>(node, counts, f))
            facts.improve(three_leaves<T>(node, counts, f), node.feature[f]);
    facts.raise(facts.upper);
}

template <class T>
Cost ExactSolver::three_leaves(const Node& node, const NodeCounts& counts, int f) const {
    const Cost zero = side<T>(node, counts, f, false).leaf + stumps_.side[1][f];
    const Cost one = side<T>(node, counts, f, true).leaf + stumps_.side[0][f];
    return std::min(zero, one) + objective_.penalty;
}

template <class T>
void ExactSolver::solve3(const Node& node, NodeCounts& counts, Cost bound, Facts& facts,
                         std::vector<Cost>& scores, bool all_scores, bool probe) {
    const std::optional<Cost> shallow = remember(node, two_levels_.score<T>(node, counts, scores));
    if (!shallow) return;
    order_.clear();
    for (int f = 0; f < node.features; ++f) {
        if (!admissible<T>(node, counts, f)) continue;
        order_.emplace_back(scores[f], f);
        facts.improve(scores[f], node.feature[f]);
    }
    if (facts.settled(bound)) return;
    start_bounds<T>(node, counts, *shallow, bounds_);
    // Where no tree comes near the bound, the most balanced splits come first: what is learned of
    // their sides bounds most of the others by similarity.
    if (probe && bound < facts.upper - facts.upper / kFarBelow)
        for (auto& [score, f] : order_) {
            const auto one = static_cast<std::int64_t>(counts.lanes<T>().weight_one[f]);
            score = -std::min(one, node.sums.weight - one);
        }
    std::sort(order_.begin(), order_.end());
    Cost least = kInfiniteCost;
    for (const auto& [score, f] : order_) {
        const Cost floor =
            side<T>(node, counts, f, true).floor(objective_, bounds_.at<T>(f, true)) +
            side<T>(node, counts, f, false).floor(objective_, bounds_.at<T>(f, false)) +
            objective_.penalty;
        const Cost goal = all_scores ? bound : std::min(bound, facts.upper);
        if (floor >= goal) {
            ++statistics_.bounded;
            least = std::min(least, floor);
            scores[f] = floor;
            continue;
        }
        if (loop_.stopped()) return;
        const CellPair cell =
            cells<T>(node, counts, f, hash_of_side(node, f), bounds_, goal - objective_.penalty);
        const Cost cost = cell.one + cell.zero + objective_.penalty;
        if (cell.exact) facts.improve(cost, node.feature[f]);
        if (loop_.stopped()) return;
        bound_siblings<T>(node, counts, f, cell.one, cell.zero, bounds_);
        least = std::min(least, cost);
        scores[f] = cost;
        if (facts.solved()) return;
    }
    facts.raise(least);
}

template <class T>
void ExactSolver::solve3_limited(const Node& node, NodeCounts& counts, const TreeSize& size,
                                 Cost bound, Facts& facts, std::vector<Cost>& scores,
                                 bool all_scores) {
    const std::optional<Cost> shallow =
        remember(node, two_levels_.score<T>(node, counts, scores, &stumps_));
    if (!shallow) return;
    order_.clear();
    Cost shallow_of_three = objective_.leaf_cost(node.sums);
    for (int f = 0; f < node.features; ++f) {
        if (!admissible<T>(node, counts, f)) continue;
        order_.emplace_back(scores[f], f);
        facts.improve(scores[f], node.feature[f]);
        shallow_of_three = std::min(shallow_of_three, three_leaves<T>(node, counts, f));
    }
    if (facts.settled(bound)) return;
    start_bounds<T>(node, counts, *shallow, bounds_);
    start_bounds<T>(node, counts, shallow_of_three, bounds_of_three_);
    std::sort(order_.begin(), order_.end());
    Cost least = kInfiniteCost;
    for (const auto& [score, f] : order_) {
        // What the two sides cost at least, by their number of leaves. With one and two it is
        // exact.
        constexpr int kMost = 4;
        Cost lower[2][kMost + 1] = {};
        bool open[2];
        for (const int s : {0, 1}) {
            const SideSummary summary = side<T>(node, counts, f, s == 1);
            open[s] = !summary.closed;
            std::fill_n(lower[s], kMost + 1, summary.leaf);
            if (!open[s]) continue;
            lower[s][2] = stumps_.side[s][f];
            lower[s][4] =
                std::min(lower[s][2], summary.floor(objective_, bounds_.at<T>(f, s == 1)));
            lower[s][3] =
                std::min(lower[s][2],
                         std::max(lower[s][4],
                                  summary.floor(objective_, bounds_of_three_.at<T>(f, s == 1))));
        }
        const auto split_lower = [&] {
            Cost best = kInfiniteCost;
            for (int i = 0; i < size.shares(); ++i) {
                const LeafShare share = size.share(i);
                best = std::min(best, lower[0][share.zero] + lower[1][share.one]);
            }
            return best + objective_.penalty;
        };
        const Cost goal = all_scores ? bound : std::min(bound, facts.upper);
        Cost cost = split_lower();
        if (cost >= goal) {
            ++statistics_.bounded;
        } else {
            if (loop_.stopped()) return;
            const ExtendedCells cell = extended_cells<T>(node, counts, f, hash_of_side(node, f),
                                                         CellExtra::kThreeLeaves, open);
            if (!cell.exact) return;
            for (const int s : {0, 1}) {
                if (!open[s]) continue;
                lower[s][3] = cell.extra[s];
                lower[s][4] = cell.two_levels[s];
            }
            cost = split_lower();
            facts.improve(cost, node.feature[f]);
            if (loop_.stopped()) return;
            bound_siblings<T>(node, counts, f, lower[1][4], lower[0][4], bounds_);
            bound_siblings<T>(node, counts, f, lower[1][3], lower[0][3], bounds_of_three_);
        }
        least = std::min(least, cost);
        scores[f] = cost;
        if (facts.solved()) return;
    }
    facts.raise(least);
}

/// Returns the hash of the side where feature `f` is 1, for the table of cells.
CoverHash ExactSolver::hash_of_side(const Node& node, int f) {
    if (!options_.ablations.cell_cache) return {};
    loop_.spend(node.cover.size * work::kHashedWord);
    return node.cover.hash_of_side(data_.hasher(), data_.column(node.feature[f]));
}

std::optional<Cost> ExactSolver::remember(const Node& node, std::optional<Cost> optimum) {
    if (optimum && options_.ablations.cell_cache && !node.narrow)
        cell_table_.insert(node.hash.key(), *optimum);
    return optimum;
}

template <class T>
SideSummary ExactSolver::side(const Node& node, const NodeCounts& counts, int f, bool one) const {
    const LaneCounts<T>& lanes = counts.lanes<T>();
    SideSummary out;
    LeafSums sums;
    for (int p = 0; p < counts.planes().classes; ++p) {
        const auto in_one = static_cast<std::int64_t>(lanes.single[p][f]);
        sums.add_class(one ? in_one : static_cast<std::int64_t>(lanes.total[p]) - in_one);
    }
    const auto rows_one = static_cast<std::int64_t>(lanes.rows_one[f]);
    out.rows = one ? rows_one : node.rows - rows_one;
    out.weight = sums.weight;
    out.leaf = objective_.leaf_cost(sums);
    out.closed = objective_.closed(out.leaf, out.rows);
    return out;
}

template <class T>
CellPair ExactSolver::cells(const Node& node, NodeCounts& counts, int f, const CoverHash& hash_one,
                            const ChildBounds& bounds, Cost goal) {
    const SideSummary sides[2] = {side<T>(node, counts, f, false), side<T>(node, counts, f, true)};
    const CoverKey key[2] = {(node.hash - hash_one).key(), hash_one.key()};
    Cost value[2] = {sides[0].floor(objective_, bounds.at<T>(f, false)),
                     sides[1].floor(objective_, bounds.at<T>(f, true))};
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
    if (!two_levels_.evaluate<T>(node, counts, f, sides, wanted, value))
        return {value[1], value[0], false};
    for (int s = 0; options_.ablations.cell_cache && !node.narrow && s < 2; ++s)
        if (wanted[s]) cell_table_.insert(key[s], value[s]);
    return {value[1], value[0], true};
}

template <class T>
ExtendedCells ExactSolver::extended_cells(const Node& node, NodeCounts& counts, int f,
                                          const CoverHash& hash_one, CellExtra which,
                                          const bool wanted[2]) {
    const SideSummary sides[2] = {side<T>(node, counts, f, false), side<T>(node, counts, f, true)};
    const CoverKey key[2] = {(node.hash - hash_one).key(), hash_one.key()};
    ExtendedCells found;
    bool missing[2] = {wanted[0], wanted[1]};
    for (int s = 0; options_.ablations.cell_cache && s < 2; ++s) {
        if (!wanted[s]) continue;
        const Cost known = cell_table_.find(key[s]),
                   extra = cell_table_.find(extra_key(key[s], which));
        if (known < 0 || extra < 0) continue;
        ++statistics_.cell_hits;
        found.two_levels[s] = known;
        found.extra[s] = extra;
        missing[s] = false;
    }
    found.exact = true;
    if (!missing[0] && !missing[1]) return found;
    ++statistics_.cells;
    if (!two_levels_.evaluate<T>(node, counts, f, sides, missing, found.two_levels, which,
                                 found.extra)) {
        found.exact = false;
        return found;
    }
    for (int s = 0; options_.ablations.cell_cache && !node.narrow && s < 2; ++s) {
        if (!missing[s]) continue;
        cell_table_.insert(key[s], found.two_levels[s]);
        cell_table_.insert(extra_key(key[s], which), found.extra[s]);
    }
    return found;
}

template <class T>
void ExactSolver::start_bounds(const Node& node, const NodeCounts& counts, Cost shallow,
                               ChildBounds& bounds) {
    const LaneCounts<T>& lanes = counts.lanes<T>();
    const std::int64_t known = options_.ablations.parent_bound ? objective_.lane_bound(shallow) : 0;
    const int plane = data_.planes().unavoidable;
    const std::int64_t lost = node.least_error;
    bounds.clear<T>(node.stride);
    if (known == 0 && lost == 0) return;
    T *const bound_one = bounds.side<T>(true), *const bound_zero = bounds.side<T>(false);
    for (int f = 0; f < node.features; ++f) {
        if (loop_.stopped()) return;  // the other bounds stay 0
        if (lost > 0) loop_.spend(node.words * work::kWord);
        const auto one = static_cast<std::int64_t>(lanes.weight_one[f]);
        const std::int64_t lost_one = lost > 0 ? count_plane(data_, node, f, plane) : 0;
        // The rows of a side are a subset of those of the node, so this holds for any leaf size.
        const std::int64_t lower_one = std::max(known - (node.sums.weight - one), lost_one);
        const std::int64_t lower_zero = std::max(known - one, lost - lost_one);
        bound_one[f] = static_cast<T>(std::clamp<std::int64_t>(lower_one, 0, one));
        bound_zero[f] =
            static_cast<T>(std::clamp<std::int64_t>(lower_zero, 0, node.sums.weight - one));
    }
}

template <class T>
void ExactSolver::bound_siblings(const Node& node, const NodeCounts& counts, int f, Cost lower_one,
                                 Cost lower_zero, ChildBounds& bounds) {
    if (!options_.ablations.similarity_bound || (lower_one <= 0 && lower_zero <= 0)) return;
    const LaneCounts<T>& lanes = counts.lanes<T>();
    const int classes = counts.planes().classes;
    loop_.spend(node.stride / kBlock * (4 + classes));
    const auto whole = [&](Cost cost) {
        return static_cast<T>(std::min(objective_.lane_bound(cost), node.sums.weight));
    };
    kernel_.lanes<T>().similarity({node.stride, classes, lanes.pairs.data(), lanes.weight_one,
                                   static_cast<T>(node.sums.weight), f, whole(lower_one),
                                   whole(lower_zero), objective_.similar_is_subset(),
                                   bounds.side<T>(true), bounds.side<T>(false)});
}

}  // namespace beamtree
