// A decision tree as flat arrays; node 0 is the root.
#pragma once

#include <cstdint>
#include <vector>

namespace beamtree {

struct Tree {
    static constexpr std::int32_t kNone = -1;

    std::vector<std::int32_t> feature;  ///< column of the problem, or kNone in a leaf
    std::vector<std::int32_t> left;     ///< child for rows in which the feature is 0
    std::vector<std::int32_t> right;    ///< child for rows in which the feature is 1

    int add_leaf() {
        feature.push_back(kNone);
        left.push_back(kNone);
        right.push_back(kNone);
        return size() - 1;
    }
    int size() const { return static_cast<int>(feature.size()); }
    int leaves() const { return (size() + 1) / 2; }
    int leaves_below(int at) const {
        if (feature[at] == kNone) return 1;
        return leaves_below(left[at]) + leaves_below(right[at]);
    }
    /// Removes all nodes after node `at`, and makes that node a leaf.
    void cut(int at) {
        feature.resize(at + 1);
        left.resize(at + 1);
        right.resize(at + 1);
        feature[at] = left[at] = right[at] = kNone;
    }
};

}  // namespace beamtree
