// The bodies of the functions of ranking.hpp.
#pragma once

#include <algorithm>

#include "pass/ranking.hpp"

namespace beamtree {

inline constexpr int kInterleaveLevels = 5;  ///< least depth at which gain joins the order

/// The place in NodeBuffers::bounds of a child that gets this number of leaves.
inline std::size_t bounds_of(int leaves) {
    return leaves == kAnyLeaves ? 0 : leaves;
}

template <class Form>
Cost RankingOf<Form>::rank(const Node& node, const TreeSize& size, const PassMode& mode,
                           Facts& facts) {
    auto& buffers = work_.buffers[size.depth];
    buffers.ranked.score.assign(node.features, kInfiniteCost);
    if (!work_.exact.count(node, buffers.counts)) return -1;
    gains_.list_admissible(node, buffers);
    if (work_.meter.stopped()) return -1;  // not all features are listed
    const Cost three_levels = uses_scores() ? make_scores(node, size, mode) : -1;
    if (work_.meter.stopped()) return -1;
    start_bounds(node, size, three_levels);
    recall_children(node, size, facts);
    if (work_.meter.stopped()) return -1;
    if (Form::kBalancedProbes && mode.probe && size.depth < work_.options.max_depth)
        sort_by_balance(node, size.depth);
    else
        sort(buffers.ranked, size.depth);
    return three_levels;
}

/// Bounds the children by the node itself, with one level less and the leaves of the child.
template <class Form>
void RankingOf<Form>::start_bounds(const Node& node, const TreeSize& size, Cost three_levels) {
    auto& buffers = work_.buffers[size.depth];
    const std::size_t kinds = size.limited() ? size.leaves : 1;
    if (buffers.bounds.size() < kinds) buffers.bounds.resize(kinds);
    // Both sides of a split may have the same numbers of leaves.
    for (int i = 0; i < size.shares(); ++i) {
        const int leaves = size.share(i).zero;
        const TreeSize child = size.child(leaves);
        Cost shallow = 0;
        if (child.depth > 0)
            shallow = work_.cache.find(child.key(node.hash), child.depth_key()).lower;
        if (size.depth == 4) shallow = std::max(shallow, three_levels);
        work_.exact.start_bounds(node, buffers.counts, shallow, buffers.bounds[bounds_of(leaves)]);
    }
}

/// Sets the scores to the best cost that is known below each feature, exact for a tree of depth 3
/// where the lookahead pays, else of depth 2. Returns the optimum of three levels if it is known,
/// else -1.
template <class Form>
Cost RankingOf<Form>::make_scores(const Node& node, const TreeSize& size, const PassMode& mode) {
    auto& buffers = work_.buffers[size.depth];
    if (size.depth < Form::kLookaheadLevels) {
        if (!mode.probe)
            static_cast<void>(work_.exact.score2(node, buffers.counts,
                                                 buffers.ranked.score));  // rank checks for a stop
        return -1;
    }
    const CoverKey key = size.key(node.hash);
    const int depth = size.depth_key();
    const int width = mode.narrows(node) ? mode.width : PassMode::kAllFeatures;
    Cost three_levels = -1;
    if (work_.cache.recall_scores(key, depth, node.features, mode.probe ? 1 : width,
                                  buffers.ranked.score, three_levels))
        return three_levels;
    if (mode.probe) return -1;
    if (mode.narrows(node)) {
        narrow_.look_ahead(node, buffers, mode);
    } else {
        Facts found{0, work_.objective.leaf_cost(node.sums), kLeaf};
        work_.exact.score3(node, buffers.counts, size.within(3), found, buffers.ranked.score);
        if (found.solved() && !node.narrow) three_levels = found.upper;
    }
    if (work_.meter.stopped()) return -1;
    work_.cache.store_scores(key, depth, node.features, width, buffers.ranked.score, three_levels);
    return three_levels;
}

/// Uses the facts of the children in the cache: their trees improve the node's upper bound and the
/// scores, and their lower bounds bound their siblings.
template <class Form>
void RankingOf<Form>::recall_children(const Node& node, const TreeSize& size, Facts& facts) {
    auto& buffers = work_.buffers[size.depth];
    for (const int f : buffers.ranked.order) {
        if (work_.meter.stopped()) return;
        work_.meter.spend(work::kRecall * size.shares());
        ChildFacts& known = buffers.known;
        if (size.limited()) {
            recall_split(node, size, f);
        } else {
            for (const bool one : {false, true})
                known.side[one] = {
                    work_.cache.find(buffers.child.hash(node, f, one).key(), size.depth - 1)};
        }
        if (known.upper() < kInfiniteCost) {
            const Cost upper = known.upper() + work_.objective.penalty;
            facts.improve(upper, node.feature[f]);
            if (work_.options.ablations.relearn)
                buffers.ranked.score[f] = std::min(buffers.ranked.score[f], upper);
        }
        bound_siblings(node, size, f);
    }
}

/// Sorts the features. Ties break by index: the order must not depend on the path to the node.
template <class Form>
void RankingOf<Form>::sort(RankedFeatures& ranked, int depth) {
    const auto better_gain = [&](int a, int b) {
        return ranked.gain[a] != ranked.gain[b] ? ranked.gain[a] > ranked.gain[b] : a < b;
    };
    const auto better_score = [&](int a, int b) {
        return ranked.score[a] != ranked.score[b] ? ranked.score[a] < ranked.score[b]
                                                  : better_gain(a, b);
    };
    std::vector<int>& order = ranked.order;
    if (!uses_scores()) {
        std::sort(order.begin(), order.end(), better_gain);
        return;
    }
    by_gain_ = order;
    std::sort(order.begin(), order.end(), better_score);
    if (gains_.heuristic() != Heuristic::kAuto || depth < kInterleaveLevels) return;
    std::sort(by_gain_.begin(), by_gain_.end(), better_gain);
    by_score_.swap(order);
    order.clear();
    taken_.assign(ranked.gain.size(), false);
    const auto take = [&](int f) {
        if (!taken_[f]) order.push_back(f);
        taken_[f] = true;
    };
    for (std::size_t i = 0; i < by_score_.size(); ++i) {
        take(by_score_[i]);
        take(by_gain_[i]);
    }
}

/// Sorts the features by the rows of their smaller side, the largest first. A probe looks for no
/// trees, so it may take any order: what it learns of the sides of balanced splits bounds most of
/// the others by similarity.
template <class Form>
void RankingOf<Form>::sort_by_balance(const Node& node, int depth) {
    auto& buffers = work_.buffers[depth];
    std::vector<int>& order = buffers.ranked.order;
    smaller_.resize(node.features);
    for (const int f : order)
        smaller_[f] = std::min(work_.exact.side(node, buffers.counts, f, false).rows,
                               work_.exact.side(node, buffers.counts, f, true).rows);
    std::sort(order.begin(), order.end(), [&](int a, int b) {
        return smaller_[a] != smaller_[b] ? smaller_[a] > smaller_[b] : a < b;
    });
}

template <class Form>
Facts RankingOf<Form>::child_facts(const Node& node, const TreeSize& size, int f, bool one,
                                   int leaves) {
    const auto& buffers = work_.buffers[size.depth];
    const auto side = work_.exact.side(node, buffers.counts, f, one);
    const TreeSize child = size.child(leaves);
    if (side.closed || child.depth == 0) return {side.leaf, side.leaf, kLeaf};
    Facts facts = work_.cache.find(child.key(buffers.child.hash(node, f, one)), child.depth_key());
    facts.improve(side.leaf, kLeaf);
    facts.raise(side.floor(work_.objective, buffers.bounds[bounds_of(leaves)].at(f, one)));
    return facts;
}

template <class Form>
void RankingOf<Form>::recall_split(const Node& node, const TreeSize& size, int f) {
    auto& buffers = work_.buffers[size.depth];
    ChildFacts& known = buffers.known;
    for (const bool one : {false, true}) {
        known.side[one].resize(size.shares());
        for (int i = 0; i < size.shares(); ++i)
            known.side[one][i] = child_facts(node, size, f, one, size.share(i).of(one));
        if (!size.limited()) continue;
        // What holds for any number of leaves holds for few.
        const TreeSize any(size.depth - 1, kAnyLeaves);
        const Cost lower =
            work_.cache.find(any.key(buffers.child.hash(node, f, one)), any.depth_key()).lower;
        for (Facts& facts : known.side[one]) facts.raise(lower);
    }
    if (size.limited()) known.compare();
}

template <class Form>
void RankingOf<Form>::bound_siblings(const Node& node, const TreeSize& size, int f) {
    auto& buffers = work_.buffers[size.depth];
    const ChildFacts& known = buffers.known;
    const Cost slack = Form::slack(work_, node, size.depth - 1);
    if (!size.limited()) {
        work_.exact.bound_siblings(node, buffers.counts, f, known.side[1][0].lower - slack,
                                   known.side[0][0].lower - slack, buffers.bounds[0]);
        return;
    }
    for (int i = 0; i < size.shares(); ++i) {
        for (const bool one : {false, true}) {
            const int leaves = size.share(i).of(one);
            const Cost lower = known.side[one][i].lower - slack;
            work_.exact.bound_siblings(node, buffers.counts, f, one ? lower : 0, one ? 0 : lower,
                                       buffers.bounds[bounds_of(leaves)]);
        }
    }
}

}  // namespace beamtree
