#include "data/dataset.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <unordered_map>

#include "data/row_groups.hpp"

namespace beamtree {

namespace {

using RowList = std::vector<std::uint32_t>;
/// Physical rows by (plane, shift).
using SegmentRows = std::map<std::pair<int, int>, RowList>;

/// Rows of equal features: the weight of each class that occurs, and their number.
struct Group {
    std::uint32_t row = 0;  ///< one of them
    std::int64_t rows = 0;
    std::vector<std::pair<int, std::int64_t>> weight;  ///< (class, weight), class increasing

    std::int64_t total() const {
        std::int64_t sum = 0;
        for (const auto& [label, w] : weight) sum += w;
        return sum;
    }
    std::int64_t majority() const {
        std::int64_t most = 0;
        for (const auto& [label, w] : weight) most = std::max(most, w);
        return most;
    }
    /// Weight that every class has: it is wrong in all but one of them, whatever is predicted.
    std::int64_t common(int classes) const {
        if (static_cast<int>(weight.size()) < classes) return 0;
        std::int64_t least = weight.front().second;
        for (const auto& [label, w] : weight) least = std::min(least, w);
        return least;
    }
};

template <class Visit>
void for_each_group(const Problem& problem, const RowGroups& groups, Visit visit) {
    const RowList& order = groups.order();
    Group group;
    for (std::size_t begin = 0; begin < order.size();) {
        group.row = order[begin];
        group.weight.clear();
        std::size_t end = begin;
        for (; end < order.size() && groups.equal(order[begin], order[end]); ++end) {
            const int label = problem.label[order[end]];
            const std::int64_t weight = problem.weight[order[end]];
            if (group.weight.empty() || group.weight.back().first != label)
                group.weight.emplace_back(label, weight);
            else
                group.weight.back().second += weight;
        }
        group.rows = static_cast<std::int64_t>(end - begin);
        visit(group);
        begin = end;
    }
}

/// Writes weights as physical rows: by the set bits, or, where merging saves less than half of the
/// rows (segments cost granules), as so many rows of weight 1.
class Writer {
public:
    Writer(SegmentRows& out, bool by_bits) : out_(out), by_bits_(by_bits) {}

    void write(int plane, std::int64_t weight, std::uint32_t row) {
        if (by_bits_) {
            for (int bit = 0; weight >> bit != 0; ++bit)
                if (weight >> bit & 1) rows_of(plane, bit).push_back(row);
        } else {
            RowList& rows = rows_of(plane, 0);
            rows.insert(rows.end(), static_cast<std::size_t>(weight), row);
        }
    }

private:
    RowList& rows_of(int plane, int bit) {
        RowList*& known = known_[{plane, bit}];
        if (known == nullptr) known = &out_[{plane, bit}];
        return *known;
    }

