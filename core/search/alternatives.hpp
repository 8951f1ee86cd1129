// The alternatives at the root: what is known of the trees that begin with each first split.
#pragma once

#include <vector>

#include "limits/limits.hpp"
#include "node/node.hpp"
#include "pass/workspace.hpp"
#include "search/incumbent.hpp"
#include "search/outcome.hpp"

namespace beamtree {

class Alternatives {
  public:
    /// `all_features`: whether there is memory for passes that look at all features of a node.
    Alternatives(Shared& shared, Workspace& work, const Node& root, const Incumbent& incumbent,
                 bool all_features)
        : shared_(shared),
          work_(work),
          root_(root),
          incumbent_(incumbent),
          all_features_(all_features) {}

    /// Bounds for every feature that can split all rows. Where a few seconds of counting give
    /// tighter bounds, at most `seconds` are spent on it.
    std::vector<Alternative> list(double seconds);

  private:
    Facts known_of(const CoverHash& hash, const TreeSize& size);
    std::vector<Cost> best_of_two_levels(double seconds);

    Shared& shared_;
    Workspace& work_;
    const Node& root_;
    const Incumbent& incumbent_;
    bool all_features_;
};

}  // namespace beamtree
