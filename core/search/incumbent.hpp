// The incumbent: the best tree so far, the lower bound of the optimum, and the trace of both. It
// lives outside the cache, so that no eviction can take it away.
#pragma once

#include <atomic>
#include <cstdint>
#include <limits>
#include <vector>

#include "cache/tree_size.hpp"
#include "data/problem.hpp"
#include "data/stream.hpp"
#include "data/tree.hpp"
#include "limits/limits.hpp"
#include "objective/objective.hpp"
#include "search/outcome.hpp"
#include "search/time_to_proof.hpp"

namespace beamtree {

/// Always: lower <= optimum <= cost, the cost only falls and the bound only rises. Costs and bounds
/// are those of the packed rows; `offset`, the cost of the rows that packing cancelled, is added
/// where a caller outside the core sees them: in the trace, in progress() and in the total numbers.
void save_tree(Writer& writer, const Tree& tree);
/// Throws std::invalid_argument if this is no tree over the tests of the problem. Larger trees than
/// those of `max_depth` are refused, but its depth is not checked.
Tree load_tree(Reader& reader, const Problem& problem, int max_depth);

class Incumbent {
  public:
    /// `limit` is how large trees may be.
    Incumbent(const Problem& problem, const Objective& objective, const TreeSize& limit,
              Cost offset, const Limits& limits)
        : problem_(problem),
          objective_(objective),
          limit_(limit),
          offset_(offset),
          limits_(limits) {}

    const Tree& tree() const { return tree_; }
    Cost cost() const { return cost_; }  ///< infinite before the first tree
    Cost lower() const { return lower_; }
    bool proved() const { return lower_ >= cost_; }
    Cost offset() const { return offset_; }
    Cost total_cost() const { return cost_ + offset_; }
    Cost total_lower() const { return lower_ + offset_; }
    const std::vector<TraceRow>& trace() const { return trace_; }

    /// Takes a tree if it costs less than the present one, and returns whether it does. Also takes
    /// a tree that costs the same and has fewer leaves. A tree with too many leaves is cut back
    /// first.
    bool take(Tree tree, Cost cost);
    /// Takes a lower bound and, if it costs less, a tree. Adds a row to the trace if one of them is
    /// better than before.
    void update(Cost lower, Tree tree = {}, Cost cost = kInfiniteCost);
    /// Adds a row to the trace.
    void record();
    /// The number of the pass and the threshold of the rule, for the rows that follow.
    void set_stage(std::int64_t restart, double threshold);

    /// Notes a turn that was to raise the bound, when it has ended. Only the estimate of the time
    /// to the proof depends on it.
    void worked_on_bound(const BoundTurn& turn);
    /// The seconds until the proof as they were estimated after the last such turn, 0 after the
    /// proof. Not a number if nothing can be said.
    double time_to_proof() const { return proved() ? 0 : time_to_proof_.seconds_left(); }

    /// From any thread: cost, bound, stage and the time to the proof.
    Progress progress() const;

    void save(Writer& writer) const;
    /// Throws std::invalid_argument if the tree does not cost what the checkpoint says.
    void load(Reader& reader);

  private:
    void check() const;
    void show();

    const Problem& problem_;
    const Objective& objective_;
    TreeSize limit_;
    Cost offset_;
    const Limits& limits_;
    Tree tree_;
    Cost cost_ = kInfiniteCost;
    Cost lower_ = 0;
    std::vector<TraceRow> trace_;
    TimeToProof time_to_proof_;  ///< not in checkpoints: it begins anew
    // Atomic, since other threads read them during a step.
    std::atomic<Cost> shown_cost_ = kInfiniteCost, shown_lower_ = 0;
    std::atomic<std::int64_t> restart_ = 0;
    std::atomic<double> threshold_ = std::numeric_limits<double>::infinity();
};

}  // namespace beamtree
