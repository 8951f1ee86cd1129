// The form of a search that holds its rows as sorted columns; see BitForm in pass/passes.hpp.
#pragma once

#include <functional>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include "data/tree.hpp"
#include "pass/passes.hpp"
#include "sorted/sorted_pass.hpp"
#include "sorted/sorted_ranking.hpp"
#include "sorted/sorted_workspace.hpp"

namespace beamtree {

/// What one thread of a search works with, and how it ranks orders.
template <SearchObjective O>
struct SortedWorker {
    SortedWorker(SortedShared<O>& shared, Heuristic heuristic, int thread)
        : work(shared, heuristic, thread), ranking(work) {}
    SortedWorkspace<O> work;
    SortedRanking<O> ranking;
};

template <SearchObjective O>
class SortedPolish;

template <SearchObjective O>
struct SortedForm {
    static constexpr bool kAnyDepths = true;
    static constexpr double kFirstTarget = 0.15;
    using Node = SortedNode<O>;
    using Worker = SortedWorker<O>;
    using Polish = SortedPolish<O>;
    template <SearchRule Rule>
    using PassOf = SortedPass<O, Rule>;
    static int exact_levels(const SortedWorkspace<O>& work) { return work.exact_levels(); }
    static int first_width(const SortedWorkspace<O>&) { return PassMode::kAllFeatures; }
    static bool narrows(const PassMode&, const SortedNode<O>&) { return false; }
    static Place find_place(const SortedWorkspace<O>& work, const SortedNode<O>& node, int test) {
        const Place place = node.place_of(work.data, test);
        if (place.order >= 0) return place;
        throw std::logic_error("a tree splits a node by a test that does not split it");
    }
    static std::pair<Place, bool> find_side(const SortedWorkspace<O>& work,
                                            const SortedNode<O>& node, int test, bool one) {
        return {find_place(work, node, test), one};
    }
    static int split_of(const SortedWorkspace<O>& work, const SortedNode<O>& node,
                        const Place& place) {
        return node.test_at(work.data, place);
    }
    static void prepare(const SortedWorkspace<O>&, SortedNode<O>&) {}
    static bool polishes_first() { return true; }
    static std::int64_t direct_work(int depth) { return depth <= 4 ? 2'000'000'000 : 0; }
};

/// Makes one side of a split of a node with `depth` levels left, in the buffers of that depth.
template <SearchObjective O>
SortedNode<O>& make_side(SortedWorkspace<O>& work, const SortedNode<O>& node, int depth,
                         const Place& place, bool right) {
    SortedNode<O>& child = work.buffers_at(depth).child;
    const bool is_leaf = depth == 1;
    child.make_child(work.data, work.objective, node, place, right, is_leaf, work.scratch);
    work.meter.spend(static_cast<std::int64_t>(is_leaf ? 1 : node.orders) * node.rows);
    return child;
}

/// Searches a node again of whose tree some parts were evicted, for a tree that costs no more than
/// `upper`.
template <SearchObjective O>
using SortedRepair =
    std::function<Facts(const SortedNode<O>& node, const TreeSize& size, Cost upper)>;

/// Appends the tree of a node with these facts to `tree`, as in pass/rebuild.hpp.
template <SearchObjective O>
Cost rebuild(SortedWorkspace<O>& work, SortedRanking<O>& ranking, const PassMode& mode,
             const SortedNode<O>& node, const TreeSize& size, const Facts& facts,
             const std::type_identity_t<SortedRepair<O>>& repair, Tree& tree);

}  // namespace beamtree
