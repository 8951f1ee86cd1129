// The bounds for thresholds between two others are compared with the best trees of both sides.
#include "sorted/thresholds.hpp"

#include <algorithm>

#include "sorted/ranked_trees.hpp"
#include "testing.hpp"

using namespace beamtree;
using testing::RankedTrees;

namespace {

/// The thresholds of one order of a node, and the optimum of each side of each of them.
struct Sides {
    Sides(RankedTrees& trees, const SortedNode<Misclassification>& node, int order, int depth) {
        thresholds.list(node, trees.objective, order);
        std::uint64_t rows = 0;
        const std::uint64_t all = RankedTrees::rows_of(node);
        int at = 0;
        for (const int last : thresholds.last) {
            for (; at <= last; ++at)
                rows |= std::uint64_t{1} << node.row[row_of(node.sorted(order)[at])];
            left.push_back(trees.exhaustive.best(rows, depth));
            right.push_back(trees.exhaustive.best(all & ~rows, depth));
        }
    }
    Thresholds thresholds;
    std::vector<Cost> left, right;
};

void all_allowed_thresholds_are_listed() {
    for (auto& [random, trial] : testing::Trials(1, 500)) {
        RankedTrees trees(random, trial, 40);
        SortedNode<Misclassification> node = trees.root;
        do {
            for (int o = 0; o < node.orders; ++o) {
                Thresholds thresholds;
                thresholds.list(node, trees.objective, o);
                EXPECT(thresholds.total == node.sums.weight);
                int count = 0;
                for (const Place& place : RankedTrees::places(node, o)) {
                    std::uint64_t left = 0;
                    for (int i = 0; i <= place.last; ++i)
                        left |= std::uint64_t{1} << node.row[row_of(node.sorted(o)[i])];
                    const std::uint64_t right = RankedTrees::rows_of(node) & ~left;
                    if (std::min(trees.exhaustive.counted(left), trees.exhaustive.counted(right)) <
                        trees.options.min_samples_leaf)
                        continue;
                    std::int64_t weight = 0;
                    for (int i = 0; i <= place.last; ++i)
                        weight += node.weight_of(row_of(node.sorted(o)[i]));
                    EXPECT(count < thresholds.size());
                    EXPECT(thresholds.last[count] == place.last);
                    EXPECT(thresholds.left(count) == weight);
                    EXPECT(thresholds.rows(count, node.rows) == place.last + 1);
                    ++count;
                }
                EXPECT(count == thresholds.size());
                EXPECT(thresholds.left(-1) == 0 && thresholds.left(count) == thresholds.total);
            }
        } while (trees.descend(random, node));
    }
}

/// Every bound of an interval is at most the optimum of every threshold inside.
void check_bounds(testing::Random& random, const RankedTrees& trees, const Sides& sides) {
    const Thresholds& thresholds = sides.thresholds;
    const int size = thresholds.size();
    const auto some_bound = [&](Cost optimum) {  // a lower bound that may be the optimum
        return random.below(3) ? optimum : optimum * random.below(4) / 4;
    };
    for (int begin = -1; begin < size; ++begin)
        for (int end = begin + 1; end <= size; ++end) {
            Interval interval{begin, end, {0, 0}, {0, 0}};
            if (begin >= 0) {
                interval.left[0] = some_bound(sides.left[begin]);
                interval.right[0] = some_bound(sides.right[begin]);
            }
            if (end < size) {
                interval.left[1] = some_bound(sides.left[end]);
                interval.right[1] = some_bound(sides.right[end]);
            }
            EXPECT(interval.empty() == (begin + 1 == end));
            const Cost bound = interval.bound(thresholds, trees.objective);
            for (int t = begin + 1; t < end; ++t) {
                const Cost best = sides.left[t] + sides.right[t] + trees.objective.penalty;
                EXPECT(bound <= best);
                EXPECT(interval.left_at(thresholds, trees.objective, t) <= sides.left[t]);
                EXPECT(interval.right_at(thresholds, trees.objective, t) <= sides.right[t]);
            }
        }
}

void bounds_hold() {
    for (auto& [random, trial] : testing::Trials(2, 300)) {
        RankedTrees trees(random, trial, 18);
        SortedNode<Misclassification> node = trees.root;
        do {
            for (int o = 0; o < node.orders; ++o)
                check_bounds(random, trees, Sides(trees, node, o, random.below(3)));
        } while (trees.descend(random, node));
    }
}

void the_nearest_threshold_is_found() {
    for (auto& [random, trial] : testing::Trials(3, 300)) {
        Thresholds thresholds;
        for (int at = random.below(3); thresholds.size() < 1 + random.below(12);
             at += 1 + random.below(4))
            thresholds.last.push_back(at);
        const int first = random.below(thresholds.size());
        const int last = first + 1 + random.below(thresholds.size() - first);
        for (int rows = 0; rows < 60; ++rows) {
            int expected = first;
            while (expected + 1 < last && thresholds.last[expected] + 1 < rows) ++expected;
            EXPECT(nearest(thresholds, first, last, rows) == expected);
        }
    }
}

}  // namespace

int main() {
    all_allowed_thresholds_are_listed();
    bounds_hold();
    the_nearest_threshold_is_found();
    return testing::report();
}
