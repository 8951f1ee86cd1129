// The result of a search, and what it reports while it runs.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "check/recount.hpp"
#include "data/tree.hpp"
#include "objective/objective.hpp"
#include "options/statistics.hpp"

namespace beamtree {

enum class Status {
    kRunning,  ///< between steps
    kOptimal,
    kGapReached,
    kRuleLimit,
    kNodeLimit,
    kTimeLimit,
    kMemoryLimit,
    kInterrupted
};

inline const char* name_of(Status status) {
    switch (status) {
        case Status::kRunning:
            return "running";
        case Status::kGapReached:
            return "gap_reached";
        case Status::kRuleLimit:
            return "rule_limit";
        case Status::kNodeLimit:
            return "node_limit";
        case Status::kOptimal:
            return "optimal";
        case Status::kTimeLimit:
            return "time_limit";
        case Status::kMemoryLimit:
            return "memory_limit";
        case Status::kInterrupted:
            return "interrupted";
    }
    return "";
}

/// One improvement of the tree or of the bound.
struct TraceRow {
    double seconds = 0;
    std::int64_t nodes = 0;
    Cost cost = 0;
    Cost lower = 0;
    std::int64_t restart = 0;  ///< number of passes that had ended before
    double threshold = 0;      ///< threshold of the rule
};

/// The state of a search while it runs.
struct Progress {
    double seconds = 0;
    std::int64_t nodes = 0;
    Cost cost = kInfiniteCost;  ///< infinite before the first tree
    Cost lower = 0;
    std::int64_t restart = 0;  ///< number of passes that have ended
    double threshold = 0;
    std::size_t bytes = 0;  ///< size of the cache
    /// Estimated seconds until the proof; not a number if nothing can be said.
    double time_to_proof = std::numeric_limits<double>::quiet_NaN();
};

/// What is known of the trees that begin with one first split.
struct Alternative {
    int feature = 0;  ///< column of the problem
    Cost lower = 0;   ///< no such tree costs less
    Cost upper = 0;   ///< cost of the best such tree that was found
};

struct Outcome {
    Status status = Status::kRunning;
    Cost cost = 0;         ///< cost of the tree, recounted from the problem's rows
    Cost lower = 0;        ///< no tree costs less
    int leaves_bound = 1;  ///< no tree that costs as little as possible has fewer leaves
    Tree tree;
    NodeSums<std::int64_t> sums;  ///< sums over the problem's rows at every node of the tree
    std::vector<TraceRow> trace;
    Statistics statistics;
    double time_to_proof = 0;  ///< as in Progress
};

}  // namespace beamtree
