// Features whose rows are nested, as those of the tests of one column of numbers are: the rows with
// x > t are among the rows with x > s for every s < t. A row then has a whole range of the features
// of a chain, from one end of it on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernel/kernel.hpp"
#include "limits/stoppable_loop.hpp"
#include "node/node.hpp"

namespace beamtree {

/// Features [begin, end) of a node that stand side by side. A feature without such neighbours is a
/// chain of its own.
struct Chain {
    int begin = 0, end = 0;
    bool rising = true;  ///< the rows of a feature are among those of the next, else of the last
    int most = 0;        ///< physical rows of the feature that has all others' rows

    int length() const { return end - begin; }
    /// The features from the one with the fewest rows on.
    int at(int i) const { return rising ? begin + i : end - 1 - i; }
    /// The features of a row that the i-th of them is the first to have.
    Range from(int i) const { return rising ? Range{begin + i, end} : Range{begin, end - i}; }
};

/// The chains of a node, in the first so many words of its columns.
class Chains {
  public:
    /// False: it was stopped.
    [[nodiscard]] bool find(const Node& node, int words, StoppableLoop& loop);
    const std::vector<Chain>& all() const { return chains_; }
    /// How many ranges the rows have together.
    std::int64_t ranges() const { return ranges_; }
    /// And about how many features: a row has half of a chain, if any.
    std::int64_t features_of_rows() const { return features_of_rows_; }

    /// Lists the ranges of every row. False: it was stopped.
    [[nodiscard]] bool list(const Node& node, int words, StoppableLoop& loop);
    /// Those of the row at a bit of the columns, valid after `list`.
    const Range* ranges_of(int row) const { return range_.data() + begin_[row]; }
    int count_of(int row) const { return static_cast<int>(begin_[row + 1] - begin_[row]); }

    /// The rows of a feature that are not among those of another, in a word; of all if `from` < 0.
    static Word entering(const Node& node, int from, int to, int word) {
        const Word rows = node.column(to)[word];
        return from < 0 ? rows : rows & ~node.column(from)[word];
    }
    /// Bytes of the list for so many ranges and words.
    static std::size_t list_bytes(std::int64_t ranges, int words) {
        return static_cast<std::size_t>(ranges) * sizeof(Range) +
               (static_cast<std::size_t>(words) * kWordBits + 2) * sizeof(std::int64_t);
    }

  private:
    static Chain chain_from(const Node& node, int words, int begin, StoppableLoop& loop);

    std::vector<Chain> chains_;
    std::int64_t ranges_ = 0, features_of_rows_ = 0;
    std::vector<Range> range_;
    std::vector<std::int64_t> begin_;  ///< (rows + 2,) of each row, in range_
};

}  // namespace beamtree
