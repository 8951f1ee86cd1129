// Searches single subproblems, at the end of a path from the root. A certificate asks for their
// lower bounds after a search: the cache has most of the answers, and what it has forgotten is
// searched again. A process that helps a search of another one solves its tasks in this way.
#pragma once

#include <algorithm>
#include <stdexcept>
#include <utility>
#include <vector>

#include "data/path.hpp"
#include "pass/passes.hpp"
#include "pass/rebuild.hpp"
#include "rule/complete.hpp"
#include "tasks/fact_log.hpp"
#include "tasks/task_board.hpp"

namespace beamtree {

/// The rows at the end of a path, and how large their trees may be.
template <class Form>
struct Subproblem {
    const typename Form::Node& node;
    TreeSize size;
};

/// Follows a path from the root. Every test must split the rows that reach it.
template <class Form>
Subproblem<Form> follow(const typename Form::Node& root, WorkersOf<Form>& workers,
                        const Path& path) {
    auto& work = workers[0]->work;
    const typename Form::Node* node = &root;
    TreeSize size{Form::kAnyDepths ? work.options.depth_limit() : work.options.max_depth,
                  kAnyLeaves};
    for (const PathStep& step : path) {
        if (size.depth == 0) throw std::invalid_argument("the path is longer than trees are deep");
        const auto [place, one] = Form::find_side(work, *node, step.test, step.one);
        auto& child = make_side(work, *node, size.depth, place, one);
        // Only the last one: a test of the path may leave no rows on one side but cancelled ones.
        if (&step == &path.back()) Form::prepare(work, child);
        node = &child;
        size = size.child(kAnyLeaves);
    }
    return {*node, size};
}

/// Returns a lower bound on the cost of all trees of a subproblem. It is at least `bound`, unless
/// some tree costs less or the limits end the pass.
template <class Form>
Cost prove(const Subproblem<Form>& sub, WorkersOf<Form>& workers, Cost bound) {
    PassesOf<Form, Complete> passes(workers, Complete{});
    const Facts found =
        passes.run(sub.node, sub.size, {bound, {false, PassMode::kAllFeatures}}).root;
    return std::min(found.lower, found.upper);
}

/// Solves a task of another process, as far as the limits allow. Sets `tree` if there is a tree
/// that is better than a leaf.
template <class Form>
Facts solve(const Subproblem<Form>& sub, WorkersOf<Form>& workers, Limits& limits, const Task& task,
            Tree& tree) {
    auto& worker = *workers[0];
    const PassMode mode{task.probe, PassMode::kAllFeatures};
    // A limit of leaves may leave fewer levels than the path does.
    const TreeSize size(std::min(task.size.depth, sub.size.depth), task.size.leaves);
    PassesOf<Form, Complete> passes(workers, Complete{});
    Facts found = passes.run(sub.node, size, {task.bound, mode}).root;
    if (found.split == kLeaf) return found;
    const Grace grace(limits);
    const auto repair = [&](const typename Form::Node& node, const TreeSize& part, Cost upper) {
        worker.work.cache.drop_tree(part.key(node.hash), part.depth_key());
        return passes.run(node, part, {upper + 1, {false, PassMode::kAllFeatures}, upper + 1}).root;
    };
    if (rebuild(worker.work, worker.ranking, mode, sub.node, size, found, repair, tree) >
        found.upper) {
        tree = {};
        found.upper = kInfiniteCost;
    }
    return found;
}

/// Collects what the threads of a search have logged.
template <class Workers>
void log_of(Workers& workers, Learned& all) {
    for (auto& worker : workers) worker->work.log.take(all.facts);
}
inline void log_of(CellTable& cells, Learned& all) {
    cells.take_log([&](const CoverKey& key, Cost cost) { all.cells.push_back({key, cost}); });
}

/// Takes over what another search of the same problem has logged.
inline void merge(const Learned& learned, Cache& cache) {
    for (const LoggedFact& fact : learned.facts)
        cache.merge(fact.key, static_cast<int>(fact.depth), {fact.lower, kInfiniteCost, kLeaf});
}
inline void merge(const Learned& learned, CellTable& cells) {
    for (const LoggedCell& cell : learned.cells) cells.insert_found(cell.key, cell.optimum);
}

}  // namespace beamtree
