// The rows of one side of a split, as masks of the parent's words.
#pragma once

#include <vector>

#include "data/bits.hpp"
#include "kernel/kernel.hpp"

namespace beamtree {

class Selection {
  public:
    void clear(bool needs_compress_steps);
    /// Adds the rows of a segment in which `column` is 1 (or 0); returns how many they are.
    int add_segment(const Word* column, int begin_word, int segment_rows, bool one);

    int words() const { return words_; }  ///< of a packed column
    /// Words of a column in which something is selected.
    int parent_words() const { return static_cast<int>(selected_.size()); }
    /// The selected rows of a column, in words that stand `stride` apart.
    void compress(const Kernel& kernel, const Word* column, Word* out, int stride) const {
        kernel.compress(column, selected_.data(), steps_.data(), static_cast<int>(selected_.size()),
                        out, stride);
    }

  private:
    std::vector<SelectedWord> selected_;
    std::vector<CompressSteps> steps_;  ///< of each, if the kernel needs them
    int words_ = 0;
    bool needs_steps_ = false;
};

}  // namespace beamtree
