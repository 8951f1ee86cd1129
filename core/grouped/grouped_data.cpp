#include "grouped/grouped_data.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>

namespace beamtree {

namespace {

using Column = std::vector<Word>;

int count_ones(const Column& column) {
    int ones = 0;
    for (const Word word : column) ones += std::popcount(word);
    return ones;
}

bool is_subset(const Column& part, const Column& of) {
    for (std::size_t i = 0; i < part.size(); ++i)
        if ((part[i] & ~of[i]) != 0) return false;
    return true;
}

void flip(Column& column, int groups) {
    for (Word& word : column) word = ~word;
    if (groups % 64 != 0) column.back() &= (Word{1} << (groups % 64)) - 1;
}

/// The square of a group: how much of the squares of its rows one leaf can explain, rounded up, so
/// that no leaf of groups costs less than nothing, and removing a group never makes a tree cost
/// more.
Cost square_of(const SquaredError& objective, std::int64_t weight, std::int64_t value,
               Cost squares) {
    const double scaled = static_cast<double>(value) * objective.factor;
    const double quotient = scaled * scaled / static_cast<double>(weight);
    return std::min(static_cast<Cost>(std::ceil(quotient)), squares);
}

}  // namespace

std::optional<Packing> choose_packing(const Targets& targets) {
    std::int64_t weight = 0, value = 0;
    constexpr std::int64_t kMost = std::int64_t{1} << 52;
    for (std::int64_t i = 0; i < targets.rows; ++i) {
        weight += targets.weight[i];
        value += std::abs(targets.value[i]);
        if (weight >= kMost || value >= kMost) return {};
    }
    Packing packing;
    packing.bits = std::max(12, static_cast<int>(std::bit_width(static_cast<Word>(weight))));
    if (packing.bits >= 62 || value >> (62 - packing.bits) != 0) return {};
    return packing;
}

GroupedData::GroupedData(const Problem& problem, const SquaredError& objective)
    : objective_(objective) {
    const std::optional<Packing> packing = choose_packing(problem);
    if (!packing) throw std::logic_error("the numbers of the rows are too large to be packed");
    packing_ = *packing;
    std::vector<Column> columns;
    merge_rows(problem, columns);
    make_chains(columns);
}

/// Makes the groups, and the columns of the problem over the groups.
void GroupedData::merge_rows(const Problem& problem, std::vector<Column>& columns) {
    const std::size_t words = (static_cast<std::size_t>(problem.columns) + 63) / 64;
    std::vector<Word> bits(static_cast<std::size_t>(problem.rows) * words, 0);
    const auto set = [&](std::int64_t i, int test) {
        bits[static_cast<std::size_t>(i) * words + test / 64] |= Word{1} << (test % 64);
    };
    if (problem.ranks == nullptr) {
        for (std::int64_t i = 0; i < problem.rows; ++i)
            for (int test = 0; test < problem.columns; ++test)
                if (problem.row(i)[test] != 0) set(i, test);
    } else {
        // A row passes the first tests of an order, as many as its rank says.
        for (int order = 0; order < problem.ranks->orders(); ++order)
            for (std::int64_t i = 0; i < problem.rows; ++i)
                for (std::uint32_t t = 0; t < problem.order(order)[i]; ++t)
                    set(i, problem.ranks->first[order] + static_cast<int>(t));
    }
    const auto row_bits = [&](std::int64_t i) {
        return bits.begin() + static_cast<std::ptrdiff_t>(static_cast<std::size_t>(i) * words);
    };
    std::vector<std::int64_t> order(problem.rows);
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) {
        const auto [x, y] = std::mismatch(row_bits(a), row_bits(a) + words, row_bits(b));
        return x == row_bits(a) + words ? a < b : *x < *y;
    });
    std::vector<Cost> squares;
    for (std::size_t k = 0; k < order.size(); ++k) {
        const std::int64_t i = order[k];
        if (k == 0 || !std::equal(row_bits(i), row_bits(i) + words, row_bits(order[k - 1]))) {
            row_.push_back(i);
            group_.push_back({});
            squares.push_back(0);
        }
        group_.back().packed += packing_.pack(problem.weight[i], problem.value[i]);
        squares.back() += problem.square[i];
    }
    sort_by_mean(squares);
    const CoverHasher hasher(groups());
    GroupSums all;
    for (int g = 0; g < groups(); ++g) {
        GroupSums& group = group_[g];
        const CoverHash& random = hasher[g];
        group.hash = (static_cast<Wide>(random.high) << 64) + random.middle;
        group.square = square_of(objective_, packing_.weight(group.packed),
                                 packing_.value(group.packed), squares[g]);
        offset_ += squares[g] - group.square;
        all += group;
    }
    total_ = packing_.sums(all);
    columns.assign(problem.columns, Column((static_cast<std::size_t>(groups()) + 63) / 64, 0));
    for (int g = 0; g < groups(); ++g)
        for (int test = 0; test < problem.columns; ++test)
            columns[test][g / 64] |= (row_bits(row_[g])[test / 64] >> (test % 64) & 1) << (g % 64);
}

