#include "sorted/class_pairs.hpp"

#include <algorithm>
#include <bit>

namespace beamtree {

std::int64_t ClassPairs::bytes(std::int64_t rows, std::int64_t orders, int classes) {
    if (classes <= 2) return 0;
    const std::int64_t lists = 4 * rows * orders * (classes - 1);
    const std::int64_t positions = rows * orders * (4 + (classes + 7) / 8);
    return lists + positions;
}

bool ClassPairs::start(const SortedNode<Misclassification>& node,
                       const std::vector<std::uint16_t>& label, int classes) {
    if (classes > kMostClasses || bytes(node.rows, node.orders, classes) > kMostBytes) return false;
    node_ = &node;
    label_ = &label;
    classes_ = classes;
    words_ = (node.rows + 63) / 64;
    std::vector<int> rows(classes, 0);
    for (int i = 0; i < node.rows; ++i) ++rows[label[i]];
    pairs_.clear();
    for (int a = 0; a < classes; ++a)
        for (int b = a + 1; b < classes; ++b) {
            const int bit = std::countr_zero(static_cast<unsigned>(a ^ b));
            const bool first = (a >> bit & 1) == 0;
            pairs_.push_back({first ? a : b, first ? b : a, bit, rows[a] + rows[b]});
        }
    std::stable_sort(pairs_.begin(), pairs_.end(),
                     [](const Pair& a, const Pair& b) { return a.rows > b.rows; });
    const std::size_t lists = pairs_.size() * node.orders;
    if (lists_.size() < lists) lists_.resize(lists);
    for (std::size_t i = 0; i < lists; ++i) lists_[i].made = false;
    if (positions_.size() < static_cast<std::size_t>(node.orders)) positions_.resize(node.orders);
    for (Positions& positions : positions_) positions.made = false;
    return true;
}

auto ClassPairs::rows(int order, int pair) -> Rows {
    if (classes_ == 2) return {node_->sorted(order), node_->rows};
    List& list = lists_[static_cast<std::size_t>(pair) * node_->orders + order];
    if (!list.made) select(order, pairs_[pair], list.entries);
    list.made = true;
    return {list.entries.data(), pairs_[pair].rows};
}

void ClassPairs::locate(int order) {
    Positions& positions = positions_[order];
    positions.made = true;
    positions.bits.assign(static_cast<std::size_t>(classes_) * words_, 0);
    positions.block.resize(node_->rows);
    const Entry* sorted = node_->sorted(order);
    std::uint32_t block = 0;
    for (int i = 0; i < node_->rows; ++i) {
        const std::size_t label = (*label_)[row_of(sorted[i])];
        positions.bits[label * words_ + i / 64] |= std::uint64_t{1} << i % 64;
        positions.block[i] = block;
        block += has_boundary(sorted[i]);
    }
}

/// Lists the entries of two classes. A boundary between two of them stays one, even if the row
/// before it has another class.
void ClassPairs::select(int order, const Pair& pair, std::vector<Entry>& entries) {
    if (!positions_[order].made) locate(order);
    const Positions& positions = positions_[order];
    const Entry* sorted = node_->sorted(order);
    const std::uint64_t* zero =
        positions.bits.data() + static_cast<std::size_t>(pair.zero) * words_;
    const std::uint64_t* one = positions.bits.data() + static_cast<std::size_t>(pair.one) * words_;
    entries.resize(pair.rows);
    Entry* next = entries.data();
    Entry none = 0, *last = &none;
    std::uint32_t block = 0;
    for (int w = 0; w < words_; ++w)
        for (std::uint64_t bits = zero[w] | one[w]; bits != 0; bits &= bits - 1) {
            const int i = 64 * w + std::countr_zero(bits);
            *last |= positions.block[i] != block;
            block = positions.block[i];
            last = next++;
            *last = sorted[i] & ~Entry{1};
        }
}

}  // namespace beamtree
