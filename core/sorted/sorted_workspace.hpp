// The tables that the threads of a search in sorted form share, and the memory that each of them
// works with.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "cache/cache.hpp"
#include "cache/tree_size.hpp"
#include "check/cover_ledger.hpp"
#include "limits/limits.hpp"
#include "options/options.hpp"
#include "pass/gains.hpp"
#include "sorted/bottom.hpp"
#include "sorted/sorted_data.hpp"
#include "sorted/sorted_node.hpp"
#include "sorted/split_attempt.hpp"
#include "sorted/thresholds.hpp"
#include "tasks/fact_log.hpp"

namespace beamtree {

/// What all threads share.
template <SearchObjective O>
struct SortedShared {
    SortedShared(const SortedData& rows, const O& goal, const Kernel& instruction_set,
                 const Options& settings, Limits& stop, std::size_t cache_bytes)
        : data(rows),
          objective(goal),
          kernel(instruction_set),
          options(settings),
          limits(stop),
          cache(cache_bytes, settings.shares_tables()) {
        typename O::Rows all;
        all.read(data.targets());
        total.start(all);
        for (int i = 0; i < data.rows(); ++i) total.add(all, i);
        total_cost = objective.leaf_cost(total);
    }

    const SortedData& data;
    const O& objective;
    const Kernel& kernel;
    const Options& options;
    Limits& limits;
    Cache cache;
    typename O::Sums total;  ///< sums of all rows
    Cost total_cost = 0;     ///< what they cost in one leaf
#ifdef BEAMTREE_CHECKED
    CoverLedger ledger;
#endif
};

/// A part of an order's thresholds that is still to be searched.
struct Candidate {
    Cost lower = 0;  ///< no tree that splits in it costs less
    int rank = 0;    ///< rank of the order among the orders of the node, from 0
    int level = 0;   ///< how often the order was divided to get here
    Interval interval;
    int share = 0;  ///< how its two sides share the leaves

    /// Candidates with a small bound come first, then those of small discrepancy.
    friend bool operator<(const Candidate& a, const Candidate& b) {
        if (a.lower != b.lower) return a.lower > b.lower;
        if (a.rank + a.level != b.rank + b.level) return a.rank + a.level > b.rank + b.level;
        if (a.rank != b.rank) return a.rank > b.rank;
        if (a.share != b.share) return a.share > b.share;
        return a.interval.begin > b.interval.begin;
    }
};

/// One order of the node that is being searched.
struct RankedOrder {
    int order = 0;  ///< index among the orders of the node
    Cost score = kInfiniteCost;
    int first = -1;  ///< the threshold that is tried first
    Thresholds thresholds;
    std::vector<std::int64_t> gain;  ///< (thresholds,) in kGainUnit, if the rule or heuristic asks
};

/// The memory of the node that is being searched at one depth, which all nodes of that depth reuse.
template <SearchObjective O>
struct SortedBuffers {
    std::vector<RankedOrder> ranked;  ///< the best first
    int orders = 0;                   ///< how many of them are in use
    std::int64_t best_gain = 0;
    std::vector<Candidate> heap, deferred;
    std::vector<OrderScore> scores;
    SplitAttempt<O> attempt;
    SortedNode<O> child;
};

/// What one thread works with.
template <SearchObjective O>
struct SortedWorkspace {
    SortedWorkspace(SortedShared<O>& shared, Heuristic order_by, int thread)
        : data(shared.data),
          objective(shared.objective),
          options(shared.options),
          cache(shared.cache),
          total_cost(shared.total_cost),
#ifdef BEAMTREE_CHECKED
          ledger(shared.ledger),
#endif
          heuristic(order_by),
          meter(shared.limits, thread == 0),
          bottom(data, objective, shared.kernel, meter, statistics),
          buffers(options.max_depth + 1),
          log(options.log_facts) {
    }

    /// The buffers of nodes with `depth` levels left.
    SortedBuffers<O>& buffers_at(int depth) {
        if (!is_any_depth(depth)) return buffers[depth];
        const auto level = static_cast<std::size_t>(kAnyDepth - depth);
        while (deep_buffers.size() <= level) deep_buffers.emplace_back();
        return deep_buffers[level];
    }
    /// How many levels at the bottom are solved exactly, whatever the rule.
    int exact_levels() const { return std::min(options.exact_levels, 2); }

    const SortedData& data;
    const O& objective;
    const Options& options;
    Cache& cache;
    Cost total_cost;  ///< what all rows cost in one leaf
#ifdef BEAMTREE_CHECKED
    CoverLedger& ledger;
#endif
    Heuristic heuristic;
    Meter meter;
    Statistics statistics;  ///< counters of this thread
    SortedBottom<O> bottom;
    std::vector<SortedBuffers<O>> buffers;      ///< by remaining depth
    std::deque<SortedBuffers<O>> deep_buffers;  ///< by level, for trees of any depth
    std::vector<std::uint32_t> scratch;
    FactLog log;
};

}  // namespace beamtree
