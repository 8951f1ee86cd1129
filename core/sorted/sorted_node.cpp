#include "sorted/sorted_node.hpp"

#include <algorithm>

namespace beamtree {

namespace {

constexpr std::uint32_t kDropped = 0xFFFFFFFFU;

/// Writes the entries whose rows are kept, with their new numbers, and returns whether a boundary
/// is left. A boundary between two kept rows stays one, even if the row before it is dropped. `out`
/// has room for one more entry than there are kept rows. There are no branches, because nobody can
/// predict which rows are kept.
bool filter(const Entry* in, int rows, const std::uint32_t* number, Entry* out) {
    int i = 0;
    while (number[row_of(in[i])] == kDropped) ++i;
    Entry* next = out;
    *next++ = make_entry(number[row_of(in[i])], false);
    Entry boundary = in[i] & 1, any = 0;
    for (++i; i < rows; ++i) {
        const std::uint32_t row = number[row_of(in[i])];
        const Entry kept = row != kDropped ? ~Entry{0} : 0;
        next[-1] |= boundary & kept;
        any |= boundary & kept;
        *next = make_entry(row, false);
        next += kept & 1;
        boundary = (boundary & ~kept) | (in[i] & 1);
    }
    return any != 0;
}

}  // namespace

LeafSums SortedNode::leaf_sums(const std::vector<std::int64_t>& weights) const {
    LeafSums result;
    for (const std::int64_t w : weights) result.add_class(w);
    return result;
}

void SortedNode::make_root(const SortedData& data, const Objective& objective) {
    rows = data.rows();
    row.resize(rows);
    for (int i = 0; i < rows; ++i) row[i] = static_cast<std::uint32_t>(i);
    label = data.label();
    weight.clear();
    if (!data.unit_weights()) weight.assign(data.weight(), data.weight() + rows);
    entries.clear();
    order.clear();
    for (int o = 0; o < data.orders(); ++o) {
        const Entry* sorted = data.sorted(o);
        if (!std::any_of(sorted, sorted + rows, has_boundary)) continue;
        order.push_back(o);
        entries.insert(entries.end(), sorted, sorted + rows);
    }
    orders = static_cast<int>(order.size());
    hash = {};
    for (const std::uint32_t r : row) hash.add_product(1, data.hasher()[r]);
    weigh(data, objective);
}

void SortedNode::weigh(const SortedData& data, const Objective& objective) {
    class_weight.assign(data.classes(), 0);
    for (int i = 0; i < rows; ++i) class_weight[label[i]] += weight_of(i);
    sums = leaf_sums(class_weight);
    leaf_rows = objective.rows_are_weight ? sums.weight : rows;
}

void SortedNode::make_child(const SortedData& data, const Objective& objective,
                            const SortedNode& parent, const Place& place, bool right, bool is_leaf,
                            std::vector<std::uint32_t>& scratch) {
    const Entry* split = parent.sorted(place.order);
    const int begin = right ? place.last + 1 : 0, end = right ? parent.rows : place.last + 1;
    scratch.assign(parent.rows, kDropped);
    for (int i = begin; i < end; ++i) scratch[row_of(split[i])] = 0;
    rows = end - begin;
    row.resize(rows);
    label.resize(rows);
    weight.resize(parent.weight.empty() ? 0 : rows);
    std::uint32_t next = 0;
    for (int i = 0; i < parent.rows; ++i) {
        if (scratch[i] == kDropped) continue;
        row[next] = parent.row[i];
        label[next] = parent.label[i];
        if (!parent.weight.empty()) weight[next] = parent.weight[i];
        scratch[i] = next++;
    }
    orders = 0;
    const int wanted = is_leaf ? 0 : parent.orders;
    order.resize(wanted);
    entries.resize(static_cast<std::size_t>(wanted) * rows + 1);
    for (int g = 0; g < wanted; ++g) {
        if (!filter(parent.sorted(g), parent.rows, scratch.data(), sorted(orders))) continue;
        order[orders++] = parent.order[g];
    }
    hash = {};
    for (const std::uint32_t r : row) hash.add_product(1, data.hasher()[r]);
    weigh(data, objective);
}

int SortedNode::test_at(const SortedData& data, const Place& place) const {
    const Entry* split = sorted(place.order);
    const int o = order[place.order];
    const std::uint32_t low = data.rank(o, row[row_of(split[place.last])]);
    const std::uint32_t high = data.rank(o, row[row_of(split[place.last + 1])]);
    return data.ranks().test_of({o, low + (high - low + 1) / 2});
}

Place SortedNode::place_of(const SortedData& data, int test) const {
    const Cut cut = data.ranks().cut_of(test);
    const auto at = std::lower_bound(order.begin(), order.begin() + orders, cut.order);
    if (at == order.begin() + orders || *at != cut.order) return {};
    const int o = static_cast<int>(at - order.begin());
    const Entry* split = sorted(o);
    const Entry* right = std::partition_point(split, split + rows, [&](Entry entry) {
        return data.rank(cut.order, row[row_of(entry)]) < cut.cut;
    });
    const int left = static_cast<int>(right - split);
    if (left == 0 || left == rows) return {};
    return {o, left - 1};
}

Cost class_floor(const SortedNode& node, const Objective& objective, int depth) {
    std::vector<std::int64_t> weight = node.class_weight;
    return class_floor(objective, weight, depth);
}

}  // namespace beamtree
