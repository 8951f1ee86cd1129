#include "node/node.hpp"

#include <algorithm>

namespace beamtree {

void Node::reserve(const Dataset& data, int max_features, int max_words) {
    const std::size_t segments = data.segments().size();
    if (feature.size() < static_cast<std::size_t>(max_features)) {
        feature.resize(max_features);
        position.resize(max_features);
    }
    const std::size_t size = static_cast<std::size_t>(max_features) * max_words;
    if (columns.size() < size) columns.resize(size);
    segment_word.resize(segments + 1);
    segment_rows.resize(segments);
    plane_weight.resize(data.planes().count);
}

void Node::make_root(const Dataset& data) {
    reserve(data, data.features(), data.words());
    features = data.features();
    stride = padded(features);
    words = data.words();
    columns = data.columns();
    for (int f = 0; f < features; ++f) feature[f] = f;
    cover.size = words;
    cover.index.resize(words);
    cover.word.resize(words);
    for (std::size_t s = 0; s < data.segments().size(); ++s) {
        const Segment& segment = data.segments()[s];
        segment_word[s] = segment.begin_word;
        segment_rows[s] = segment.rows;
        for (int w = 0; w < words_for(segment.rows); ++w) {
            cover.index[segment.begin_word + w] =
                static_cast<std::uint32_t>(segment.begin_word + w);
            cover.word[segment.begin_word + w] = low_bits(segment.rows - w * kWordBits);
        }
    }
    segment_word.back() = words;
    hash = cover.hash(data.hasher());
    weigh(data);
}

void Node::make_narrow(const Node& wide, const std::vector<bool>& taken) {
    words = wide.words;
    segment_word = wide.segment_word;
    segment_rows = wide.segment_rows;
    plane_weight = wide.plane_weight;
    sums = wide.sums;
    least_error = wide.least_error;
    rows = wide.rows;
    physical_rows = wide.physical_rows;
    cover_rows = wide.cover_rows;
    cover = wide.cover;
    hash = wide.hash;
    origin = {};
    narrow = true;
    whole = &wide;
    feature.clear();
    position.clear();
    columns.clear();
    for (int f = 0; f < wide.features; ++f) {
        if (!taken[f]) continue;
        position.push_back(f);
        feature.push_back(wide.feature[f]);
        columns.insert(columns.end(), wide.column(f), wide.column(f) + words);
    }
    features = static_cast<int>(feature.size());
    stride = padded(features);
}

bool Node::splits(const Dataset& data, int f, const Misclassification& objective) const {
    const Planes& planes = data.planes();
    std::int64_t one = 0;
    if (planes.rows >= 0)
        one = count_plane(data, *this, f, planes.rows);
    else
        for (int k = 0; k < planes.classes; ++k) one += count_plane(data, *this, f, k);
    return objective.can_split(one, rows - one);
}

void Node::move_feature(int from, int to) {
    if (from == to) return;
    std::copy_n(column(from), words, column(to));
    position[to] = position[from];
    feature[to] = feature[from];
}

void Node::select(const Dataset& data, const Node& parent, int f, bool one, Selection& selection) {
    const Word* split = parent.column(f);
    const std::size_t segments = data.segments().size();
    segment_rows.resize(segments);
    segment_word.resize(segments + 1);
    plane_weight.resize(data.planes().count);
    for (std::size_t s = 0; s < segments; ++s) {
        segment_word[s] = selection.words();
        segment_rows[s] =
            selection.add_segment(split, parent.segment_word[s], parent.segment_rows[s], one);
    }
    words = segment_word[segments] = selection.words();
    reserve(data, parent.features, words);
    weigh(data);
}

void Node::weigh(const Dataset& data) {
    const Planes& planes = data.planes();
    std::fill(plane_weight.begin(), plane_weight.end(), 0);
    physical_rows = cover_rows = 0;
    for (std::size_t s = 0; s < segment_rows.size(); ++s) {
        const Segment& segment = data.segments()[s];
        plane_weight[segment.plane] += static_cast<std::int64_t>(segment_rows[s]) << segment.shift;
        cover_rows += segment_rows[s];
        if (planes.counted(segment.plane)) physical_rows += segment_rows[s];
    }
    sums = planes.leaf_sums(plane_weight);
    least_error = planes.least_error(plane_weight);
    rows = planes.rows_of(plane_weight, sums.weight);
}

std::int64_t count_plane(const Dataset& data, const Node& node, int f, int plane) {
    std::int64_t total = 0;
    for (std::size_t s = 0; s < node.segment_rows.size(); ++s) {
        if (data.segments()[s].plane != plane) continue;
        std::int64_t rows = 0;
        for (int w = node.segment_word[s]; w < node.segment_word[s + 1]; ++w)
            rows += popcount(node.column(f)[w]);
        total += rows << data.segments()[s].shift;
    }
    return total;
}

}  // namespace beamtree
