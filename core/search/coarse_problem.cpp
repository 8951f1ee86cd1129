#include "search/coarse_problem.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace beamtree {

namespace {

constexpr int kFinest = 64;  ///< there are at most this many times more quantiles than cuts
/// Multiples of these numbers are spread evenly between the whole numbers.
constexpr double kShiftPerCall = 0.618034, kShiftPerOrder = 0.754878;

/// Returns the shift of an order's quantiles, from 0 to 1. The first call shifts nothing.
double shift_of(std::int64_t number, int order) {
    if (number == 0) return 0;
    const double turns = static_cast<double>(number) * kShiftPerCall + order * kShiftPerOrder;
    return turns - std::floor(turns);
}

/// Returns the cuts of one order at the next boundaries after its quantiles.
std::vector<std::uint32_t> cuts_of_order(const SortedData& data, int order, int quantiles,
                                         const std::vector<double>& weight, double total,
                                         double shift) {
    const Entry* sorted = data.sorted(order);
    const double step = total / (quantiles + 1);
    std::vector<std::uint32_t> cuts;
    double sum = 0;
    int next = 1;
    for (int at = 0; at + 1 < data.rows() && next <= quantiles; ++at) {
        sum += weight[row_of(sorted[at])];
        if (!has_boundary(sorted[at]) || sum < step * (next - shift)) continue;
        cuts.push_back(data.rank(order, row_of(sorted[at + 1])));
        while (next <= quantiles && sum >= step * (next - shift)) ++next;
    }
    return cuts;
}

}  // namespace

CutsOfOrders quantile_cuts(const SortedData& data, int count, const std::vector<double>& weight,
                           std::int64_t number) {
    const Ranks& ranks = data.ranks();
    const double total = std::accumulate(weight.begin(), weight.end(), 0.0);
    CutsOfOrders cuts(ranks.orders());
    for (int order = 0; order < ranks.orders(); ++order) {
        auto& chosen = cuts[order];
        if (ranks.cuts(order) <= count) {
            chosen.resize(ranks.cuts(order));
            std::iota(chosen.begin(), chosen.end(), 1U);
            continue;
        }
        const double shift = shift_of(number, order);
        chosen = cuts_of_order(data, order, count, weight, total, shift);
        // The number of cuts grows with the number of quantiles, except for ties. A bisection
        // finds one that fits, not always the largest.
        for (int low = count, high = kFinest * count;
             low + 1 < high && static_cast<int>(chosen.size()) < count;) {
            const int middle = (low + high) / 2;
            auto more = cuts_of_order(data, order, middle, weight, total, shift);
            if (static_cast<int>(more.size()) > count) {
                high = middle;
            } else {
                low = middle;
                chosen.swap(more);
            }
        }
    }
    return cuts;
}

void add_cuts(const Ranks& ranks, const Tree& tree, CutsOfOrders& cuts) {
    for (const std::int32_t test : tree.feature) {
        if (test == Tree::kNone) continue;
        const Cut cut = ranks.cut_of(test);
        auto& list = cuts[cut.order];
        const auto at = std::lower_bound(list.begin(), list.end(), cut.cut);
        if (at == list.end() || *at != cut.cut) list.insert(at, cut.cut);
    }
}

CoarseProblem::CoarseProblem(const Problem& problem, const std::vector<int>& rows,
                             const CutsOfOrders& cuts)
    : rank_(rows.size() * static_cast<std::size_t>(problem.ranks->orders())), problem_(problem) {
    const Ranks& all = *problem.ranks;
    ranks_.first.push_back(0);
    std::vector<std::uint32_t> coarse_rank;
    std::uint32_t* out = rank_.data();
    for (int order = 0; order < all.orders(); ++order) {
        const auto& list = cuts[order];
        ranks_.first.push_back(ranks_.first.back() + static_cast<std::int32_t>(list.size()));
        for (const std::uint32_t cut : list) test_.push_back(all.test_of({order, cut}));
        // The coarse rank of every rank: how many of the cuts it has reached.
        coarse_rank.assign(static_cast<std::size_t>(all.cuts(order)) + 1, 0);
        for (const std::uint32_t cut : list) ++coarse_rank[cut];
        for (std::size_t r = 1; r < coarse_rank.size(); ++r) coarse_rank[r] += coarse_rank[r - 1];
        const std::uint32_t* rank = problem.order(order);
        for (const int row : rows) *out++ = coarse_rank[rank[row]];
    }
    for (const int row : rows) {
        weight_.push_back(problem.weight[row]);
        if (problem.has_classes()) label_.push_back(problem.label[row]);
        if (!problem.has_values()) continue;
        value_.push_back(problem.value[row]);
        square_.push_back(problem.square[row]);
    }
    ranks_.rank = rank_.data();
    problem_.ranks = &ranks_;
    problem_.columns = ranks_.tests();
    problem_.weight = weight_.data();
    if (problem.has_classes()) problem_.label = label_.data();
    if (problem.has_values()) {
        problem_.value = value_.data();
        problem_.square = square_.data();
    }
    problem_.rows = static_cast<std::int64_t>(rows.size());
}

Tree CoarseProblem::fine(Tree tree) const {
    for (std::int32_t& test : tree.feature)
        if (test != Tree::kNone) test = test_[test];
    return tree;
}

Tree CoarseProblem::coarse(Tree tree) const {
    for (std::int32_t& test : tree.feature) {
        if (test == Tree::kNone) continue;
        const auto at = std::lower_bound(test_.begin(), test_.end(), test);
        test = static_cast<std::int32_t>(at - test_.begin());
    }
    return tree;
}

}  // namespace beamtree
