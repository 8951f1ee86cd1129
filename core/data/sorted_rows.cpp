#include "data/sorted_rows.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <numeric>
#include <utility>

namespace beamtree {

namespace {

constexpr int kRadixBits = 11;
constexpr int kBuckets = 1 << kRadixBits;

struct Item {
    Word bits;
    std::uint32_t row;
};

/// Stable radix sort by `bits`, least significant digit first; digits that all items share are
/// skipped.
void radix_sort(std::vector<Item>& items) {
    std::vector<Item> other(items.size());
    for (int shift = 0; shift < kWordBits; shift += kRadixBits) {
        std::vector<std::uint32_t> start(kBuckets + 1, 0);
        for (const Item& item : items) ++start[((item.bits >> shift) & (kBuckets - 1)) + 1];
        if (std::find(start.begin(), start.end(), items.size()) != start.end()) continue;
        std::partial_sum(start.begin(), start.end(), start.begin());
        for (const Item& item : items) other[start[(item.bits >> shift) & (kBuckets - 1)]++] = item;
        items.swap(other);
    }
}

/// Packs eight bytes of 0 or 1 into eight bits; the first byte becomes the highest bit.
Word pack_eight(const std::uint8_t* bytes) {
    if constexpr (std::endian::native == std::endian::little) {
        Word eight;
        std::memcpy(&eight, bytes, 8);
        return (eight * 0x8040201008040201ULL) >> 56;
    }
    Word bits = 0;
    for (int i = 0; i < 8; ++i) bits = bits << 1 | bytes[i];
    return bits;
}

}  // namespace

LeafSums RowGroup::sums() const {
    LeafSums sums;
    for (const auto& [label, w] : weight) sums.add_class(w);
    return sums;
}

std::int64_t RowGroup::common(int classes) const {
    if (static_cast<int>(weight.size()) < classes) return 0;
    std::int64_t least = weight.front().second;
    for (const auto& [label, w] : weight) least = std::min(least, w);
    return least;
}

namespace {

/// Sets the features from `begin` to `end` - 1 in the bits of a row.
void set_run(Word* row, int begin, int end) {
    while (begin < end) {
        const int offset = begin % kWordBits, count = std::min(end - begin, kWordBits - offset);
        row[begin / kWordBits] |= low_bits(count) << (kWordBits - offset - count);
        begin += count;
    }
}

}  // namespace

SortedRows::SortedRows(const Problem& problem) : words_per_row_(words_for(problem.columns)) {
    if (problem.ranks == nullptr)
        pack(problem);
    else
        pack_ranks(problem);
    const std::vector<std::uint32_t> order = sorted_order(problem);
    label_.reserve(order.size());
    weight_.reserve(order.size());
    if (problem.count != nullptr) count_.reserve(order.size());
    std::vector<Word> sorted;
    sorted.reserve(bits_.size());
    for (const std::uint32_t row : order) {
        label_.push_back(problem.label[row]);
        weight_.push_back(problem.weight[row]);
        if (problem.count != nullptr) count_.push_back(problem.count[row]);
        sorted.insert(sorted.end(), bits(row), bits(row) + words_per_row_);
    }
    bits_.swap(sorted);
}

void SortedRows::pack(const Problem& problem) {
    bits_.assign(static_cast<std::size_t>(problem.rows) * words_per_row_, 0);
    for (std::int64_t i = 0; i < problem.rows; ++i) {
        const std::uint8_t* row = problem.row(i);
        Word* out = bits_.data() + static_cast<std::size_t>(i) * words_per_row_;
        int j = 0;
        for (; j + 8 <= problem.columns; j += 8)
            out[j / kWordBits] |= pack_eight(row + j) << (kWordBits - 8 - j % kWordBits);
        for (; j < problem.columns; ++j)
            out[j / kWordBits] |= Word{row[j]} << (kWordBits - 1 - j % kWordBits);
    }
}

/// A row of rank r goes right at the first r cuts of an order.
void SortedRows::pack_ranks(const Problem& problem) {
    bits_.assign(static_cast<std::size_t>(problem.rows) * words_per_row_, 0);
    const Ranks& ranks = *problem.ranks;
    for (int order = 0; order < ranks.orders(); ++order) {
        const std::uint32_t* rank = problem.order(order);
        const int first = ranks.first[order];
        Word* out = bits_.data();
        for (std::int64_t i = 0; i < problem.rows; ++i, out += words_per_row_)
            set_run(out, first, first + static_cast<int>(rank[i]));
    }
}

std::vector<std::uint32_t> SortedRows::sorted_order(const Problem& problem) const {
    std::vector<Item> items(static_cast<std::size_t>(problem.rows));
    std::vector<std::uint32_t> start(problem.classes + 1, 0);
    for (std::int64_t i = 0; i < problem.rows; ++i) ++start[problem.label[i] + 1];
    std::partial_sum(start.begin(), start.end(), start.begin());
    for (std::int64_t i = 0; i < problem.rows; ++i) {
        const auto row = static_cast<std::uint32_t>(i);
        items[start[problem.label[i]]++] = {words_per_row_ > 0 ? bits(row)[0] : 0, row};
    }
    radix_sort(items);
    std::vector<std::uint32_t> order(items.size());
    std::transform(items.begin(), items.end(), order.begin(),
                   [](const Item& item) { return item.row; });
    const auto less = [&](std::uint32_t a, std::uint32_t b) {
        return std::lexicographical_compare(bits(a) + 1, bits(a) + words_per_row_, bits(b) + 1,
                                            bits(b) + words_per_row_);
    };
    for (std::size_t begin = 0; words_per_row_ > 1 && begin < items.size();) {
        std::size_t end = begin + 1;
        while (end < items.size() && items[end].bits == items[begin].bits) ++end;
        std::stable_sort(order.begin() + begin, order.begin() + end, less);
        begin = end;
    }
    return order;
}

void SortedRows::read_group(std::uint32_t begin, RowGroup& group) const {
    group.row = begin;
    group.weight.clear();
    const Word* first = bits(begin);
    std::uint32_t row = begin;
    for (; row < label_.size(); ++row) {
        const Word* other = bits(row);
        int w = 0;
        while (w < words_per_row_ && first[w] == other[w]) ++w;
        if (w < words_per_row_) break;
        if (group.weight.empty() || group.weight.back().first != label_[row])
            group.weight.emplace_back(label_[row], weight_[row]);
        else
            group.weight.back().second += weight_[row];
    }
    group.entries = row - begin;
    group.rows = count_.empty() ? group.entries
                                : std::accumulate(count_.begin() + begin, count_.begin() + row,
                                                  std::int64_t{0});
}

}  // namespace beamtree
