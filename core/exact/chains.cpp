#include "exact/chains.hpp"

#include <algorithm>
#include <bit>

namespace beamtree {

namespace {

/// Whether all rows of feature `f` are rows of `g`.
bool within(const Node& node, int words, int f, int g) {
    for (int w = 0; w < words; ++w)
        if (Chains::entering(node, g, f, w) != 0) return false;
    return true;
}

/// Calls visit(row) for the rows in which feature `to` is 1 and feature `from` is not.
template <class Visit>
void for_entering(const Node& node, int words, int from, int to, Visit visit) {
    for (int w = 0; w < words; ++w)
        for (Word rows = Chains::entering(node, from, to, w); rows != 0; rows &= rows - 1)
            visit(w * kWordBits + std::countr_zero(rows));
}

}  // namespace

Chain Chains::chain_from(const Node& node, int words, int begin, StoppableLoop& loop) {
    const auto end_of = [&](auto nested) {
        int end = begin + 1;
        while (end < node.features && nested(end) && !loop.stopped()) {
            loop.spend(words * work::kWord);
            ++end;
        }
        return end;
    };
    Chain chain{begin, end_of([&](int f) { return within(node, words, f, f - 1); }), false, 0};
    if (chain.length() == 1)
        chain = {begin, end_of([&](int f) { return within(node, words, f - 1, f); }), true, 0};
    const Word* largest = node.column(chain.at(chain.length() - 1));
    for (int w = 0; w < words; ++w) chain.most += popcount(largest[w]);
    loop.spend(words * work::kWord);
    return chain;
}

bool Chains::find(const Node& node, int words, StoppableLoop& loop) {
    chains_.clear();
    ranges_ = features_of_rows_ = 0;
    for (int f = 0; f < node.features; f = chains_.back().end) {
        if (loop.stopped()) return false;
        const Chain& chain = chains_.emplace_back(chain_from(node, words, f, loop));
        ranges_ += chain.most;
        features_of_rows_ += static_cast<std::int64_t>(chain.most) * (chain.length() + 1) / 2;
    }
    return !loop.stopped();
}

bool Chains::list(const Node& node, int words, StoppableLoop& loop) {
    begin_.assign(static_cast<std::size_t>(words) * kWordBits + 2, 0);
    range_.resize(ranges_);
    // The numbers of ranges are counted two places ahead and then summed up, so that one place
    // ahead is where the next range of a row goes. In the end each row's first range is at its own
    // place.
    const auto place = [&](int row, int ahead) -> std::int64_t& { return begin_[row + ahead]; };
    for (const Chain& chain : chains_) {
        if (loop.stopped()) return false;
        for_entering(node, words, -1, chain.at(chain.length() - 1),
                     [&](int row) { ++place(row, 2); });
        loop.spend(words * work::kWord + chain.most);
    }
    for (std::size_t row = 2; row < begin_.size(); ++row) begin_[row] += begin_[row - 1];
    for (const Chain& chain : chains_) {
        for (int i = 0; i < chain.length(); ++i) {
            if (loop.stopped()) return false;
            for_entering(node, words, i > 0 ? chain.at(i - 1) : -1, chain.at(i),
                         [&](int row) { range_[place(row, 1)++] = chain.from(i); });
            loop.spend(words * work::kWord);
        }
        loop.spend(chain.most);
    }
    return true;
}

}  // namespace beamtree
