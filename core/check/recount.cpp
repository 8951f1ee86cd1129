#include "check/recount.hpp"

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <stdexcept>
#include <string>

#include "objective/squared_error.hpp"

namespace beamtree {

namespace {

/// Sends blocks of rows down a tree, level by level, so that the processor overlaps their steps.
class Walk {
  public:
    static constexpr int kRows = 256;

    Walk(const Problem& problem, const Tree& tree) : problem_(problem), step_(tree.size()) {
        std::vector<int> depth(tree.size(), 0);
        for (int at = 0; at < tree.size(); ++at) {
            const int test = tree.feature[at];
            const bool leaf = test == Tree::kNone;
            step_[at] = {0, nullptr, 0, {at, at}};  // a leaf leads to itself
            if (problem.ranks != nullptr) {
                const Cut cut = leaf ? Cut{} : problem.ranks->cut_of(test);
                step_[at].rank = problem.order(cut.order);
                step_[at].cut = cut.cut;
            }
            if (leaf) continue;
            step_[at].test = test;
            step_[at].child[0] = tree.left[at];
            step_[at].child[1] = tree.right[at];
            depth[tree.left[at]] = depth[tree.right[at]] = depth[at] + 1;
            levels_ = std::max(levels_, depth[at] + 1);
        }
    }
    /// Returns the leaves of `rows` rows (at most kRows) from `first` on.
    const int* leaves(std::int64_t first, int rows) {
        std::fill(leaf_, leaf_ + rows, 0);
        for (int level = 0; level < levels_; ++level) {
            if (problem_.ranks != nullptr) {
                for (int i = 0; i < rows; ++i) {
                    const Step& step = step_[leaf_[i]];
                    leaf_[i] = step.child[step.rank[first + i] >= step.cut];
                }
                continue;
            }
            const std::uint8_t* row = problem_.row(first);
            for (int i = 0; i < rows; ++i, row += problem_.columns) {
                const Step& step = step_[leaf_[i]];
                leaf_[i] = step.child[row[step.test] != 0];
            }
        }
        return leaf_;
    }

  private:
    struct Step {
        int test;
        const std::uint32_t* rank;  ///< of the test's order, if the problem has orders
        std::uint32_t cut;
        int child[2];
    };

    const Problem& problem_;
    std::vector<Step> step_;
    int levels_ = 0;
    int leaf_[kRows];
};

}  // namespace

template <class Weight>
NodeSums<Weight> recount(const Problem& problem, const Tree& tree, const Weight* weight) {
    NodeSums<Weight> sums;
    sums.width = problem.has_classes()  ? problem.classes
                 : problem.has_values() ? SquaredError::kSums
                                        : problem.statistics;
    const std::size_t width = sums.width;
    sums.sums.assign(tree.size() * width, 0);
    sums.rows.assign(tree.size(), 0);
    Walk walk(problem, tree);
    for (std::int64_t first = 0; first < problem.rows; first += Walk::kRows) {
        const int rows =
            static_cast<int>(std::min<std::int64_t>(problem.rows - first, Walk::kRows));
        const int* leaf = walk.leaves(first, rows);
        for (int i = 0; i < rows; ++i) {
            Weight* to = sums.sums.data() + leaf[i] * width;
            if (problem.has_classes()) {
                to[problem.label[first + i]] += weight[first + i];
            } else if (problem.has_values()) {
                to[0] += weight[first + i];
                to[1] += static_cast<Weight>(problem.value[first + i]);
                to[2] += static_cast<Weight>(problem.square[first + i]);
            } else {
                for (std::size_t k = 0; k < width; ++k)
                    to[k] += static_cast<Weight>(problem.statistic[(first + i) * width + k]);
            }
            sums.rows[leaf[i]] += problem.count_of(first + i);
        }
    }
    for (int at = tree.size() - 1; at >= 0;
         --at) {  // children have larger indices than their parent
        if (tree.feature[at] == Tree::kNone) continue;
        for (const int child : {tree.left[at], tree.right[at]}) {
            for (std::size_t k = 0; k < width; ++k)
                sums.sums[at * width + k] += sums.sums[child * width + k];
            sums.rows[at] += sums.rows[child];
        }
    }
    return sums;
}

template NodeSums<double> recount(const Problem&, const Tree&, const double*);
template NodeSums<std::int64_t> recount(const Problem&, const Tree&, const std::int64_t*);

namespace {

Cost cost_of(const Objective& objective, const Tree& tree, const NodeSums<std::int64_t>& sums) {
    Cost cost = objective.penalty * (tree.leaves() - 1);
    for (int at = 0; at < tree.size(); ++at)
        if (tree.feature[at] == Tree::kNone)
            cost += objective.cost_of_sums(sums.of(at), sums.width);
    return cost;
}

}  // namespace

Cost recounted_cost(const Problem& problem, const Objective& objective, const Tree& tree) {
    return cost_of(objective, tree, recount(problem, tree, problem.weight));
}

bool well_formed(const Problem& problem, const Tree& tree) {
    const int size = tree.size();
    if (size == 0 || tree.left.size() != tree.feature.size() ||
        tree.right.size() != tree.feature.size())
        return false;
    std::vector<bool> has_parent(size, false);
    for (int at = 0; at < size; ++at) {
        if (at > 0 && !has_parent[at]) return false;
        if (tree.feature[at] == Tree::kNone) continue;
        if (tree.feature[at] < 0 || tree.feature[at] >= problem.columns) return false;
        for (const int child : {tree.left[at], tree.right[at]}) {
            if (child <= at || child >= size || has_parent[child]) return false;
            has_parent[child] = true;
        }
    }
    return true;
}

NodeSums<std::int64_t> check_tree(const Problem& problem, const Objective& objective,
                                  const Tree& tree, int max_depth, int max_leaves, Cost cost) {
    if (max_leaves > 0 && tree.leaves() > max_leaves)
        throw std::logic_error("the tree has " + std::to_string(tree.leaves()) + " leaves");
    std::vector<int> depth(tree.size(), 0);
    for (int at = 0; at < tree.size(); ++at) {
        if (tree.feature[at] == Tree::kNone) continue;
        if (tree.left[at] <= at || tree.right[at] <= at || depth[at] >= max_depth)
            throw std::logic_error("the tree is malformed or too deep");
        depth[tree.left[at]] = depth[tree.right[at]] = depth[at] + 1;
    }
    auto sums = recount(problem, tree, problem.weight);
    const auto rows_at = [&](int at) {
        if (!objective.rows_are_weight || problem.has_statistics()) return sums.rows[at];
        const std::int64_t* begin = sums.of(at);
        return problem.has_classes() ? std::accumulate(begin, begin + sums.width, std::int64_t{0})
                                     : begin[0];
    };
    for (int at = 0; at < tree.size(); ++at)
        if (tree.size() > 1 && rows_at(at) < objective.min_rows)
            throw std::logic_error("the tree has a leaf that is too small");
    const Cost counted = cost_of(objective, tree, sums);
    if (std::abs(counted - cost) > objective.tolerance(tree.leaves()))
        throw std::logic_error("the tree costs " + std::to_string(counted) + ", not " +
                               std::to_string(cost));
    return sums;
}

}  // namespace beamtree
