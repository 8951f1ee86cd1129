#include "search/greedy.hpp"

#include <utility>

#include "heuristic/gini.hpp"
#include "heuristic/information_gain.hpp"
#include "search/gains.hpp"

namespace beamtree {

namespace {

constexpr std::int64_t kWorkBetweenLooks = 200'000;
constexpr std::int64_t kFeatureWork = 40;  ///< of its gains, besides the words of its column

}  // namespace

Cost Greedy::grow(const Node& root, int depth, Tree& tree) {
    const Costs cost = grow(root, depth, {true, true});
    if (interrupted_) work_.meter.interrupt();  // the tree is told first; the next step ends
    const int best = cost[0] <= cost[1] ? 0 : 1;
    tree = std::move(tree_[best]);
    return cost[best];
}

Greedy::Costs Greedy::grow(const Node& node, int depth, const Wanted& wanted) {
    const Cost leaf = work_.objective.leaf(node.weight, node.majority);
    Costs cost{leaf, leaf};
    std::array<int, kGains> at{}, f{kLeaf, kLeaf};
    for (int i = 0; i < kGains; ++i)
        if (wanted[i]) at[i] = tree_[i].add_leaf();
    if (depth > 0 && !interrupted_ && !work_.objective.closed(leaf, node.rows))
        f = best_splits(node, work_.level[depth], wanted);
    const auto try_split = [&](const Wanted& which, int feature) {
        const Costs found = split(node, depth, feature, which, at);
        for (int i = 0; i < kGains; ++i) {
            if (!which[i]) continue;
            if (found[i] < leaf) {
                cost[i] = found[i];
                tree_[i].feature[at[i]] = work_.data.original(node.feature[feature]);
            } else {
                tree_[i].cut(at[i]);
            }
        }
    };
    if (wanted[0] && wanted[1] && f[0] == f[1]) {
        if (f[0] != kLeaf) try_split(wanted, f[0]);
        return cost;
    }
    for (int i = 0; i < kGains; ++i)
        if (wanted[i] && f[i] != kLeaf) try_split({i == 0, i == 1}, f[i]);
    return cost;
}

Greedy::Costs Greedy::split(const Node& node, int depth, int f, const Wanted& wanted,
                            const std::array<int, kGains>& at) {
    Level& level = work_.level[depth];
    const Objective& objective = work_.objective;
    Node& child = level.child;
    Costs cost{objective.penalty, objective.penalty};
    for (const bool one : {false, true}) {
        // What cannot split a node cannot split its children; a leaf needs no columns at all.
        child.make_side(work_.data, node, f, one, level.selection, work_.kernel, [&](int g) {
            return depth > 1 && level.taken[g] &&
                   !objective.closed(objective.leaf(child.weight, child.majority), child.rows);
        });
        spend(static_cast<std::int64_t>(child.features + 1) * node.words);
        for (int i = 0; i < kGains; ++i)
            if (wanted[i]) (one ? tree_[i].right : tree_[i].left)[at[i]] = tree_[i].size();
        const Costs below = grow(child, depth - 1, wanted);
        for (int i = 0; i < kGains; ++i) cost[i] += below[i];
    }
    return cost;
}

std::array<int, Greedy::kGains> Greedy::best_splits(const Node& node, Level& level,
                                                    const Wanted& wanted) {
    ClassWeights weights(work_.data, node);
    std::array<std::int64_t, kGains> most{};
    std::array<int, kGains> best{kLeaf, kLeaf};
    level.taken.assign(node.features, false);
    for (int f = 0; f < node.features; ++f) {
        const SplitWeights split = weights.split(f);
        spend(node.words + kFeatureWork);
        if (interrupted_) return {kLeaf, kLeaf};
        if (weights.rows_one() < work_.objective.min_rows ||
            weights.rows_zero() < work_.objective.min_rows)
            continue;
        level.taken[f] = true;
        const auto offer = [&](int i, auto gain_of) {
            if (!wanted[i]) return;
            const std::int64_t gain = whole_gain(gain_of(split));
            if (gain <= most[i]) return;
            most[i] = gain;
            best[i] = f;
        };
        offer(0, &InformationGain::gain);
        offer(1, &Gini::gain);
    }
    return best;
}

void Greedy::spend(std::int64_t work) {
    spent_ += work;
    if (spent_ < kWorkBetweenLooks) return;
    work_.meter.spend(std::exchange(spent_, 0));
    interrupted_ = interrupted_ || work_.meter.interrupted();
}

}  // namespace beamtree
