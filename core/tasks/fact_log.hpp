// The lower bounds that a search has learned of subproblems, so that other searches of the same
// problem need not find them again. Trees are not part of it: an upper bound is worth nothing
// without the facts of the nodes below.
#pragma once

#include <cstdint>
#include <vector>

#include "data/cover.hpp"
#include "objective/objective.hpp"

namespace beamtree {

/// By the cache's key, no tree of the subproblem costs less than `lower`.
struct LoggedFact {
    CoverKey key;
    std::int64_t depth = 0;
    Cost lower = 0;
};

/// By the key of the table of cells, the optimum of a cell.
struct LoggedCell {
    CoverKey key;
    Cost optimum = 0;
};

/// What a search has learned. There may be many cells, which are worth less than the facts.
struct Learned {
    std::vector<LoggedFact> facts;
    std::vector<LoggedCell> cells;
};

/// The log of one thread.
class FactLog {
  public:
    /// Subproblems with fewer levels are found again faster than they are exchanged.
    static constexpr int kLeastDepth = 3;

    explicit FactLog(bool on) : on_(on) {}

    void add(const CoverKey& key, int depth, Cost lower) {
        if (on_ && depth >= kLeastDepth) facts_.push_back({key, depth, lower});
    }
    /// Moves what was logged since the last call to the end of `all`.
    void take(std::vector<LoggedFact>& all) {
        all.insert(all.end(), facts_.begin(), facts_.end());
        facts_.clear();
    }

  private:
    bool on_;
    std::vector<LoggedFact> facts_;
};

}  // namespace beamtree
