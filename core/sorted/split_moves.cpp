#include "sorted/split_moves.hpp"

#include <algorithm>

namespace beamtree {

/// Every leaf predicts the class of the largest weight among its rows.
void Predictions<Misclassification>::fit(const Misclassification&,
                                         const SortedNode<Misclassification>& root,
                                         const std::vector<int>& leaf, int nodes) {
    const auto classes = static_cast<std::ptrdiff_t>(root.sums.class_weight.size());
    std::vector<std::int64_t> weight(static_cast<std::size_t>(nodes * classes), 0);
    for (int i = 0; i < root.rows; ++i)
        weight[leaf[i] * classes + root.values.label[i]] += root.weight_of(i);
    label_.resize(nodes);
    for (int at = 0; at < nodes; ++at) {
        const auto begin = weight.begin() + at * classes;
        label_[at] = static_cast<int>(std::max_element(begin, begin + classes) - begin);
    }
}

/// Every leaf predicts the mean of its rows.
void Predictions<SquaredError>::fit(const SquaredError& objective,
                                    const SortedNode<SquaredError>& root,
                                    const std::vector<int>& leaf, int nodes) {
    std::vector<ValueSums> sums(nodes);
    for (int i = 0; i < root.rows; ++i) sums[leaf[i]].add(root.values, i);
    factor_ = objective.factor;
    mean_.assign(nodes, 0);
    for (int at = 0; at < nodes; ++at)
        if (sums[at].weight > 0)
            mean_[at] = static_cast<double>(sums[at].value) * factor_ /
                        static_cast<double>(sums[at].weight);
}

template <SearchObjective O>
bool SplitMoves<O>::improve(int depth, Tree& tree) {
    tree_ = &tree;
    moved_ = false;
    step_.resize(tree.size());
    for (int at = 0; at < tree.size(); ++at) set_step(at);
    fit_leaves();
    visit(root_, depth, 0);
    return moved_;
}

template <SearchObjective O>
void SplitMoves<O>::set_step(int at) {
    if (tree_->feature[at] == Tree::kNone) return;
    const Cut cut = work_.data.ranks().cut_of(tree_->feature[at]);
    step_[at] = {work_.data.ranks_of(cut.order), cut.cut};
}

template <SearchObjective O>
void SplitMoves<O>::fit_leaves() {
    std::vector<int> leaf(root_.rows);
    for (int i = 0; i < root_.rows; ++i) leaf[i] = leaf_of(root_.row[i], 0);
    predictions_.fit(work_.objective, root_, leaf, tree_->size());
    work_.meter.spend(4 * static_cast<std::int64_t>(root_.rows));
}

template <SearchObjective O>
int SplitMoves<O>::leaf_of(std::uint32_t row, int at) const {
    while (tree_->feature[at] != Tree::kNone)
        at = step_[at].rank[row] < step_[at].cut ? tree_->left[at] : tree_->right[at];
    return at;
}

template <SearchObjective O>
void SplitMoves<O>::visit(const SortedNode<O>& node, int depth, int at) {
    if (depth <= work_.exact_levels() || tree_->feature[at] == Tree::kNone) return;
    if (work_.meter.stopped()) return;
    const Place place = node.place_of(work_.data, tree_->feature[at]);
    if (place.order < 0) return;
    for (const bool right : {false, true})
        visit(make_side(work_, node, depth, place, right), depth - 1,
              right ? tree_->right[at] : tree_->left[at]);
    move(node, place, at);
}

template <SearchObjective O>
void SplitMoves<O>::move(const SortedNode<O>& node, const Place& place, int at) {
    gain_.resize(node.rows);
    for (int i = 0; i < node.rows; ++i) {
        work_.meter.spend(8);
        const int left = leaf_of(node.row[i], tree_->left[at]);
        const int right = leaf_of(node.row[i], tree_->right[at]);
        gain_[i] = predictions_.gain(node, i, left, right);
    }
    const Entry* present = node.sorted(place.order);
    std::int64_t most = 0;
    for (int i = 0; i <= place.last; ++i) most += gain_[row_of(present[i])];
    Place best = place;
    for (int o = 0; o < node.orders; ++o) {
        const Entry* sorted = node.sorted(o);
        std::int64_t sum = 0;
        for (int i = 0; i + 1 < node.rows; ++i) {
            sum += gain_[row_of(sorted[i])];
            if (sum <= most || !has_boundary(sorted[i])) continue;
            most = sum;
            best = {o, i};
        }
        work_.meter.spend(node.rows);
        if (work_.meter.stopped()) return;
    }
    if (best.order == place.order && best.last == place.last) return;
    tree_->feature[at] = node.test_at(work_.data, best);
    set_step(at);
    moved_ = true;
}

template class SplitMoves<Misclassification>;
template class SplitMoves<SquaredError>;

}  // namespace beamtree
