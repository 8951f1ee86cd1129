// A tree over the columns of the problem that the caller gives to start from. Splits are removed if
// they do not lower the cost, or if a leaf would be too small.
#pragma once

#include "data/problem.hpp"
#include "data/tree.hpp"
#include "pass/children.hpp"

namespace beamtree {

class InitialTree {
  public:
    InitialTree(Workspace& work, const Problem& problem, const Tree& given)
        : work_(work), problem_(problem), given_(given) {}

    /// Appends the given tree from its node `from` on to `tree`, stores what it proves in the
    /// cache, and returns the cost.
    Cost grow(const Node& node, int depth, Tree& tree, int from = 0) {
        const Misclassification& objective = work_.objective;
        const int at = tree.add_leaf();
        const Split split = depth > 0 ? find_split(node, depth, from) : Split{};
        Facts facts;
        facts.improve(objective.leaf_cost(node.sums), kLeaf);
        if (split.place != kLeaf) {
            Cost cost = objective.penalty;
            for (const bool one : {false, true}) {
                const Node& child = make_side(work_, node, depth, split.place, one);
                (one ? tree.right : tree.left)[at] = tree.size();
                cost += grow(child, depth - 1, tree, one ? split.one : split.zero);
            }
            facts.improve(cost, node.feature[split.place]);
        }
        if (facts.split == kLeaf) {
            tree.cut(at);
        } else {
            tree.feature[at] = work_.data.original(facts.split);
            work_.cache.merge(node.hash.key(), depth, facts);
        }
        return facts.upper;
    }

  private:
    /// A split of the given tree: the place of its feature in the node, or kLeaf, and the nodes of
    /// the given tree to which its two sides lead.
    struct Split {
        int place = kLeaf;
        int zero = 0, one = 0;
    };

    /// Finds the first split at or below `from` that has rows on both sides. If a side would be too
    /// small, the tree goes on with the other side.
    Split find_split(const Node& node, int depth, int from) const {
        while (given_.feature[from] != Tree::kNone) {
            const int zero = given_.left[from], one = given_.right[from];
            const Column column = find_column(given_.feature[from]);
            if (column.constant) {
                from = column.value ? one : zero;
                continue;
            }
            const int place = place_of(node, column.feature);
            const std::int64_t rows = make_side(work_, node, depth, place, column.value).rows;
            if (work_.objective.can_split(rows, node.rows - rows))
                return column.value ? Split{place, zero, one} : Split{place, one, zero};
            from = 2 * rows > node.rows ? one : zero;
        }
        return {};
    }

    /// A column of the problem in the dataset, which keeps only one of equal or opposite columns.
    struct Column {
        bool constant = false;
        int feature = kLeaf;
        /// Value of the column where the feature is 1, or of all rows if it is constant.
        bool value = true;
    };
    Column find_column(int column) const {
        const auto at = [&](std::int64_t row, int c) { return problem_.right(row, c); };
        const auto related = [&](auto agrees) {
            for (std::int64_t row = 0; row < problem_.rows; ++row)
                if (!agrees(row)) return false;
            return true;
        };
        const bool first = at(0, column);
        if (related([&](std::int64_t row) { return at(row, column) == first; }))
            return {true, kLeaf, first};
        for (int f = 0; f < work_.data.features(); ++f) {
            const int other = work_.data.original(f);
            const bool equal = at(0, other) == first;
            if (related([&](std::int64_t r) { return (at(r, other) == at(r, column)) == equal; }))
                return {false, f, equal};
        }
        return {};  // never reached: every column is kept, or is equal or opposite to one that is
    }

    Workspace& work_;
    const Problem& problem_;
    const Tree& given_;
};

}  // namespace beamtree
