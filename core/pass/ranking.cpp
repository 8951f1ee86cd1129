#include "pass/ranking.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "heuristic/error.hpp"
#include "heuristic/gain_ratio.hpp"
#include "heuristic/gini.hpp"
#include "heuristic/information_gain.hpp"
#include "node/class_weights.hpp"
#include "node/narrow.hpp"

namespace beamtree {

namespace {

constexpr int kLookaheadLevels = 4;   ///< fewest levels at which the lookahead pays
constexpr int kInterleaveLevels = 5;  ///< fewest levels at which gain joins the order

}  // namespace

template <class T>
Cost Ranking::rank(const Node& node, int depth, const PassMode& mode, Facts& facts) {
    NodeBuffers& buffers = work_.buffers[depth];
    buffers.score.assign(node.features, kInfiniteCost);
    if (!work_.exact.count<T>(node, buffers)) return -1;
    list_admissible<T>(node, buffers);
    measure_gains(node, buffers);
    if (work_.meter.stopped()) return -1;  // not all features are listed
    const Cost three_levels = uses_scores() ? make_scores<T>(node, depth, mode) : -1;
    if (work_.meter.stopped()) return -1;
    Cost shallow = depth > 1 ? work_.cache.find(node.hash.key(), depth - 1).lower : 0;
    if (depth == 4) shallow = std::max(shallow, three_levels);
    work_.exact.start_bounds<T>(node, buffers, shallow);
    recall_children<T>(node, depth, facts);
    if (work_.meter.stopped()) return -1;
    sort(buffers, depth);
    return three_levels;
}

/// buffers.score: the best cost that is known below each feature, exact for a tree of depth 3 where
/// the lookahead pays, else of depth 2. Returns the optimum of three levels if it is known, else
/// -1.
template <class T>
Cost Ranking::make_scores(const Node& node, int depth, const PassMode& mode) {
    NodeBuffers& buffers = work_.buffers[depth];
    if (depth < kLookaheadLevels) {
        if (!mode.probe) static_cast<void>(work_.exact.score<T>(node, buffers));  // rank looks
        return -1;
    }
    const CoverKey key = node.hash.key();
    const int width = mode.narrows(node) ? mode.width : PassMode::kAllFeatures;
    Cost three_levels = -1;
    if (work_.cache.recall_scores(key, depth, node.features, mode.probe ? 1 : width, buffers.score,
                                  three_levels))
        return three_levels;
    if (mode.probe) return -1;
    if (mode.narrows(node)) {
        look_ahead_narrow<T>(node, depth, mode);
    } else {
        Facts found{0, work_.objective.leaf(node.weight, node.majority), kLeaf};
        work_.exact.solve3<T>(node, buffers, kInfiniteCost, found, true);
        if (found.solved() && !node.narrow) three_levels = found.upper;
    }
    if (work_.meter.stopped()) return -1;
    work_.cache.store_scores(key, depth, node.features, width, buffers.score, three_levels);
    return three_levels;
}

/// The same from a few features of a wide node; the others keep the cost of their trees of depth 2.
template <class T>
void Ranking::look_ahead_narrow(const Node& node, int depth, const PassMode& mode) {
    NodeBuffers& buffers = work_.buffers[depth];
    if (!work_.exact.score<T>(node, buffers)) return;
    Node& few = work_.narrow.child;
    narrow(node, buffers, mode.width, few);
    Facts found{0, work_.objective.leaf(node.weight, node.majority), kLeaf};
    work_.exact.solve3<T>(few, work_.narrow, kInfiniteCost, found, true);
    if (work_.meter.stopped()) return;
    for (int g = 0; g < few.features; ++g) {
        Cost& score = buffers.score[few.position[g]];
        score = std::min(score, work_.narrow.score[g]);
    }
}

template <class T>
void Ranking::list_admissible(const Node& node, NodeBuffers& buffers) {
    buffers.child_hash.resize(node.features);
    buffers.ranked.clear();
    for (int f = 0; f < node.features; ++f) {
        if (work_.meter.stopped()) return;  // so must the caller
        work_.meter.spend(node.cover.size * work::kHashedWord);
        buffers.child_hash[f] =
            node.cover.hash_of_side(work_.data.hasher(), work_.data.column(node.feature[f]));
        if (work_.exact.admissible<T>(node, buffers, f)) buffers.ranked.push_back(f);
    }
}

const Node& Ranking::outer_features(const Node& node, NodeBuffers& buffers, const PassMode& mode) {
    buffers.ranked.resize(node.features);
    std::iota(buffers.ranked.begin(), buffers.ranked.end(), 0);
    measure_gains(node, buffers);
    narrow_by_gain(node, buffers.gain, mode.outer_width(), buffers.few);
    return buffers.few;
}

void Ranking::measure_gains(const Node& node, NodeBuffers& buffers) {
    ClassWeights weights(work_.data, work_.kernel, node);
    buffers.gain.assign(node.features, 0);
    const auto measure = [&](auto gain) {
        for (const int f : buffers.ranked) {
            if (work_.meter.stopped()) return;  // so must the caller
            work_.meter.spend(node.words * work::kWord + work::kGain);
            buffers.gain[f] = whole_gain(gain(weights.split(f)));
        }
    };
    switch (heuristic_) {
        case Heuristic::kAuto:
        case Heuristic::kLookahead:
        case Heuristic::kInformationGain:
            measure(&InformationGain::gain);
            break;
        case Heuristic::kGainRatio:
            measure(&GainRatio::gain);
            break;
        case Heuristic::kGini:
            measure(&Gini::gain);
            break;
        case Heuristic::kError:
            measure(&Error::gain);
            break;
        case Heuristic::kGiven:
            for (const int f : buffers.ranked)
                buffers.gain[f] = whole_gain(-work_.data.original(node.feature[f]));
            break;
    }
    buffers.best_gain = 0;
    for (const int f : buffers.ranked)
        if (f == buffers.ranked[0] || buffers.gain[f] > buffers.best_gain)
            buffers.best_gain = buffers.gain[f];
}

/// Uses what the cache knows of the children: upper bounds, better scores, bounds of siblings.
template <class T>
void Ranking::recall_children(const Node& node, int depth, Facts& facts) {
    NodeBuffers& buffers = work_.buffers[depth];
    for (const int f : buffers.ranked) {
        if (work_.meter.stopped()) return;
        work_.meter.spend(work::kRecall);
        const CoverKey one = buffers.child_hash[f].key(),
                       zero = (node.hash - buffers.child_hash[f]).key();
        const Facts known_one = work_.cache.find(one, depth - 1);
        const Facts known_zero = work_.cache.find(zero, depth - 1);
        if (known_one.upper < kInfiniteCost && known_zero.upper < kInfiniteCost) {
            const Cost upper = known_one.upper + known_zero.upper + work_.objective.penalty;
            facts.improve(upper, node.feature[f]);
            if (work_.options.ablations.relearn)
                buffers.score[f] = std::min(buffers.score[f], upper);
        }
        work_.exact.bound_siblings<T>(node, buffers, f, known_one.lower, known_zero.lower);
    }
}

/// Ties break by index: the order must not depend on the path.
void Ranking::sort(NodeBuffers& buffers, int depth) {
    const auto better_gain = [&](int a, int b) {
        return buffers.gain[a] != buffers.gain[b] ? buffers.gain[a] > buffers.gain[b] : a < b;
    };
    const auto better_score = [&](int a, int b) {
        return buffers.score[a] != buffers.score[b] ? buffers.score[a] < buffers.score[b]
                                                    : better_gain(a, b);
    };
    if (!uses_scores()) {
        std::sort(buffers.ranked.begin(), buffers.ranked.end(), better_gain);
        return;
    }
    buffers.by_gain = buffers.ranked;
    std::sort(buffers.ranked.begin(), buffers.ranked.end(), better_score);
    if (heuristic_ != Heuristic::kAuto || depth < kInterleaveLevels) return;
    std::sort(buffers.by_gain.begin(), buffers.by_gain.end(), better_gain);
    buffers.by_score.swap(buffers.ranked);
    buffers.ranked.clear();
    buffers.taken.assign(buffers.gain.size(), false);
    const auto take = [&](int f) {
        if (!buffers.taken[f]) buffers.ranked.push_back(f);
        buffers.taken[f] = true;
    };
    for (std::size_t i = 0; i < buffers.by_score.size(); ++i) {
        take(buffers.by_score[i]);
        take(buffers.by_gain[i]);
    }
}

template <class T>
Facts Ranking::child_facts(const Node& node, int depth, int f, bool one) {
    NodeBuffers& buffers = work_.buffers[depth];
    const auto& lanes = std::get<NodeLanes<T>>(buffers.lanes);
    const SideSummary side = work_.exact.side<T>(node, buffers, f, one);
    if (side.closed || depth == 1) return {side.leaf, side.leaf, kLeaf};
    const CoverHash hash = one ? buffers.child_hash[f] : node.hash - buffers.child_hash[f];
    Facts facts = work_.cache.find(hash.key(), depth - 1);
    facts.improve(side.leaf, kLeaf);
    facts.raise(side.floor(work_.objective, one ? lanes.lower_one[f] : lanes.lower_zero[f]));
    return facts;
}

#define BEAMTREE_INSTANTIATE(T)                                                \
    template Cost Ranking::rank<T>(const Node&, int, const PassMode&, Facts&); \
    template void Ranking::list_admissible<T>(const Node&, NodeBuffers&);      \
    template Facts Ranking::child_facts<T>(const Node&, int, int, bool);
BEAMTREE_INSTANTIATE(std::uint16_t)
BEAMTREE_INSTANTIATE(std::uint32_t)
BEAMTREE_INSTANTIATE(std::uint64_t)

}  // namespace beamtree
