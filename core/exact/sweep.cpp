#include "exact/sweep.hpp"

#include <algorithm>
#include <bit>

namespace beamtree {

namespace {

/// Work of scoring a row of pair counts.
std::int64_t score_work(const Node& node, int planes, std::size_t lane_bytes) {
    return node.stride / kBlock * planes * static_cast<std::int64_t>(lane_bytes / 2) *
           work::kPairOfRow;
}

}  // namespace

bool Sweep::prepare(const Node& node) {
    const auto& segments = data_.segments();
    const int last = data_.planes().last_counted();
    segments_ = 0;  // segments are in the order of planes
    while (segments_ < static_cast<int>(segments.size()) && segments[segments_].plane <= last)
        ++segments_;
    words_ = node.segment_word[segments_];
    if (!chains_.find(node, words_, loop_)) return false;
    listed_ = Chains::list_bytes(chains_.ranges(), words_) <=
              list_bytes(static_cast<std::size_t>(node.features) * node.words * sizeof(Word));
    return true;
}

std::int64_t Sweep::update_work(const Node& node, std::size_t lane_bytes) const {
    const std::int64_t rows = std::max(node.physical_rows, 1);
    const auto blocks = chains_.features_of_rows() / kBlock * static_cast<int>(lane_bytes / 2);
    return 1 + (chains_.ranges() * work::kRange + blocks * work::kRangeBlock) / rows;
}

std::int64_t Sweep::work(const Node& node, int planes, std::size_t lane_bytes) const {
    std::int64_t total = node.features * score_work(node, planes, lane_bytes);
    const std::int64_t update = update_work(node, lane_bytes), count = count_work(node);
    for (const Chain& chain : chains_.all()) {
        const std::int64_t counts = chain.length() * count;
        total += listed_ ? std::min(chain.most * update, counts) : counts;
    }
    return total + static_cast<std::int64_t>(node.features) * words_ * work::kWord;
}

void Sweep::weigh_words(const Node& node, const NodePlanes& planes, bool margins) {
    word_.assign(words_, {});
    for (int s = 0; s < segments_; ++s) {
        const Segment& segment = data_.segments()[s];
        const auto place = std::find(planes.plane.begin(), planes.plane.end(), segment.plane);
        if (place == planes.plane.end()) continue;
        const int plane = static_cast<int>(place - planes.plane.begin());
        for (int w = node.segment_word[s]; w < node.segment_word[s + 1]; ++w)
            word_[w] = {margins ? 0 : plane, segment.shift, margins && plane == 1};
    }
}

template <class T>
bool Sweep::run(const Node& node, const NodePlanes& planes, Depth2<T>& in, T* const* rows) {
    weigh_words(node, planes, in.margins);
    common_.resize(segments_);
    update_work_ = update_work(node, sizeof(T));
    if (listed_ && !chains_.list(node, words_, loop_)) return false;
    in.small_pairs = rows;
    const std::int64_t score = score_work(node, in.margins ? 1 : in.classes, sizeof(T));
    for (const Chain& chain : chains_.all()) {
        for (int i = 0; i < chain.length(); ++i) {
            if (!move(node, in, i > 0 ? chain.at(i - 1) : -1, chain.at(i), rows)) return false;
            in.first = chain.at(i);
            kernel_.lanes<T>().depth2_row(in);
            loop_.spend(score);
        }
    }
    return true;
}

template <class T>
bool Sweep::move(const Node& node, const Depth2<T>& in, int from, int to, T* const* rows) {
    std::int64_t entering = 0;
    for (int w = 0; w < words_; ++w) entering += popcount(Chains::entering(node, from, to, w));
    loop_.spend(words_ * work::kWord);
    if (!listed_ || entering * update_work_ > count_work(node)) return count(node, in, to, rows);
    if (from < 0)
        for (int p = 0; p < (in.margins ? 1 : in.planes); ++p)
            std::fill_n(rows[p], in.stride, T{0});
    return add(node, from, to, rows);
}

template <class T>
bool Sweep::add(const Node& node, int from, int to, T* const* rows) {
    for (int w = 0; w < words_; ++w) {
        const WordWeight& weight = word_[w];
        const T value = static_cast<T>(T{1} << weight.shift);
        for (Word left = Chains::entering(node, from, to, w); left != 0; left &= left - 1) {
            if (loop_.stopped()) return false;
            const int row = w * kWordBits + std::countr_zero(left);
            kernel_.lanes<T>().add_ranges(chains_.ranges_of(row), chains_.count_of(row),
                                          weight.minus ? static_cast<T>(T{0} - value) : value,
                                          rows[weight.plane]);
            loop_.spend(update_work_);
        }
    }
    return !loop_.stopped();
}

template <class T>
bool Sweep::count(const Node& node, const Depth2<T>& in, int f, T* const* rows) {
    const int planes = in.margins ? 1 : in.planes;
    return loop_.each(node.features, words_ * work::kCommonWord, [&](int first, int last) {
        for (int p = 0; p < planes; ++p) std::fill(rows[p] + first, rows[p] + last, T{0});
        if (last == node.features)
            for (int p = 0; p < planes; ++p) std::fill(rows[p] + last, rows[p] + in.stride, T{0});
        for (int g = first; g < last; ++g) {
            kernel_.count_common(node.column(f), node.column(g), node.segment_word.data(),
                                 segments_, common_.data());
            for (int s = 0; s < segments_; ++s) {
                if (common_[s] == 0) continue;
                const WordWeight& weight = word_[node.segment_word[s]];
                const T value = static_cast<T>(static_cast<T>(common_[s]) << weight.shift);
                T& sum = rows[weight.plane][g];
                sum = static_cast<T>(weight.minus ? sum - value : sum + value);
            }
        }
    });
}

#define BEAMTREE_INSTANTIATE(T) \
    template bool Sweep::run<T>(const Node&, const NodePlanes&, Depth2<T>&, T* const*);
BEAMTREE_INSTANTIATE(std::uint16_t)
BEAMTREE_INSTANTIATE(std::uint32_t)
BEAMTREE_INSTANTIATE(std::uint64_t)

}  // namespace beamtree
