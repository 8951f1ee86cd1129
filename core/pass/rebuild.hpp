// Rebuilds the tree to which the upper bounds in the cache belong.
#pragma once

#include <functional>
#include <type_traits>

#include "data/tree.hpp"
#include "pass/bit_form.hpp"

namespace beamtree {

/// Searches a node again of whose tree some parts were evicted, for a tree that costs no more than
/// `upper`.
template <class Form>
using RepairOf =
    std::function<Facts(const typename Form::Node& node, const TreeSize& size, Cost upper)>;

/// Appends the tree of a node with these facts to `tree`. Returns its cost, which may be below
/// facts.upper, or above it if the search was stopped meanwhile. Uses the buffers of all depths up
/// to that of `size`, so no pass may be running. The bottom of a wide node is searched first with
/// the features that a pass in `mode` tries.
template <class Form>
Cost rebuild(typename Form::Workspace& work, RankingOf<Form>& ranking, const PassMode& mode,
             const typename Form::Node& node, const TreeSize& size, const Facts& facts,
             const std::type_identity_t<RepairOf<Form>>& repair, Tree& tree);
/// Does the same for a node that the exact solver solves, with at most `exact_levels` levels left.
Cost rebuild_bottom(Workspace& work, Ranking& ranking, const Node& node, int depth,
                    const Facts& facts, Tree& tree);

}  // namespace beamtree
