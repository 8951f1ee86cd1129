// An objective of the caller's own: rows have numbers, their *statistics*, and a leaf costs what a
// function of the caller says of the sums of these. The caller also says which bounds hold.
//
// The function is asked for many leaves at once wherever the search can, see
// sorted/plain_rounds.hpp.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "objective/objective.hpp"
#include "objective/targets.hpp"

namespace beamtree {

/// The statistics of the rows of a node.
struct OwnRows {
    std::vector<std::int64_t> statistic;  ///< (rows, width)
    std::vector<std::int64_t> weight;     ///< see Targets::weight
    int width = 0;

    void read(const Targets& targets) {
        width = targets.statistics;
        statistic.assign(targets.statistic, targets.statistic + targets.rows * width);
        weight.assign(targets.weight, targets.weight + targets.rows);
    }
    void start(const OwnRows& parent, int rows) {
        width = parent.width;
        statistic.resize(static_cast<std::size_t>(rows) * width);
        weight.resize(rows);
    }
    void copy(int to, const OwnRows& parent, int from) {
        std::copy_n(parent.of(from), width,
                    statistic.data() + static_cast<std::size_t>(to) * width);
        weight[to] = parent.weight[from];
    }
    const std::int64_t* of(std::uint32_t i) const {
        return statistic.data() + static_cast<std::size_t>(i) * width;
    }
    static bool weighted() { return true; }
    std::int64_t weight_of(std::uint32_t i) const { return weight[i]; }
};

struct OwnSums {
    std::array<std::int64_t, Targets::kMostStatistics> sum{};
    std::int64_t weight = 0;
    int width = 0;

    void start(const OwnRows& rows) {
        *this = {};
        width = rows.width;
    }
    void add(const OwnRows& rows, std::uint32_t i) {
        const std::int64_t* of_row = rows.of(i);
        for (int k = 0; k < width; ++k) sum[k] += of_row[k];
        weight += rows.weight[i];
    }
    void set_rest(const OwnSums& whole, const OwnSums& part) {
        width = whole.width;
        for (int k = 0; k < width; ++k) sum[k] = whole.sum[k] - part.sum[k];
        weight = whole.weight - part.weight;
    }
};

struct OwnObjective final : Objective {
    using Rows = OwnRows;
    using Sums = OwnSums;
    using Objective::Objective;

    LeafPrices* prices = nullptr;
    bool grows = false;    ///< costs grow with the rows, except for rounding
    bool removes = false;  ///< a row that is removed lowers costs by its weight at most

    Cost leaf_cost(const OwnSums& sums) const { return cost_of_sums(sums.sum.data(), sums.width); }
    Cost cost_of_sums(const std::int64_t* sums, int width) const override {
        Cost cost = 0;
        prices->price(sums, 1, width, &cost);
        return cost;
    }
    /// The caller computes with doubles, which may be rounded differently among other leaves.
    Cost tolerance(int leaves) const override { return 2 * leaves; }
    void leaf_costs(const std::vector<OwnSums>& leaves, std::vector<Cost>& cost) const {
        if (leaves.empty()) return;
        const int width = leaves[0].width;
        std::vector<std::int64_t> sums;
        sums.reserve(leaves.size() * width);
        for (const OwnSums& leaf : leaves)
            sums.insert(sums.end(), leaf.sum.begin(), leaf.sum.begin() + width);
        prices->price(sums.data(), leaves.size(), width, cost.data());
    }
    static Cost floor(const OwnSums&, int) { return 0; }
    Cost removal(std::int64_t weight) const { return removes ? weight : kInfiniteCost; }
    /// The cost of a leaf is rounded to an integer, on either set of rows.
    static Cost slack(int levels, std::int64_t rows) {
        return 2 * std::min(std::int64_t{1} << std::min(levels, 40), rows);
    }
    bool similar_is_subset() const { return has_minimum() || !grows; }
};

}  // namespace beamtree
