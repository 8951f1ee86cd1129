#include "node/selection.hpp"

namespace beamtree {

namespace {

/// Returns which bits a compress by `mask` moves at each of its six steps (Hacker's Delight, figure
/// 7-10).
CompressSteps steps_of(Word mask) {
    CompressSteps steps;
    Word to_right = ~mask << 1;  // its running parity counts the zeros to the right
    for (int step = 0; step < 6; ++step) {
        Word parity = to_right;
        for (int shift = 1; shift < kWordBits; shift <<= 1) parity ^= parity << shift;
        const Word moving = parity & mask;
        steps.step[step] = moving;
        mask = (mask ^ moving) | (moving >> (1 << step));
        to_right &= ~parity;
    }
    return steps;
}

}  // namespace

void Selection::clear(bool needs_compress_steps) {
    selected_.clear();
    steps_.clear();
    words_ = 0;
    needs_steps_ = needs_compress_steps;
}

int Selection::add_segment(const Word* column, int begin_word, int segment_rows, bool one) {
    int rows = 0;
    for (int w = begin_word; segment_rows > 0; ++w, segment_rows -= kWordBits) {
        const Word mask = (one ? column[w] : ~column[w]) & low_bits(segment_rows);
        if (mask == 0) continue;
        SelectedWord selected;
        selected.mask = mask;
        selected.word = static_cast<std::uint32_t>(w);
        selected.rows = static_cast<std::uint16_t>(popcount(mask));
        if (needs_steps_) steps_.push_back(steps_of(mask));
        rows += selected.rows;
        selected_.push_back(selected);
    }
    if (rows > 0) selected_.back().last = true;
    words_ += words_for(rows);
    return rows;
}

}  // namespace beamtree
