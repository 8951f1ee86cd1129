// What a search minimises: the sum of the costs of the leaves, plus a penalty for every leaf after
// the first. What a leaf costs is decided by the objectives in this folder, one per file; the rest
// of the search is written once, as templates over them.
//
// To write another objective, copy squared_error.hpp, which is short, and answer the questions of
// the concept SearchObjective below. Then list it where the templates are compiled:
// sorted/sorted_objectives.hpp.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <limits>

namespace beamtree {

struct Targets;

/// Cost of a tree. Costs are integers, so that `lower == upper` is exact.
using Cost = std::int64_t;
inline constexpr Cost kInfiniteCost = std::numeric_limits<Cost>::max() / 4;

/// What all objectives have in common: the price of a leaf, and which leaves are allowed.
struct Objective {
    Cost unit = 1;                ///< the costs of leaves are multiples of it
    Cost penalty = 0;             ///< cost of one more leaf
    std::int64_t min_rows = 1;    ///< rows that every leaf must hold, or weight
    bool rows_are_weight = true;  ///< weight is what counts, or every row weighs 1

    Objective() = default;
    Objective(Cost of_unit, Cost of_leaf, std::int64_t rows_of_leaf, bool counts_weight)
        : unit(of_unit), penalty(of_leaf), min_rows(rows_of_leaf), rows_are_weight(counts_weight) {}
    Objective(const Objective&) = default;
    Objective& operator=(const Objective&) = default;
    virtual ~Objective() = default;

    /// Cost of a leaf whose rows have these `count` sums, as check/recount.hpp computes them. For
    /// checks, not for the search: it is a virtual call.
    virtual Cost cost_of_sums(const std::int64_t* sums, int count) const = 0;
    /// By how much the cost of a tree with this many leaves may differ when it is counted again.
    virtual Cost tolerance(int) const { return 0; }

    /// Whether a leaf is optimal, because it costs no more than the penalty of a split or because
    /// its rows are too few for two leaves.
    bool closed(Cost leaf_cost, std::int64_t rows) const {
        return leaf_cost <= penalty || rows < 2 * min_rows;
    }
    /// Whether leaves have a minimum beyond the one row that every leaf has.
    bool has_minimum() const { return min_rows > 1; }
    /// Whether both sides of a split have enough rows.
    bool can_split(std::int64_t rows_one, std::int64_t rows_zero) const {
        return rows_one >= min_rows && rows_zero >= min_rows;
    }
    /// The most splits of a tree that costs less than `cost`, if the leaves of every tree cost at
    /// least `unavoidable`. There must be a penalty.
    std::int64_t most_splits(Cost cost, Cost unavoidable) const {
        return (cost - 1 - unavoidable) / penalty;
    }
    /// Whether bounds by similarity hold only if the rows are a subset of the rows of the bound:
    /// else a tree of the one may have leaves that are too small for the other.
    bool similar_is_subset() const { return has_minimum(); }
};

/// The contract of an objective, for searches over sorted columns.
template <class O>
concept SearchObjective =
    std::derived_from<O, Objective> &&
    // What it stores of the rows of a node: those of all rows, and those of a child.
    requires(typename O::Rows rows, const typename O::Rows parent, const Targets& targets, int i) {
        rows.read(targets);
        rows.start(parent, i);
        rows.copy(i, parent, i);
        { parent.weight_of(i) } -> std::same_as<std::int64_t>;
        { parent.weighted() } -> std::same_as<bool>;
    } &&
    // The sums over rows that decide what a leaf costs. They are additive: the sums of a node are
    // those of its two children.
    requires(typename O::Sums sums, const typename O::Sums whole, const typename O::Rows rows,
             int i) {
        sums.start(rows);
        sums.add(rows, i);
        sums.set_rest(whole, whole);
        { whole.weight } -> std::convertible_to<std::int64_t>;
    } &&
    requires(const O objective, const typename O::Sums sums, int levels, std::int64_t number) {
        // What a leaf costs, and what every tree with `levels` levels costs at least.
        { objective.leaf_cost(sums) } -> std::same_as<Cost>;
        { objective.floor(sums, levels) } -> std::same_as<Cost>;
        // By how much the cost of a tree can fall at most if rows of this weight are removed. An
        // objective without such a bound returns kInfiniteCost.
        { objective.removal(number) } -> std::same_as<Cost>;
        // Costs grow with the rows, except for the slack: because of rounding, a tree of `levels`
        // levels may cost less by the slack if rows are added to its rows. `number` is the number
        // of rows of the larger set.
        { objective.slack(levels, number) } -> std::same_as<Cost>;
    };

}  // namespace beamtree
