#include "sorted/split_moves.hpp"

#include <algorithm>

namespace beamtree {

bool SplitMoves::improve(int depth, Tree& tree) {
    tree_ = &tree;
    moved_ = false;
    step_.resize(tree.size());
    for (int at = 0; at < tree.size(); ++at) set_step(at);
    label_leaves();
    visit(root_, depth, 0);
    return moved_;
}

void SplitMoves::set_step(int at) {
    if (tree_->feature[at] == Tree::kNone) return;
    const Cut cut = work_.data.ranks().cut_of(tree_->feature[at]);
    step_[at] = {work_.data.ranks_of(cut.order), cut.cut};
}

/// Every leaf predicts the class of the largest weight among its rows.
void SplitMoves::label_leaves() {
    const int classes = work_.data.classes();
    std::vector<std::int64_t> weight(static_cast<std::size_t>(tree_->size()) * classes, 0);
    for (int i = 0; i < root_.rows; ++i) {
        const auto leaf = static_cast<std::size_t>(leaf_of(root_.row[i], 0));
        weight[leaf * classes + root_.values.label[i]] += root_.weight_of(i);
    }
    label_.resize(tree_->size());
    for (int at = 0; at < tree_->size(); ++at) {
        const auto begin = weight.begin() + static_cast<std::ptrdiff_t>(at) * classes;
        label_[at] = static_cast<int>(std::max_element(begin, begin + classes) - begin);
    }
    work_.meter.spend(4 * static_cast<std::int64_t>(root_.rows));
}

int SplitMoves::leaf_of(std::uint32_t row, int at) const {
    while (tree_->feature[at] != Tree::kNone)
        at = step_[at].rank[row] < step_[at].cut ? tree_->left[at] : tree_->right[at];
    return at;
}

void SplitMoves::visit(const SortedNode<Misclassification>& node, int depth, int at) {
    if (depth <= work_.exact_levels() || tree_->feature[at] == Tree::kNone) return;
    if (work_.meter.stopped()) return;
    const Place place = node.place_of(work_.data, tree_->feature[at]);
    if (place.order < 0) return;
    for (const bool right : {false, true})
        visit(make_side(work_, node, depth, place, right), depth - 1,
              right ? tree_->right[at] : tree_->left[at]);
    move(node, place, at);
}

void SplitMoves::move(const SortedNode<Misclassification>& node, const Place& place, int at) {
    gain_.resize(node.rows);
    for (int i = 0; i < node.rows; ++i) {
        work_.meter.spend(8);
        const int left = label_[leaf_of(node.row[i], tree_->left[at])];
        const int right = label_[leaf_of(node.row[i], tree_->right[at])];
        const int label = node.values.label[i];
        gain_[i] = node.weight_of(i) * ((left == label) - (right == label));
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

}  // namespace beamtree
