#include "exact/side_rows.hpp"

#include <algorithm>
#include <numeric>

namespace beamtree {

bool SideRows::select_smaller(const Node& node, int f) {
    loop_.spend(2 * node.words * work::kWord);
    int rows_one = 0;
    for (int w = 0; w < node.words; ++w) rows_one += popcount(node.column(f)[w]);
    const bool one = 2 * rows_one <= node.physical_rows;
    const auto& segments = data_.segments();
    selection_.clear(kernel_.needs_compress_steps);
    segment_word_.resize(segments.size());
    segment_rows_.resize(segments.size());
    for (std::size_t s = 0; s < segments.size(); ++s) {
        segment_word_[s] = selection_.words();
        const bool counted = data_.planes().counted(segments[s].plane);
        segment_rows_[s] = counted ? selection_.add_segment(node.column(f), node.segment_word[s],
                                                            node.segment_rows[s], one)
                                   : 0;
    }
    return one;
}

std::optional<PackedRows> SideRows::pack(const Node& node, const std::vector<int>& features,
                                         int stride) {
    const int words = selection_.words(), count = static_cast<int>(features.size());
    Word* columns = columns_.get<Word>(static_cast<std::size_t>(stride) * words);
    const bool packed =
        loop_.each(count, selection_.parent_words() * work::kWord, [&](int first, int last) {
            for (int i = first; i < last; ++i)
                selection_.compress(kernel_, node.column(features[i]), columns + i, stride);
        });
    if (!packed) return {};
    for (int w = 0; w < words; ++w)
        std::fill_n(columns + static_cast<std::size_t>(w) * stride + count, stride - count,
                    Word{0});
    return PackedRows{columns, stride, 1, segment_word_.data(), segment_rows_.data()};
}

std::optional<PackedRows> SideRows::pack(const Node& node) {
    if (static_cast<int>(every_feature_.size()) != node.features) {
        every_feature_.resize(node.features);
        std::iota(every_feature_.begin(), every_feature_.end(), 0);
    }
    return pack(node, every_feature_, node.stride);
}

}  // namespace beamtree
