// Proves lower bounds of single subproblems after a search: what a certificate asks for. The cache
// of the search has most of the answers; what it has forgotten is searched again.
#pragma once

#include <algorithm>
#include <stdexcept>
#include <utility>
#include <vector>

#include "pass/passes.hpp"
#include "rule/complete.hpp"

namespace beamtree {

/// A step of a path from the root: a test of the problem, and the side where it is 1 or 0.
struct PathStep {
    int test = 0;
    bool one = false;
};

/// The rows at the end of a path, and how large their trees may be.
template <class Form>
struct Subproblem {
    const typename Form::Node& node;
    TreeSize size;
};

/// Follows a path from the root. Every test must split the rows that reach it.
template <class Form>
Subproblem<Form> follow(const typename Form::Node& root, WorkersOf<Form>& workers,
                        const std::vector<PathStep>& path) {
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

}  // namespace beamtree
