// The search: a first tree at once, then passes until the optimum is proved or a limit is met.
#pragma once

#include "data/dataset.hpp"
#include "data/problem.hpp"
#include "kernel/kernel.hpp"
#include "search/limits.hpp"
#include "search/node.hpp"
#include "search/options.hpp"
#include "search/outcome.hpp"
#include "search/pass.hpp"

namespace beamtree {

class Search {
  public:
    /// The problem's arrays must outlive the search.
    Search(const Problem& problem, const Options& options, Listener listener = {}, Poll poll = {});

    Outcome run();
    /// From any thread: ends the search soon, with the best tree so far.
    void interrupt() { limits_.interrupt(); }

  private:
    void start_greedy();
    void take(Tree tree, Cost cost);
    void improved(const Facts& facts);
    void trace(Cost lower);
    Outcome finish(const Facts& root, bool out_of_memory);

    Problem problem_;
    Options options_;
    Listener listener_;
    Limits limits_;
    Statistics statistics_;
    Objective objective_;
    Kernel kernel_;
    Dataset data_;
    Node root_;
    Workspace work_;
    // The incumbent lives here, outside the cache.
    Tree tree_;
    Cost cost_ = kInfiniteCost;
    std::vector<TraceRow> trace_;
};

}  // namespace beamtree
