#include "search/archive.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace beamtree {

void Archive::add(const Node& node, Cost lower) {
    if (lower <= 0) return;
    const auto size = node.cover.size;
    Rows rows;
    rows.index.assign(node.cover.index.begin(), node.cover.index.begin() + size);
    rows.word.assign(node.cover.word.begin(), node.cover.word.begin() + size);
    const auto lock = write_lock();
    keep({lower, lower - objective_.unit * node.weight}, std::move(rows));
}

void Archive::keep(const Head& head, Rows rows) {
    const std::size_t bytes = rows.bytes();
    if (bytes > limit_) return;
    while (count_ == kMostRecords || bytes_ + bytes > limit_) drop_oldest();
    if (next_ == static_cast<int>(heads_.size())) {
        rows_.resize(heads_.size() + 1);
        heads_.emplace_back();
    }
    heads_[next_] = head;
    rows_[next_] = std::move(rows);
    next_ = (next_ + 1) % kMostRecords;
    bytes_ += bytes;
    ++count_;
}

void Archive::drop_oldest() {
    const int oldest = (next_ - count_ + kMostRecords) % kMostRecords;
    bytes_ -= rows_[oldest].bytes();
    heads_[oldest] = {};
    rows_[oldest] = {};
    --count_;
}

/// Weight of the record's rows outside the dense cover, or `enough` if it is at least that.
inline std::int64_t Archive::distance_to(const Rows& rows, std::int64_t enough,
                                         const std::vector<Word>& dense) const {
    const std::int64_t* weight = data_.class_weight_of_word().data();
    const Word* inside = dense.data();
    const std::size_t size = rows.index.size();
    std::int64_t distance = 0;
    for (std::size_t i = 0; i < size && distance < enough; ++i) {
        const std::uint32_t at = rows.index[i];
        distance += popcount(rows.word[i] & ~inside[at]) * weight[at];
    }
    return std::min(distance, enough);
}

Cost Archive::bound(const Node& node, Cost target, std::vector<Word>& dense) const {
    for (int i = 0; i < node.cover.size; ++i) dense[node.cover.index[i]] = node.cover.word[i];
    const auto lock = read_lock();
    const Cost unit = objective_.unit, all_rows = unit * node.weight;
    Cost best = 0;
    Cost floor = std::max(target - 1, best);  // what a record must pass to help
    for (std::size_t i = 0; i < heads_.size(); ++i) {
        const Head head = heads_[i];
        // The distance is at least the difference of the weights.
        if (head.lower <= floor || head.margin + all_rows <= floor) continue;
        const Cost room = head.lower - floor;
        const std::int64_t slack = unit == 1 ? room : (room + unit - 1) / unit;
        const std::int64_t distance = distance_to(rows_[i], slack, dense);
        if (distance >= slack) continue;
        if (objective_.min_rows > 1 && !contains(rows_[i], node, dense)) continue;
        best = std::max(best, head.lower - unit * distance);
        if (best >= target) break;
        floor = std::max(floor, best);
    }
    for (int i = 0; i < node.cover.size; ++i) dense[node.cover.index[i]] = 0;
    return best;
}

bool Archive::contains(const Rows& rows, const Node& node, const std::vector<Word>& dense) {
    int common = 0;
    for (std::size_t i = 0; i < rows.index.size(); ++i)
        common += popcount(rows.word[i] & dense[rows.index[i]]);
    return common == node.cover_rows;
}

std::size_t Archive::bytes() const {
    const auto lock = read_lock();
    return bytes_;
}

int Archive::records() const {
    const auto lock = read_lock();
    return count_;
}

/// From the oldest to the latest.
void Archive::save(Writer& out) const {
    const auto lock = read_lock();
    out.put(static_cast<std::int32_t>(count_));
    for (int i = count_; i > 0; --i) {
        const int at = (next_ - i + kMostRecords) % kMostRecords;
        const Rows& rows = rows_[at];
        out.put(static_cast<std::uint32_t>(rows.index.size()));
        out.put_array(rows.index.data(), rows.index.size());
        out.put_array(rows.word.data(), rows.word.size());
        out.put(heads_[at].lower);
    }
}

void Archive::load(Reader& in) {
    std::vector<Word> valid(data_.words(), 0);  // rows that exist
    for (const Segment& segment : data_.segments())
        for (int i = 0; i < words_for(segment.rows); ++i)
            valid[segment.begin_word + i] = low_bits(segment.rows - i * kWordBits);
    const auto lock = write_lock();
    const auto count = in.get_in<std::int32_t>(0, kMostRecords, "a number of similar covers");
    for (std::int32_t i = 0; i < count; ++i) {
        Rows rows;
        const Head head = load_record(in, valid, rows);
        keep(head, std::move(rows));
    }
}

Archive::Head Archive::load_record(Reader& in, const std::vector<Word>& valid, Rows& rows) const {
    const auto words = static_cast<std::uint32_t>(data_.words());
    const auto size = in.get_in<std::uint32_t>(0, words, "a number of words");
    rows.index.resize(size);
    rows.word.resize(size);
    in.get_array(rows.index.data(), size);
    in.get_array(rows.word.data(), size);
    std::int64_t weight = 0;
    std::uint32_t least = 0;
    for (std::uint32_t i = 0; i < size; ++i) {
        const std::uint32_t at = checked_in(rows.index[i], least, words - 1, "a word's place");
        least = at + 1;
        if (rows.word[i] == 0 || (rows.word[i] & ~valid[at]) != 0)
            throw std::invalid_argument("the checkpoint has a cover of rows that do not exist");
        weight += popcount(rows.word[i]) * data_.class_weight_of_word()[at];
    }
    // No tree costs more than all rows; less than 1 would not have been kept.
    const Cost all_rows = objective_.unit * weight;
    const Cost lower = in.get_in<Cost>(1, all_rows, "a bound of a cover");
    return {lower, lower - all_rows};
}

}  // namespace beamtree
