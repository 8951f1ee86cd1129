// A subproblem's rows: the columns repacked for the rows that reach the node, and their cover.
#pragma once

#include <cstdint>
#include <vector>

#include "data/bits.hpp"
#include "data/cover.hpp"
#include "data/dataset.hpp"
#include "kernel/kernel.hpp"
#include "node/selection.hpp"

namespace beamtree {

class NodeCounts;

/// Where a node comes from: the side of a feature of the node counted at `parent`, as long as that
/// is still counted there.
struct Origin {
    const NodeCounts* parent = nullptr;
    int feature = 0;
    bool one = false;
};

/// Ends nothing.
struct Stay {
    bool operator()(std::int64_t) const { return false; }
};

struct Node {
    int features = 0;                        ///< that can still split it
    int stride = 0;                          ///< features, rounded up to whole blocks
    int words = 0;                           ///< of one column
    std::vector<int> feature;                ///< (features,) indices in the dataset, increasing
    std::vector<int> position;               ///< (features,) their indices in the parent
    std::vector<Word> columns;               ///< (features, words)
    std::vector<int> segment_word;           ///< (segments + 1,) first word of each segment
    std::vector<int> segment_rows;           ///< (segments,) physical rows
    std::vector<std::int64_t> plane_weight;  ///< (planes,)
    LeafSums sums;                           ///< of the node as a leaf
    std::int64_t least_error = 0;            ///< of every tree, see Planes
    std::int64_t rows = 0;                   ///< as min_samples_leaf counts them
    int physical_rows = 0;                   ///< that kernels count
    int cover_rows = 0;                      ///< of all planes
    Cover cover;
    CoverHash hash;
    Origin origin;                ///< set by a search that keeps the parent's counts
    bool narrow = false;          ///< it has only some of the features that could split it
    const Node* whole = nullptr;  ///< the node with all of them, of a narrow one

    const Word* column(int f) const { return columns.data() + static_cast<std::size_t>(f) * words; }
    Word* column(int f) { return columns.data() + static_cast<std::size_t>(f) * words; }

    /// All rows of a dataset.
    void make_root(const Dataset& data);
    /// The rows of `parent` in which its feature `f` is 1 (or 0), with the columns for which
    /// `keep(g)`. `side_hash` is that of the rows. `leave(work)` is told what was done, and ends
    /// it when it says so: the node must not be used then.
    template <class Keep, class Leave = Stay>
    void make_child(const Dataset& data, const Node& parent, int f, bool one,
                    const CoverHash& side_hash, Selection& selection, const Kernel& kernel,
                    Keep keep, Leave leave = {}) {
        cover.intersect(parent.cover, data.column(parent.feature[f]), one);
        hash = side_hash;
        make_side(data, parent, f, one, selection, kernel, keep, leave);
    }
    /// The same without cover and hash, for those who look nothing up. keep may look at the weights
    /// of this node.
    template <class Keep, class Leave = Stay>
    void make_side(const Dataset& data, const Node& parent, int f, bool one, Selection& selection,
                   const Kernel& kernel, Keep keep, Leave leave = {}) {
        selection.clear(kernel.needs_compress_steps);
        select(data, parent, f, one, selection);
        origin = {};
        narrow = false;
        whole = nullptr;
        features = 0;
        for (int g = 0; g < parent.features; ++g) {
            if (!keep(g)) continue;
            selection.compress(kernel, parent.column(g), column(features), 1);
            position[features] = g;
            feature[features++] = parent.feature[g];
            if (leave(selection.parent_words())) break;
        }
        stride = padded(features);
    }
    /// Drops the features that are constant, or whose leaves would be too small: a cover must have
    /// the same features whatever the path to it.
    template <class Leave = Stay>
    void drop_unsplittable(const Dataset& data, const Objective& objective, Leave leave = {}) {
        int kept = 0;
        for (int g = 0; g < features; ++g) {
            if (leave(words)) return;  // with features, so that nobody takes it for a leaf
            if (splits(data, g, objective)) move_feature(g, kept++);
        }
        features = kept;
        stride = padded(kept);
    }

    /// The rows of `wide`, with the features that are taken.
    void make_narrow(const Node& wide, const std::vector<bool>& taken);

  private:
    void reserve(const Dataset& data, int max_features, int max_words);
    void select(const Dataset& data, const Node& parent, int f, bool one, Selection& selection);
    void weigh(const Dataset& data);
    bool splits(const Dataset& data, int f, const Objective& objective) const;
    void move_feature(int from, int to);
};

/// Weight of the rows of `plane` in which feature `f` of the node is 1.
std::int64_t count_plane(const Dataset& data, const Node& node, int f, int plane);

}  // namespace beamtree
