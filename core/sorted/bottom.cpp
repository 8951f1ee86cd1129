#include "sorted/bottom.hpp"

#include <algorithm>

#include "sorted/sorted_objectives.hpp"

namespace beamtree {

template <SearchObjective O>
void SortedBottom<O>::solve(const SortedNode<O>& node, const TreeSize& size, Cost bound,
                            Facts& facts) {
    const Cost leaf = objective_.leaf_cost(node.sums);
    facts.improve(leaf, kLeaf);
    if (size.depth == 0 || node.orders == 0 || objective_.closed(leaf, node.leaf_rows)) {
        facts.raise(facts.upper);
        return;
    }
    facts.raise(objective_.floor(node.sums, size.depth));
    if (facts.settled(bound)) return;
    three_leaves_ = size.limited();
    if (size.depth == 1)
        solve_one(node, facts);
    else
        solve_two(node, bound, facts);
    three_leaves_ = false;
}

template <SearchObjective O>
void SortedBottom<O>::solve_one(const SortedNode<O>& node, Facts& facts) {
    for (int o = 0; o < node.orders; ++o) {
        const OrderScore score = rounds_.best_stump(node, o);
        if (score.cost < facts.upper)
            facts.improve(score.cost, node.test_at(data_, {o, score.last}));
        keep_root_score(node, 1, o, score);
        if (meter_.stopped()) return;
    }
    facts.raise(facts.upper);
}

template <SearchObjective O>
void SortedBottom<O>::solve_two(const SortedNode<O>& node, Cost bound, Facts& facts) {
    least_ = objective_.leaf_cost(node.sums);
    start(node, is_root(node));
    for (int o = 0; o < node.orders; ++o)
        if (!first_round(node, o, bound, facts)) return;
    best_first_.clear();
    for (int o = 0; o < node.orders; ++o) best_first_.push_back(o);
    std::stable_sort(best_first_.begin(), best_first_.end(),
                     [&](int a, int b) { return sweeps_[a].score.cost < sweeps_[b].score.cost; });
    for (const int o : best_first_)
        while (!sweeps_[o].intervals.empty()) {
            if (facts.settled(bound)) return;
            if (!round(node, sweeps_[o], bound, facts)) return;
        }
    facts.raise(least_);
}

template <SearchObjective O>
bool SortedBottom<O>::look_ahead(const SortedNode<O>& node, std::vector<OrderScore>& scores) {
    least_ = kInfiniteCost;
    start(node, true);
    scores.resize(node.orders);
    Facts found;
    for (int o = 0; o < node.orders; ++o) {
        if (scores[o].last >= 0) continue;
        if (!first_round(node, o, kInfiniteCost, found)) return false;
        scores[o] = sweeps_[o].score;
    }
    return true;
}

template <SearchObjective O>
void SortedBottom<O>::start(const SortedNode<O>& node, bool exact) {
    exact_ = exact;
    rounds_.start(node);
    if (sweeps_.size() < static_cast<std::size_t>(node.orders)) sweeps_.resize(node.orders);
}

template <SearchObjective O>
bool SortedBottom<O>::first_round(const SortedNode<O>& node, int order, Cost bound, Facts& facts) {
    Sweep& sweep = sweeps_[order];
    sweep.order = order;
    sweep.score = {};
    sweep.thresholds.list(node, objective_, order);
    sweep.intervals.clear();
    sweep.items.clear();
    if (sweep.thresholds.size() == 0) return true;
    sweep.intervals.push_back({-1, sweep.thresholds.size()});
    return facts.settled(bound) || round(node, sweep, bound, facts);
}

/// Returns the cost of the best tree of a threshold, or a bound for it, from those of its sides.
/// With three leaves, only one side is split. The bounds between thresholds are those for four
/// leaves, which never cost more.
template <SearchObjective O>
Cost SortedBottom<O>::tree_cost(const LaneCosts& costs, const std::array<Cost, kLanes> (&side)[2],
                                int lane) const {
    const Cost both = three_leaves_ ? std::min(costs.leaf[0][lane] + side[1][lane],
                                               side[0][lane] + costs.leaf[1][lane])
                                    : side[0][lane] + side[1][lane];
    return both + objective_.penalty;
}

template <SearchObjective O>
void SortedBottom<O>::keep_root_score(const SortedNode<O>& node, int levels, int order,
                                      const OrderScore& score) {
    // Smaller trees come later, when smaller trees than the best one are looked for.
    if (!is_root(node) || levels < root_levels_ || three_leaves_) return;
    if (levels > root_levels_) root_scores_.clear();
    root_levels_ = levels;
    root_scores_.resize(node.orders);
    if (score.cost < root_scores_[order].cost) root_scores_[order] = score;
}

template <SearchObjective O>
bool SortedBottom<O>::round(const SortedNode<O>& node, Sweep& sweep, Cost bound, Facts& facts) {
    const Cost better = std::min(bound, facts.upper);
    remove_intervals(sweep, better);
    if (sweep.intervals.empty()) return true;
    choose_lanes(node, sweep);
    const bool exact = exact_ && sweep.items.empty();
    LaneCosts costs;
    if (!rounds_.evaluate(sweep.order, sweep.thresholds, lanes_, exact ? kInfiniteCost : better,
                          sweep.items, costs))
        return false;
    int lane = 0;
    const Cost slack = objective_.slack(1, node.rows);
    next_.clear();
    for (std::size_t i = 0; i < sweep.intervals.size(); ++i) {
        Interval rest = sweep.intervals[i];
        for (; lane < lanes_until_[i]; ++lane) {
            const int t = lanes_[lane];
            const Cost left = costs.lower[0][lane] - slack;
            const Cost right = costs.lower[1][lane] - slack;
            const Cost cost = tree_cost(costs, costs.cost, lane);
            least_ = std::min(least_, tree_cost(costs, costs.lower, lane));
            // Costs from the goal on are exact only if all items were evaluated.
            if (cost < sweep.score.cost && (exact || !exact_ || cost < better))
                sweep.score = {cost, sweep.thresholds.last[t]};
            if (cost < facts.upper)
                facts.improve(cost, node.test_at(data_, {sweep.order, sweep.thresholds.last[t]}));
            const Interval before = rest.before(t, left, right);
            if (!before.empty()) next_.push_back(before);
            rest = rest.after(t, left, right);
        }
        if (!rest.empty()) next_.push_back(rest);
    }
    keep_root_score(node, 2, sweep.order, sweep.score);
    sweep.intervals.swap(next_);
    const Cost goal = std::min(bound, facts.upper);
    remove_intervals(sweep, goal);
    if (!sweep.intervals.empty()) drop_items(sweep, goal);
    return true;
}

template <SearchObjective O>
void SortedBottom<O>::drop_items(Sweep& sweep, Cost goal) {
    gaps_.clear();
    const Thresholds& thresholds = sweep.thresholds;
    for (const Interval& interval : sweep.intervals) {
        // The nearest lanes outside the interval.
        const auto after = std::lower_bound(lanes_.begin(), lanes_.end(), interval.end);
        const auto up_to = std::upper_bound(lanes_.begin(), lanes_.end(), interval.begin);
        Gap gap;
        const Cost splits = 2 * objective_.penalty;
        if (up_to != lanes_.begin()) {
            gap.lane[0] = static_cast<int>(up_to - lanes_.begin()) - 1;
            const auto between = thresholds.left(interval.end) - thresholds.left(up_to[-1]);
            gap.others[0][0] = splits + interval.right[1];
            gap.others[1][0] = splits + interval.left[1] - objective_.removal(between);
        }
        if (after != lanes_.end()) {
            gap.lane[1] = static_cast<int>(after - lanes_.begin());
            const auto between = thresholds.left(*after) - thresholds.left(interval.begin);
            gap.others[0][1] = splits + interval.right[0] - objective_.removal(between);
            gap.others[1][1] = splits + interval.left[0];
        }
        gaps_.push_back(gap);
    }
    least_ = std::min(least_, rounds_.drop_items(gaps_, goal, sweep.items));
}

template <SearchObjective O>
void SortedBottom<O>::remove_intervals(Sweep& sweep, Cost goal) {
    std::size_t kept = 0;
    const Thresholds& thresholds = sweep.thresholds;
    for (const Interval& interval : sweep.intervals) {
        const Cost bound = interval.bound(thresholds, objective_);
        if (bound >= goal) {
            least_ = std::min(least_, bound);
            continue;
        }
        sweep.intervals[kept++] = interval;
    }
    sweep.intervals.resize(kept);
}

template <SearchObjective O>
void SortedBottom<O>::choose_lanes(const SortedNode<O>& node, Sweep& sweep) {
    // Each interval gets lanes in proportion to its rows, and at least one as long as there are
    // enough.
    const Thresholds& thresholds = sweep.thresholds;
    const auto rows_in = [&](const Interval& interval) {
        return thresholds.rows(interval.end, node.rows) -
               thresholds.rows(interval.begin, node.rows);
    };
    std::int64_t rows_left = 0;
    for (const Interval& interval : sweep.intervals) rows_left += rows_in(interval);
    lanes_.clear();
    lanes_until_.clear();
    int intervals_left = static_cast<int>(sweep.intervals.size());
    for (const Interval& interval : sweep.intervals) {
        const int free = kLanes - static_cast<int>(lanes_.size());
        const int rows = rows_in(interval);
        --intervals_left;
        int share = static_cast<int>((static_cast<std::int64_t>(free) * rows + rows_left / 2) /
                                     std::max<std::int64_t>(rows_left, 1));
        share = std::clamp(share, 1, std::max(1, free - intervals_left));
        share = std::min(share, free);
        rows_left -= rows;
        const int first = interval.begin + 1, count = interval.end - first;
        if (count <= share) {
            for (int t = first; t < interval.end; ++t) lanes_.push_back(t);
        } else {
            const int begin = thresholds.rows(interval.begin, node.rows);
            int next = first;
            for (int i = 1; i <= share; ++i) {
                const auto aim =
                    static_cast<int>(begin + static_cast<std::int64_t>(rows) * i / (share + 1));
                const int last = interval.end - (share - i);  // leave one for each further lane
                next = nearest(thresholds, next, last, aim);
                lanes_.push_back(next++);
            }
        }
        lanes_until_.push_back(static_cast<int>(lanes_.size()));
    }
}

#define BEAMTREE_INSTANCE(O) template class SortedBottom<O>;
BEAMTREE_SORTED_OBJECTIVES(BEAMTREE_INSTANCE)
#undef BEAMTREE_INSTANCE

}  // namespace beamtree
