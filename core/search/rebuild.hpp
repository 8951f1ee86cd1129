// The tree behind the cache's upper bounds.
#pragma once

#include "data/tree.hpp"
#include "search/workspace.hpp"

namespace beamtree {

/// Appends the tree of the root with these facts to `tree`; returns its cost, which may be below
/// facts.upper. Uses the levels' memory, of which a pass at the root needs nothing but its own.
Cost rebuild(Workspace& work, const Node& root, const Facts& facts, Tree& tree);

}  // namespace beamtree
