// The lists of the rows of two classes are compared with those of all rows.
#include "sorted/class_pairs.hpp"

#include <algorithm>

#include "sorted/ranked_trees.hpp"
#include "testing.hpp"

using namespace beamtree;
using testing::RankedTrees;

namespace {

/// The least error of a split of these entries after a boundary, if the rows before it are of one
/// class and the rows after it of the other; all rows of other classes are left out.
int least_error(const std::vector<std::uint16_t>& label, const ClassPairs::Pair& pair,
                const Entry* entries, int count) {
    int before[2] = {0, 0}, all[2] = {0, 0};
    const auto in_pair = [&](int i) {
        const int k = label[row_of(entries[i])];
        return k == pair.zero || k == pair.one;
    };
    const auto is_one = [&](int i) { return label[row_of(entries[i])] == pair.one; };
    for (int i = 0; i < count; ++i)
        if (in_pair(i)) ++all[is_one(i)];
    int best = std::min(all[0], all[1]);
    for (int i = 0; i < count; ++i) {
        if (in_pair(i)) ++before[is_one(i)];
        if (!has_boundary(entries[i])) continue;
        best = std::min({best, before[0] + all[1] - before[1], before[1] + all[0] - before[0]});
    }
    return best;
}

void check_pair(const SortedNode<Misclassification>& node, const std::vector<std::uint16_t>& label,
                ClassPairs& pairs, int p) {
    const ClassPairs::Pair& pair = pairs.pairs()[p];
    EXPECT((pair.zero >> pair.bit & 1) == 0 && (pair.one >> pair.bit & 1) == 1);
    for (int o = 0; o < node.orders; ++o) {
        const ClassPairs::Rows rows = pairs.rows(o, p);
        EXPECT(rows.count == pair.rows);
        std::vector<std::uint32_t> expected, listed;
        for (int i = 0; i < node.rows; ++i) {
            const std::uint32_t row = row_of(node.sorted(o)[i]);
            if (label[row] == pair.zero || label[row] == pair.one) expected.push_back(row);
        }
        for (int i = 0; i < rows.count; ++i) listed.push_back(row_of(rows.entries[i]));
        EXPECT(listed == expected);
        EXPECT(least_error(label, pair, rows.entries, rows.count) ==
               least_error(label, pair, node.sorted(o), node.rows));
    }
}

void lists_have_the_best_splits() {
    ClassPairs pairs;  // serves all nodes, as in a search
    for (auto& [random, trial] : testing::Trials(1, 600)) {
        RankedTrees trees(random, trial, trial % 3 ? 18 : 60);
        SortedNode<Misclassification> node = trees.root;
        do {
            const int classes = 2 + random.below(trial % 5 ? 4 : ClassPairs::kMostClasses - 1);
            std::vector<std::uint16_t> label(node.rows);
            for (auto& k : label) k = static_cast<std::uint16_t>(random.below(classes));
            EXPECT(pairs.start(node, label, classes));
            const int count = static_cast<int>(pairs.pairs().size());
            EXPECT(count == classes * (classes - 1) / 2);
            for (int p = 0; p < count; ++p) {
                if (random.below(4) == 0) continue;  // lists are made when they are asked for
                if (p > 0) EXPECT(pairs.pairs()[p - 1].rows >= pairs.pairs()[p].rows);
                check_pair(node, label, pairs, p);
            }
        } while (trees.descend(random, node));
    }
}

void too_many_classes_are_refused() {
    testing::Random random(1);
    RankedTrees trees(random, 0, 18);
    ClassPairs pairs;
    const std::vector<std::uint16_t> label(trees.root.rows, 0);
    EXPECT(!pairs.start(trees.root, label, ClassPairs::kMostClasses + 1));
    EXPECT(ClassPairs::bytes(1'000'000, 20, 12) > ClassPairs::kMostBytes);
}

}  // namespace

int main() {
    lists_have_the_best_splits();
    too_many_classes_are_refused();
    return testing::report();
}
