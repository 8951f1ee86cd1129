#include "sorted/sorted_greedy.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "node/class_weights.hpp"

namespace beamtree {

namespace {

/// How pure the class weights of one side are, times its weight: larger is better, and the sum over
/// the two sides orders splits as information gain does.
class EntropyScore {
  public:
    explicit EntropyScore(std::int64_t most) : table_(std::min<std::int64_t>(most, kMost) + 1) {
        for (std::size_t w = 1; w < table_.size(); ++w) table_[w] = slow(static_cast<double>(w));
    }
    double operator()(const std::int64_t* class_weight, int classes) const {
        std::int64_t total = 0;
        double sum = 0;
        for (int k = 0; k < classes; ++k) {
            total += class_weight[k];
            sum += weight_times_log(class_weight[k]);
        }
        return sum - weight_times_log(total);
    }

  private:
    static constexpr std::int64_t kMost = 1 << 22;

    static double slow(double weight) { return weight * std::log2(weight); }
    double weight_times_log(std::int64_t weight) const {
        return weight < static_cast<std::int64_t>(table_.size())
                   ? table_[weight]
                   : slow(static_cast<double>(weight));
    }

    std::vector<double> table_;  ///< weights come one after the other, so it is read in order
};

/// The same for Gini gain.
struct GiniScore {
    double operator()(const std::int64_t* class_weight, int classes) const {
        double total = 0, squares = 0;
        for (int k = 0; k < classes; ++k) {
            const auto weight = static_cast<double>(class_weight[k]);
            total += weight;
            squares += weight * weight;
        }
        return squares / total;
    }
};

}  // namespace

Cost SortedGreedy::grow(const SortedNode& root, int depth, Tree& tree) {
    Tree by_gini;
    tree = {};
    const Cost cost = grow_by(root, depth, EntropyScore(root.sums.weight), tree);
    const Cost gini = grow_by(root, depth, GiniScore(), by_gini);
    if (gini < cost) tree = std::move(by_gini);
    return std::min(cost, gini);
}

template <class Score>
Cost SortedGreedy::grow_by(const SortedNode& node, int depth, const Score& score, Tree& tree) {
    const Objective& objective = work_.objective;
    const Cost leaf = objective.leaf_cost(node.sums);
    const int at = tree.add_leaf();
    if (depth == 0 || interrupted_ || objective.closed(leaf, node.leaf_rows)) return leaf;
    const Place place = best_split(node, score);
    if (place.order < 0) return leaf;
    Cost cost = objective.penalty;
    const int test = node.test_at(work_.data, place);
    for (const bool right : {false, true}) {
        const SortedNode& child = make_side(work_, node, depth, place, right);
        (right ? tree.right : tree.left)[at] = tree.size();
        cost += grow_by(child, depth - 1, score, tree);
    }
    if (cost >= leaf) {
        tree.cut(at);
        return leaf;
    }
    tree.feature[at] = test;
    return cost;
}

template <class Score>
Place SortedGreedy::best_split(const SortedNode& node, const Score& score) {
    const int classes = static_cast<int>(node.class_weight.size());
    const auto total = static_cast<double>(node.sums.weight);
    Place best;
    std::int64_t most = 0;
    for (int o = 0; o < node.orders; ++o) {
        const Entry* sorted = node.sorted(o);
        left_.assign(classes, 0);
        right_ = node.class_weight;
        std::int64_t weight = 0;
        for (int i = 0; i + 1 < node.rows; ++i) {
            const std::uint32_t row = row_of(sorted[i]);
            left_[node.label[row]] += node.weight_of(row);
            right_[node.label[row]] -= node.weight_of(row);
            weight += node.weight_of(row);
            if (!has_boundary(sorted[i])) continue;
            const std::int64_t rows = work_.objective.rows_are_weight ? weight : i + 1;
            if (!work_.objective.can_split(rows, node.leaf_rows - rows)) continue;
            const std::int64_t gain =
                whole_gain((score(left_.data(), classes) + score(right_.data(), classes)) / total);
            if (best.order >= 0 && gain <= most) continue;
            most = gain;
            best = {o, i};
        }
        work_.meter.spend(static_cast<std::int64_t>(node.rows) * (4 + classes));
        interrupted_ = interrupted_ || work_.meter.interrupted();
        if (interrupted_) return {};
    }
    return best;
}

}  // namespace beamtree
