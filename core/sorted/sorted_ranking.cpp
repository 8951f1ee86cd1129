#include "sorted/sorted_ranking.hpp"

#include <algorithm>

#include "heuristic/error.hpp"
#include "heuristic/gain_ratio.hpp"
#include "heuristic/gini.hpp"
#include "heuristic/information_gain.hpp"
#include "node/class_weights.hpp"
#include "sorted/sorted_objectives.hpp"

namespace beamtree {

namespace {

double gain_of(Heuristic heuristic, const Misclassification&, const ClassSums& node,
               const ClassSums& left, const ClassSums& right, int order) {
    const SplitWeights split{static_cast<int>(node.class_weight.size()), node.class_weight.data(),
                             right.class_weight.data(), left.class_weight.data()};
    switch (heuristic) {
        case Heuristic::kGainRatio:
            return GainRatio::gain(split);
        case Heuristic::kGini:
            return Gini::gain(split);
        case Heuristic::kError:
            return Error::gain(split);
        case Heuristic::kGiven:
            return -order;
        default:
            return InformationGain::gain(split);
    }
}

/// For other objectives, the gain of a split is the share of the node's cost that it saves.
template <SearchObjective O>
double gain_of(Heuristic heuristic, const O& objective, const typename O::Sums& node,
               const typename O::Sums& left, const typename O::Sums& right, int order) {
    if (heuristic == Heuristic::kGiven) return -order;
    const auto whole = static_cast<double>(std::max<Cost>(objective.leaf_cost(node), 1));
    return 1 - static_cast<double>(objective.leaf_cost(left) + objective.leaf_cost(right)) / whole;
}

}  // namespace

template <SearchObjective O>
bool SortedRanking<O>::rank(const SortedNode<O>& node, int depth, bool gains, bool scores) {
    SortedBuffers<O>& buffers = work_.buffers_at(depth);
    const bool ahead = looks_ahead(work_.heuristic);
    const bool scored = ahead && find_scores(node, depth, scores);
    if (work_.meter.stopped()) return false;
    gains = gains || !ahead;
    if (buffers.ranked.size() < static_cast<std::size_t>(node.orders))
        buffers.ranked.resize(node.orders);
    int count = 0;
    buffers.best_gain = 0;
    for (int o = 0; o < node.orders; ++o) {
        RankedOrder& ranked = buffers.ranked[count];
        ranked.order = o;
        ranked.thresholds.list(node, work_.objective, o);
        work_.meter.spend(node.rows);
        const int size = ranked.thresholds.size();
        if (size == 0) continue;
        ranked.score = kInfiniteCost;
        ranked.first = nearest(ranked.thresholds, 0, size, node.rows / 2);
        ranked.gain.clear();
        if (gains) {
            measure_gains(node, ranked);
            const auto best = std::max_element(ranked.gain.begin(), ranked.gain.end());
            if (count == 0 || *best > buffers.best_gain) buffers.best_gain = *best;
            if (!ahead) {
                ranked.score = -*best;
                ranked.first = static_cast<int>(best - ranked.gain.begin());
            }
        }
        if (scored && buffers.scores[o].last >= 0) {
            ranked.score = buffers.scores[o].cost;
            ranked.first = nearest(ranked.thresholds, 0, size, buffers.scores[o].last + 1);
        }
        if (work_.meter.stopped()) return false;
        ++count;
    }
    buffers.orders = count;
    std::stable_sort(buffers.ranked.begin(), buffers.ranked.begin() + count,
                     [](const RankedOrder& a, const RankedOrder& b) { return a.score < b.score; });
    return true;
}

/// Sets the score of every order to the cost of the best tree of two levels among sixteen
/// thresholds. Returns false if there are no scores.
template <SearchObjective O>
bool SortedRanking<O>::find_scores(const SortedNode<O>& node, int depth, bool compute) {
    SortedBuffers<O>& buffers = work_.buffers_at(depth);
    const CoverKey key = node.hash.key();
    Cost unused = -1;
    if (work_.cache.recall_scores(key, depth_key(depth), 2 * node.orders, 1, stored_, unused)) {
        buffers.scores.resize(node.orders);
        for (int o = 0; o < node.orders; ++o) {
            const Cost after = std::min<Cost>(stored_[2 * o + 1], node.rows);
            buffers.scores[o] = {stored_[2 * o], static_cast<int>(after) - 1};
        }
        return true;
    }
    if (!compute || depth < 2) return false;
    // The cache would not know the trees behind the scores, so they give no bounds.
    buffers.scores.clear();
    if (!work_.bottom.look_ahead(node, buffers.scores)) return false;
    stored_.clear();
    for (const OrderScore& score : buffers.scores) {
        stored_.push_back(score.cost);
        stored_.push_back(score.last + 1);  // stored numbers are not negative
    }
    work_.cache.store_scores(key, depth_key(depth), 2 * node.orders, PassMode::kAllFeatures,
                             stored_, -1);
    return true;
}

template <SearchObjective O>
void SortedRanking<O>::measure_gains(const SortedNode<O>& node, RankedOrder& ranked) {
    const Thresholds& thresholds = ranked.thresholds;
    typename O::Sums left, right;
    left.start(node.values);
    const Entry* sorted = node.sorted(ranked.order);
    ranked.gain.reserve(thresholds.size());
    int at = 0;
    for (int t = 0; t < thresholds.size(); ++t) {
        for (; at <= thresholds.last[t]; ++at) left.add(node.values, row_of(sorted[at]));
        right.set_rest(node.sums, left);
        const int order = node.order[ranked.order];
        ranked.gain.push_back(
            whole_gain(gain_of(work_.heuristic, work_.objective, node.sums, left, right, order)));
        work_.meter.spend(40);
    }
}

#define BEAMTREE_INSTANCE(O) template class SortedRanking<O>;
BEAMTREE_SORTED_OBJECTIVES(BEAMTREE_INSTANCE)
#undef BEAMTREE_INSTANCE

}  // namespace beamtree
