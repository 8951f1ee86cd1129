#include "search/pass.hpp"

#include <algorithm>
#include <optional>

#include "rule/combined.hpp"
#include "rule/complete.hpp"
#include "rule/discrepancy.hpp"
#include "rule/gain.hpp"
#include "rule/halving_top_k.hpp"
#include "rule/purity.hpp"
#include "rule/top_k.hpp"
#include "search/narrow.hpp"

namespace beamtree {

template <class Rule>
Facts Pass<Rule>::run(const Node& node, int depth, Cost bound, double units_ahead) {
    const State state = rule_.ahead(rule_.initial_state(context(node, depth)), units_ahead);
    Reach skipped = rule_.nothing_needed();
    return solve(node, depth, bound, state, work_.cache.find(node.hash.key(), depth), skipped);
}

template <class Rule>
Facts Pass<Rule>::solve(const Node& node, int depth, Cost bound, const State& state, Facts facts,
                        Reach& skipped) {
#ifdef BEAMTREE_CHECKED
    work_.ledger.check(node.hash.key(), node.cover);
#endif
    const Objective& objective = work_.objective;
    const Cost leaf = objective.leaf(node.weight, node.majority);
    facts.improve(leaf, kLeaf);
    if (depth == 0 || node.features == 0 || objective.closed(leaf, node.rows)) {
        facts.raise(facts.upper);
        root_improved(depth, facts);
        return facts;
    }
    facts.raise(objective.penalty);  // a leaf that is not closed costs more than one split
    if (const int plane = work_.data.planes().unavoidable; plane >= 0)
        facts.raise(objective.unit * node.plane_weight[plane]);
    Archive& archive = work_.archive[depth];
    const bool use_archive = work_.options.archive_bound && depth < work_.options.max_depth;
    if (use_archive && !facts.settled(bound)) {
        facts.raise(archive.bound(node, std::min(bound, facts.upper)));
        if (facts.settled(bound)) ++work_.statistics.archive_hits;
    }
    const Cost known = facts.lower;
    if (!facts.settled(bound) && !halted()) expand(node, depth, bound, state, facts, skipped);
    if (use_archive && facts.lower > known) archive.add(node, facts.lower);
    facts = work_.cache.merge(node.hash.key(), depth, facts);
    root_improved(depth, facts);
    return facts;
}

template <class Rule>
void Pass<Rule>::expand(const Node& node, int depth, Cost bound, const State& state, Facts& facts,
                        Reach& skipped) {
    const bool bottom = depth <= work_.options.exact_levels;
    if (!bottom && rule_.prune_node(state)) {
        skipped = rule_.least(skipped, rule_.skip(state));
        return;
    }
    if (explored(node, depth, bound, state, skipped)) return;
    work_.meter.count_node();
    const Node& tried = depth >= 3 && mode_.narrows_much(node)
                            ? ranking_.outer_features(node, work_.level[depth], mode_)
                            : node;
    if (bottom)
        solve_bottom(tried, depth, bound, state, facts);
    else
        with_lanes(tried, [&](auto lane) {
            branch<decltype(lane)>(tried, depth, bound, state, facts, skipped);
        });
}

/// Whether a memo says that the pass would find nothing new here.
template <class Rule>
bool Pass<Rule>::explored(const Node& node, int depth, Cost bound, const State& state,
                          Reach& skipped) {
    const bool narrow = mode_.narrows(node);
    if (mode_.probe || !work_.options.memo ||
        (depth <= work_.options.exact_levels ? !narrow : !Rule::kPrunes && !narrow))
        return false;
    const Memo* memo = work_.memos.find(node.hash.key(), depth);
    if (memo == nullptr || memo->bound < bound ||
        memo->width < std::min(mode_.width, node.features))
        return false;
    if (depth > work_.options.exact_levels) {
        if (Rule::kPrunes && !rule_.covers(memo->reach, rule_.reach(state))) return false;
        skipped = rule_.least(skipped, rule_.skip_again(state, memo->need));
    }
    narrowed_ = narrowed_ || narrow;
    return true;
}

template <class Rule>
void Pass<Rule>::remember(const Node& node, int depth, Cost bound, const State& state,
                          const Reach& skipped) {
    Memo& memo = work_.memos.of(node.hash.key(), depth);
    memo.reach = rule_.reach(state);
    memo.need = rule_.need(state, skipped);
    memo.bound = bound;
    memo.width = mode_.narrows(node) || node.narrow ? mode_.width : PassMode::kAllFeatures;
}

template <class Rule>
void Pass<Rule>::solve_bottom(const Node& node, int depth, Cost bound, const State& state,
                              Facts& facts) {
    if (depth == 3 && (mode_.narrows(node) || node.narrow)) {
        with_lanes(node,
                   [&](auto lane) { solve_narrow<decltype(lane)>(node, depth, bound, facts); });
        if (!halted() && !facts.settled(bound)) {
            narrowed_ = true;
            remember(node, depth, bound, state, rule_.nothing_needed());
        }
        return;
    }
    // What a probe proves beyond its need bounds similar nodes, and makes the next probe cheap.
    if (mode_.probe) bound = 2 * bound + 10 * work_.objective.unit;
    work_.bottom.solve(node, work_.level[depth], depth, bound, facts);
}

/// A tree of depth 3 from a few features; its first split is evaluated again with all of the node.
/// Says nothing of the lower bound.
template <class Rule>
template <class T>
void Pass<Rule>::solve_narrow(const Node& node, int depth, Cost bound, Facts& facts) {
    Level& level = work_.level[depth];
    work_.bottom.score<T>(node, level);
    ranking_.list_admissible<T>(node, level);
    ranking_.measure_gains(node, level);
    for (const int f : level.ranked) facts.improve(level.key[f], node.feature[f]);
    if (facts.settled(bound)) return;
    narrow(node, level, mode_.width, work_.narrow.child);
    Facts found = facts;
    work_.bottom.solve3<T>(work_.narrow.child, work_.narrow, bound, found, false);
    if (found.upper >= facts.upper) return;
    facts.improve(found.upper, found.split);
    if (halted()) return;
    const auto place =
        std::lower_bound(node.feature.begin(), node.feature.begin() + node.features, facts.split);
    const int f = static_cast<int>(place - node.feature.begin());
    const CellPair cell = work_.bottom.cells<T>(node, level, f, level.child_hash[f], kInfiniteCost);
    facts.improve(cell.one + cell.zero + work_.objective.penalty, node.feature[f]);
}

template <class Rule>
template <class T>
void Pass<Rule>::branch(const Node& node, int depth, Cost bound, const State& state, Facts& facts,
                        Reach& skipped) {
    Level& level = work_.level[depth];
    const Cost penalty = work_.objective.penalty, asked = bound;

    const Cost three_levels = ranking_.rank<T>(node, depth, mode_, facts);
    if (halted()) return;
    std::optional<ClassWeights> weights;
    if constexpr (Rule::kWholeContext) weights.emplace(work_.data, node);
    // No tree of more levels is worse than the best of three: a search below that + 1 is exact.
    if (three_levels >= 0) bound = std::min(bound, three_levels + 1);
    Cost least = kInfiniteCost;
    Reach below = rule_.nothing_needed();
    int position = -1, free_rank = 0;
    for (const int f : level.ranked) {
        ++position;
        Cost goal = std::min(bound, facts.upper);
        bool skip = false;
        if (facts.lower >= goal) return;
        Facts child[2] = {ranking_.child_facts<T>(node, depth, f, false),
                          ranking_.child_facts<T>(node, depth, f, true)};
        if (child[0].lower + child[1].lower + penalty >= goal) {
            ++work_.statistics.bounded;
        } else {
            const int rank = work_.options.free_ranks ? free_rank++ : position;
            State child_state[2];
            update(node, depth, f, rank, weights ? &*weights : nullptr, state, child_state);
            skip = skips(child_state, below);
            if (!skip) {
                goal = std::min(goal, child[0].upper + child[1].upper + penalty);
                solve_children<T>(node, depth, f, goal, child_state, child, below);
            }
        }
        if (!skip) facts.improve(child[0].upper + child[1].upper + penalty, node.feature[f]);
        root_improved(depth, facts);
        if (halted()) return;
        least = std::min(least, child[0].lower + child[1].lower + penalty);
        work_.bottom.bound_siblings<T>(node, level, f, child[1].lower, child[0].lower);
    }
    if (node.narrow)
        narrowed_ = true;  // the features that were not looked at have no bounds
    else
        facts.raise(least);
    if ((Rule::kPrunes || mode_.narrows(node) || node.narrow) && !mode_.probe &&
        !facts.settled(asked))
        remember(node, depth, asked, state, below);
    skipped = rule_.least(skipped, below);
}

/// Whether the rule skips the split that leads to these children.
template <class Rule>
bool Pass<Rule>::skips(const State child[2], Reach& skipped) {
    bool any = false;
    for (const int side : {0, 1}) {
        if (!rule_.prune_split(child[side])) continue;
        skipped = rule_.least(skipped, rule_.skip(child[side]));
        any = true;
    }
    return any;
}

/// The states of the two children of a split.
template <class Rule>
void Pass<Rule>::update(const Node& node, int depth, int f, int rank, ClassWeights* weights,
                        const State& state, State child[2]) {
    const Level& level = work_.level[depth];
    NodeContext context;
    context.rank = rank;
    context.feature = work_.data.original(node.feature[f]);
    context.gain = static_cast<double>(level.gain[f]) * kGainUnit;
    context.best_gain = static_cast<double>(level.best_gain) * kGainUnit;
    context.remaining_depth = depth - 1;
    context.level = work_.options.max_depth - context.remaining_depth;
    if constexpr (!Rule::kWholeContext) {
        child[0] = child[1] = rule_.update(state, context);
        return;
    }
    weights->split(f);
    for (const int side : {0, 1}) {
        weights->describe(side == 1, context);
        child[side] = rule_.update(state, context);
    }
}

template <class Rule>
NodeContext Pass<Rule>::context(const Node& node, int depth) const {
    NodeContext context;
    context.remaining_depth = depth;
    context.level = work_.options.max_depth - depth;
    ClassWeights(work_.data, node).describe(context);
    return context;
}

/// Solves the children of a feature as far as the split may still cost less than `goal`: first one
/// that is solved already, else the one with more errors.
template <class Rule>
template <class T>
void Pass<Rule>::solve_children(const Node& node, int depth, int f, Cost goal, const State state[2],
                                Facts child[2], Reach& skipped) {
    Level& level = work_.level[depth];
    const SideSummary zero = work_.bottom.side<T>(node, level, f, false);
    const SideSummary one = work_.bottom.side<T>(node, level, f, true);
    const int first =
        child[1].solved() != child[0].solved() ? child[1].solved() : one.leaf >= zero.leaf;
    for (const int side : {first, 1 - first}) {
        // As in the paper, the second has the room that the best tree of the first leaves it: a
        // pass under a rule looks for better trees, and is not clean here anyway if the first is
        // not solved.
        const bool tight = Rule::kPrunes && side != first;
        const Cost other = tight ? child[1 - side].upper : child[1 - side].lower;
        const Cost room = goal - work_.objective.penalty - other;
        if (child[side].lower >= room) return;
        if (child[side].solved()) continue;
        make_child<T>(node, level, f, side == 1, side == 1 ? one.rows : zero.rows);
        child[side] = solve(level.child, depth - 1, room, state[side], child[side], skipped);
        if (halted()) return;
        if (child[side].solved()) rule_.terminal_state(state[side]);
    }
}

/// level.child: a side of a split. A feature that is constant there, or whose leaves would be too
/// small, is left out.
template <class Rule>
template <class T>
void Pass<Rule>::make_child(const Node& node, Level& level, int f, bool one, std::int64_t rows) {
    const CoverHash hash = one ? level.child_hash[f] : node.hash - level.child_hash[f];
    if (node.whole != nullptr) {  // the child chooses anew from all features
        level.child.make_child(work_.data, *node.whole, node.position[f], one, hash,
                               level.selection, work_.kernel, [](int) { return true; });
        level.child.drop_unsplittable(work_.data, work_.objective.min_rows);
        return;
    }
    const auto& counts = std::get<LevelLanes<T>>(level.lanes).counts;
    const std::int64_t min_rows = work_.objective.min_rows;
    const std::size_t row = static_cast<std::size_t>(f) * node.stride;
    const int classes = level.planes.classes;
    const T* rows_pair = level.planes.count() > classes ? counts.pairs[classes] + row : nullptr;
    const auto keep = [&](int g) {
        std::int64_t both = 0;
        if (rows_pair != nullptr) {
            both = static_cast<std::int64_t>(rows_pair[g]);
        } else {
            for (int p = 0; p < classes; ++p)
                both += static_cast<std::int64_t>(counts.pairs[p][row + g]);
        }
        const std::int64_t in_one =
            one ? both : static_cast<std::int64_t>(counts.rows_one[g]) - both;
        return in_one >= min_rows && rows - in_one >= min_rows;
    };
    level.child.make_child(work_.data, node, f, one, hash, level.selection, work_.kernel, keep);
    level.child.origin = {&level, f, one, sizeof(T)};
}

template <class Rule>
void Pass<Rule>::root_improved(int depth, const Facts& facts) {
    if (depth == work_.options.max_depth && facts.upper < incumbent_) paused_ = true;
}

template class Pass<Complete>;
template class Pass<Threshold<Discrepancy>>;
template class Pass<Threshold<Gain>>;
template class Pass<Threshold<HalvingTopK>>;
template class Pass<Threshold<Purity>>;
template class Pass<Threshold<TopK>>;
template class Pass<Combined>;

}  // namespace beamtree
