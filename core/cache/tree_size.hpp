// How large the trees of a subproblem may be: the levels of splits that are left and, if the user
// limits them, the number of leaves. Together with the cover, this is what the cache knows a
// subproblem by.
#pragma once

#include <algorithm>
#include <vector>

#include "data/cover.hpp"
#include "objective/objective.hpp"
#include "options/options.hpp"

namespace beamtree {

/// The number of leaves where the depth alone limits it.
inline constexpr int kAnyLeaves = 1 << 30;

/// How the two sides of a split share the leaves.
struct LeafShare {
    int zero = kAnyLeaves, one = kAnyLeaves;
    int of(bool side) const { return side ? one : zero; }
};

/// Sizes that allow the same trees are equal: a tree with n leaves has at most n - 1 levels, and
/// one with d levels at most 2^d leaves.
struct TreeSize {
    int depth = 0;  ///< levels of splits, or kAnyDepth less the level of the node
    int leaves = kAnyLeaves;

    TreeSize() = default;
    TreeSize(int most_depth, int most_leaves) : depth(most_depth) {
        if (most_leaves == kAnyLeaves) return;
        depth = std::min(depth, most_leaves - 1);
        if (most_leaves < full(depth)) leaves = most_leaves;
    }

    /// Whether the number of leaves matters.
    bool limited() const { return leaves != kAnyLeaves; }
    /// The size of the same number of leaves, with at most `levels` levels.
    TreeSize within(int levels) const { return {std::min(depth, levels), leaves}; }
    /// The size of a child that gets this number of leaves.
    TreeSize child(int share) const { return {depth - 1, share}; }

    // The ways to share the leaves among the children of a split are numbered. If the number of
    // leaves does not matter, there is one.

    int shares() const { return limited() ? last_share() - first_share() + 1 : 1; }
    LeafShare share(int i) const {
        if (!limited()) return {};
        return {first_share() + i, leaves - first_share() - i};
    }

    /// The two parts of the key of a subproblem.
    CoverKey key(const CoverHash& hash) const {
        CoverKey key = hash.key();
        if (!limited()) return key;
        key.high ^= static_cast<Word>(leaves) * 0xD1342543DE82EF95ULL;
        key.low += static_cast<Word>(leaves) * 0x9E6C63D0876A9A35ULL;
        return key;
    }
    int depth_key() const { return beamtree::depth_key(depth); }

  private:
    static int full(int depth) { return depth < 30 ? 1 << depth : kAnyLeaves; }
    /// The fewest and the most leaves of the first side.
    int first_share() const { return std::max(1, leaves - full(depth - 1)); }
    int last_share() const { return std::min(leaves - 1, full(depth - 1)); }
};

/// The size of the trees of a search.
inline TreeSize tree_size_of(const Options& options, int depth) {
    return {depth, options.max_leaf_nodes > 0 ? options.max_leaf_nodes : kAnyLeaves};
}

/// The sizes of the two children of a split in the best tree that is known.
struct ChildSizes {
    TreeSize zero, one;
    const TreeSize& of(bool side) const { return side ? one : zero; }
};

/// Chooses the sizes with which the children of a split cost least, and of equal ones those with
/// the fewest leaves. make(side) makes a child, which is valid until the next call, and
/// upper_of(child, size) says what its best known tree of that size costs.
template <class Make, class UpperOf>
ChildSizes choose_sizes(const TreeSize& size, Make make, UpperOf upper_of) {
    if (!size.limited()) return {size.child(kAnyLeaves), size.child(kAnyLeaves)};
    const int most = size.share(size.shares() - 1).zero;
    // The best trees with at most that many leaves, and how many leaves they need.
    std::vector<Cost> upper[2];
    std::vector<int> needed[2];
    for (const bool one : {false, true}) {
        upper[one].assign(most + 1, kInfiniteCost);
        needed[one].assign(most + 1, 1);
        const auto& child = make(one);
        for (int leaves = 1; leaves <= most; ++leaves) {
            const Cost found = upper_of(child, size.child(leaves));
            const bool better = found < upper[one][leaves - 1];
            upper[one][leaves] = better ? found : upper[one][leaves - 1];
            needed[one][leaves] = better ? leaves : needed[one][leaves - 1];
        }
    }
    int best[2] = {1, 1};
    for (int i = 0; i < size.shares(); ++i) {
        const LeafShare share = size.share(i);
        const auto cost = [&](int zero, int one) { return upper[0][zero] + upper[1][one]; };
        const int zero = needed[0][share.zero], one = needed[1][share.one];
        const Cost less = cost(best[0], best[1]) - cost(zero, one);
        if (i > 0 && (less < 0 || (less == 0 && zero + one >= best[0] + best[1]))) continue;
        best[0] = zero;
        best[1] = one;
    }
    return {size.child(best[0]), size.child(best[1])};
}

}  // namespace beamtree
