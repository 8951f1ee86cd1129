#include "sorted/sorted_greedy.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "node/class_weights.hpp"

namespace beamtree {

/// How pure the class weights of one side are, times its weight. Larger is better; the sum over the
/// two sides orders splits as the gain does.
class SortedGreedy::Scores {
  public:
    explicit Scores(std::int64_t most) : table_(std::min<std::int64_t>(most, kMost) + 1) {
        for (std::size_t w = 1; w < table_.size(); ++w) table_[w] = slow(static_cast<double>(w));
    }
    double entropy(const std::int64_t* class_weight, int classes) const {
        std::int64_t total = 0;
        double sum = 0;
        for (int k = 0; k < classes; ++k) {
            total += class_weight[k];
            sum += weight_times_log(class_weight[k]);
        }
        return sum - weight_times_log(total);
    }
    static double gini(const std::int64_t* class_weight, int classes) {
        double total = 0, squares = 0;
        for (int k = 0; k < classes; ++k) {
            const auto weight = static_cast<double>(class_weight[k]);
            total += weight;
            squares += weight * weight;
        }
        return squares / total;
    }

  private:
    static constexpr std::int64_t kMost = 1 << 22;

    static double slow(double weight) { return weight * std::log2(weight); }
    double weight_times_log(std::int64_t weight) const {
        return weight < static_cast<std::int64_t>(table_.size())
                   ? table_[static_cast<std::size_t>(weight)]
                   : slow(static_cast<double>(weight));
    }

    std::vector<double> table_;  ///< weights come one after the other, so it is read in order
};

SortedGreedy::SortedGreedy(SortedWorkspace& work, const SortedNode& root)
    : work_(work), root_(root), scores_(std::make_unique<Scores>(root.sums.weight)) {}

SortedGreedy::~SortedGreedy() = default;

Cost SortedGreedy::grow(int depth, Tree& tree) {
    for (Tree& grown : tree_) grown = {};
    const Costs cost = grow(root_, depth, {true, true});
    const int best = cost[1] < cost[0] ? 1 : 0;
    tree = std::move(tree_[best]);
    return cost[best];
}

SortedGreedy::Costs SortedGreedy::grow(const SortedNode& node, int depth, const Wanted& wanted) {
    const Objective& objective = work_.objective;
    const Cost leaf = objective.leaf_cost(node.sums);
    std::array<int, kGains> at{};
    for (int i = 0; i < kGains; ++i)
        if (wanted[i]) at[i] = tree_[i].add_leaf();
    Costs cost{leaf, leaf};
    if (depth == 0 || interrupted_ || objective.closed(leaf, node.leaf_rows)) return cost;
    const Places place = best_splits(node, wanted);
    const auto try_split = [&](const Wanted& which, const Place& best) {
        const int test = node.test_at(work_.data, best);
        const Costs found = split(node, depth, best, which, at);
        for (int i = 0; i < kGains; ++i) {
            if (!which[i]) continue;
            if (found[i] < leaf) {
                cost[i] = found[i];
                tree_[i].feature[at[i]] = test;
            } else {
                tree_[i].cut(at[i]);
            }
        }
    };
    const bool alike = place[0].order == place[1].order && place[0].last == place[1].last;
    if (wanted[0] && wanted[1] && alike) {
        if (place[0].order >= 0) try_split(wanted, place[0]);
        return cost;
    }
    for (int i = 0; i < kGains; ++i)
        if (wanted[i] && place[i].order >= 0) try_split({i == 0, i == 1}, place[i]);
    return cost;
}

SortedGreedy::Costs SortedGreedy::split(const SortedNode& node, int depth, const Place& place,
                                        const Wanted& wanted, const std::array<int, kGains>& at) {
    Costs cost{work_.objective.penalty, work_.objective.penalty};
    for (const bool right : {false, true}) {
        const SortedNode& child = make_side(work_, node, depth, place, right);
        for (int i = 0; i < kGains; ++i)
            if (wanted[i]) (right ? tree_[i].right : tree_[i].left)[at[i]] = tree_[i].size();
        const Costs below = grow(child, depth - 1, wanted);
        for (int i = 0; i < kGains; ++i) cost[i] += below[i];
    }
    return cost;
}

SortedGreedy::Places SortedGreedy::best_splits(const SortedNode& node, const Wanted& wanted) {
    const int classes = static_cast<int>(node.class_weight.size());
    const auto total = static_cast<double>(node.sums.weight);
    const bool minimum = work_.objective.has_minimum();
    Places best;
    std::array<std::int64_t, kGains> most{};
    std::array<double, kGains> enough;  // below this, a gain is not larger
    enough.fill(std::numeric_limits<double>::lowest());
    label_.resize(node.rows);
    for (int o = 0; o < node.orders; ++o) {
        const Entry* sorted = node.sorted(o);
        for (int i = 0; i < node.rows; ++i) label_[i] = node.label[row_of(sorted[i])];
        left_.assign(classes, 0);
        right_ = node.class_weight;
        std::int64_t weight = 0;
        for (int i = 0; i + 1 < node.rows; ++i) {
            const std::int64_t row_weight = node.weight_of(row_of(sorted[i]));
            left_[label_[i]] += row_weight;
            right_[label_[i]] -= row_weight;
            weight += row_weight;
            if (!has_boundary(sorted[i])) continue;
            if (minimum) {
                const std::int64_t rows = work_.objective.rows_are_weight ? weight : i + 1;
                if (!work_.objective.can_split(rows, node.leaf_rows - rows)) continue;
            } else if (label_[i] == label_[i + 1] && (i == 0 || has_boundary(sorted[i - 1])) &&
                       (i + 2 == node.rows || has_boundary(sorted[i + 1]))) {
                // Between two rows of one class, with a boundary on the other side of each, the
                // gain is not larger than at one of these: gains are convex.
                continue;
            }
            for (int g = 0; g < kGains; ++g) {
                if (!wanted[g]) continue;
                const double sum = g == 0 ? scores_->entropy(left_.data(), classes) +
                                                scores_->entropy(right_.data(), classes)
                                          : Scores::gini(left_.data(), classes) +
                                                Scores::gini(right_.data(), classes);
                if (sum < enough[g]) continue;
                const std::int64_t gain = whole_gain(sum / total);
                if (best[g].order >= 0 && gain <= most[g]) continue;
                most[g] = gain;
                best[g] = {o, i};
                enough[g] = static_cast<double>(gain) * kGainUnit * total;
            }
        }
        work_.meter.spend(static_cast<std::int64_t>(node.rows) * (4 + classes));
        interrupted_ = interrupted_ || work_.meter.interrupted();
        if (interrupted_) return {};
    }
    return best;
}

}  // namespace beamtree
