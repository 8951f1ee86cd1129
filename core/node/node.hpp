// The rows that reach a node of the tree: their cover, and the columns of all features that can
// still split them, repacked for these rows alone.
//
// The cover of a node is the set of training rows that reach it. Together with the number of levels
// that are left it is a subproblem, whatever path of splits leads there. The rows of a node lie in
// segments, as those of the dataset do: the rows of one plane (one of the sums over rows that a
// node needs, see objective/planes.hpp) that share one bit of the weight.
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

/// The split that made a node: it is the side of feature `feature` where that is 1 (or 0). `parent`
/// has the counts of the node above, as long as that node is being searched.
struct Origin {
    const NodeCounts* parent = nullptr;
    int feature = 0;
    bool one = false;
};

/// Never leaves: for functions that may be left half done.
struct Stay {
    bool operator()(std::int64_t) const { return false; }
};

struct Node {
    int features = 0;                        ///< number of features that can still split the node
    int stride = 0;                          ///< features, rounded up to whole blocks
    int words = 0;                           ///< words of one column
    std::vector<int> feature;                ///< (features,) indices in the dataset, increasing
    std::vector<int> position;               ///< (features,) indices in the parent, or in `whole`
    std::vector<Word> columns;               ///< (features, words)
    std::vector<int> segment_word;           ///< (segments + 1,) first word of each segment
    std::vector<int> segment_rows;           ///< (segments,) physical rows
    std::vector<std::int64_t> plane_weight;  ///< (planes,)
    LeafSums sums;                           ///< what the node costs as a leaf follows from these
    std::int64_t least_error = 0;            ///< weight that every tree misclassifies, see Planes
    std::int64_t rows = 0;                   ///< number of rows, as min_samples_leaf counts them
    int physical_rows = 0;                   ///< bits of a column in the planes that kernels count
    int cover_rows = 0;                      ///< bits of a column in all planes
    Cover cover;
    CoverHash hash;
    Origin origin;                ///< set only if the parent's counts are kept
    bool narrow = false;          ///< only some features that could split the node are here
    const Node* whole = nullptr;  ///< the node with all features, if this one is narrow

    const Word* column(int f) const { return columns.data() + static_cast<std::size_t>(f) * words; }
    Word* column(int f) { return columns.data() + static_cast<std::size_t>(f) * words; }

    /// Becomes the node of all rows of a dataset.
    void make_root(const Dataset& data);
    /// Becomes the node of the rows of `parent` in which its feature `f` is 1 (or 0), with the
    /// columns g for which keep(g) is true. `side_hash` is the hash of these rows. leave(words) is
    /// called after each column with the number of words that were read; if it returns true, the
    /// node is left unfinished and must not be used.
    template <class Keep, class Leave = Stay>
    void make_child(const Dataset& data, const Node& parent, int f, bool one,
                    const CoverHash& side_hash, Selection& selection, const Kernel& kernel,
                    Keep keep, Leave leave = {}) {
        cover.intersect(parent.cover, data.column(parent.feature[f]), one);
        hash = side_hash;
        make_side(data, parent, f, one, selection, kernel, keep, leave);
    }
    /// Does the same without cover and hash, for callers who look nothing up. keep(g) may use the
    /// sums of this node.
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
    /// Drops the features that are constant, or whose leaves would be too small. A cover must have
    /// the same features whatever path leads to it.
    template <class Leave = Stay>
    void drop_unsplittable(const Dataset& data, const Misclassification& objective,
                           Leave leave = {}) {
        int kept = 0;
        for (int g = 0; g < features; ++g) {
            if (leave(words)) return;  // keep features, or the node would pass for a leaf
            if (splits(data, g, objective)) move_feature(g, kept++);
        }
        features = kept;
        stride = padded(kept);
    }

    /// Becomes the node of the rows of `wide`, with the features f for which taken[f] is true.
    void make_narrow(const Node& wide, const std::vector<bool>& taken);

  private:
    void reserve(const Dataset& data, int max_features, int max_words);
    void select(const Dataset& data, const Node& parent, int f, bool one, Selection& selection);
    void weigh(const Dataset& data);
    bool splits(const Dataset& data, int f, const Misclassification& objective) const;
    void move_feature(int from, int to);
};

/// Returns the weight of the rows of `plane` in which feature `f` of the node is 1.
std::int64_t count_plane(const Dataset& data, const Node& node, int f, int plane);

}  // namespace beamtree
