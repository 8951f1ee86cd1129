#include "sorted/sorted_greedy.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "node/class_weights.hpp"
#include "sorted/sorted_objectives.hpp"

namespace beamtree {

/// Information gain and Gini gain: how pure the two sides of a split are, times their weights. The
/// sum over both sides orders splits as the gain does. A row that changes sides changes the weight
/// of one class only, so the sums over all classes are updated and not computed again.
template <>
class GreedyGains<Misclassification> {
  public:
    GreedyGains(const Misclassification&, const SortedNode<Misclassification>& root)
        : unit_(unit_for(root.sums.weight)) {
        // A table larger than the number of rows to move would take longer than it saves.
        const std::int64_t moves = static_cast<std::int64_t>(root.rows) * root.orders;
        const std::int64_t most = std::min({root.sums.weight, moves, kMost});
        table_.resize(static_cast<std::size_t>(most) + 1);
        for (std::size_t w = 1; w < table_.size(); ++w) table_[w] = slow(w);
    }
    void start_node(const std::array<bool, 2>& wanted) {
        entropy_ = wanted[0];
        gini_ = wanted[1];
        enough_.fill(std::numeric_limits<double>::lowest());
    }
    /// All rows of the node are on the right side.
    void start_order(const SortedNode<Misclassification>& node, int order) {
        node_ = &node;
        sorted_ = node.sorted(order);
        label_.resize(node.rows);
        for (int i = 0; i < node.rows; ++i) label_[i] = node.values.label[row_of(sorted_[i])];
        const std::vector<std::int64_t>& class_weight = node.sums.class_weight;
        side_[0].assign(class_weight.size());
        side_[1].assign(class_weight.size());
        logs_ = 0;
        for (std::size_t k = 0; k < class_weight.size(); ++k)
            add(side_[1], static_cast<int>(k), class_weight[k]);
    }
    void move_left(int i) {
        const std::int64_t weight = node_->weight_of(row_of(sorted_[i]));
        add(side_[0], label_[i], weight);
        add(side_[1], label_[i], -weight);
    }
    /// Whether the split after row i is no better than one beside it. Between two rows of one
    /// class, with a boundary on the other side of each, the gain is not larger than at one of
    /// these: gains are convex.
    bool skips(int i) const {
        return label_[i] == label_[i + 1] && (i == 0 || has_boundary(sorted_[i - 1])) &&
               (i + 2 == node_->rows || has_boundary(sorted_[i + 1]));
    }
    /// Whether the present gain is larger than the largest one of this node so far.
    bool is_larger(int which) {
        const double sum = which == 0 ? entropy() : gini();
        if (sum < enough_[which]) return false;
        const auto total = static_cast<double>(node_->sums.weight);
        const std::int64_t gain = whole_gain(sum / total);
        const bool first = enough_[which] == std::numeric_limits<double>::lowest();
        if (!first && gain <= most_[which]) return false;
        most_[which] = gain;
        enough_[which] = static_cast<double>(gain) * kGainUnit * total;
        return true;
    }

  private:
    double entropy() const {
        const std::int64_t both =
            weight_times_log(side_[0].weight) + weight_times_log(side_[1].weight);
        return static_cast<double>(logs_ - both) / unit_;
    }
    double gini() const {
        return side_[0].squares / static_cast<double>(side_[0].weight) +
               side_[1].squares / static_cast<double>(side_[1].weight);
    }

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
    const SortedNode<Misclassification>* node_ = nullptr;
    const Entry* sorted_ = nullptr;
    std::vector<std::uint16_t> label_;  ///< (rows,) in the order that is being swept
    std::array<std::int64_t, 2> most_{};
    std::array<double, 2> enough_{};  ///< below this, a gain is not larger
};

/// The least cost of the two sides as leaves, for all other objectives.
template <SearchObjective O>
class GreedyGains {
  public:
    GreedyGains(const O& objective, const SortedNode<O>&) : objective_(objective) {}

    void start_node(const std::array<bool, 1>&) { least_ = kInfiniteCost; }
    void start_order(const SortedNode<O>& node, int order) {
        node_ = &node;
        sorted_ = node.sorted(order);
        if constexpr (kAsksForMany) price_all();
        left_.start(node.values);
    }
    void move_left(int i) {
        if constexpr (kAsksForMany)
            at_ = i;
        else
            left_.add(node_->values, row_of(sorted_[i]));
    }
    static bool skips(int) { return false; }
    bool is_larger(int) {
        const Cost cost = cost_of_split();
        if (cost >= least_) return false;
        least_ = cost;
        return true;
    }

  private:
    /// Whether the objective prefers to price many leaves at once.
    static constexpr bool kAsksForMany =
        requires(const O& objective, std::vector<typename O::Sums>& sums, std::vector<Cost>& cost) {
            objective.leaf_costs(sums, cost);
        };

