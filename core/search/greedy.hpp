// The greedy tree by a gain: the first incumbent, so that no result is worse than greedy.
#pragma once

#include <cstdint>
#include <vector>

#include "data/tree.hpp"
#include "search/gains.hpp"
#include "search/workspace.hpp"

namespace beamtree {

/// Splits by the largest gain (ties by index) while there is one and the depth allows, and cuts
/// back what does not pay.
template <class Heuristic>
class Greedy {
  public:
    explicit Greedy(Workspace& work) : work_(work) {}

    /// Cost of the tree, which is appended to `tree`.
    Cost grow(const Node& node, int depth, Tree& tree) {
        const Objective& objective = work_.objective;
        const int at = tree.add_leaf();
        Facts facts;
        facts.improve(objective.leaf(node.weight, node.majority), kLeaf);
        const int f =
            depth > 0 && !objective.closed(facts.upper, node.rows) ? best_split(node) : kLeaf;
        if (f != kLeaf) {
            Level& level = work_.level[depth];
            const CoverHash hash_one =
                node.cover.hash_of_side(work_.data.hasher(), work_.data.column(node.feature[f]));
            Cost cost = objective.penalty;
            for (const bool one : {false, true}) {
                level.child.make_child(work_.data, node, f, one,
                                       one ? hash_one : node.hash - hash_one, level.selection,
                                       work_.kernel, [](int) { return true; });
                (one ? tree.right : tree.left)[at] = tree.size();
                const Cost child = grow(level.child, depth - 1, tree);
                cost += child;
            }
            facts.improve(cost, node.feature[f]);
        }
        if (facts.split == kLeaf)
            tree.cut(at);
        else
            tree.feature[at] = work_.data.original(facts.split);
        return facts.upper;
    }

  private:
    int best_split(const Node& node) {
        ClassWeights weights(work_.data, node);
        std::int64_t best_gain = 0;
        int best = kLeaf;
        for (int f = 0; f < node.features; ++f) {
            const SplitWeights split = weights.split(f);
            if (weights.rows_one() < work_.objective.min_rows ||
                weights.rows_zero() < work_.objective.min_rows)
                continue;
            const std::int64_t gain = whole_gain(Heuristic::gain(split));
            if (gain > best_gain) {
                best_gain = gain;
                best = f;
            }
        }
        return best;
    }

    Workspace& work_;
};

}  // namespace beamtree
