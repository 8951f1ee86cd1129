#include "pass/narrow.hpp"

#include <algorithm>
#include <numeric>

#include "pass/children.hpp"

namespace beamtree {

const Node& NarrowSolver::outer_features(const Node& node, NodeBuffers& buffers,
                                         const PassMode& mode) {
    RankedFeatures& ranked = buffers.ranked;
    ranked.order.resize(node.features);
    std::iota(ranked.order.begin(), ranked.order.end(), 0);
    gains_.measure(node, ranked);
    const int width = mode.outer_width();
    const std::vector<std::int64_t>& gain = ranked.gain;
    by_gain_ = ranked.order;
    std::nth_element(by_gain_.begin(), by_gain_.begin() + width, by_gain_.end(),
                     [&](int a, int b) { return gain[a] != gain[b] ? gain[a] > gain[b] : a < b; });
    taken_.assign(node.features, false);
    for (int i = 0; i < width; ++i) taken_[by_gain_[i]] = true;
    buffers.few.make_narrow(node, taken_);
    return buffers.few;
}

void NarrowSolver::look_ahead(const Node& node, NodeBuffers& buffers, const PassMode& mode) {
    RankedFeatures& ranked = buffers.ranked;
    if (!work_.exact.score2(node, buffers.counts, ranked.score)) return;
    take_few(node, ranked, mode.width);
    Facts found{0, work_.objective.leaf_cost(node.sums), kLeaf};
    work_.exact.score3(few_, counts_, {3, kAnyLeaves}, found, few_scores_);
    if (work_.meter.stopped()) return;
    for (int g = 0; g < few_.features; ++g) {
        Cost& score = ranked.score[few_.position[g]];
        score = std::min(score, few_scores_[g]);
    }
}

void NarrowSolver::solve(const Node& node, NodeBuffers& buffers, const PassMode& mode, Cost bound,
                         Facts& facts) {
    const RankedFeatures& ranked = buffers.ranked;
    if (!work_.exact.score2(node, buffers.counts, buffers.ranked.score)) return;
    gains_.list_admissible(node, buffers);
    for (const int f : ranked.order) facts.improve(ranked.score[f], node.feature[f]);
    if (facts.settled(bound) || work_.meter.stopped()) return;
    take_few(node, ranked, mode.width);
    Facts found = facts;
    work_.exact.solve(few_, counts_, {3, kAnyLeaves}, bound, found);
    if (found.upper >= facts.upper) return;
    facts.improve(found.upper, found.split);
    if (work_.meter.stopped()) return;
    const int f = place_of(node, facts.split);
    const CellPair cell = work_.exact.cells(node, buffers.counts, f, buffers.child.hash_one[f]);
    if (!cell.exact) return;  // stopped: these are bounds, and there are no trees
    facts.improve(cell.one + cell.zero + work_.objective.penalty, node.feature[f]);
}

/// Takes half of the features by gain and half by score.
void NarrowSolver::take_few(const Node& node, const RankedFeatures& ranked, int width) {
    const std::vector<std::int64_t>& gain = ranked.gain;
    const std::vector<Cost>& score = ranked.score;
    taken_.assign(node.features, false);
    by_gain_.resize(node.features);
    std::iota(by_gain_.begin(), by_gain_.end(), 0);
    by_score_ = by_gain_;
    const auto take_best = [&](std::vector<int>& features, int count, auto better) {
        count = std::min<int>(count, static_cast<int>(features.size()));
        std::nth_element(features.begin(), features.begin() + count - 1, features.end(), better);
        for (int i = 0; i < count; ++i) taken_[features[i]] = true;
    };
    take_best(by_gain_, width / 2,
              [&](int a, int b) { return gain[a] != gain[b] ? gain[a] > gain[b] : a < b; });
    std::erase_if(by_score_, [&](int f) { return taken_[f]; });
    take_best(by_score_, width - width / 2,
              [&](int a, int b) { return score[a] != score[b] ? score[a] < score[b] : a < b; });
    few_.make_narrow(node, taken_);
}

}  // namespace beamtree
