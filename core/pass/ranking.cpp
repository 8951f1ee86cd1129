#include "pass/ranking.hpp"

#include <algorithm>

namespace beamtree {

namespace {

constexpr int kLookaheadLevels = 4;   ///< least depth at which the lookahead pays
constexpr int kInterleaveLevels = 5;  ///< least depth at which gain joins the order

}  // namespace

Cost Ranking::rank(const Node& node, int depth, const PassMode& mode, Facts& facts) {
    NodeBuffers& buffers = work_.buffers[depth];
    buffers.ranked.score.assign(node.features, kInfiniteCost);
    if (!work_.exact.count(node, buffers.counts)) return -1;
    gains_.list_admissible(node, buffers);
    if (work_.meter.stopped()) return -1;  // not all features are listed
    const Cost three_levels = uses_scores() ? make_scores(node, depth, mode) : -1;
    if (work_.meter.stopped()) return -1;
    Cost shallow = depth > 1 ? work_.cache.find(node.hash.key(), depth - 1).lower : 0;
    if (depth == 4) shallow = std::max(shallow, three_levels);
    work_.exact.start_bounds(node, buffers.counts, shallow, buffers.bounds);
    recall_children(node, depth, facts);
    if (work_.meter.stopped()) return -1;
    sort(buffers.ranked, depth);
    return three_levels;
}

/// Sets the scores to the best cost that is known below each feature, exact for a tree of depth 3
/// where the lookahead pays, else of depth 2. Returns the optimum of three levels if it is known,
/// else -1.
Cost Ranking::make_scores(const Node& node, int depth, const PassMode& mode) {
    NodeBuffers& buffers = work_.buffers[depth];
    if (depth < kLookaheadLevels) {
        if (!mode.probe)
            static_cast<void>(work_.exact.score2(node, buffers.counts,
                                                 buffers.ranked.score));  // rank checks for a stop
        return -1;
    }
    const CoverKey key = node.hash.key();
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
        work_.exact.score3(node, buffers.counts, found, buffers.ranked.score);
        if (found.solved() && !node.narrow) three_levels = found.upper;
    }
    if (work_.meter.stopped()) return -1;
    work_.cache.store_scores(key, depth, node.features, width, buffers.ranked.score, three_levels);
    return three_levels;
}

/// Uses the facts of the children in the cache: their trees improve the node's upper bound and the
/// scores, and their lower bounds bound their siblings.
void Ranking::recall_children(const Node& node, int depth, Facts& facts) {
    NodeBuffers& buffers = work_.buffers[depth];
    for (const int f : buffers.ranked.order) {
        if (work_.meter.stopped()) return;
        work_.meter.spend(work::kRecall);
        const Facts known_one =
            work_.cache.find(buffers.child.hash(node, f, true).key(), depth - 1);
        const Facts known_zero =
            work_.cache.find(buffers.child.hash(node, f, false).key(), depth - 1);
        if (known_one.upper < kInfiniteCost && known_zero.upper < kInfiniteCost) {
            const Cost upper = known_one.upper + known_zero.upper + work_.objective.penalty;
            facts.improve(upper, node.feature[f]);
            if (work_.options.ablations.relearn)
                buffers.ranked.score[f] = std::min(buffers.ranked.score[f], upper);
        }
        work_.exact.bound_siblings(node, buffers.counts, f, known_one.lower, known_zero.lower,
                                   buffers.bounds);
    }
}

/// Sorts the features. Ties break by index: the order must not depend on the path to the node.
void Ranking::sort(RankedFeatures& ranked, int depth) {
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

Facts Ranking::child_facts(const Node& node, int depth, int f, bool one) {
    const NodeBuffers& buffers = work_.buffers[depth];
    const SideSummary side = work_.exact.side(node, buffers.counts, f, one);
    if (side.closed || depth == 1) return {side.leaf, side.leaf, kLeaf};
    Facts facts = work_.cache.find(buffers.child.hash(node, f, one).key(), depth - 1);
    facts.improve(side.leaf, kLeaf);
    facts.raise(side.floor(work_.objective, buffers.bounds.at(f, one)));
    return facts;
}

}  // namespace beamtree
