#include "sorted/sorted_greedy.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "node/class_weights.hpp"

namespace beamtree {

/// How pure the two sides of a split are, times their weights. Larger is better; the sum over both
/// sides orders splits as the gain does. A row that changes sides changes the weight of one class
/// only, so the sums over all classes are updated and not computed again.
class SortedGreedy::Scores {
  public:
    explicit Scores(std::int64_t most) : unit_(unit_for(most)) {
        table_.resize(static_cast<std::size_t>(std::min(most, kMost)) + 1);
        for (std::size_t w = 1; w < table_.size(); ++w) table_[w] = slow(w);
    }
    /// All rows of a node with these class weights are on the right side.
    void start(const std::vector<std::int64_t>& class_weight, bool entropy, bool gini) {
        entropy_ = entropy;
        gini_ = gini;
        side_[0].assign(class_weight.size());
        side_[1].assign(class_weight.size());
        logs_ = 0;
        for (std::size_t k = 0; k < class_weight.size(); ++k)
            add(side_[1], static_cast<int>(k), class_weight[k]);
    }
    void move_left(int label, std::int64_t weight) {
        add(side_[0], label, weight);
        add(side_[1], label, -weight);
    }
    double entropy() const {
        const std::int64_t both =
            weight_times_log(side_[0].weight) + weight_times_log(side_[1].weight);
        return static_cast<double>(logs_ - both) / unit_;
    }
    double gini() const {
        return side_[0].squares / static_cast<double>(side_[0].weight) +
               side_[1].squares / static_cast<double>(side_[1].weight);
    }

  private:
    struct Class {
        std::int64_t weight = 0, log = 0;  ///< log is the weight times its logarithm
    };
    struct Side {
        std::vector<Class> of;
        std::int64_t weight = 0;
        double squares = 0;  ///< sum of the squares of the class weights
        void assign(std::size_t classes) {
            of.assign(classes, {});
            weight = 0;
            squares = 0;
        }
    };
    static constexpr std::int64_t kMost = 1 << 22;

    /// Logarithms are whole multiples of 1 / unit, so that a sum does not depend on the order in
    /// which it was updated. No sum is above that of all rows in one class, which needs 61 bits.
    static double unit_for(std::int64_t most) {
        const auto weight = static_cast<double>(std::max<std::int64_t>(most, 2));
        return std::exp2(60 - std::ceil(std::log2(weight * std::log2(weight))));
    }
    std::int64_t slow(std::int64_t weight) const {
        const auto w = static_cast<double>(weight);
        return std::llround(w * std::log2(w) * unit_);
    }
    std::int64_t weight_times_log(std::int64_t weight) const {
        if (weight == 0) return 0;
        return weight < static_cast<std::int64_t>(table_.size())
                   ? table_[static_cast<std::size_t>(weight)]
                   : slow(weight);
    }
    void add(Side& side, int label, std::int64_t weight) {
        Class& changed = side.of[label];
        const std::int64_t before = changed.weight;
        changed.weight += weight;
        side.weight += weight;
        if (gini_)
            side.squares +=
                static_cast<double>(weight) * static_cast<double>(before + changed.weight);
        if (!entropy_) return;
        const std::int64_t log = weight_times_log(changed.weight);
        logs_ += log - changed.log;
        changed.log = log;
    }

    double unit_;
    std::vector<std::int64_t> table_;  ///< weights come one after the other, so it is read in order
    bool entropy_ = true, gini_ = true;
    Side side_[2];
    std::int64_t logs_ = 0;  ///< of all classes on both sides
};

SortedGreedy::SortedGreedy(SortedWorkspace& work, const SortedNode& root)
    : work_(work), root_(root), scores_(std::make_unique<Scores>(root.sums.weight)) {}

SortedGreedy::~SortedGreedy() = default;

std::vector<GrownTree> SortedGreedy::grow(int depth) {
    for (Tree& grown : tree_) grown = {};
    const Costs cost = grow(root_, depth, {true, true});
    return {{std::move(tree_[0]), cost[0]}, {std::move(tree_[1]), cost[1]}};
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
        scores_->start(node.class_weight, wanted[0], wanted[1]);
        std::int64_t weight = 0;
        for (int i = 0; i + 1 < node.rows; ++i) {
            const std::int64_t row_weight = node.weight_of(row_of(sorted[i]));
            scores_->move_left(label_[i], row_weight);
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
                const double sum = g == 0 ? scores_->entropy() : scores_->gini();
                if (sum < enough[g]) continue;
                const std::int64_t gain = whole_gain(sum / total);
                if (best[g].order >= 0 && gain <= most[g]) continue;
                most[g] = gain;
                best[g] = {o, i};
                enough[g] = static_cast<double>(gain) * kGainUnit * total;
            }
        }
        work_.meter.spend(static_cast<std::int64_t>(node.rows) * 6);
        interrupted_ = interrupted_ || work_.meter.interrupted();
        if (interrupted_) return {};
    }
    return best;
}

}  // namespace beamtree
