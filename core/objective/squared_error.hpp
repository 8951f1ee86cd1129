// The squared error, the objective of regression: a leaf predicts the mean of its rows.
//
// The numbers to predict are integers (the caller shifts and scales them), so the weight n and the
// sum S of a leaf are exact. The leaf costs Q - S * S / n, where Q is the sum of the squares of its
// rows. The quotient is computed in doubles and rounded to an integer, by the function `score` and
// by the kernels in the same way: one multiplication, one division and one rounding, so that it is
// the same integer everywhere. Nothing else is rounded, and `lower == upper` is exact for these
// costs; the caller knows by how much they differ from the squared error itself.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "objective/objective.hpp"
#include "objective/targets.hpp"

namespace beamtree {

/// Rounds a number from 0 to 2^52 - 1 to the nearest integer. These two additions are the same on
/// all machines and in all lanes.
inline double rounded(double number) {
    constexpr double kUnitsOnly = 4503599627370496.0;  // 2^52: doubles from here on are integers
    return (number + kUnitsOnly) - kUnitsOnly;
}

/// The weights, values and squares of the rows of a node.
struct ValueRows {
    std::vector<std::int64_t> weight, value, square;
    bool all_weigh_one = true;

    void read(const Targets& targets) {
        weight.assign(targets.weight, targets.weight + targets.rows);
        value.assign(targets.value, targets.value + targets.rows);
        square.assign(targets.square, targets.square + targets.rows);
        all_weigh_one = targets.unit_weights();
    }
    void start(const ValueRows& parent, int rows) {
        weight.resize(rows);
        value.resize(rows);
        square.resize(rows);
        all_weigh_one = parent.all_weigh_one;
    }
    void copy(int to, const ValueRows& parent, int from) {
        weight[to] = parent.weight[from];
        value[to] = parent.value[from];
        square[to] = parent.square[from];
    }
    bool weighted() const { return !all_weigh_one; }
    std::int64_t weight_of(std::uint32_t i) const { return weight[i]; }
};

struct ValueSums {
    std::int64_t weight = 0, value = 0, square = 0;

    void start(const ValueRows&) { *this = {}; }
    void add(const ValueRows& rows, std::uint32_t i) {
        weight += rows.weight[i];
        value += rows.value[i];
        square += rows.square[i];
    }
    void set_rest(const ValueSums& whole, const ValueSums& part) {
        weight = whole.weight - part.weight;
        value = whole.value - part.value;
        square = whole.square - part.square;
    }
};

/// Cost of a tree: the squared error, in units of 1 / factor^2, + penalty * (leaves - 1).
struct SquaredError final : Objective {
    using Rows = ValueRows;
    using Sums = ValueSums;
    using Objective::Objective;
    static constexpr int kSums = 3;  ///< weight, value, square

    /// A power of two by which values are multiplied before they are squared, so that rounding to
    /// integers is fine enough, and all scores are below 2^52.
    double factor = 1;

    /// How much of the squares a leaf of this weight and value explains.
    Cost score(std::int64_t weight, std::int64_t value) const {
        const double scaled = static_cast<double>(value) * factor;
        return static_cast<Cost>(rounded(scaled * scaled / static_cast<double>(weight)));
    }
    /// The square of a row: its score, and one more if it was rounded. So no leaf costs less than
    /// nothing. If all squares are exact, a leaf whose rows are equal costs nothing.
    Cost square(std::int64_t weight, std::int64_t value) const {
        return score(weight, value) + (factor < 1 ? 1 : 0);
    }
    Cost leaf_cost(const ValueSums& sums) const {
        return sums.weight == 0 ? 0 : sums.square - score(sums.weight, sums.value);
    }
    Cost cost_of_sums(const std::int64_t* sums, int) const override {
        return leaf_cost({sums[0], sums[1], sums[2]});
    }

    static Cost floor(const ValueSums&, int) { return 0; }
    /// A single row may be responsible for the whole cost.
    static Cost removal(std::int64_t) { return kInfiniteCost; }
    /// On either set of rows, a leaf is rounded by one half, and by less than a quarter before
    /// that.
    static Cost slack(int levels, std::int64_t rows) {
        return 2 * std::min(std::int64_t{1} << std::min(levels, 40), rows);
    }
};

}  // namespace beamtree
