// What the passes of a search share.
#pragma once

#include <vector>

#include "check/cover_ledger.hpp"
#include "search/archive.hpp"
#include "search/bottom.hpp"
#include "search/cache.hpp"
#include "search/level.hpp"
#include "search/memo.hpp"

namespace beamtree {

struct Workspace {
    Workspace(const Dataset& dataset, const Objective& goal, const Kernel& instruction_set,
              const Options& settings, Limits& stop, bool main, Statistics& counters)
        : data(dataset),
          objective(goal),
          kernel(instruction_set),
          options(settings),
          meter(stop, main),
          statistics(counters),
          memos(cache),
          bottom(dataset, goal, instruction_set, settings, meter, counters),
          archive(settings.max_depth + 1,
                  Archive(dataset, goal, kArchiveBytes / (settings.max_depth + 1))),
          level(settings.max_depth + 1) {}

    const Dataset& data;
    const Objective& objective;
    const Kernel& kernel;
    const Options& options;
    Meter meter;
    Statistics& statistics;
    Cache cache;
    Memos memos;
    Bottom bottom;
    std::vector<Archive> archive;  ///< by remaining depth
    std::vector<Level> level;      ///< by remaining depth
    Level narrow;                  ///< for a few features of a wide node
#ifdef BEAMTREE_CHECKED
    CoverLedger ledger;
#endif

  private:
    static constexpr int kArchiveBytes = 64 << 20;  ///< of all levels
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
    bool narrows_much(const Node& node) const {
        return width < kAllFeatures && node.features > outer_width() + width / 3;
    }
};

}  // namespace beamtree
