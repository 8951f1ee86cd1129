// Rows with equal features, brought together by a sort of their packed bits.
#pragma once

#include <cstdint>
#include <vector>

#include "data/bits.hpp"
#include "data/problem.hpp"

namespace beamtree {

class RowGroups {
public:
    explicit RowGroups(const Problem& problem);

    int words_per_row() const { return words_per_row_; }
    const Word* bits(std::uint32_t row) const {
        return bits_.data() + static_cast<std::size_t>(row) * words_per_row_;
    }
    /// Rows sorted by their bits, then by their label.
    const std::vector<std::uint32_t>& order() const { return order_; }
    bool equal(std::uint32_t a, std::uint32_t b) const;

private:
    void pack(const Problem& problem);
    void sort(const Problem& problem);

    int words_per_row_;
    std::vector<Word> bits_;
    std::vector<std::uint32_t> order_;
};

}  // namespace beamtree
