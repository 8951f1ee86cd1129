#include "search/pass.hpp"

#include <algorithm>

#include "heuristic/information_gain.hpp"
#include "search/gains.hpp"

namespace beamtree {

namespace {

constexpr int kLookaheadLevels = 4;      ///< fewest levels at which the lookahead pays
constexpr int kInterleaveLevels = 5;     ///< fewest levels at which gain joins the order
constexpr int kArchiveBytes = 64 << 20;  ///< of all levels

}  // namespace

Workspace::Workspace(const Dataset& dataset, const Objective& goal, const Kernel& instruction_set,
                     const Options& settings, Limits& stop, Statistics& counters)
    : data(dataset),
      objective(goal),
      kernel(instruction_set),
      options(settings),
      limits(stop),
      statistics(counters),
      bottom(dataset, goal, instruction_set, settings, stop, counters),
      archive(settings.max_depth + 1,
              Archive(dataset, goal, kArchiveBytes / (settings.max_depth + 1))),
      level(settings.max_depth + 1) {}

Facts Pass::run(const Node& root, Cost bound) {
    const int depth = work_.options.max_depth;
    Facts facts = work_.cache.find(root.hash.key(), depth);
    reported_ = facts.upper;
    return solve(root, depth, bound, facts);
}

Facts Pass::solve(const Node& node, int depth, Cost bound, Facts facts) {
#ifdef BEAMTREE_CHECKED
    work_.ledger.check(node.hash.key(), node.cover);
#endif
    const Objective& objective = work_.objective;
    const Cost leaf = objective.leaf(node.weight, node.majority);
    facts.improve(leaf, kLeaf);
    if (depth == 0 || node.features == 0 || objective.closed(leaf, node.rows)) {
        facts.raise(facts.upper);
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
    if (!facts.settled(bound) && !work_.limits.stopped()) {
        ++work_.statistics.nodes;
        if (depth <= work_.options.exact_levels)
            work_.bottom.solve(node, work_.level[depth], depth, bound, facts);
        else
            with_lanes(node, [&](auto lane) { branch<decltype(lane)>(node, depth, bound, facts); });
        if (use_archive) archive.add(node, facts.lower);
    }
    return root_improved(depth, work_.cache.merge(node.hash.key(), depth, facts));
}

template <class T>
void Pass::branch(const Node& node, int depth, Cost bound, Facts& facts) {
    Level& level = work_.level[depth];
    const Objective& objective = work_.objective;

    const Cost shallow = rank_features<T>(node, depth, objective.leaf(node.weight, node.majority));
    if (work_.limits.stopped()) return;
    recall_children<T>(node, depth, facts);
    Cost least = kInfiniteCost;
    // No tree of more levels is worse than the best of three: a search below shallow + 1 is exact.
    if (shallow >= 0) bound = std::min(bound, shallow + 1);
    for (const auto& [key, f] : level.order) {
        Cost goal = std::min(bound, facts.upper);
        if (facts.lower >= goal) return;
        if (work_.limits.stopped()) return;
        Facts child[2] = {child_facts<T>(node, depth, f, false),
                          child_facts<T>(node, depth, f, true)};
        facts.improve(child[0].upper + child[1].upper + objective.penalty, node.feature[f]);
        goal = std::min(goal, facts.upper);
        if (child[0].lower + child[1].lower + objective.penalty >= goal)
            ++work_.statistics.bounded;
        else
            solve_children<T>(node, depth, f, goal, child);
        facts.improve(child[0].upper + child[1].upper + objective.penalty, node.feature[f]);
        facts = root_improved(depth, facts);
        least = std::min(least, child[0].lower + child[1].lower + objective.penalty);
        work_.bottom.bound_siblings<T>(node, level, f, child[1].lower, child[0].lower);
    }
    if (!work_.limits.stopped()) facts.raise(least);
}

/// Counts the node and orders its admissible features: by the tree of depth 3 below them where the
/// lookahead pays, else by that of depth 2. Returns the optimum of the node with three levels where
/// the lookahead found it, else -1.
template <class T>
Cost Pass::rank_features(const Node& node, int depth, Cost leaf) {
    Level& level = work_.level[depth];
    const bool look = work_.options.lookahead && depth >= kLookaheadLevels;
    Facts three_levels{0, leaf, kLeaf};
    Cost shallow = 0;
    if (look) {
        work_.bottom.solve3<T>(node, level, kInfiniteCost, three_levels, true);
        if (depth == 4) shallow = three_levels.lower;
    } else {
        const Cost two_levels = work_.bottom.score<T>(node, level);
        if (depth == 3) shallow = two_levels;
    }
    if (depth > 1) shallow = std::max(shallow, work_.cache.find(node.hash.key(), depth - 1).lower);
    work_.bottom.start_bounds<T>(node, level, shallow);
    level.child_hash.resize(node.features);
    level.order.clear();
    for (int f = 0; f < node.features; ++f) {
        level.child_hash[f] =
            node.cover.hash_of_side(work_.data.hasher(), work_.data.column(node.feature[f]));
        if (work_.bottom.admissible<T>(node, level, f)) level.order.emplace_back(level.key[f], f);
    }
    return look && three_levels.solved() ? three_levels.upper : -1;
}

/// Takes turns between the lookahead's order and that by information gain.
void Pass::interleave_gain(const Node& node, Level& level) {
    ClassWeights weights(work_.data, node);
    std::vector<std::int64_t> one, zero;
    std::vector<std::pair<std::int64_t, int>> by_gain;
    for (const auto& [key, f] : level.order) {
        weights.split(f, one, zero);
        by_gain.emplace_back(-gain_of<InformationGain>(weights, one, zero), f);
    }
    std::sort(by_gain.begin(), by_gain.end());
    std::vector<std::pair<Cost, int>> mixed;
    std::vector<bool> taken(node.features, false);
    const auto take = [&](int f) {
        if (!taken[f]) mixed.emplace_back(level.key[f], f);
        taken[f] = true;
    };
    for (std::size_t i = 0; i < by_gain.size(); ++i) {
        take(level.order[i].second);
        take(by_gain[i].second);
    }
    level.order.swap(mixed);
}

/// Uses what the cache knows of the children: upper bounds, better keys, bounds of siblings.
template <class T>
void Pass::recall_children(const Node& node, int depth, Facts& facts) {
    Level& level = work_.level[depth];
    for (auto& [key, f] : level.order) {
        const Key one = level.child_hash[f].key(), zero = (node.hash - level.child_hash[f]).key();
        const Facts known_one = work_.cache.find(one, depth - 1);
        const Facts known_zero = work_.cache.find(zero, depth - 1);
        if (known_one.upper < kInfiniteCost && known_zero.upper < kInfiniteCost) {
            const Cost upper = known_one.upper + known_zero.upper + work_.objective.penalty;
            facts.improve(upper, node.feature[f]);
            key = std::min(key, upper);
        }
        work_.bottom.bound_siblings<T>(node, level, f, known_one.lower, known_zero.lower);
    }
    std::sort(level.order.begin(), level.order.end());
    if (work_.options.lookahead && depth >= kInterleaveLevels) interleave_gain(node, level);
}

template <class T>
Facts Pass::child_facts(const Node& node, int depth, int f, bool one) {
    Level& level = work_.level[depth];
    const auto& lanes = std::get<LevelLanes<T>>(level.lanes);
    const SideSummary side = work_.bottom.side<T>(node, level, f, one);
    if (side.closed || depth == 1) return {side.leaf, side.leaf, kLeaf};
    const CoverHash hash = one ? level.child_hash[f] : node.hash - level.child_hash[f];
    Facts facts = work_.cache.find(hash.key(), depth - 1);
    facts.improve(side.leaf, kLeaf);
    facts.raise(side.floor(work_.objective, one ? lanes.lower_one[f] : lanes.lower_zero[f]));
    return facts;
}

/// Solves the children of a feature as far as the split may still cost less than `goal`: first one
/// that is solved already, else the one with more errors.
template <class T>
void Pass::solve_children(const Node& node, int depth, int f, Cost goal, Facts child[2]) {
    Level& level = work_.level[depth];
    const auto& counts = std::get<LevelLanes<T>>(level.lanes).counts;
    const SideSummary zero = work_.bottom.side<T>(node, level, f, false);
    const SideSummary one = work_.bottom.side<T>(node, level, f, true);
    const int first =
        child[1].solved() != child[0].solved() ? child[1].solved() : one.leaf >= zero.leaf;
    for (const int side : {first, 1 - first}) {
        const Cost room = goal - work_.objective.penalty - child[1 - side].lower;
        if (child[side].lower >= room) return;
        if (child[side].solved()) continue;
        // A feature that is constant on the side, or whose leaves would be too small, is left out.
        const std::int64_t rows = side == 1 ? one.rows : zero.rows;
        const T* rows_pair =
            level.planes.count() > level.planes.classes
                ? counts.pairs[level.planes.classes] + static_cast<std::size_t>(f) * node.stride
                : nullptr;
        const auto keep = [&](int g) {
            std::int64_t both = 0;
            if (rows_pair != nullptr) {
                both = static_cast<std::int64_t>(rows_pair[g]);
            } else {
                for (int p = 0; p < level.planes.classes; ++p)
                    both += static_cast<std::int64_t>(
                        counts.pairs[p][static_cast<std::size_t>(f) * node.stride + g]);
            }
            const std::int64_t in_one =
                side == 1 ? both : static_cast<std::int64_t>(counts.rows_one[g]) - both;
            return in_one >= work_.objective.min_rows && rows - in_one >= work_.objective.min_rows;
        };
        const CoverHash hash = side == 1 ? level.child_hash[f] : node.hash - level.child_hash[f];
        level.child.make_child(work_.data, node, f, side == 1, hash, level.selection, work_.kernel,
                               keep);
        level.child.origin = {&level, f, side == 1, sizeof(T)};
        child[side] = solve(level.child, depth - 1, room, child[side]);
        if (work_.limits.stopped()) return;
    }
}

Facts Pass::root_improved(int depth, Facts facts) {
    if (depth == work_.options.max_depth && facts.upper < reported_) {
        reported_ = facts.upper;
        improved_(facts);
    }
    return facts;
}

}  // namespace beamtree
