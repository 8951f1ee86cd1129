#include "data/dataset.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <unordered_map>

#include "data/sorted_rows.hpp"

namespace beamtree {

namespace {

using RowList = std::vector<std::uint32_t>;
/// Physical rows by (plane, shift).
using SegmentRows = std::map<std::pair<int, int>, RowList>;

/// Writes a weight as physical rows: one row per set bit, or as many rows of weight 1.
class Writer {
  public:
    Writer(SegmentRows& out, bool by_bits) : out_(out), by_bits_(by_bits) {}

    void write(int plane, std::int64_t weight, std::uint32_t row) {
        if (!by_bits_) {
            rows_of(plane, 0).insert(rows_of(plane, 0).end(), static_cast<std::size_t>(weight),
                                     row);
            return;
        }
        for (int bit = 0; weight >> bit != 0; ++bit)
            if (weight >> bit & 1) rows_of(plane, bit).push_back(row);
    }

  private:
    RowList& rows_of(int plane, int bit) {
        const std::size_t at = static_cast<std::size_t>(plane) * kWordBits + bit;
        if (at >= known_.size()) known_.resize(at + 1, nullptr);
        if (known_[at] == nullptr) known_[at] = &out_[{plane, bit}];
        return *known_[at];
    }

    SegmentRows& out_;
    bool by_bits_;
    std::vector<RowList*> known_;
};

/// Whether merged rows are written as one row per set bit of their weight. This is so if any row
/// has another weight than 1. Otherwise it must save half of the rows, because the last granule
/// (unit of 16 rows) of every segment is incomplete.
bool bits_pay(const Problem& problem, const SortedRows& rows, bool merge_rows, bool cancel) {
    if (!problem.unit_weights()) return true;
    if (!merge_rows) return false;
    std::int64_t units = 0, bits = 0;
    rows.for_each_group([&](const RowGroup& group) {
        const std::int64_t common = cancel ? group.common(problem.classes) : 0;
        for (const auto& [label, weight] : group.weight) {
            units += weight - common;
            bits += popcount(static_cast<Word>(weight - common));
        }
    });
    return 2 * bits <= units;
}

/// Finds columns that are constant, or equal or complementary to an earlier one.
class ColumnFilter {
  public:
    explicit ColumnFilter(const std::vector<Segment>& segments, int words) : rows_(words, 0) {
        for (const Segment& segment : segments)
            for (int r = 0; r < segment.rows; r += kWordBits)
                rows_[segment.begin_word + r / kWordBits] = low_bits(segment.rows - r);
    }

    /// Returns whether the column is new, and if so remembers it under `index`. kept(i) must return
    /// the column that was remembered under i.
    template <class Kept>
    bool admit(const Word* column, int index, Kept kept) {
        const int words = static_cast<int>(rows_.size());
        const Word flip = words > 0 && (column[0] & 1) ? ~Word{0} : 0;  // row 0 becomes 0
        Word digest = 0, any = 0;
        for (int w = 0; w < words; ++w) {
            const Word word = (column[w] ^ flip) & rows_[w];
            any |= word;
            digest = (digest ^ word) * 0xFF51AFD7ED558CCDULL;
            digest ^= digest >> 32;
        }
        if (any == 0) return false;
        const auto [first, last] = seen_.equal_range(digest);
        for (auto entry = first; entry != last; ++entry)
            if (same_split(column, kept(entry->second))) return false;
        seen_.emplace(digest, index);
        return true;
    }

  private:
    bool same_split(const Word* a, const Word* b) const {
        const Word flip = (a[0] ^ b[0]) & 1 ? ~Word{0} : 0;
        for (std::size_t w = 0; w < rows_.size(); ++w)
            if ((a[w] ^ b[w] ^ flip) & rows_[w]) return false;
        return true;
    }

    std::vector<Word> rows_;  ///< the bits that stand for rows
    std::unordered_multimap<Word, int> seen_;
};

/// Writes the words of the columns for the rows of `list`, for the features in one word of the
/// rows.
void transpose_rows(const SortedRows& rows, const RowList& list, int first_word, int row_word,
                    int columns, int words, Word* out) {
    std::array<Word, kWordBits> block;
    for (std::size_t begin = 0, word = first_word; begin < list.size();
         begin += kWordBits, ++word) {
        const int count = static_cast<int>(std::min<std::size_t>(kWordBits, list.size() - begin));
        for (int r = 0; r < count; ++r) block[r] = rows.bits(list[begin + r])[row_word];
        std::fill(block.begin() + count, block.end(), Word{0});
        transpose64(block.data());
        for (int c = 0; c < columns; ++c)  // feature c is bit 63 - c of the row's word
            out[static_cast<std::size_t>(c) * words + word] = block[kWordBits - 1 - c];
    }
}

}  // namespace

Dataset::Dataset(const Problem& problem, const Misclassification& objective,
                 const PackingOptions& options)
    : hasher_(0) {
    const SortedRows rows(problem);
    const bool cancel = options.cancel_rows && objective.cancels_rows(problem.classes);
    planes_ = choose_planes(problem.classes, objective, cancel, options.show_rows,
                            options.unavoidable_bound);

    SegmentRows segment_rows;
    Writer classes(segment_rows, bits_pay(problem, rows, options.merge_rows, cancel));
    Writer others(segment_rows, true);
    std::int64_t cancelled = 0;
    rows.for_each_group([&](const RowGroup& group) {
        const std::int64_t common = cancel ? group.common(problem.classes) : 0;
        const std::int64_t lost = common * (problem.classes - 1);
        const std::int64_t unavoidable = group.sums().error() - lost;
        for (const auto& [label, weight] : group.weight)
            classes.write(label, weight - common, group.row);
        if (cancel) others.write(planes_.tied, common, group.row);
        if (planes_.rows >= 0) others.write(planes_.rows, group.rows, group.row);
        if (planes_.seen >= 0) others.write(planes_.seen, group.rows, group.row);
        if (planes_.unavoidable >= 0) others.write(planes_.unavoidable, unavoidable, group.row);
        cancelled += lost;
    });
    offset_ = objective.error_cost(cancelled);

    std::vector<const RowList*> lists;
    for (const auto& [place, list] : segment_rows) {
        if (list.empty()) continue;
        segments_.push_back({place.first, place.second, words_, static_cast<int>(list.size())});
        words_ += words_for(segments_.back().rows);
        lists.push_back(&list);
    }
    word_weight_.assign(words_, 0);
    for (const Segment& segment : segments_)
        if (planes_.is_class(segment.plane))
            std::fill_n(word_weight_.begin() + segment.begin_word, words_for(segment.rows),
                        std::int64_t{1} << segment.shift);
    hasher_ = CoverHasher(words_);

    ColumnFilter filter(segments_, words_);
    std::vector<Word> block(static_cast<std::size_t>(std::min(problem.columns, kWordBits)) *
                            words_);
    for (int base = 0; base < problem.columns; base += kWordBits) {
        const int columns = std::min(kWordBits, problem.columns - base);
        for (std::size_t s = 0; s < segments_.size(); ++s)
            transpose_rows(rows, *lists[s], segments_[s].begin_word, base / kWordBits, columns,
                           words_, block.data());
        for (int c = 0; c < columns; ++c) {
            const Word* column = block.data() + static_cast<std::size_t>(c) * words_;
            if (!filter.admit(column, features(), [this](int f) { return this->column(f); }))
                continue;
            original_.push_back(base + c);
            columns_.insert(columns_.end(), column, column + words_);
        }
    }
}

}  // namespace beamtree
