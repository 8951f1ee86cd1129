// The tables that the threads of a search over groups of equal rows share, and the memory that each
// of them works with. The members have the names of those of Workspace in pass/workspace.hpp.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "cache/cache.hpp"
#include "cache/cell_table.hpp"
#include "check/cover_ledger.hpp"
#include "grouped/clusters.hpp"
#include "grouped/grouped_solver.hpp"
#include "limits/limits.hpp"
#include "options/options.hpp"
#include "pass/workspace.hpp"
#include "tasks/fact_log.hpp"

namespace beamtree {

/// What all threads share.
struct GroupedShared {
    GroupedShared(const GroupedData& rows, const SquaredError& goal, const Kernel& instruction_set,
                  const Options& settings, Limits& stop, const TableBytes& bytes)
        : data(rows),
          objective(goal),
          kernel(instruction_set),
          options(settings),
          limits(stop),
          cache(bytes.cache, settings.shares_tables()),
          cells(bytes.cells, settings.shares_tables()) {
        if (settings.log_facts) cells.keep_log();
    }

    const GroupedData& data;
    const SquaredError& objective;
    const Kernel& kernel;
    const Options& options;
    Limits& limits;
    Cache cache;
    CellTable cells;
#ifdef BEAMTREE_CHECKED
    CoverLedger ledger;
#endif
};

/// The child of a node that is being searched.
struct GroupedChild {
    GroupedNode node;

    /// Hash of one side of feature `f` of the parent.
    static CoverHash hash(const GroupedNode& parent, int f, bool one) {
        return parent.side(f, one).cover_hash();
    }
};

/// The memory of the node that is being searched at one depth, which all nodes of that depth reuse.
struct GroupedBuffers {
    PairSums counts;
    /// Lower bounds of all its children, by the number of leaves that they get; 0 stands for any.
    std::vector<GroupedBounds> bounds;
    ChildFacts known;  ///< of the split that is being tried
    RankedFeatures ranked;
    GroupedChild child;
    /// Features whose children other threads search, and their ranks.
    std::vector<std::pair<int, int>> deferred;
};

/// What one thread works with.
struct GroupedWorkspace {
    GroupedWorkspace(GroupedShared& shared, int thread)
        : data(shared.data),
          objective(shared.objective),
          kernel(shared.kernel),
          options(shared.options),
          cache(shared.cache),
#ifdef BEAMTREE_CHECKED
          ledger(shared.ledger),
#endif
          meter(shared.limits, thread == 0),
          exact(data, objective, kernel, options, shared.cells, meter, statistics),
          buffers(options.max_depth + 1),
          clusters(data, meter),
          log(options.log_facts) {
    }

    const GroupedData& data;
    const SquaredError& objective;
    const Kernel& kernel;
    const Options& options;
    Cache& cache;
#ifdef BEAMTREE_CHECKED
    CoverLedger& ledger;
#endif
    Meter meter;
    Statistics statistics;  ///< counters of this thread
    GroupedSolver exact;
    std::vector<GroupedBuffers> buffers;  ///< by remaining depth
    NodeScratch scratch;
    Clusters clusters;
    FactLog log;
};

}  // namespace beamtree
