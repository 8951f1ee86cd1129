#include "grouped/grouped_node.hpp"

#include <algorithm>
#include <bit>

namespace beamtree {

void GroupedNode::make_root(const GroupedData& data) {
    GroupedNode all;  // with all features, which the root may not need
    all.groups = data.groups();
    all.features = data.features();
    all.begin.assign(1, 0);
    for (int i = 0; i < data.groups(); ++i) {
        all.number.push_back(static_cast<std::uint32_t>(i));
        all.sum.push_back(data.group(i));
        for (int f = 0; f < data.features(); ++f) {
            const bool next_too = f < data.chain_end(f) && data.is_one(i, f + 1);
            if (data.is_one(i, f) && !next_too) all.item.push_back(static_cast<std::uint16_t>(f));
        }
        all.begin.push_back(static_cast<std::uint32_t>(all.item.size()));
        all.total += data.group(i);
    }
    for (int f = 0; f < data.features(); ++f) {
        all.feature.push_back(f);
        all.chain_end.push_back(data.chain_end(f));
    }
    NodeScratch scratch;
    make_child(data, all, -1, true, scratch);
    make_lists();  // all threads of a pass begin here
}

void GroupedNode::make_child(const GroupedData& data, const GroupedNode& parent, int f, bool is_one,
                             NodeScratch& scratch) {
    auto& inside = scratch.inside;
    inside.assign(parent.groups, f < 0 || !is_one ? 1 : 0);
    if (f >= 0)
        for (const std::uint32_t i : parent.groups_with(f)) inside[i] = is_one ? 1 : 0;
    total = f < 0 ? parent.total : parent.side(f, is_one);
    // The sums of the items, and from them those of the features.
    scratch.one.assign(parent.features, {});
    groups = 0;
    number.resize(parent.groups + 1);
    for (int i = 0; i < parent.groups; ++i) {  // without a branch that nobody can predict
        number[groups] = static_cast<std::uint32_t>(i);
        groups += inside[i];
    }
    for (int n = 0; n < groups; ++n) {
        const std::uint32_t i = number[n];
        for (std::uint32_t k = parent.begin[i]; k < parent.begin[i + 1]; ++k)
            scratch.one[parent.item[k]] += parent.sum[i];
    }
    for (int g = parent.features - 2; g >= 0; --g)
        if (parent.chain_end[g] > g) scratch.one[g] += scratch.one[g + 1];
    finish(data);
    choose_features(data, parent, scratch);
    sum.resize(groups);
    begin.resize(groups + 1);
    item.resize(parent.item.size() + 1);
    std::uint32_t at = 0;
    begin[0] = 0;
    for (int i = 0; i < groups; ++i) {
        const std::uint32_t from = number[i];
        sum[i] = parent.sum[from];
        number[i] = parent.number[from];
        for (std::uint32_t k = parent.begin[from]; k < parent.begin[from + 1]; ++k) {
            const int to = scratch.to_child[parent.item[k]];
            item[at] = static_cast<std::uint16_t>(to);
            at += to >= 0 ? 1 : 0;
        }
        begin[i + 1] = at;
    }
    item.resize(at);
    has_lists_ = false;
}

void GroupedNode::finish(const GroupedData& data) {
    sums = data.packing().sums(total);
    rows = sums.weight;
    hash = total.cover_hash();
}

/// Keeps the features that leave enough rows on both sides, and of equal or opposite ones the
/// first. An item that is dropped becomes the last kept feature before it in its chain.
void GroupedNode::choose_features(const GroupedData& data, const GroupedNode& parent,
                                  NodeScratch& scratch) {
    const std::size_t slots = std::bit_ceil(static_cast<std::size_t>(2 * parent.features + 2));
    scratch.table.assign(slots, -1);
    scratch.to_child.resize(parent.features);
    feature.clear();
    chain_end.clear();
    one.clear();
    int last = -1, chain = -1;
    for (int g = 0; g < parent.features; ++g) {
        if (parent.chain_end[g] != chain) {
            chain = parent.chain_end[g];
            last = -1;
        }
        const GroupSums& in_one = scratch.one[g];
        const std::int64_t weight = data.packing().weight(in_one.packed);
        bool keep = data.objective().can_split(weight, rows - weight);
        if (keep) {
            const Wide opposite = total.hash - in_one.hash;
            const auto is_same = [&](int f) {
                return one[f].hash == in_one.hash || one[f].hash == opposite;
            };
            const auto key = static_cast<Word>(std::min(in_one.hash, opposite) >> 64);
            std::size_t slot = key & (slots - 1);
            while (scratch.table[slot] >= 0 && !is_same(scratch.table[slot]))
                slot = (slot + 1) & (slots - 1);
            keep = scratch.table[slot] < 0;
            if (keep) scratch.table[slot] = static_cast<int>(feature.size());
        }
        if (keep) {
            last = static_cast<int>(feature.size());
            feature.push_back(parent.feature[g]);
            chain_end.push_back(chain);
            one.push_back(in_one);
        }
        scratch.to_child[g] = last;
    }
    features = static_cast<int>(feature.size());
    for (int i = features - 1; i >= 0; --i) {
        const bool joined =
            i + 1 < features && data.chain_end(feature[i]) == data.chain_end(feature[i + 1]);
        chain_end[i] = joined ? chain_end[i + 1] : i;
    }
}

void GroupedNode::make_lists() const {
    list_of_.assign(features + 1, 0);
    for (const std::uint16_t i : item) ++list_of_[i + 1];
    for (int f = 0; f < features; ++f) list_of_[f + 1] += list_of_[f];
    next_.assign(list_of_.begin(), list_of_.end());
    list_.resize(item.size());
    for (int i = 0; i < groups; ++i)
        for (std::uint32_t k = begin[i]; k < begin[i + 1]; ++k)
            list_[next_[item[k]]++] = static_cast<std::uint32_t>(i);
    has_lists_ = true;
}

int GroupedNode::place_of(int of_data) const {
    const auto at = std::lower_bound(feature.begin(), feature.end(), of_data);
    return at != feature.end() && *at == of_data ? static_cast<int>(at - feature.begin()) : -1;
}

}  // namespace beamtree
