#include "search/counts.hpp"

#include <algorithm>
#include <cstring>

namespace beamtree {

void NodePlanes::choose(const Dataset& data, const Node& node) {
    plane.clear();
    for (int k = 0; k < data.planes().classes; ++k)
        if (node.plane_weight[k] > 0) plane.push_back(k);
    classes = count();
    if (data.planes().rows >= 0) plane.push_back(data.planes().rows);
}

int Counter::chunk_granules(int stride) const {
    const int fit = kCacheBytes * 3 / 4 / (2 * stride);
    return std::clamp(fit / 4 * 4, 8, kMaxRunGranules);
}

void Counter::transpose(const PackedRows& rows, int segment, int first, int count, int features,
                        int stride, std::uint16_t* out) {
    Word* gathered = words_.get<Word>(stride);
    std::fill(gathered + features, gathered + stride, Word{0});
    const Word* base =
        rows.columns +
        static_cast<std::size_t>(rows.segment_word[segment] + first / 4) * rows.word_step;
    for (int g = 0; g < count; g += 4, base += rows.word_step) {
        const Word* words = base;
        if (rows.feature_step != 1) {
            for (int f = 0; f < features; ++f)
                gathered[f] = base[static_cast<std::size_t>(f) * rows.feature_step];
            words = gathered;
        }
        kernel_.split_words(words, std::min(4, count - g), stride,
                            out + static_cast<std::size_t>(g) * stride);
    }
}

template <class T>
void Counter::count_pairs(const PackedRows& rows, const NodePlanes& planes, int features,
                          int stride, T* const* pairs) {
    const int chunk = chunk_granules(stride);
    auto* granules = granules_.get<std::uint16_t>(static_cast<std::size_t>(chunk) * stride);
    void* own = scratch(chunk, 0);
    for (int p = 0; p < planes.count(); ++p)
        std::memset(pairs[p], 0, sizeof(T) * features * static_cast<std::size_t>(stride));
    const auto& segments = data_.segments();
    int p = 0;
    for (std::size_t s = 0; s < segments.size(); ++s) {  // segments stand in the order of planes
        while (p < planes.count() && planes.plane[p] < segments[s].plane) ++p;
        if (p == planes.count()) break;
        if (planes.plane[p] != segments[s].plane) continue;
        const int total = granules_for(rows.segment_rows[s]);
        for (int first = 0; first < total; first += chunk) {
            const int count = std::min(chunk, total - first);
            transpose(rows, static_cast<int>(s), first, count, features, stride, granules);
            kernel_.lanes<T>().count_pairs(granules, count, segments[s].shift, features, stride,
                                           pairs[p], own);
        }
    }
}

template void Counter::count_pairs(const PackedRows&, const NodePlanes&, int, int,
                                   std::uint16_t* const*);
template void Counter::count_pairs(const PackedRows&, const NodePlanes&, int, int,
                                   std::uint32_t* const*);
template void Counter::count_pairs(const PackedRows&, const NodePlanes&, int, int,
                                   std::uint64_t* const*);

int Counter::granules(const int* segment_rows, const NodePlanes& planes) const {
    int count = 0;
    for (std::size_t s = 0; s < data_.segments().size(); ++s)
        if (data_.segments()[s].plane <= planes.plane.back())
            count += granules_for(segment_rows[s]);
    return count;
}

Granules Counter::make_granules(const PackedRows& rows, const NodePlanes& planes, int features,
                                int stride) {
    const auto& segments = data_.segments();
    runs_.clear();
    plane_begin_.assign(planes.count() + 1, 0);
    int count = 0, p = 0;
    for (std::size_t s = 0; s < segments.size(); ++s) {
        while (p < planes.count() && planes.plane[p] < segments[s].plane)
            plane_begin_[++p] = static_cast<int>(runs_.size());
        if (p == planes.count()) break;
        if (planes.plane[p] != segments[s].plane || rows.segment_rows[s] == 0) continue;
        runs_.push_back({count, count + granules_for(rows.segment_rows[s]), segments[s].shift});
        count = runs_.back().end;
    }
    while (p < planes.count()) plane_begin_[++p] = static_cast<int>(runs_.size());

    auto* data = granules_.get<std::uint16_t>(static_cast<std::size_t>(count) * stride);
    std::size_t r = 0;
    for (std::size_t s = 0; s < segments.size() && r < runs_.size(); ++s) {
        const bool used =
            rows.segment_rows[s] > 0 &&
            std::binary_search(planes.plane.begin(), planes.plane.end(), segments[s].plane);
        if (!used) continue;
        const Run& run = runs_[r++];
        transpose(rows, static_cast<int>(s), 0, run.end - run.begin, features, stride,
                  data + static_cast<std::size_t>(run.begin) * stride);
    }
    return {data, count, runs_.data(), plane_begin_.data()};
}

}  // namespace beamtree
