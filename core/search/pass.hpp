// One pass of branch and bound over covers (DL8.5), from the root.
//
// The paper's Algorithm 1, with the invariants of the cache in place of its `ub` bookkeeping: a
// node's lower bound is raised only by an exact kernel, by similarity, or to the least
// lower(left) + lower(right) + penalty over all its features.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "check/cover_ledger.hpp"
#include "search/archive.hpp"
#include "search/bottom.hpp"
#include "search/cache.hpp"
#include "search/level.hpp"

namespace beamtree {

/// What the passes of a search share.
struct Workspace {
    Workspace(const Dataset& dataset, const Objective& goal, const Kernel& instruction_set,
              const Options& settings, Limits& stop, Statistics& counters);

    const Dataset& data;
    const Objective& objective;
    const Kernel& kernel;
    const Options& options;
    Limits& limits;
    Statistics& statistics;
    Cache cache;
    Bottom bottom;
    std::vector<Archive> archive;  ///< by remaining depth
    std::vector<Level> level;      ///< by remaining depth
#ifdef BEAMTREE_CHECKED
    CoverLedger ledger;
#endif
};

class Pass {
  public:
    /// `improved` is told of each new upper bound of the root.
    Pass(Workspace& work, std::function<void(const Facts&)> improved)
        : work_(work), improved_(std::move(improved)) {}

    /// Searches the root for a tree that costs less than `bound`.
    Facts run(const Node& root, Cost bound);

  private:
    Facts solve(const Node& node, int depth, Cost bound, Facts facts);
    template <class T>
    void branch(const Node& node, int depth, Cost bound, Facts& facts);
    template <class T>
    Cost rank_features(const Node& node, int depth, Cost leaf);
    void interleave_gain(const Node& node, Level& level);
    template <class T>
    void recall_children(const Node& node, int depth, Facts& facts);
    /// What is known of a child, without a search.
    template <class T>
    Facts child_facts(const Node& node, int depth, int f, bool one);
    template <class T>
    void solve_children(const Node& node, int depth, int f, Cost goal, Facts child[2]);
    Facts root_improved(int depth, Facts facts);

    Workspace& work_;
    std::function<void(const Facts&)> improved_;
    Cost reported_ = kInfiniteCost;
};

}  // namespace beamtree
