// The packed dataset: one column of bits per feature, over the *physical* rows.
//
// Equal rows of one class are merged. A merged row of weight w is written as one physical row for
// each set bit of w. A *segment* holds the rows of one plane (one of the sums over rows that a node
// needs, see objective/planes.hpp) that share one bit of the weight, and starts at a new word, so
// that weighted counts are shifted popcounts.
#pragma once

#include <cstdint>
#include <vector>

#include "data/bits.hpp"
#include "data/cover.hpp"
#include "data/problem.hpp"
#include "objective/misclassification.hpp"
#include "objective/planes.hpp"

namespace beamtree {

struct Segment {
    int plane = 0;
    int shift = 0;       ///< every row of the segment weighs 2^shift
    int begin_word = 0;  ///< in the columns of the dataset
    int rows = 0;
};

struct PackingOptions {
    bool cancel_rows = true;
    bool merge_rows = true;
    bool unavoidable_bound = true;
    bool show_rows = false;  ///< count rows for rules of the user
};

class Dataset {
  public:
    Dataset(const Problem& problem, const Misclassification& objective,
            const PackingOptions& options);

    int features() const { return static_cast<int>(original_.size()); }
    int words() const { return words_; }
    const Word* column(int feature) const {
        return columns_.data() + static_cast<std::size_t>(feature) * words_;
    }
    const std::vector<Word>& columns() const { return columns_; }
    const std::vector<Segment>& segments() const { return segments_; }
    const Planes& planes() const { return planes_; }
    /// Returns the column of the problem from which a feature was made.
    int original(int feature) const { return original_[feature]; }
    /// Returns the cost of the cancelled weight, which is part of the cost of every tree.
    Cost offset() const { return offset_; }
    const CoverHasher& hasher() const { return hasher_; }
    /// (words,) The weight of each row in a word; 0 if the rows of the word belong to no class.
    const std::vector<std::int64_t>& class_weight_of_word() const { return word_weight_; }

  private:
    std::vector<Segment> segments_;
    Planes planes_;
    int words_ = 0;
    std::vector<Word> columns_;
    std::vector<int> original_;
    std::vector<std::int64_t> word_weight_;
    Cost offset_ = 0;
    CoverHasher hasher_;
};

}  // namespace beamtree
