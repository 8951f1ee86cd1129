// What a search leaves behind, on every way out.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "data/tree.hpp"
#include "objective/objective.hpp"
#include "search/statistics.hpp"

namespace beamtree {

enum class Status { kOptimal, kTimeLimit, kMemoryLimit, kInterrupted };

inline const char* name_of(Status status) {
    switch (status) {
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

/// An improvement of the tree or of the bound.
struct TraceRow {
    double seconds = 0;
    std::int64_t nodes = 0;
    Cost cost = 0;
    Cost lower = 0;
};
using Listener = std::function<void(const TraceRow&)>;

struct Outcome {
    Status status = Status::kTimeLimit;
    Cost cost = 0;   ///< of the tree, recounted from the problem's rows
    Cost lower = 0;  ///< no tree costs less
    Tree tree;
    std::vector<TraceRow> trace;
    Statistics statistics;
};

}  // namespace beamtree
