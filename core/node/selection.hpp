// The rows of one side of a split, as one mask for each word of the parent's columns.
#pragma once

#include <vector>

#include "data/bits.hpp"
#include "kernel/kernel.hpp"

namespace beamtree {

class Selection {
  public:
    void clear(bool needs_compress_steps);
    /// Adds the rows of a segment in which `column` is 1 (or 0). Returns their number.
    int add_segment(const Word* column, int begin_word, int segment_rows, bool one);

    /// Number of words that the selected rows of a column take when they are packed.
    int words() const { return words_; }
    /// Number of words of the parent's columns in which at least one row is selected.
    int parent_words() const { return static_cast<int>(selected_.size()); }
    /// Packs the selected rows of a column into words that lie `stride` apart.
    void compress(const Kernel& kernel, const Word* column, Word* out, int stride) const {
        kernel.compress(column, selected_.data(), steps_.data(), static_cast<int>(selected_.size()),
                        out, stride);
    }

  private:
    std::vector<SelectedWord> selected_;
    std::vector<CompressSteps> steps_;  ///< one per selected word, if the kernel needs them
    int words_ = 0;
    bool needs_steps_ = false;
};

}  // namespace beamtree
