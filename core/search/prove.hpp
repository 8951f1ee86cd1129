// Proves lower bounds of single subproblems after a search: what a certificate asks for. The cache
// of the search has most of the answers; what it has forgotten is searched again.
#pragma once

#include <algorithm>
#include <vector>

#include "pass/passes.hpp"
#include "rule/complete.hpp"

namespace beamtree {

/// A step of a path from the root: a test of the problem, and the side where it is 1 or 0.
struct PathStep {
    int test = 0;
    bool one = false;
};

/// Returns a lower bound on the cost of all trees on the rows at the end of a path, whose depth is
/// what the path leaves. It is at least `bound`, unless some tree costs less or the limits end the
/// pass. The path must be possible: every test splits the rows that reach it.
template <class Form>
Cost prove(const typename Form::Node& root, WorkersOf<Form>& workers,
           const std::vector<PathStep>& path, Cost bound) {
    auto& work = workers[0]->work;
    const typename Form::Node* node = &root;
    TreeSize size{work.options.max_depth, kAnyLeaves};
    for (const PathStep& step : path) {
        const auto place = Form::find_place(work, *node, step.test);
        auto& child = make_side(work, *node, size.depth, place, step.one);
        Form::prepare(work, child);
        node = &child;
        size = size.child(kAnyLeaves);
    }
    PassesOf<Form, Complete> passes(workers, Complete{});
    const Facts found = passes.run(*node, size, {bound, {false, PassMode::kAllFeatures}}).root;
    return std::min(found.lower, found.upper);
}

}  // namespace beamtree
