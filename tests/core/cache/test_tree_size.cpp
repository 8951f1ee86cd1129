// Sizes of trees: which are the same, how children share the leaves, and which sizes are chosen.
#include "cache/tree_size.hpp"

#include <map>
#include <vector>

#include "testing.hpp"

using namespace beamtree;

namespace {

void sizes_that_allow_the_same_trees_are_equal() {
    EXPECT(TreeSize(9, 3).depth == 2 && TreeSize(9, 3).leaves == 3);
    EXPECT(TreeSize(2, 4).depth == 2 && !TreeSize(2, 4).limited());
    EXPECT(TreeSize(kAnyDepth, 5).depth == 4 && TreeSize(kAnyDepth, 5).leaves == 5);
    EXPECT(TreeSize(7, 1).depth == 0 && !TreeSize(7, 1).limited());
    EXPECT(TreeSize(100, 101).depth == 100 && TreeSize(100, 101).limited());
    EXPECT(!TreeSize(3, kAnyLeaves).limited() && TreeSize(3, kAnyLeaves).shares() == 1);
}

void children_share_all_leaves() {
    for (int depth = 1; depth <= 5; ++depth)
        for (int leaves = 2; leaves <= 40; ++leaves) {
            const TreeSize size(depth, leaves);
            if (!size.limited()) continue;
            const int most = 1 << (size.depth - 1);
            int expected = 0;
            for (int zero = 1; zero < size.leaves; ++zero)
                expected += zero <= most && size.leaves - zero <= most;
            EXPECT(size.shares() == expected);
            for (int i = 0; i < size.shares(); ++i) {
                const LeafShare share = size.share(i);
                EXPECT(share.zero + share.one == size.leaves);
                EXPECT(share.zero >= 1 && share.zero <= most && share.one <= most);
                EXPECT(size.child(share.zero).depth < size.depth);
            }
        }
}

void keys_differ_by_leaves() {
    CoverHash hash;
    hash.high = 123;
    hash.middle = 456;
    std::vector<CoverKey> keys{TreeSize(10, kAnyLeaves).key(hash)};
    EXPECT(keys[0] == hash.key());
    for (int leaves = 11; leaves < 200; ++leaves) keys.push_back(TreeSize(10, leaves).key(hash));
    for (std::size_t i = 0; i < keys.size(); ++i)
        for (std::size_t j = 0; j < i; ++j) EXPECT(!(keys[i] == keys[j]));
}

void the_cheapest_and_then_the_smallest_children_are_chosen() {
    const TreeSize size(4, 7);
    // Costs by numbers of leaves: the first side needs three, the second two.
    const std::map<int, Cost> zero{{1, 9}, {2, 5}, {3, 1}, {4, 1}, {5, 1}, {6, 1}};
    const std::map<int, Cost> one{{1, 4}, {2, 0}, {3, 0}, {4, 0}, {5, 0}, {6, 0}};
    const ChildSizes chosen = choose_sizes(
        size, [&](bool side) -> const std::map<int, Cost>& { return side ? one : zero; },
        [](const std::map<int, Cost>& costs, const TreeSize& child) {
            return costs.at(child.limited() ? child.leaves : 1 << child.depth);
        });
    EXPECT(chosen.zero.leaves == 3 && chosen.zero.depth == 2);
    EXPECT(!chosen.one.limited() && chosen.one.depth == 1);
}

}  // namespace

int main() {
    sizes_that_allow_the_same_trees_are_equal();
    children_share_all_leaves();
    keys_differ_by_leaves();
    the_cheapest_and_then_the_smallest_children_are_chosen();
    return testing::report();
}
