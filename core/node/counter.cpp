#include "node/counter.hpp"

#include <algorithm>
#include <cstring>

namespace beamtree {

namespace {

/// Work of clearing some bytes of a matrix. Memory that is touched for the first time takes
/// longest, which is usual for large matrices.
std::int64_t clear_work(std::size_t bytes, std::size_t matrix_bytes) {
    return static_cast<std::int64_t>(1 + bytes / (matrix_bytes > (1 << 20) ? 2 : 16));
}

}  // namespace

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
bool Counter::count_pairs(const PackedRows& rows, const NodePlanes& planes, int features,
                          int stride, T* const* pairs) {
    const int chunk = chunk_granules(stride);
    auto* granules = granules_.get<std::uint16_t>(static_cast<std::size_t>(chunk) * stride);
    void* own = scratch(chunk, 0);
    const std::size_t row_bytes = sizeof(T) * stride;
    for (int p = 0; p < planes.count(); ++p) {
        const bool cleared =
            loop_.each(features, clear_work(row_bytes, row_bytes * features),
                       [&](int first_row, int last_row) {
                           std::memset(pairs[p] + static_cast<std::size_t>(first_row) * stride, 0,
                                       row_bytes * (last_row - first_row));
                       });
        if (!cleared) return false;
    }
    const auto& segments = data_.segments();
    int p = 0;
    for (std::size_t s = 0; s < segments.size(); ++s) {  // segments are in the order of planes
        while (p < planes.count() && planes.plane[p] < segments[s].plane) ++p;
        if (p == planes.count()) break;
        if (planes.plane[p] != segments[s].plane) continue;
        const int total = granules_for(rows.segment_rows[s]);
        for (int first = 0; first < total; first += chunk) {
            const int count = std::min(chunk, total - first);
            transpose(rows, static_cast<int>(s), first, count, features, stride, granules);
            loop_.spend(static_cast<std::int64_t>(count) * stride / 4 * work::kWord);
            const bool counted = loop_.each_pair(
                features, stride, count * work::kGranule + 1, [&](int first_row, int last_row) {
                    kernel_.lanes<T>().count_pairs(granules, count, segments[s].shift, first_row,
                                                   last_row, stride, pairs[p], own);
                });
            if (!counted) return false;
        }
    }
    return true;
}

template bool Counter::count_pairs(const PackedRows&, const NodePlanes&, int, int,
                                   std::uint16_t* const*);
template bool Counter::count_pairs(const PackedRows&, const NodePlanes&, int, int,
                                   std::uint32_t* const*);
template bool Counter::count_pairs(const PackedRows&, const NodePlanes&, int, int,
                                   std::uint64_t* const*);

template <class T>
bool Counter::make_symmetric(T* pairs, int features, int stride) {
    // One block of columns at a time, so that writes are close together.
    const int blocks = stride / kBlock;
    return loop_.each(blocks, 8 * stride, [&](int first, int last) {
        for (int from = first * kBlock; from < std::min(last * kBlock, features); from += kBlock) {
            const int end = std::min(from + kBlock, features);
            for (int h = from + kBlock; h < features; ++h) {
                T* below = pairs + static_cast<std::size_t>(h) * stride;
                for (int g = from; g < end; ++g)
                    below[g] = pairs[static_cast<std::size_t>(g) * stride + h];
            }
        }
    });
}

template bool Counter::make_symmetric(std::uint16_t*, int, int);
template bool Counter::make_symmetric(std::uint32_t*, int, int);
template bool Counter::make_symmetric(std::uint64_t*, int, int);

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
