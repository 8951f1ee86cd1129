#include "sorted/split_attempt.hpp"

#include "sorted/sorted_objectives.hpp"

namespace beamtree {

template <SearchObjective O>
int SplitAttempt<O>::weigh_sides(const SortedData& data, const O& objective,
                                 const SortedNode<O>& node) {
    const Entry* sorted = node.sorted(place.order);
    const int left_rows = place.last + 1;
    const int small = 2 * left_rows <= node.rows ? 0 : 1;
    const int begin = small == 0 ? 0 : left_rows, end = small == 0 ? left_rows : node.rows;
    sums[small].start(node.values);
    hash[small] = {};
    for (int i = begin; i < end; ++i) {
        const std::uint32_t row = row_of(sorted[i]);
        sums[small].add(node.values, row);
        hash[small].add_product(1, data.hasher()[node.row[row]]);
    }
    hash[1 - small] = node.hash - hash[small];
    sums[1 - small].set_rest(node.sums, sums[small]);
    rows[0] = left_rows;
    rows[1] = node.rows - left_rows;
    for (const int side : {0, 1}) {
        leaf[side] = objective.leaf_cost(sums[side]);
        if (objective.rows_are_weight) rows[side] = sums[side].weight;
    }
    return end - begin;
}

#define BEAMTREE_INSTANCE(O) template struct SplitAttempt<O>;
BEAMTREE_SORTED_OBJECTIVES(BEAMTREE_INSTANCE)
#undef BEAMTREE_INSTANCE

}  // namespace beamtree
