// The tables that the threads of a search share, and the memory that each of them works with.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <utility>
#include <vector>

#include "cache/archive.hpp"
#include "cache/cache.hpp"
#include "cache/cell_table.hpp"
#include "cache/tree_size.hpp"
#include "check/cover_ledger.hpp"
#include "exact/child_bounds.hpp"
#include "exact/exact_solver.hpp"
#include "node/node.hpp"
#include "node/node_counts.hpp"
#include "node/selection.hpp"
#include "tasks/fact_log.hpp"

namespace beamtree {

/// The most bytes that the tables of a search may take.
struct TableBytes {
    std::size_t cache = Cache::kNoLimit;
    std::size_t cells = CellTable::kUsualBytes;
    std::size_t archive = 64 << 20;                    ///< all depths together
    std::size_t triples = TripleCounter::kUsualBytes;  ///< one depth of one thread
    std::size_t pairs = TwoLevelSolver::kAnyBytes;     ///< one node that can be swept, per thread
};

/// What all threads of a search share.
struct Shared {
    Shared(const Dataset& dataset, const Misclassification& goal, const Kernel& instruction_set,
           const Options& settings, Limits& stop, const TableBytes& bytes)
        : data(dataset),
          objective(goal),
          kernel(instruction_set),
          options(settings),
          limits(stop),
          cache(bytes.cache, settings.shares_tables()),
          cells(bytes.cells, settings.shares_tables()) {
        if (settings.log_facts) cells.keep_log();
        for (int depth = 0; depth <= settings.max_depth; ++depth)
            archive.emplace_back(data, objective, kernel, bytes.archive / (settings.max_depth + 1),
                                 settings.most_threads());
    }

    const Dataset& data;
    const Misclassification& objective;
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

/// The features of a node in the order in which a pass tries them.
struct RankedFeatures {
    std::vector<int> order;          ///< admissible features, best first
    std::vector<Cost> score;         ///< (features,) estimated costs, smaller is better
    std::vector<std::int64_t> gain;  ///< (features,) in kGainUnit, larger is better
    std::int64_t best_gain = 0;
};

/// The child of a node that is being searched.
struct ChildBuffers {
    Node node;
    Selection selection;              ///< scratch memory for making it
    std::vector<CoverHash> hash_one;  ///< (features,) hash of the side where a feature is 1

    /// Hash of one side of feature `f` of the parent.
    CoverHash hash(const Node& parent, int f, bool one) const {
        return one ? hash_one[f] : parent.hash - hash_one[f];
    }
};

/// What is known of the two children of a split, for every way to share the leaves among them.
struct ChildFacts {
    std::vector<Facts> side[2];  ///< (shares,) where the feature is 0, and where it is 1

    /// The best tree that is known, and a bound for all trees, without the penalty of the split.
    Cost upper() const { return least(&Facts::upper); }
    Cost lower() const { return least(&Facts::lower); }
    /// Facts for few leaves bound those for more, and the other way round.
    void compare() {
        for (const int s : {0, 1}) {
            // The leaves of side 0 increase from share to share, those of side 1 decrease.
            auto& facts = side[s];
            const int last = static_cast<int>(facts.size()) - 1;
            for (int i = 1; i <= last; ++i) {
                const int more = s == 0 ? i : last - i, fewer = s == 0 ? i - 1 : last - i + 1;
                facts[more].improve(facts[fewer].upper, facts[fewer].split);
            }
            for (int i = 1; i <= last; ++i) {
                const int fewer = s == 0 ? last - i : i, more = s == 0 ? last - i + 1 : i - 1;
                facts[fewer].raise(facts[more].lower);
            }
        }
    }

  private:
    Cost least(Cost Facts::* bound) const {
        Cost best = kInfiniteCost;
        for (std::size_t i = 0; i < side[0].size(); ++i)
            best = std::min(best, side[0][i].*bound + side[1][i].*bound);
        return best;
    }
};

/// The memory of the node that is being searched at one depth. It is allocated when that depth is
/// first reached and then kept, so that nothing is allocated per node.
struct NodeBuffers {
    NodeCounts counts;
    /// Lower bounds of all its children, by the number of leaves that they get; 0 stands for any.
    std::vector<ChildBounds> bounds;
    ChildFacts known;  ///< of the split that is being tried
    RankedFeatures ranked;
    ChildBuffers child;
    Node few;  ///< the node with some of its features
    /// Features whose children other threads search, and their ranks.
    std::vector<std::pair<int, int>> deferred;
};

/// What one thread of a search works with.
struct Workspace {
    /// Thread 0 runs the search; the others help it.
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
          log(options.log_facts),
          table_bytes(bytes.cache) {
        exact.set_bytes(bytes.triples, bytes.pairs);
    }

    const Dataset& data;
    const Misclassification& objective;
    const Kernel& kernel;
    const Options& options;
    Cache& cache;
    std::deque<Archive>& archive;  ///< by remaining depth
#ifdef BEAMTREE_CHECKED
    CoverLedger& ledger;
#endif
    Meter meter;
    Statistics statistics;  ///< counters of this thread
    ExactSolver exact;
    std::vector<NodeBuffers> buffers;  ///< by remaining depth
    Archive::Scratch similar;
    FactLog log;
    /// Limit of the cache, or of the tables that an algorithm has instead.
    std::size_t table_bytes;
};

}  // namespace beamtree
