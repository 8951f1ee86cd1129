#include "sorted/sorted_data.hpp"

namespace beamtree {

namespace {

/// Writes the rows in the order of their ranks, and in their own order where ranks are equal.
void sort_by_rank(const std::uint32_t* rank, int rows, int ranks, std::vector<std::uint32_t>& start,
                  Entry* out) {
    start.assign(static_cast<std::size_t>(ranks) + 1, 0);
    for (int i = 0; i < rows; ++i) ++start[rank[i] + 1];
    for (int r = 0; r < ranks; ++r) start[r + 1] += start[r];
    for (int i = 0; i < rows; ++i)
        out[start[rank[i]]++] = make_entry(static_cast<std::uint32_t>(i), false);
    // By now start[r] is the place after the last row of rank r.
    for (int r = 0; r < ranks; ++r) {
        const bool some = start[r] > (r > 0 ? start[r - 1] : 0);
        if (some && start[r] < static_cast<std::uint32_t>(rows)) out[start[r] - 1] |= 1;
    }
}

}  // namespace

SortedData::SortedData(const Problem& problem)
    : problem_(problem),
      sorted_(static_cast<std::size_t>(problem.rows) * problem.ranks->orders()),
      unit_weights_(problem.unit_weights()),
      hasher_(static_cast<int>(problem.rows)) {
    std::vector<std::uint32_t> start;
    for (int order = 0; order < orders(); ++order)
        sort_by_rank(problem.order(order), rows(), problem.ranks->cuts(order) + 1, start,
                     sorted_.data() + static_cast<std::size_t>(order) * problem.rows);
}

}  // namespace beamtree
