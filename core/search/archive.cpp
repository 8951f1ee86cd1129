#include "search/archive.hpp"

#include <algorithm>
#include <utility>

namespace beamtree {

namespace {

bool contains(const std::vector<std::uint32_t>& index, const std::vector<Word>& word,
              const std::vector<Word>& dense, int rows) {
    int common = 0;
    for (std::size_t i = 0; i < index.size(); ++i) common += popcount(word[i] & dense[index[i]]);
    return common == rows;
}

}  // namespace

void Archive::add(const Node& node, Cost lower) {
    if (lower <= 0) return;
    const auto size = node.cover.size;
    Record record;
    record.index.assign(node.cover.index.begin(), node.cover.index.begin() + size);
    record.word.assign(node.cover.word.begin(), node.cover.word.begin() + size);
    record.weight = node.weight;
    record.lower = lower;
    const auto lock = write_lock();
    keep(std::move(record));
}

void Archive::keep(Record record) {
    const std::size_t bytes = record.bytes();
    if (bytes > limit_) return;
    while (count_ == kMostRecords || bytes_ + bytes > limit_) drop_oldest();
    if (next_ == static_cast<int>(records_.size())) records_.emplace_back();
    records_[next_] = std::move(record);
    next_ = (next_ + 1) % kMostRecords;
    bytes_ += bytes;
    ++count_;
}

void Archive::drop_oldest() {
    Record& oldest = records_[(next_ - count_ + kMostRecords) % kMostRecords];
    bytes_ -= oldest.bytes();
    oldest = Record{};
    --count_;
}

Cost Archive::bound(const Node& node, Cost target, std::vector<Word>& dense) const {
    Cost best = 0;
    for (int i = 0; i < node.cover.size; ++i) dense[node.cover.index[i]] = node.cover.word[i];
    {
        const auto lock = read_lock();
        for (const Record& record : records_) {
            // The distance must stay below this to help.
            const std::int64_t slack =
                (record.lower - std::max(target - 1, best) + objective_.unit - 1) / objective_.unit;
            if (record.lower == 0 || slack <= 0 || record.weight - node.weight >= slack) continue;
            const std::int64_t distance = distance_to(record, slack, dense);
            if (distance >= slack) continue;
            if (objective_.min_rows > 1 &&
                !contains(record.index, record.word, dense, node.cover_rows))
                continue;
            best = std::max(best, record.lower - objective_.unit * distance);
            if (best >= target) break;
        }
    }
    for (int i = 0; i < node.cover.size; ++i) dense[node.cover.index[i]] = 0;
    return best;
}

/// Weight of the record's rows outside the dense cover, or `enough` if it is at least that.
std::int64_t Archive::distance_to(const Record& record, std::int64_t enough,
                                  const std::vector<Word>& dense) const {
    std::int64_t distance = 0;
    for (std::size_t i = 0; i < record.index.size() && distance < enough; ++i) {
        const std::uint32_t at = record.index[i];
        distance += popcount(record.word[i] & ~dense[at]) * data_.class_weight_of_word()[at];
    }
    return std::min(distance, enough);
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
        const Record& record = records_[(next_ - i + kMostRecords) % kMostRecords];
        out.put(static_cast<std::uint32_t>(record.index.size()));
        out.put_array(record.index.data(), record.index.size());
        out.put_array(record.word.data(), record.word.size());
        out.put(record.lower);
    }
}

void Archive::load(Reader& in) {
    std::vector<Word> rows(data_.words(), 0);  // that exist
    for (const Segment& segment : data_.segments())
        for (int i = 0; i < words_for(segment.rows); ++i)
            rows[segment.begin_word + i] = low_bits(segment.rows - i * kWordBits);
    const auto lock = write_lock();
    const auto count = in.get_in<std::int32_t>(0, kMostRecords, "a number of similar covers");
    for (std::int32_t i = 0; i < count; ++i) keep(load_record(in, rows));
}

Archive::Record Archive::load_record(Reader& in, const std::vector<Word>& rows) const {
    const auto words = static_cast<std::uint32_t>(data_.words());
    const auto size = in.get_in<std::uint32_t>(0, words, "a number of words");
    Record record;
    record.index.resize(size);
    record.word.resize(size);
    in.get_array(record.index.data(), size);
    in.get_array(record.word.data(), size);
    std::uint32_t least = 0;
    for (std::uint32_t i = 0; i < size; ++i) {
        const std::uint32_t at = checked_in(record.index[i], least, words - 1, "a word's place");
        least = at + 1;
        if (record.word[i] == 0 || (record.word[i] & ~rows[at]) != 0)
            throw std::invalid_argument("the checkpoint has a cover of rows that do not exist");
        record.weight += popcount(record.word[i]) * data_.class_weight_of_word()[at];
    }
    // No tree costs more than all rows; less than 1 would not have been kept.
    record.lower = in.get_in<Cost>(1, objective_.unit * record.weight, "a bound of a cover");
    return record;
}

}  // namespace beamtree
