// The groups of rows that reach a node of the tree, and the features that can still split them.
//
// Of features that are equal or opposite on the groups of the node, only the first is kept, so a
// cover has the same features whatever path leads to it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "data/cover.hpp"
#include "grouped/grouped_data.hpp"

namespace beamtree {

/// Memory that calls reuse.
struct NodeScratch {
    std::vector<std::uint8_t> inside;  ///< (groups of the parent,) whether they reach the child
    std::vector<GroupSums> one;        ///< (features of the parent,)
    std::vector<int> to_child;         ///< (features of the parent,)
    std::vector<int> table;            ///< of the hashes of the features that are kept
};

struct GroupedNode {
    int groups = 0;
    int features = 0;
    std::vector<int> feature;           ///< (features,) indices in the data, increasing
    std::vector<int> chain_end;         ///< (features,) the last of the chain, as index here
    std::vector<GroupSums> one;         ///< (features,) sums of the groups in which a feature is 1
    std::vector<std::uint32_t> number;  ///< (groups,) their numbers in the data
    std::vector<GroupSums> sum;         ///< (groups,)
    std::vector<std::uint32_t> begin;   ///< (groups + 1,) where the items of a group begin
    std::vector<std::uint16_t> item;    ///< the last feature of each chain that is 1, by group
    GroupSums total;
    ValueSums sums;         ///< what the node costs as a leaf follows from these
    std::int64_t rows = 0;  ///< weight, as min_samples_leaf counts it
    CoverHash hash;
    bool narrow = false;  ///< never: all features are here

    void make_root(const GroupedData& data);
    /// Becomes the groups of `parent` in which its feature `f` is 1 (or 0).
    void make_child(const GroupedData& data, const GroupedNode& parent, int f, bool is_one,
                    NodeScratch& scratch);
    /// The groups in which feature `f` is 1: those of all items from `f` to the end of its chain.
    std::span<const std::uint32_t> groups_with(int f) const {
        if (!has_lists_) make_lists();
        return {list_.data() + list_of_[f], list_.data() + list_of_[chain_end[f] + 1]};
    }
    /// Sums of one side of a feature.
    GroupSums side(int f, bool is_one) const { return is_one ? one[f] : total - one[f]; }
    /// The index of a feature of the data, or kLeaf (-1) if the node does not have it.
    int place_of(int of_data) const;
    /// Makes the lists of groups_with now. Without, only one thread may use the node.
    void make_lists() const;

  private:
    void choose_features(const GroupedData& data, const GroupedNode& parent, NodeScratch& scratch);
    void finish(const GroupedData& data);

    // Many nodes are solved without these lists, so they are made when they are needed.
    mutable bool has_lists_ = false;
    mutable std::vector<std::uint32_t>
        list_of_;  ///< (features + 1,) where the groups of an item begin
    mutable std::vector<std::uint32_t> list_;  ///< the groups that have an item, by item
    mutable std::vector<std::uint32_t> next_;  ///< scratch
};

}  // namespace beamtree
