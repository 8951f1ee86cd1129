// Chains of features whose rows are nested. The tests of one column of numbers make such a chain:
// the rows with x > t are among the rows with x > s for every s < t. In each row the features that
// are 1 form a range at one end of the chain.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernel/kernel.hpp"
#include "limits/stoppable_loop.hpp"
#include "node/node.hpp"

namespace beamtree {

/// Adjacent features [begin, end) of a node. A feature that is nested with no neighbour is a chain
/// of its own.
struct Chain {
    int begin = 0, end = 0;
    bool rising = true;  ///< the rows of a feature are among those of the next, else the other way
    int most = 0;        ///< physical rows of the feature whose rows contain all others

    int length() const { return end - begin; }
    /// The i-th feature, in increasing number of rows.
    int at(int i) const { return rising ? begin + i : end - 1 - i; }
    /// The features that are 1 in a row for which at(i) is the first.
    Range from(int i) const { return rising ? Range{begin + i, end} : Range{begin, end - i}; }
};

/// The chains of a node, looking only at the first `words` words of its columns.
class Chains {
  public:
    /// Finds the chains. Returns false if the search was stopped meanwhile.
    [[nodiscard]] bool find(const Node& node, int words, StoppableLoop& loop);
    const std::vector<Chain>& all() const { return chains_; }
    /// Number of ranges of all rows together.
    std::int64_t ranges() const { return ranges_; }
    /// About how many features those ranges have: a row that has a range has half of its chain.
    std::int64_t features_of_rows() const { return features_of_rows_; }

    /// Lists the ranges of every row. Returns false if the search was stopped meanwhile.
    [[nodiscard]] bool list(const Node& node, int words, StoppableLoop& loop);
    /// Ranges of the row at a bit of the columns, after `list`.
    const Range* ranges_of(int row) const { return range_.data() + begin_[row]; }
    int count_of(int row) const { return static_cast<int>(begin_[row + 1] - begin_[row]); }

    /// Rows of a word in which feature `to` is 1 and feature `from` is not; if `from` is -1, all
    /// rows in which `to` is 1.
    static Word entering(const Node& node, int from, int to, int word) {
        const Word rows = node.column(to)[word];
        return from < 0 ? rows : rows & ~node.column(from)[word];
    }
    /// Number of bytes of the list for a number of ranges and words.
    static std::size_t list_bytes(std::int64_t ranges, int words) {
        return static_cast<std::size_t>(ranges) * sizeof(Range) +
               (static_cast<std::size_t>(words) * kWordBits + 2) * sizeof(std::int64_t);
    }

  private:
    static Chain chain_from(const Node& node, int words, int begin, StoppableLoop& loop);

    std::vector<Chain> chains_;
    std::int64_t ranges_ = 0, features_of_rows_ = 0;
    std::vector<Range> range_;
    std::vector<std::int64_t> begin_;  ///< (rows + 2,) first range of each row in range_
};

}  // namespace beamtree
