#include "cache/archive.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace beamtree {

Archive::Archive(const Dataset& data, const Misclassification& objective, const Kernel& kernel,
                 std::size_t bytes, int threads)
    : data_(data),
      objective_(objective),
      kernel_(kernel),
      limit_(bytes),
      threads_(threads > 1),
      epochs_(threads),
      slots_(static_cast<int>(std::min<std::size_t>(
          bytes / (sizeof(Slot) + sizeof(Record) + sizeof(std::uint32_t) + sizeof(Word)),
          kMostRecords))),
      ring_(new Slot[slots_]) {
    limit_ -= slots_ * sizeof(Slot);
}

Archive::~Archive() {
    for (int i = 0; i < slots_; ++i) delete ring_[i].record.load();
}

void Archive::add(const Node& node, Cost lower) {
    if (lower <= 0) return;
    const auto size = node.cover.size;
    auto record = std::make_unique<Record>();
    record->lower = lower;
    record->margin = lower - objective_.removal(node.sums.weight);
    record->index.assign(node.cover.index.begin(), node.cover.index.begin() + size);
    record->word.assign(node.cover.word.begin(), node.cover.word.begin() + size);
    keep(std::move(record));
}

void Archive::keep(std::unique_ptr<const Record> record) {
    const std::size_t bytes = record->bytes();
    if (slots_ == 0 || bytes > limit_) return;
    const SpinGuard guard(lock_, threads_);
    while (count_ == slots_ || live_ + bytes > limit_) drop_oldest();
    free_retired();
    if (live_ + dead_ + bytes > limit_) return;
    live_ += bytes;
    ++count_;
    Slot& slot = ring_[next_];
    slot.lower.store(record->lower, std::memory_order_relaxed);
    slot.margin.store(record->margin, std::memory_order_relaxed);
    slot.record = record.release();
    begun_ = std::max<int>(begun_, next_ + 1);
    next_ = (next_ + 1) % slots_;
}

void Archive::drop_oldest() {
    Retired& retired = retired_.emplace_back();  // this may throw, so it comes first
    Slot& slot = ring_[oldest()];
    slot.lower.store(0, std::memory_order_relaxed);
    retired.record.reset(slot.record.exchange(nullptr));
    retired.stamp = epochs_.retire();
    live_ -= retired.record->bytes();
    dead_ += retired.record->bytes();
    --count_;
}

void Archive::free_retired() {
    if (retired_.empty()) return;
    const std::uint64_t oldest_look = epochs_.oldest_look();
    std::erase_if(retired_, [&](const Retired& retired) {
        if (retired.stamp >= oldest_look) return false;
        dead_ -= retired.record->bytes();
        return true;
    });
}

Cost Archive::bound(const Node& node, Cost target, Scratch& scratch) {
    std::vector<Word>& dense = scratch.dense;
    for (int i = 0; i < node.cover.size; ++i) dense[node.cover.index[i]] = node.cover.word[i];
    const Epochs::Look look(epochs_, scratch.thread);
    const Cost all_rows = objective_.removal(node.sums.weight);
    Cost best = 0;
    Cost floor = std::max(target - 1, best);  // records help only above this bound
    const int slots = begun_;
    for (int i = 0; i < slots; ++i) {
        const Slot& slot = ring_[i];
        // The weight outside the node is at least the difference of the two weights.
        if (slot.lower.load(std::memory_order_relaxed) <= floor ||
            slot.margin.load(std::memory_order_relaxed) + all_rows <= floor)
            continue;
        const Record* record = slot.record;
        if (record == nullptr || record->lower <= floor) continue;
        const std::int64_t slack = objective_.removed_weight(record->lower - floor);
        const std::int64_t distance =
            kernel_.weight_outside(record->index.data(), record->word.data(), record->index.size(),
                                   dense.data(), data_.class_weight_of_word().data(), slack);
        if (distance >= slack) continue;
        if (objective_.similar_is_subset() && !contains(*record, node, dense)) continue;
        best = std::max(best, record->lower - objective_.removal(distance));
        if (best >= target) break;
        floor = std::max(floor, best);
    }
    for (int i = 0; i < node.cover.size; ++i) dense[node.cover.index[i]] = 0;
    return best;
}

bool Archive::contains(const Record& record, const Node& node, const std::vector<Word>& dense) {
    int common = 0;
    for (std::size_t i = 0; i < record.index.size(); ++i)
        common += popcount(record.word[i] & dense[record.index[i]]);
    return common == node.cover_rows;
}

std::size_t Archive::bytes() const {
    const SpinGuard guard(lock_, threads_);
    return slots_ * sizeof(Slot) + live_ + dead_;
}

int Archive::records() const {
    const SpinGuard guard(lock_, threads_);
    return count_;
}

/// Saves the records from the oldest to the latest.
void Archive::save(Writer& out) const {
    const SpinGuard guard(lock_, threads_);
    out.put(static_cast<std::int32_t>(count_));
    for (int i = 0; i < count_; ++i) {
        const Record& record = *ring_[(oldest() + i) % slots_].record;
        out.put(static_cast<std::uint32_t>(record.index.size()));
        out.put_array(record.index.data(), record.index.size());
        out.put_array(record.word.data(), record.word.size());
        out.put(record.lower);
    }
}

void Archive::load(Reader& in) {
    std::vector<Word> valid(data_.words(), 0);  // bits that stand for rows
    for (const Segment& segment : data_.segments())
        for (int i = 0; i < words_for(segment.rows); ++i)
            valid[segment.begin_word + i] = low_bits(segment.rows - i * kWordBits);
    const auto count = in.get_in<std::int32_t>(0, kMostRecords, "a cover count of");
    for (std::int32_t i = 0; i < count; ++i) keep(load_record(in, valid));
}

std::unique_ptr<const Archive::Record> Archive::load_record(Reader& in,
                                                            const std::vector<Word>& valid) const {
    auto record = std::make_unique<Record>();
    const auto words = static_cast<std::uint32_t>(data_.words());
    const auto size = in.get_in<std::uint32_t>(0, words, "a word count of");
    record->index.resize(size);
    record->word.resize(size);
    in.get_array(record->index.data(), size);
    in.get_array(record->word.data(), size);
    std::int64_t weight = 0;
    std::uint32_t least = 0;
    for (std::uint32_t i = 0; i < size; ++i) {
        const std::uint32_t at = checked_in(record->index[i], least, words - 1, "a word at place");
        least = at + 1;
        if (record->word[i] == 0 || (record->word[i] & ~valid[at]) != 0)
            throw std::invalid_argument(
                "the checkpoint is invalid: it has a cover of rows that do not exist");
        weight += popcount(record->word[i]) * data_.class_weight_of_word()[at];
    }
    // No tree costs more than the weight of all rows, and bounds below 1 are never stored.
    const Cost all_rows = objective_.removal(weight);
    record->lower = in.get_in<Cost>(1, all_rows, "a cover with a bound of");
    record->margin = record->lower - all_rows;
    return record;
}

}  // namespace beamtree
