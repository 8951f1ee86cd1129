// The rows, packed into bits and sorted, so that rows with equal features are adjacent.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "data/bits.hpp"
#include "data/problem.hpp"
#include "objective/misclassification.hpp"

namespace beamtree {

/// A group of rows with equal features.
struct RowGroup {
    std::uint32_t row = 0;      ///< the first row of the group, in sorted order
    std::uint32_t entries = 0;  ///< number of rows of the problem
    std::int64_t rows = 0;      ///< number of rows for which they stand
    std::vector<std::pair<int, std::int64_t>> weight;  ///< (class, weight), class increasing

    LeafSums sums() const;
    /// Returns the weight that all classes have in common. Whatever is predicted, this weight is
    /// misclassified in all classes except one.
    std::int64_t common(int classes) const;
};

/// Sorted by the features, then by the class.
class SortedRows {
  public:
    explicit SortedRows(const Problem& problem);

    /// Returns the bits of a row: feature j is bit 63 - j % 64 of word j / 64.
    const Word* bits(std::uint32_t row) const {
        return bits_.data() + static_cast<std::size_t>(row) * words_per_row_;
    }
    /// Calls visit(group) for every group, in sorted order.
    template <class Visit>
    void for_each_group(Visit visit) const {
        RowGroup group;
        const auto rows = static_cast<std::uint32_t>(label_.size());
        for (std::uint32_t begin = 0; begin < rows; begin += group.entries) {
            read_group(begin, group);
            visit(group);
        }
    }

  private:
    void pack(const Problem& problem);
    void pack_ranks(const Problem& problem);
    std::vector<std::uint32_t> sorted_order(const Problem& problem) const;
    void read_group(std::uint32_t begin, RowGroup& group) const;

    int words_per_row_;
    std::vector<Word> bits_;
    std::vector<std::int32_t> label_;
    std::vector<std::int64_t> weight_;
    std::vector<std::int64_t> count_;  ///< empty if every row stands for itself
};

}  // namespace beamtree
