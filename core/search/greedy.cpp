#include "search/greedy.hpp"

#include <limits>
#include <utility>

#include "heuristic/gini.hpp"
#include "heuristic/information_gain.hpp"
#include "node/class_weights.hpp"

namespace beamtree {

namespace {

constexpr std::int64_t kWorkBetweenLooks = 200'000;
constexpr std::int64_t kFeatureWork = 20;  ///< work of the gains of a feature, without counting
constexpr std::int64_t kUnknown = std::numeric_limits<std::int64_t>::min();
constexpr std::size_t kNowhere = static_cast<std::size_t>(-1);

/// The number of different splits of two classes with these weights, or 0 if more than `most`.
std::size_t different_splits(const std::vector<std::int64_t>& weight, std::int64_t most) {
    if (weight.size() != 2 || weight[0] >= most || weight[1] >= most) return 0;
    const std::int64_t count = (weight[0] + 1) * (weight[1] + 1);
    return count <= most ? static_cast<std::size_t>(count) : 0;
}

}  // namespace

std::vector<GrownTree> Greedy::grow(const Node& root, int depth) {
    const Costs cost = grow(root, depth, {true, true});
    if (interrupted_)
        work_.meter.interrupt();  // the trees are reported first; the next step ends at once
    return {{std::move(tree_[0]), cost[0]}, {std::move(tree_[1]), cost[1]}};
}

Greedy::Costs Greedy::grow(const Node& node, int depth, const Wanted& wanted) {
    const Cost leaf = work_.objective.leaf_cost(node.sums);
    Costs cost{leaf, leaf};
    std::array<int, kGains> at{}, f{kLeaf, kLeaf};
    for (int i = 0; i < kGains; ++i)
        if (wanted[i]) at[i] = tree_[i].add_leaf();
    if (depth > 0 && !interrupted_ && !work_.objective.closed(leaf, node.rows))
        f = best_splits(node, depth, wanted);
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
    ChildBuffers& buffers = work_.buffers[depth].child;
    const Misclassification& objective = work_.objective;
    Node& child = buffers.node;
    Costs cost{objective.penalty, objective.penalty};
    for (const bool one : {false, true}) {
        // A feature that cannot split a node cannot split its children. A leaf needs no columns.
        child.make_side(work_.data, node, f, one, buffers.selection, work_.kernel, [&](int g) {
            return depth > 1 && can_split_[depth][g] &&
                   !objective.closed(objective.leaf_cost(child.sums), child.rows);
        });
        spend(static_cast<std::int64_t>(child.features + 1) * node.words);
        for (int i = 0; i < kGains; ++i)
            if (wanted[i]) (one ? tree_[i].right : tree_[i].left)[at[i]] = tree_[i].size();
        const Costs below = grow(child, depth - 1, wanted);
        for (int i = 0; i < kGains; ++i) cost[i] += below[i];
    }
    return cost;
}

std::array<int, Greedy::kGains> Greedy::best_splits(const Node& node, int depth,
                                                    const Wanted& wanted) {
    ClassWeights weights(work_.data, work_.kernel, node);
    std::array<std::int64_t, kGains> most{};
    std::array<int, kGains> best{kLeaf, kLeaf};
    can_split_[depth].assign(node.features, false);
    const std::size_t different = different_splits(weights.total(), node.features);
    for (int i = 0; i < kGains; ++i)
        if (wanted[i]) known_[i].assign(different, kUnknown);
    for (int f = 0; f < node.features; ++f) {
        const SplitWeights split = weights.split(f);
        spend(node.words + kFeatureWork);
        if (interrupted_) return {kLeaf, kLeaf};
        if (!weights.admissible(work_.objective)) continue;
        can_split_[depth][f] = true;
        const std::size_t place =
            different == 0 ? kNowhere : split.one[0] * (split.total[1] + 1) + split.one[1];
        for (int i = 0; i < kGains; ++i) {
            if (!wanted[i]) continue;
            std::int64_t gain = place == kNowhere ? kUnknown : known_[i][place];
            if (gain == kUnknown) {
                gain = whole_gain(i == 0 ? InformationGain::gain(split) : Gini::gain(split));
                if (place != kNowhere) known_[i][place] = gain;
            }
            if (best[i] != kLeaf && gain <= most[i]) continue;
            most[i] = gain;
            best[i] = f;
        }
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
