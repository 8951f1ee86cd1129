#include "grouped/grouped_form.hpp"

#include <algorithm>
#include <cmath>

#include "node/class_weights.hpp"
#include "pass/pass_of.hpp"
#include "pass/ranking_of.hpp"
#include "pass/rebuild_of.hpp"
#include "rule/all_rules.hpp"

namespace beamtree {

void GroupedGains::list_admissible(const GroupedNode& node, GroupedBuffers& buffers) {
    RankedFeatures& ranked = buffers.ranked;
    ranked.order.clear();
    ranked.gain.resize(node.features);
    ranked.best_gain = 0;
    const auto leaf = static_cast<double>(std::max<Cost>(work_.objective.leaf_cost(node.sums), 1));
    for (int f = 0; f < node.features; ++f) {
        const Cost split =
            work_.exact.side(node, f, false).leaf + work_.exact.side(node, f, true).leaf;
        ranked.order.push_back(f);
        ranked.gain[f] =
            whole_gain(heuristic_ == Heuristic::kGiven ? -work_.data.original(node.feature[f])
                                                       : 1 - static_cast<double>(split) / leaf);
        if (f == 0 || ranked.gain[f] > ranked.best_gain) ranked.best_gain = ranked.gain[f];
    }
    work_.meter.spend(work::kGain * node.features);
}

void GroupedSplitSums::describe(const GroupSums& sums, NodeContext& context) const {
    // The cost of the leaf, and what its rows would cost if they cost as much as all rows do.
    const ValueSums values = data_.packing().sums(sums), &total = data_.total();
    const double share = static_cast<double>(values.weight) / static_cast<double>(total.weight);
    const auto usual = static_cast<double>(data_.objective().leaf_cost(total));
    context.error = data_.objective().leaf_cost(values);
    context.weight = std::max<std::int64_t>(context.error, std::llround(usual * share));
    context.rows = values.weight;
}

Cover GroupedForm::cover_of(const GroupedNode& node) {
    Cover cover;
    cover.index.assign(node.number.begin(), node.number.begin() + node.groups);
    cover.word.assign(node.groups, 1);
    cover.size = node.groups;
    return cover;
}

std::pair<int, bool> GroupedForm::find_side(const GroupedWorkspace& work, const GroupedNode& node,
                                            int column, bool one) {
    const GroupedData& data = work.data;
    int test = 0;
    while (test < data.features() && data.original(test) != column) ++test;
    if (test == data.features()) throw std::logic_error("a path has a test that was dropped");
    if (const int f = node.place_of(test); f >= 0) return {f, one};
    Wide hash = 0;
    for (int i = 0; i < node.groups; ++i)
        if (data.is_one(node.number[i], test)) hash += data.group(node.number[i]).hash;
    for (int f = 0; f < node.features; ++f) {
        const bool same = node.one[f].hash == hash;
        if (!same && node.total.hash - node.one[f].hash != hash) continue;
        const bool flips = data.flipped(test) != data.flipped(node.feature[f]);
        return {f, one != (same == flips)};
    }
    throw std::logic_error("a path splits a node by a test that does not split it");
}

GroupedNode& make_side(GroupedWorkspace& work, const GroupedNode& node, int depth, int f,
                       bool right) {
    GroupedChild& child = work.buffers[depth].child;
    const bool one = right != work.data.flipped(node.feature[f]);
    make_child(work, node, {}, f, one, 0, child);
    return child.node;
}

void make_child(GroupedWorkspace& work, const GroupedNode& node, const PairSums&, int f, bool one,
                std::int64_t, GroupedChild& child) {
    child.node.make_child(work.data, node, f, one, work.scratch);
    work.meter.spend(4 * static_cast<std::int64_t>(node.item.size()) + 8 * node.features);
}

template class RankingOf<GroupedForm>;
template class Pass<GroupedForm, Complete>;
template class Pass<GroupedForm, Combined>;
#define BEAMTREE_INSTANCE(Measure) template class Pass<GroupedForm, Threshold<Measure>>;
BEAMTREE_MEASURES(BEAMTREE_INSTANCE)
#undef BEAMTREE_INSTANCE
template Cost rebuild(GroupedWorkspace&, RankingOf<GroupedForm>&, const PassMode&,
                      const GroupedNode&, const TreeSize&, const Facts&,
                      const RepairOf<GroupedForm>&, Tree&);

}  // namespace beamtree
