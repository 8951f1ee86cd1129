// The packed dataset: one bit column per feature over the *physical* rows.
//
// Equal rows are merged. A merged row of weight w is written as one physical row for each set bit
// of w, in the segment (class, bit), so that weighted counts are shifted popcounts. Rows stand in
// segments, each segment starts at a word.
//
// Besides the classes there may be other planes:
//   rows         how many rows were merged, where weights do not say it (for min_samples_leaf)
//   tied         weight that all classes have alike in a group of equal rows: cancelled, an offset
//                of the cost; only heuristics count it
//   seen         rows, for rules of users who look at them; kernels do not count it
//   unavoidable  weight outside the majority of its group of equal rows: a lower bound
#pragma once

#include <cstdint>
#include <vector>

#include "data/bits.hpp"
#include "data/cover.hpp"
#include "data/problem.hpp"
#include "objective/objective.hpp"

namespace beamtree {

struct Segment {
    int plane = 0;
    int shift = 0;       ///< every row of the segment weighs 2^shift
    int begin_word = 0;  ///< in the columns of the dataset
    int rows = 0;
};

struct Planes {
    int classes = 0;  ///< planes 0 .. classes - 1
    int rows = -1;    ///< index of each other plane, or -1
    int tied = -1;
    int seen = -1;
    int unavoidable = -1;
    int count = 0;
};

struct PackingOptions {
    bool cancel_rows = true;
    bool merge_rows = true;
    bool unavoidable_bound = true;
    bool show_rows = false;  ///< where weights do not tell how many they are
};

class Dataset {
  public:
    Dataset(const Problem& problem, const Objective& objective, const PackingOptions& options);

    int features() const { return static_cast<int>(original_.size()); }
    int words() const { return words_; }
    const Word* column(int feature) const {
        return columns_.data() + static_cast<std::size_t>(feature) * words_;
    }
    const std::vector<Word>& columns() const { return columns_; }
    const std::vector<Segment>& segments() const { return segments_; }
    const Planes& planes() const { return planes_; }
    /// Index of a feature in the problem's columns.
    int original(int feature) const { return original_[feature]; }
    /// Cost of the cancelled weight, part of the cost of every tree.
    Cost offset() const { return offset_; }
    const CoverHasher& hasher() const { return hasher_; }
    /// Weight of one row of a word, where the word's rows belong to a class; else 0.
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
