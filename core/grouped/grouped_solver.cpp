#include "grouped/grouped_solver.hpp"

#include <algorithm>

namespace beamtree {

namespace {

/// The key under which the table of cells has the optimum with three leaves.
CoverKey key_of_three(CoverKey key) {
    key.low ^= 0x2545F4914F6CDD1DULL;
    return key;
}

}  // namespace

void PairSums::start(int all_features) {
    features = all_features;
    stride = (all_features + 8 + 7) / 8 * 8;
    pairs.assign(static_cast<std::size_t>(features) * stride, 0);
    weight.assign(stride, 0);
    value.assign(stride, 0);
}

GroupedSolver::GroupedSolver(const GroupedData& data, const SquaredError& objective,
                             const Kernel& kernel, const Options& options, CellTable& cells,
                             Meter& meter, Statistics& statistics)
    : data_(data),
      objective_(objective),
      kernel_(kernel),
      options_(options),
      statistics_(statistics),
      loop_(meter, options.hooks.stop_at_look > 0 ? 1 : work::kBetweenLooks),
      cell_table_(cells) {}

void GroupedSolver::add(const GroupedNode& node, std::uint32_t group, PairSums& sums) {
    const std::uint16_t* const begin = node.item.data() + node.begin[group];
    const std::uint16_t* const end = node.item.data() + node.begin[group + 1];
    const std::int64_t packed = node.sum[group].packed;
    for (const std::uint16_t* g = begin; g < end; ++g) {
        std::int64_t* const row = sums.row(*g);
        for (const std::uint16_t* h = g; h < end; ++h) row[*h] += packed;
    }
}

void GroupedSolver::add_up_chains(const GroupedNode& node, PairSums& sums) const {
    kernel_.add_up_chains(node.chain_end.data(), node.features, sums.stride, sums.pairs.data());
}

bool GroupedSolver::count(const GroupedNode& node, PairSums& sums) {
    if (sums.features == node.features && sums.of.key() == node.hash.key()) return true;
    sums.start(node.features);
    sums.features = -1;  // until it is complete
    const std::int64_t items = node.groups > 0 ? node.item.size() / node.groups + 1 : 1;
    if (!loop_.each(node.groups, items * items / 2 + 4, [&](int first, int last) {
            for (int i = first; i < last; ++i) add(node, static_cast<std::uint32_t>(i), sums);
        }))
        return false;
    add_up_chains(node, sums);
    loop_.spend(pair_work(node) / 4);
    const Packing& packing = data_.packing();
    for (int f = 0; f < node.features; ++f) {
        sums.weight[f] = static_cast<double>(packing.weight(node.one[f].packed));
        sums.value[f] = static_cast<double>(packing.value(node.one[f].packed)) * objective_.factor;
    }
    sums.of = node.hash;
    sums.features = node.features;
    return true;
}

Cost GroupedSolver::run_kernel(const PairSums& sums, const PairSums* whole, const GroupSums& all) {
    const Packing& packing = data_.packing();
    const int features = sums.features, stride = sums.stride;
    best_one_.resize(stride);
    best_zero_.resize(stride);
    PairScores in;
    in.features = features;
    in.stride = stride;
    in.pairs = sums.pairs.data();
    in.bits = packing.bits;
    in.factor = objective_.factor;
    if (whole != nullptr) {
        rest_weight_.resize(stride);
        rest_value_.resize(stride);
        for (int f = 0; f < stride; ++f) {
            rest_weight_[f] = whole->weight[f] - sums.weight[f];
            rest_value_[f] = whole->value[f] - sums.value[f];
        }
        in.whole = whole->pairs.data();
        in.weight = rest_weight_.data();
        in.value = rest_value_.data();
    } else {
        in.weight = sums.weight.data();
        in.value = sums.value.data();
    }
    in.all_weight = static_cast<double>(packing.weight(all.packed));
    in.all_value = static_cast<double>(packing.value(all.packed)) * objective_.factor;
    in.min_weight = static_cast<double>(objective_.min_rows);
    in.penalty = static_cast<double>(objective_.penalty);
    in.best_one = best_one_.data();
    in.best_zero = best_zero_.data();
    const double split = kernel_.score_pairs(in) - in.penalty;
    const auto leaf = static_cast<double>(score_of(in.all_weight, in.all_value));
    return all.square - static_cast<Cost>(std::max(split, leaf));
}

std::optional<Cost> GroupedSolver::score2(const GroupedNode& node, PairSums& sums,
                                          std::vector<Cost>& scores) {
    if (!count(node, sums) || loop_.stopped()) return {};
    loop_.spend(pair_work(node));
    const Cost optimum = run_kernel(sums, nullptr, node.total);
    scores.resize(node.features);
    for (int f = 0; f < node.features; ++f)
        scores[f] = node.total.square - static_cast<Cost>(best_one_[f] + best_zero_[f]) +
                    objective_.penalty;
    if (options_.ablations.cell_cache) cell_table_.insert(node.hash.key(), optimum);
    return optimum;
}

void GroupedSolver::solve(const GroupedNode& node, PairSums& sums, const TreeSize& size, Cost bound,
                          Facts& facts, bool /*probe*/) {
    if (size.depth == 1)
        solve1(node, facts);
    else if (size.depth == 2)
        solve2(node, sums, size.limited(), facts);
    else if (size.limited())
        solve3_limited(node, sums, size, bound, facts, scores_, false);
    else
        solve3(node, sums, bound, facts, scores_, false);
}

void GroupedSolver::score3(const GroupedNode& node, PairSums& sums, const TreeSize& size,
                           Facts& facts, std::vector<Cost>& scores) {
    if (size.limited())
        solve3_limited(node, sums, size, kInfiniteCost, facts, scores, true);
    else
        solve3(node, sums, kInfiniteCost, facts, scores, true);
}

void GroupedSolver::solve1(const GroupedNode& node, Facts& facts) {
    for (int f = 0; f < node.features; ++f)
        facts.improve(side(node, f, false).leaf + side(node, f, true).leaf + objective_.penalty,
                      node.feature[f]);
    loop_.spend(8 * node.features);
    facts.raise(facts.upper);
}

void GroupedSolver::solve2(const GroupedNode& node, PairSums& sums, bool limited, Facts& facts) {
    const std::optional<Cost> optimum = score2(node, sums, scores_);
    if (!optimum) return;
    const Packing& packing = data_.packing();
    for (int f = 0; f < node.features; ++f) {
        if (!limited) {
            facts.improve(scores_[f], node.feature[f]);
            continue;
        }
        const GroupSums one = node.side(f, true), zero = node.side(f, false);
        const Cost split_one =
            one.square - static_cast<Cost>(best_one_[f]) + objective_.leaf_cost(packing.sums(zero));
        const Cost split_zero = zero.square - static_cast<Cost>(best_zero_[f]) +
                                objective_.leaf_cost(packing.sums(one));
        facts.improve(std::min(split_one, split_zero) + objective_.penalty, node.feature[f]);
    }
    facts.raise(limited ? facts.upper : *optimum);
}

GroupedSide GroupedSolver::side(const GroupedNode& node, int f, bool one) const {
    const ValueSums sums = data_.packing().sums(node.side(f, one));
    GroupedSide out;
    out.rows = sums.weight;
    out.leaf = objective_.leaf_cost(sums);
    out.closed = objective_.closed(out.leaf, out.rows);
    return out;
}

void GroupedSolver::solve3(const GroupedNode& node, PairSums& sums, Cost bound, Facts& facts,
                           std::vector<Cost>& scores, bool all_scores) {
    if (!score2(node, sums, scores)) return;
    order_.clear();
    for (int f = 0; f < node.features; ++f) {
        order_.emplace_back(scores[f], f);
        facts.improve(scores[f], node.feature[f]);
    }
    if (facts.settled(bound)) return;
    std::sort(order_.begin(), order_.end());
    bounds_.clear(node.features);
    const Cost slack = objective_.slack(2, node.rows);
    Cost least = kInfiniteCost;
    for (const auto& [score, f] : order_) {
        const Cost goal = all_scores ? bound : std::min(bound, facts.upper);
        const Cells cell = cells(node, sums, f, goal - objective_.penalty);
        const Cost cost = cell.side[0] + cell.side[1] + objective_.penalty;
        if (cell.exact) facts.improve(cost, node.feature[f]);
        if (loop_.stopped()) return;
        bound_siblings(node, sums, f, cell.side[1] - slack, cell.side[0] - slack, bounds_);
        least = std::min(least, cost);
        scores[f] = cost;
        if (facts.solved()) return;
    }
    facts.raise(least);
}

auto GroupedSolver::cells(const GroupedNode& node, const PairSums& sums, int f, Cost goal)
    -> Cells {
    const GroupedSide sides[2] = {side(node, f, false), side(node, f, true)};
    Cells found;
    bool missing[2];
    for (const int s : {0, 1}) {
        found.side[s] = sides[s].floor(objective_, bounds_.at(f, s == 1));
        missing[s] = !sides[s].closed;
    }
    if (found.side[0] + found.side[1] >= goal) {
        ++statistics_.bounded;
        return found;
    }
    for (int s = 0; options_.ablations.cell_cache && s < 2; ++s) {
        if (!missing[s]) continue;
        const Cost known = cell_table_.find(node.side(f, s == 1).cover_hash().key());
        if (known < 0) continue;
        ++statistics_.cell_hits;
        found.side[s] = known;
        missing[s] = false;
    }
    if (missing[0] || missing[1]) {
        if (found.side[0] + found.side[1] >= goal) {
            ++statistics_.bounded;
            return found;
        }
        ++statistics_.cells;
        const bool counted = count_side(node, f);
        // The side whose leaf costs more comes first: often the other one is not needed then.
        const int first = sides[1].leaf >= sides[0].leaf ? 1 : 0;
        for (const int s : {first, 1 - first}) {
            if (!missing[s]) continue;
            if (found.side[0] + found.side[1] >= goal) return found;
            found.side[s] = score_side(node, sums, f, s == 1, counted);
            if (options_.ablations.cell_cache)
                cell_table_.insert(node.side(f, s == 1).cover_hash().key(), found.side[s]);
        }
    }
    found.exact = true;
    return found;
}

bool GroupedSolver::count_side(const GroupedNode& node, int f) {
    const std::span<const std::uint32_t> with = node.groups_with(f);
    const bool one = 2 * with.size() <= static_cast<std::size_t>(node.groups);
    side_.start(node.features);
    if (one) {
        for (const std::uint32_t i : with) add(node, i, side_);
    } else {
        inside_.assign(node.groups, 1);
        for (const std::uint32_t i : with) inside_[i] = 0;
        for (int i = 0; i < node.groups; ++i)
            if (inside_[i] != 0) add(node, static_cast<std::uint32_t>(i), side_);
    }
    add_up_chains(node, side_);
    const Packing& packing = data_.packing();
    for (int g = 0; g < node.features; ++g) {
        const std::int64_t packed = side_.row(g)[g];
        side_.weight[g] = static_cast<double>(packing.weight(packed));
        side_.value[g] = static_cast<double>(packing.value(packed)) * objective_.factor;
    }
    const std::int64_t items = static_cast<std::int64_t>(node.item.size()) / node.groups + 1;
    loop_.spend(node.groups / 4 * items * items + pair_work(node) / 4);
    return one;
}

Cost GroupedSolver::score_side(const GroupedNode& node, const PairSums& sums, int f, bool one,
                               bool counted) {
    loop_.spend(pair_work(node));
    return run_kernel(side_, one == counted ? nullptr : &sums, node.side(f, one));
}

void GroupedSolver::solve3_limited(const GroupedNode& node, PairSums& sums, const TreeSize& size,
                                   Cost bound, Facts& facts, std::vector<Cost>& scores,
                                   bool all_scores) {
    if (!score2(node, sums, scores)) return;
    order_.clear();
    for (const int s : {0, 1}) stump_[s].resize(node.features);
    for (int f = 0; f < node.features; ++f) {
        order_.emplace_back(scores[f], f);
        facts.improve(scores[f], node.feature[f]);  // at most four leaves
        stump_[0][f] = node.side(f, false).square - static_cast<Cost>(best_zero_[f]);
        stump_[1][f] = node.side(f, true).square - static_cast<Cost>(best_one_[f]);
    }
    if (facts.settled(bound)) return;
    std::sort(order_.begin(), order_.end());
    bounds_.clear(node.features);
    bounds_of_three_.clear(node.features);
    const Cost slack = objective_.slack(2, node.rows);
    Cost least = kInfiniteCost;
    for (const auto& [score, f] : order_) {
        // What the two sides cost at least, by their number of leaves. With one and two it is
        // exact.
        constexpr int kMost = 4;
        Cost lower[2][kMost + 1] = {};
        bool open[2];
        for (const int s : {0, 1}) {
            const GroupedSide summary = side(node, f, s == 1);
            open[s] = !summary.closed;
            std::fill_n(lower[s], kMost + 1, summary.leaf);
            if (!open[s]) continue;
            lower[s][2] = stump_[s][f];
            lower[s][4] = std::min(lower[s][2], summary.floor(objective_, bounds_.at(f, s == 1)));
            lower[s][3] = std::min(
                lower[s][2],
                std::max(lower[s][4], summary.floor(objective_, bounds_of_three_.at(f, s == 1))));
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
            const LimitedCells cell = limited_cells(node, sums, f);
            for (const int s : {0, 1}) {
                if (!open[s]) continue;
                lower[s][3] = cell.three[s];
                lower[s][4] = cell.four[s];
            }
            cost = split_lower();
            facts.improve(cost, node.feature[f]);
            if (loop_.stopped()) return;
            bound_siblings(node, sums, f, lower[1][4] - slack, lower[0][4] - slack, bounds_);
            bound_siblings(node, sums, f, lower[1][3] - slack, lower[0][3] - slack,
                           bounds_of_three_);
        }
        least = std::min(least, cost);
        scores[f] = cost;
        if (facts.solved()) return;
    }
    facts.raise(least);
}

auto GroupedSolver::limited_cells(const GroupedNode& node, const PairSums& sums, int f)
    -> LimitedCells {
    LimitedCells found;
    bool is_counted = false, counted = false;
    for (const int s : {0, 1}) {
        const GroupSums all = node.side(f, s == 1);
        const CoverKey key = all.cover_hash().key();
        if (options_.ablations.cell_cache) {
            found.four[s] = cell_table_.find(key);
            found.three[s] = cell_table_.find(key_of_three(key));
            if (found.four[s] >= 0 && found.three[s] >= 0) {
                ++statistics_.cell_hits;
                continue;
            }
        }
        if (!is_counted) {
            ++statistics_.cells;
            counted = count_side(node, f);
            is_counted = true;
        }
        found.four[s] = score_side(node, sums, f, s == 1, counted);
        found.three[s] = three_leaves((s == 1) == counted ? nullptr : &sums, all);
        if (!options_.ablations.cell_cache) continue;
        cell_table_.insert(key, found.four[s]);
        cell_table_.insert(key_of_three(key), found.three[s]);
    }
    return found;
}

Cost GroupedSolver::three_leaves(const PairSums* whole, const GroupSums& all) const {
    const double* weight = whole != nullptr ? rest_weight_.data() : side_.weight.data();
    const double* value = whole != nullptr ? rest_value_.data() : side_.value.data();
    const Packing& packing = data_.packing();
    const ValueSums sums = packing.sums(all);
    const auto all_weight = static_cast<double>(sums.weight);
    const double all_value = static_cast<double>(sums.value) * objective_.factor;
    const auto least = static_cast<double>(objective_.min_rows);
    Cost most = score_of(all_weight, all_value);
    for (int g = 0; g < side_.features; ++g) {
        if (weight[g] < least || all_weight - weight[g] < least) continue;
        const Cost one = score_of(weight[g], value[g]);
        const Cost zero = score_of(all_weight - weight[g], all_value - value[g]);
        most = std::max({most, one + static_cast<Cost>(best_zero_[g]) - objective_.penalty,
                         zero + static_cast<Cost>(best_one_[g]) - objective_.penalty});
    }
    return all.square - most;
}

void GroupedSolver::bound_siblings(const GroupedNode& node, const PairSums& sums, int f,
                                   Cost lower_one, Cost lower_zero, GroupedBounds& bounds) {
    if (!options_.ablations.similarity_bound || objective_.similar_is_subset() ||
        (lower_one <= 0 && lower_zero <= 0))
        return;
    const Packing& packing = data_.packing();
    const std::int64_t weight_f = packing.weight(node.one[f].packed);
    for (int h = 0; h < node.features; ++h) {
        const std::int64_t both = packing.weight(sums.pair(f, h));
        const std::int64_t weight_h = packing.weight(node.one[h].packed);
        if (both == weight_f) bounds.raise(h, true, lower_one);
        if (node.rows - weight_f - weight_h + both == 0) bounds.raise(h, true, lower_zero);
        if (both == 0) bounds.raise(h, false, lower_one);
        if (both == weight_h) bounds.raise(h, false, lower_zero);
    }
    loop_.spend(2 * node.features);
}

}  // namespace beamtree