    SegmentRows& out_;
    bool by_bits_;
    std::map<std::pair<int, int>, RowList*> known_;
};

bool bits_pay(const Problem& problem, const RowGroups& groups, bool merge_rows, bool cancel) {
    std::int64_t rows = 0, bits = 0;
    for_each_group(problem, groups, [&](const Group& group) {
        const std::int64_t common = cancel ? group.common(problem.classes) : 0;
        for (const auto& [label, weight] : group.weight) {
            rows += weight - common;
            bits += popcount(static_cast<Word>(weight - common));
        }
    });
    const bool unit_weights =
        std::all_of(problem.weight, problem.weight + problem.rows, [](auto w) { return w == 1; });
    return !unit_weights || (merge_rows && 2 * bits <= rows);
}

Planes choose_planes(const Problem& problem, const Objective& objective, bool cancel,
                     bool unavoidable) {
    Planes planes;
    planes.classes = planes.count = problem.classes;
    if (objective.min_rows > 1 && !objective.rows_are_weight) planes.rows = planes.count++;
    if (cancel) planes.tied = planes.count++;
    if (unavoidable && !(cancel && problem.classes <= 2)) planes.unavoidable = planes.count++;
    return planes;
}

/// Column words of the rows `list`, for the features of one word of the row bits.
void transpose_rows(const RowGroups& groups, const RowList& list, int first_word, int row_word,
                    int columns, int words, Word* out) {
    std::array<Word, kWordBits> block;
    for (std::size_t begin = 0, word = first_word; begin < list.size(); begin += kWordBits, ++word) {
        const int rows = static_cast<int>(std::min<std::size_t>(kWordBits, list.size() - begin));
        block.fill(0);
        for (int r = 0; r < rows; ++r) block[r] = groups.bits(list[begin + r])[row_word];
        transpose64(block.data());
        for (int c = 0; c < columns; ++c)  // feature c is bit 63 - c of the row's word
            out[static_cast<std::size_t>(c) * words + word] = block[kWordBits - 1 - c];
    }
}

}  // namespace

Dataset::Dataset(const Problem& problem, const Objective& objective, const PackingOptions& options)
    : hasher_(0) {
    const RowGroups groups(problem);
    // Cancelling changes which leaves are large enough.
    const bool cancel = options.cancel_rows && objective.min_rows <= 1 && problem.classes >= 2;
    planes_ = choose_planes(problem, objective, cancel, options.unavoidable_bound);

    SegmentRows rows;
    Writer classes(rows, bits_pay(problem, groups, options.merge_rows, cancel)), others(rows, true);
    std::int64_t cancelled = 0;
    for_each_group(problem, groups, [&](const Group& group) {
        const std::int64_t common = cancel ? group.common(problem.classes) : 0;
        for (const auto& [label, weight] : group.weight)
            if (weight > common) classes.write(label, weight - common, group.row);
        if (common > 0) others.write(planes_.tied, common, group.row);
        if (planes_.rows >= 0) others.write(planes_.rows, group.rows, group.row);
        const std::int64_t lost = group.total() - group.majority() - common * (problem.classes - 1);
        if (planes_.unavoidable >= 0 && lost > 0) others.write(planes_.unavoidable, lost, group.row);
        cancelled += common * (problem.classes - 1);
    });
    offset_ = objective.unit * cancelled;

    for (const auto& [place, list] : rows) {
        segments_.push_back({place.first, place.second, words_, static_cast<int>(list.size())});
        words_ += words_for(static_cast<std::int64_t>(list.size()));
    }
    word_weight_.assign(words_, 0);
    for (const Segment& segment : segments_)
        if (segment.plane < planes_.classes)
            std::fill_n(word_weight_.begin() + segment.begin_word, words_for(segment.rows),
                        std::int64_t{1} << segment.shift);
    hasher_ = CoverHasher(words_);

    // Columns that are constant, or equal or complementary to an earlier one, are left out.
    std::unordered_multimap<Word, int> seen;
    std::vector<Word> block(static_cast<std::size_t>(std::min(problem.columns, kWordBits)) * words_);
    std::vector<Word> all(words_, 0);
    for (const Segment& segment : segments_)
        for (int r = 0; r < segment.rows; r += kWordBits)
            all[segment.begin_word + r / kWordBits] = low_bits(segment.rows - r);
    for (int base = 0; base < problem.columns; base += kWordBits) {
        const int columns = std::min(kWordBits, problem.columns - base);
        std::size_t s = 0;
        for (const auto& [place, list] : rows)
            transpose_rows(groups, list, segments_[s++].begin_word, base / kWordBits, columns, words_,
                           block.data());
        for (int c = 0; c < columns; ++c) {
            const Word* column = block.data() + static_cast<std::size_t>(c) * words_;
            const Word flip = words_ > 0 && (column[0] & 1) ? ~Word{0} : 0;
            Word digest = 0, any = 0;
            for (int w = 0; w < words_; ++w) {
                const Word word = (column[w] ^ flip) & all[w];
                any |= word;
                digest = (digest ^ word) * 0xFF51AFD7ED558CCDULL;
                digest ^= digest >> 32;
            }
            if (any == 0) continue;
            const auto same = [&](int feature) {
                const Word* other = this->column(feature);
                const Word differ = (column[0] ^ other[0]) & 1 ? ~Word{0} : 0;
                for (int w = 0; w < words_; ++w)
                    if ((column[w] ^ other[w] ^ differ) & all[w]) return false;
                return true;
            };
            const auto [first, last] = seen.equal_range(digest);
            if (std::any_of(first, last, [&](const auto& entry) { return same(entry.second); }))
                continue;
            seen.emplace(digest, features());
            original_.push_back(base + c);
            columns_.insert(columns_.end(), column, column + words_);
        }
    }
}

}  // namespace beamtree
