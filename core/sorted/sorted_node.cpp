#include "sorted/sorted_node.hpp"

#include <algorithm>

#include "sorted/sorted_objectives.hpp"

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

template <SearchObjective O>
void SortedNode<O>::make_root(const SortedData& data, const O& objective) {
    rows = data.rows();
    row.resize(rows);
    for (int i = 0; i < rows; ++i) row[i] = static_cast<std::uint32_t>(i);
    values.read(data.targets());
    entries.clear();
    order.clear();
    for (int o = 0; o < data.orders(); ++o) {
        const Entry* sorted = data.sorted(o);
        if (!std::any_of(sorted, sorted + rows, has_boundary)) continue;
        order.push_back(o);
        entries.insert(entries.end(), sorted, sorted + rows);
    }
    orders = static_cast<int>(order.size());
    finish(data, objective);
}

/// Sums up the rows.
template <SearchObjective O>
void SortedNode<O>::finish(const SortedData& data, const O& objective) {
    hash = {};
    for (const std::uint32_t r : row) hash.add_product(1, data.hasher()[r]);
    sums.start(values);
    for (int i = 0; i < rows; ++i) sums.add(values, i);
    leaf_rows = objective.rows_are_weight ? sums.weight : rows;
}

template <SearchObjective O>
void SortedNode<O>::make_child(const SortedData& data, const O& objective, const SortedNode& parent,
                               const Place& place, bool right, bool is_leaf,
                               std::vector<std::uint32_t>& scratch) {
    const Entry* split = parent.sorted(place.order);
    const int begin = right ? place.last + 1 : 0, end = right ? parent.rows : place.last + 1;
    scratch.assign(parent.rows, kDropped);
    for (int i = begin; i < end; ++i) scratch[row_of(split[i])] = 0;
    rows = end - begin;
    row.resize(rows);
    values.start(parent.values, rows);
    std::uint32_t next = 0;
    for (int i = 0; i < parent.rows; ++i) {
        if (scratch[i] == kDropped) continue;
        row[next] = parent.row[i];
        values.copy(static_cast<int>(next), parent.values, i);
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
    finish(data, objective);
}

template <SearchObjective O>
int SortedNode<O>::test_at(const SortedData& data, const Place& place) const {
    const Entry* split = sorted(place.order);
    const int o = order[place.order];
    const std::uint32_t low = data.rank(o, row[row_of(split[place.last])]);
    const std::uint32_t high = data.rank(o, row[row_of(split[place.last + 1])]);
    return data.ranks().test_of({o, low + (high - low + 1) / 2});
}

template <SearchObjective O>
Place SortedNode<O>::place_of(const SortedData& data, int test) const {
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

#define BEAMTREE_INSTANCE(O) template struct SortedNode<O>;
BEAMTREE_SORTED_OBJECTIVES(BEAMTREE_INSTANCE)
#undef BEAMTREE_INSTANCE

}  // namespace beamtree