    Cost cost_of_split() {
        if constexpr (kAsksForMany) return split_cost_[at_];
        right_.set_rest(node_->sums, left_);
        return objective_.leaf_cost(left_) + objective_.leaf_cost(right_);
    }
    /// Finds the costs of all splits of the order.
    void price_all() {
        sums_.clear();
        left_.start(node_->values);
        for (int i = 0; i + 1 < node_->rows; ++i) {
            left_.add(node_->values, row_of(sorted_[i]));
            if (!has_boundary(sorted_[i])) continue;
            right_.set_rest(node_->sums, left_);
            sums_.push_back(left_);
            sums_.push_back(right_);
        }
        cost_.resize(sums_.size());
        objective_.leaf_costs(sums_, cost_);
        split_cost_.assign(node_->rows, kInfiniteCost);
        std::size_t next = 0;
        for (int i = 0; i + 1 < node_->rows; ++i) {
            if (!has_boundary(sorted_[i])) continue;
            split_cost_[i] = cost_[next] + cost_[next + 1];
            next += 2;
        }
    }

    const O& objective_;
    std::vector<typename O::Sums> sums_;
    std::vector<Cost> cost_;
    std::vector<Cost> split_cost_;  ///< (rows,) of the split after each entry
    int at_ = 0;
    const SortedNode<O>* node_ = nullptr;
    const Entry* sorted_ = nullptr;
    typename O::Sums left_, right_;
    Cost least_ = kInfiniteCost;
};

template <SearchObjective O>
SortedGreedy<O>::SortedGreedy(SortedWorkspace<O>& work, const SortedNode<O>& root)
    : work_(work), root_(root), gains_(std::make_unique<GreedyGains<O>>(work.objective, root)) {}

template <SearchObjective O>
SortedGreedy<O>::~SortedGreedy() = default;

template <SearchObjective O>
std::vector<GrownTree> SortedGreedy<O>::grow(int depth) {
    for (Tree& grown : tree_) grown = {};
    Wanted all;
    all.fill(true);
    const Costs cost = grow(root_, depth, all);
    std::vector<GrownTree> grown;
    for (int i = 0; i < kGains; ++i) grown.push_back({std::move(tree_[i]), cost[i]});
    return grown;
}

template <SearchObjective O>
auto SortedGreedy<O>::grow(const SortedNode<O>& node, int depth, const Wanted& wanted) -> Costs {
    const O& objective = work_.objective;
    const Cost leaf = objective.leaf_cost(node.sums);
    std::array<int, kGains> at{};
    for (int i = 0; i < kGains; ++i)
        if (wanted[i]) at[i] = tree_[i].add_leaf();
    Costs cost;
    cost.fill(leaf);
    if (depth == 0 || interrupted_ || objective.closed(leaf, node.leaf_rows)) return cost;
    const Places place = best_splits(node, wanted);
    // The trees that split alike go on together.
    Wanted left = wanted;
    for (int first = 0; first < kGains; ++first) {
        const Place& best = place[first];
        if (!left[first] || best.order < 0) continue;
        Wanted alike{};
        for (int i = first; i < kGains; ++i) {
            alike[i] = left[i] && place[i].order == best.order && place[i].last == best.last;
            if (alike[i]) left[i] = false;
        }
        const int test = node.test_at(work_.data, best);
        const Costs found = split(node, depth, best, alike, at);
        for (int i = 0; i < kGains; ++i) {
            if (!alike[i]) continue;
            if (found[i] < leaf) {
                cost[i] = found[i];
                tree_[i].feature[at[i]] = test;
            } else {
                tree_[i].cut(at[i]);
            }
        }
    }
    return cost;
}

template <SearchObjective O>
auto SortedGreedy<O>::split(const SortedNode<O>& node, int depth, const Place& place,
                            const Wanted& wanted, const std::array<int, kGains>& at) -> Costs {
    Costs cost;
    cost.fill(work_.objective.penalty);
    for (const bool right : {false, true}) {
        const SortedNode<O>& child = make_side(work_, node, depth, place, right);
        for (int i = 0; i < kGains; ++i)
            if (wanted[i]) (right ? tree_[i].right : tree_[i].left)[at[i]] = tree_[i].size();
        const Costs below = grow(child, depth - 1, wanted);
        for (int i = 0; i < kGains; ++i) cost[i] += below[i];
    }
    return cost;
}

template <SearchObjective O>
auto SortedGreedy<O>::best_splits(const SortedNode<O>& node, const Wanted& wanted) -> Places {
    const O& objective = work_.objective;
    const bool minimum = objective.has_minimum();
    Places best;
    gains_->start_node(wanted);
    for (int o = 0; o < node.orders; ++o) {
        const Entry* sorted = node.sorted(o);
        gains_->start_order(node, o);
        std::int64_t weight = 0;
        for (int i = 0; i + 1 < node.rows; ++i) {
            gains_->move_left(i);
            if (minimum && objective.rows_are_weight) weight += node.weight_of(row_of(sorted[i]));
            if (!has_boundary(sorted[i])) continue;
            if (minimum) {
                const std::int64_t rows = objective.rows_are_weight ? weight : i + 1;
                if (!objective.can_split(rows, node.leaf_rows - rows)) continue;
            } else if (gains_->skips(i)) {
                continue;
            }
            for (int g = 0; g < kGains; ++g)
                if (wanted[g] && gains_->is_larger(g)) best[g] = {o, i};
        }
        work_.meter.spend(static_cast<std::int64_t>(node.rows) * 6);
        interrupted_ = interrupted_ || work_.meter.interrupted();
        if (interrupted_) return {};
    }
    return best;
}

#define BEAMTREE_INSTANCE(O) template class SortedGreedy<O>;
BEAMTREE_SORTED_OBJECTIVES(BEAMTREE_INSTANCE)
#undef BEAMTREE_INSTANCE

}  // namespace beamtree
