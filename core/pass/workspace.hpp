// What a search knows, and what each of its threads works with.
#pragma once

#include <deque>
#include <vector>

#include "cache/archive.hpp"
#include "cache/cache.hpp"
#include "cache/cell_table.hpp"
#include "check/cover_ledger.hpp"
#include "exact/exact_solver.hpp"
#include "node/node_buffers.hpp"

namespace beamtree {

/// How many bytes the tables of a search may take.
struct TableBytes {
    std::size_t cache = Cache::kNoLimit;
    std::size_t cells = CellTable::kUsualBytes;
    std::size_t archive = 64 << 20;                      ///< of all levels
    std::size_t triples = TwoLevelSolver::kTripleBytes;  ///< of one level and thread
    std::size_t pairs = TwoLevelSolver::kAnyBytes;  ///< of a node that can be swept, and thread
};

/// One for all threads of a search.
struct Shared {
    Shared(const Dataset& dataset, const Objective& goal, const Kernel& instruction_set,
           const Options& settings, Limits& stop, const TableBytes& bytes)
        : data(dataset),
          objective(goal),
          kernel(instruction_set),
          options(settings),
          limits(stop),
          cache(bytes.cache, settings.threads > 1),
          cells(bytes.cells, settings.threads > 1) {
        for (int depth = 0; depth <= settings.max_depth; ++depth)
            archive.emplace_back(data, objective, kernel, bytes.archive / (settings.max_depth + 1),
                                 settings.threads);
    }

    const Dataset& data;
    const Objective& objective;
    const Kernel& kernel;
    const Options& options;
    Limits& limits;
    Cache cache;
    CellTable cells;
    std::deque<Archive> archive;  ///< by remaining depth
#ifdef BEAMTREE_CHECKED
    CoverLedger ledger;
#endif
};

/// One a thread.
struct Workspace {
    /// Thread 0 is the one that runs the search.
    Workspace(Shared& shared, const TableBytes& bytes, int thread)
        : data(shared.data),
          objective(shared.objective),
          kernel(shared.kernel),
          options(shared.options),
          cache(shared.cache),
          archive(shared.archive),
#ifdef BEAMTREE_CHECKED
          ledger(shared.ledger),
#endif
          meter(shared.limits, thread == 0),
          exact(data, objective, kernel, options, shared.cells, meter, statistics),
          buffers(options.max_depth + 1),
          similar(data, thread),
          table_bytes(bytes.cache) {
        exact.set_bytes(bytes.triples, bytes.pairs);
    }

    const Dataset& data;
    const Objective& objective;
    const Kernel& kernel;
    const Options& options;
    Cache& cache;
    std::deque<Archive>& archive;  ///< by remaining depth
#ifdef BEAMTREE_CHECKED
    CoverLedger& ledger;
#endif
    Meter meter;
    Statistics statistics;  ///< of this thread
    ExactSolver exact;
    std::vector<NodeBuffers> buffers;  ///< by remaining depth
    NodeBuffers narrow;                ///< for a few features of a wide node
    Archive::Scratch similar;
    std::size_t table_bytes;  ///< that the cache may take, or what an algorithm has instead
};

/// How a pass goes about its nodes.
struct PassMode {
    bool probe = false;  ///< proves a bound: no lookahead, and three levels are asked for more
    int width = kAllFeatures;  ///< features of a wide node with which it solves three levels

    static constexpr int kAllFeatures = 1 << 30;
    bool narrows(const Node& node) const {
        return width < kAllFeatures && node.features > width + width / 3;
    }
    /// Features of a very wide node that are looked at, at all.
    int outer_width() const { return width < kAllFeatures ? 4 * width : kAllFeatures; }
    /// Features of a node that are counted, at most.
    int most_features() const {
        return width < kAllFeatures ? outer_width() + width / 3 : kAllFeatures;
    }
    bool narrows_much(const Node& node) const { return node.features > most_features(); }
};

}  // namespace beamtree