/// Sorts the groups by the mean of their rows, for the bounds of Clusters.
void GroupedData::sort_by_mean(std::vector<Cost>& squares) {
    std::vector<int> order(groups());
    std::iota(order.begin(), order.end(), 0);
    const auto mean = [&](int g) {
        return static_cast<double>(packing_.value(group_[g].packed)) /
               static_cast<double>(packing_.weight(group_[g].packed));
    };
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return mean(a) < mean(b); });
    const std::vector<GroupSums> old_group = group_;
    const std::vector<std::int64_t> old_row = row_;
    const std::vector<Cost> old_squares = squares;
    for (int g = 0; g < groups(); ++g) {
        group_[g] = old_group[order[g]];
        row_[g] = old_row[order[g]];
        squares[g] = old_squares[order[g]];
    }
}

/// Drops columns that are constant, or equal or opposite to another one, and arranges the others in
/// chains. A column that is alone in its chain is flipped if most of its bits are 1.
void GroupedData::make_chains(std::vector<Column>& columns) {
    std::vector<int> order(columns.size()), ones(columns.size());
    std::vector<Column> seen;
    std::vector<bool> dropped(columns.size(), false);
    for (std::size_t c = 0; c < columns.size(); ++c) {
        ones[c] = count_ones(columns[c]);
        Column same = columns[c];
        if ((same[0] & 1) != 0) flip(same, groups());
        dropped[c] = ones[c] == 0 || ones[c] == groups();
        seen.push_back(std::move(same));
    }
    std::iota(order.begin(), order.end(), 0);
    std::vector<int> equal = order;
    std::stable_sort(equal.begin(), equal.end(), [&](int a, int b) { return seen[a] < seen[b]; });
    for (std::size_t k = 1; k < equal.size(); ++k)
        if (seen[equal[k]] == seen[equal[k - 1]]) dropped[equal[k]] = true;
    std::erase_if(order, [&](int c) { return dropped[c]; });
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return ones[a] > ones[b]; });
    std::vector<std::vector<int>> chains;
    for (const int c : order) {
        std::vector<int>* best = nullptr;
        for (auto& chain : chains) {
            const int last = chain.back();
            if (best != nullptr && ones[last] >= ones[best->back()]) continue;
            if (is_subset(columns[c], columns[last])) best = &chain;
        }
        if (best != nullptr)
            best->push_back(c);
        else
            chains.push_back({c});
    }
    for (const auto& chain : chains) {
        const int end = features() + static_cast<int>(chain.size()) - 1;
        const bool flips = chain.size() == 1 && 2 * ones[chain[0]] > groups();
        for (const int c : chain) {
            if (flips) flip(columns[c], groups());
            original_.push_back(c);
            chain_end_.push_back(end);
            flipped_.push_back(flips);
            columns_.push_back(std::move(columns[c]));
        }
    }
}

}  // namespace beamtree
