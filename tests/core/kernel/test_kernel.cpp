// Every kernel is compared with counts and trees that are computed pair by pair.
#include <algorithm>
#include <cstring>

#include "data/aligned.hpp"
#include "kernel/kernel.hpp"
#include "testing.hpp"

using namespace beamtree;

namespace {

/// Rows of one side of a split, and the weight of every cell of two features.
struct Rows {
    struct Row {
        int plane, shift;
        std::vector<std::uint8_t> bit;
    };

    void add(const Row& row) {
        all.push_back(row);
        for (int g = 0; g < features; ++g)
            for (int h = 0; h < features; ++h)
                cells[index(row.plane, g, row.bit[g], h, row.bit[h])] += std::int64_t{1}
                                                                         << row.shift;
    }
    std::size_t index(int plane, int g, int x, int h, int y) const {
        return (((static_cast<std::size_t>(plane) * features + g) * 2 + x) * features + h) * 2 + y;
    }

    int features;
    std::vector<Row> all{};
    std::vector<std::int64_t> cells;  ///< (planes, features, 2, features, 2)
};

/// The two sides of a split. The planes are the classes, and perhaps a plane of rows.
struct Sample {
    int features, stride, classes, planes;
    Rows small, big;
};

Sample make_sample(testing::Random& random, int classes, bool weighted, bool rows_plane) {
    const int features = 1 + random.below(40), planes = classes + (rows_plane ? 1 : 0);
    const auto make_rows = [&](int count) {
        Rows rows{features, {}, {}};
        rows.cells.assign(rows.index(planes, 0, 0, 0, 0), 0);
        for (int i = 0; i < count; ++i) {
            Rows::Row row{random.below(planes), weighted ? random.below(5) : 0, {}};
            if (row.plane == classes) row.shift = random.below(2);
            for (int f = 0; f < features; ++f)
                row.bit.push_back(static_cast<std::uint8_t>(random.below(2)));
            rows.add(row);
        }
        return rows;
    };
    return {features,
            padded(features),
            classes,
            planes,
            make_rows(random.below(150)),
            make_rows(random.below(200))};
}

/// Returns the weight of the rows of a plane with g == x and h == y.
std::int64_t cell(const Rows& rows, int plane, int g, int x, int h, int y) {
    return rows.cells[rows.index(plane, g, x, h, y)];
}

std::int64_t rows_in(const Sample& sample, const Rows& rows, int g, int x, int h, int y) {
    if (sample.planes > sample.classes) return cell(rows, sample.classes, g, x, h, y);
    std::int64_t sum = 0;
    for (int p = 0; p < sample.classes; ++p) sum += cell(rows, p, g, x, h, y);
    return sum;
}

/// Returns the largest correct weight of the rows with g == x, over all second splits h whose
/// leaves have at least `least` rows.
std::int64_t best_below(const Sample& sample, const Rows& rows, int g, int x, int least) {
    std::int64_t best = 0;
    for (int h = 0; h < sample.features; ++h) {
        std::int64_t correct = 0;
        bool fits = true;
        for (int y = 0; y < 2; ++y) {
            std::int64_t most = 0;
            for (int p = 0; p < sample.classes; ++p)
                most = std::max(most, cell(rows, p, g, x, h, y));
            correct += most;
            fits = fits && (least <= 1 || rows_in(sample, rows, g, x, h, y) >= least);
        }
        if (fits) best = std::max(best, correct);
    }
    return best;
}

template <class T>
struct Arrays {
    AlignedBuffer memory;
    std::vector<T*> plane;
    void make(int planes, std::size_t size) {
        T* base = memory.get<T>(planes * size);
        std::memset(base, 0, planes * size * sizeof(T));
        for (int p = 0; p < planes; ++p) plane.push_back(base + p * size);
    }
};

template <class T>
void check_depth2(const Kernel& kernel, const Sample& sample, int least, bool counted, bool parts,
                  bool margins) {
    const std::size_t matrix = static_cast<std::size_t>(sample.features) * sample.stride;
    Arrays<T> node_pairs, small_pairs, small_single, big_single, best, small_rows, big_rows;
    node_pairs.make(sample.planes, matrix);
    small_pairs.make(sample.planes, matrix);
    small_single.make(sample.planes, sample.stride);
    big_single.make(sample.planes, sample.stride);
    best.make(4, sample.stride);
    small_rows.make(1, sample.stride);
    big_rows.make(1, sample.stride);
    std::vector<T> small_total(sample.planes), big_total(sample.planes);
    for (int p = 0; p < sample.planes; ++p) {
        for (int g = 0; g < sample.features; ++g) {
            small_single.plane[p][g] = static_cast<T>(cell(sample.small, p, g, 1, g, 1));
            big_single.plane[p][g] = static_cast<T>(cell(sample.big, p, g, 1, g, 1));
            for (int h = 0; h < sample.features; ++h) {
                const std::int64_t in_small = cell(sample.small, p, g, 1, h, 1);
                small_pairs.plane[p][g * sample.stride + h] = static_cast<T>(in_small);
                node_pairs.plane[p][g * sample.stride + h] =
                    static_cast<T>(in_small + cell(sample.big, p, g, 1, h, 1));
            }
        }
        for (const auto& row : sample.small.all)
            small_total[p] += static_cast<T>(row.plane == p ? 1 << row.shift : 0);
        for (const auto& row : sample.big.all)
            big_total[p] += static_cast<T>(row.plane == p ? 1 << row.shift : 0);
    }
    // Granules of the small side, with one run for each plane and shift.
    std::vector<Run> runs;
    std::vector<int> plane_begin{0};
    std::vector<std::vector<std::uint16_t>> granules;
    for (int p = 0; p < sample.planes; ++p) {
        for (int shift = 0; shift < 5; ++shift) {
            const int first = static_cast<int>(granules.size());
            int filled = 16;
            for (const auto& row : sample.small.all) {
                if (row.plane != p || row.shift != shift) continue;
                if (filled == 16) {
                    granules.emplace_back(sample.stride, std::uint16_t{0});
                    filled = 0;
                }
                for (int f = 0; f < sample.features; ++f)
                    granules.back()[f] =
                        static_cast<std::uint16_t>(granules.back()[f] | row.bit[f] << filled);
                ++filled;
            }
            if (static_cast<int>(granules.size()) > first)
                runs.push_back({first, static_cast<int>(granules.size()), shift});
        }
        plane_begin.push_back(static_cast<int>(runs.size()));
    }
    AlignedBuffer granule_memory, scratch;
    auto* data = granule_memory.get<std::uint16_t>((granules.size() + 1) * sample.stride);
    for (std::size_t i = 0; i < granules.size(); ++i)
        std::copy(granules[i].begin(), granules[i].end(), data + i * sample.stride);

    for (int f = 0; f < sample.features; ++f) {
        small_rows.plane[0][f] = static_cast<T>(rows_in(sample, sample.small, f, 1, f, 1));
        big_rows.plane[0][f] = static_cast<T>(rows_in(sample, sample.big, f, 1, f, 1));
    }
    const auto rows_total = [&](const Rows& rows) {
        return static_cast<T>(rows_in(sample, rows, 0, 0, 0, 0) +
                              rows_in(sample, rows, 0, 1, 0, 1));
    };
    // Margins are the weight of the first class minus that of the second.
    Arrays<T> margin_pairs, margin_single;
    margin_pairs.make(1, matrix);
    margin_single.make(2, sample.stride);
    T margin_total[2] = {};
    if (margins) {
        for (std::size_t i = 0; i < matrix; ++i)
            margin_pairs.plane[0][i] =
                static_cast<T>(node_pairs.plane[0][i] - node_pairs.plane[1][i]);
        for (int f = 0; f < sample.stride; ++f) {
            margin_single.plane[0][f] =
                static_cast<T>(small_single.plane[0][f] - small_single.plane[1][f]);
            margin_single.plane[1][f] =
                static_cast<T>(big_single.plane[0][f] - big_single.plane[1][f]);
        }
        margin_total[0] = static_cast<T>(small_total[0] - small_total[1]);
        margin_total[1] = static_cast<T>(big_total[0] - big_total[1]);
    }
    const auto correct = [&](const Rows& rows, int g, int x, T best_found) {
        if (!margins) return static_cast<std::int64_t>(best_found);
        const std::int64_t weight = cell(rows, 0, g, x, g, x) + cell(rows, 1, g, x, g, x);
        return (weight + static_cast<std::int64_t>(best_found)) / 2;
    };
    for (int which = 1; which < 4; ++which) {
        Depth2<T> in;
        in.stride = sample.stride;
        in.planes = sample.planes;
        in.classes = sample.classes;
        in.min_rows = static_cast<T>(least);
        const int count = static_cast<int>(granules.size());
        if (counted) in.granules = {data, count, runs.data(), plane_begin.data()};
        in.small_pairs = small_pairs.plane.data();
        in.node_pairs = node_pairs.plane.data();
        in.small = {(which & 1) != 0,    small_single.plane.data(), small_total.data(),
                    small_rows.plane[0], rows_total(sample.small),  best.plane[0],
                    best.plane[1]};
        in.big = {(which & 2) != 0,  big_single.plane.data(), big_total.data(),
                  big_rows.plane[0], rows_total(sample.big),  best.plane[2],
                  best.plane[3]};
        if (margins) {
            in.margins = true;
            in.node_pairs = margin_pairs.plane.data();
            in.small.single = margin_single.plane.data();
            in.big.single = margin_single.plane.data() + 1;
            in.small.total = &margin_total[0];
            in.big.total = &margin_total[1];
        }
        in.scratch = scratch.get(depth2_scratch(count, sample.planes));
        const int cut = parts ? sample.features / 3 : 0;  // an arbitrary place
        for (const int last : {cut, sample.features}) {
            in.first = in.last;
            in.last = last;
            if (in.first < in.last) kernel.lanes<T>().depth2(in);
        }
        for (int g = 0; g < sample.features; ++g) {
            for (int x = 0; x < 2; ++x) {
                if (which & 1)
                    EXPECT(correct(sample.small, g, x, best.plane[1 - x][g]) ==
                           best_below(sample, sample.small, g, x, least));
                if (which & 2)
                    EXPECT(correct(sample.big, g, x, best.plane[3 - x][g]) ==
                           best_below(sample, sample.big, g, x, least));
            }
        }
    }
}

/// Evaluating one first split at a time gives the same as evaluating all at once.
template <class T>
void check_rows(const Kernel& kernel, testing::Random& random, bool margins, bool rows_plane) {
    const int features = 1 + random.below(60), stride = padded(features),
              classes = margins ? 2 : 2 + random.below(4);
    const int planes = classes + (rows_plane ? 1 : 0);
    const std::size_t size = static_cast<std::size_t>(features) * stride;
    Arrays<T> pairs, single, margin, best, rows;
    pairs.make(planes, size);
    single.make(planes, stride);
    margin.make(2, size);
    best.make(4, stride);
    rows.make(1, stride);
    std::vector<T> total(planes);
    for (int i = 0; i < 90; ++i) {
        const int p = random.below(planes);
        std::vector<int> ones;
        for (int f = 0; f < features; ++f)
            if (random.below(2)) ones.push_back(f);
        ++total[p];
        for (const int g : ones) {
            ++single.plane[p][g];
            if (p >= (rows_plane ? classes : 0)) ++rows.plane[0][g];
            for (const int h : ones) ++pairs.plane[p][g * stride + h];
        }
    }
    Depth2<T> in;
    in.last = features;
    in.stride = stride;
    in.planes = planes;
    in.classes = classes;
    in.margins = margins;
    in.min_rows = static_cast<T>(margins ? 1 : random.below(5));
    T rows_total = 0;
    for (int p = rows_plane ? classes : 0; p < planes; ++p)
        rows_total = static_cast<T>(rows_total + total[p]);
    in.small = {true,       single.plane.data(), total.data(), rows.plane[0],
                rows_total, best.plane[0],       best.plane[1]};
    T margin_total = static_cast<T>(total[0] - total[1]);
    for (std::size_t i = 0; i < size; ++i)
        margin.plane[0][i] = static_cast<T>(pairs.plane[0][i] - pairs.plane[1][i]);
    for (int f = 0; f < stride; ++f)
        margin.plane[1][f] = static_cast<T>(single.plane[0][f] - single.plane[1][f]);
    if (margins) {
        in.small.single = &margin.plane[1];
        in.small.total = &margin_total;
        in.node_pairs = margin.plane.data();
    } else {
        in.small_pairs = pairs.plane.data();
    }
    AlignedBuffer scratch;
    in.scratch = scratch.get(depth2_scratch(0, planes));
    kernel.lanes<T>().depth2(in);
    in.small.best_one = best.plane[2];
    in.small.best_zero = best.plane[3];
    for (int g = 0; g < features; ++g) {
        std::vector<T*> row;
        for (T* plane : margins ? margin.plane : pairs.plane) row.push_back(plane + g * stride);
        in.first = g;
        in.small_pairs = row.data();
        kernel.lanes<T>().depth2_row(in);
        EXPECT(best.plane[0][g] == best.plane[2][g]);
        EXPECT(best.plane[1][g] == best.plane[3][g]);
    }
}

template <class T>
void check_add_ranges(const Kernel& kernel, testing::Random& random) {
    std::vector<T> row(100, T{7}), expected = row;
    std::vector<Range> ranges;
    const auto value = static_cast<T>(random.below(2) ? 5 : -3);
    for (int count = random.below(5); count > 0; --count) {
        const int begin = random.below(100);
        ranges.push_back({begin, begin + random.below(101 - begin)});
        for (int f = begin; f < ranges.back().end; ++f)
            expected[f] = static_cast<T>(expected[f] + value);
    }
    kernel.lanes<T>().add_ranges(ranges.data(), static_cast<int>(ranges.size()), value, row.data());
    EXPECT(row == expected);
}

template <class T>
void check_count_pairs(const Kernel& kernel, testing::Random& random) {
    const int features = 1 + random.below(50), stride = padded(features), count = random.below(100);
    const int shift = random.below(3);
    AlignedBuffer granule_memory, pair_memory, scratch;
    auto* granules = granule_memory.get<std::uint16_t>((count + 1) * stride);
    T* pairs = pair_memory.get<T>(features * stride);
    std::fill_n(pairs, features * stride, T{7});
    for (int i = 0; i < count * stride; ++i)
        granules[i] = static_cast<std::uint16_t>(i % stride < features ? random.next() : 0);
    void* own = scratch.get(depth2_scratch(count, 0));
    const int cut = random.below(features);
    kernel.lanes<T>().count_pairs(granules, count, shift, 0, cut, stride, pairs, own);
    kernel.lanes<T>().count_pairs(granules, count, shift, cut, features, stride, pairs, own);
    for (int g = 0; g < features; ++g)
        for (int h = g; h < features; ++h) {
            std::int64_t expected = 0;
            for (int w = 0; w < count; ++w)
                expected += popcount(granules[w * stride + g] & granules[w * stride + h]);
            EXPECT(pairs[g * stride + h] == static_cast<T>(7 + (expected << shift)));
        }
}

template <class T>
void check_lanes(const Kernel& kernel) {
    for (auto& [random, trial] : testing::Trials(sizeof(T), 60)) {
        const int classes = 2 + (trial % 4 == 3 ? random.below(4) : 0);
        const Sample sample = make_sample(random, classes, trial % 3 == 1, trial % 5 == 2);
        const int least = trial % 5 == 2 || trial % 4 == 1 ? 1 + random.below(6) : 1;
        check_depth2<T>(kernel, sample, least, trial % 2, trial % 3 == 0, false);
        if (sample.planes == 2 && least == 1)
            check_depth2<T>(kernel, sample, least, trial % 2, trial % 3 == 0, true);
        check_count_pairs<T>(kernel, random);
        check_rows<T>(kernel, random, trial % 2, trial % 4 == 2);
        check_add_ranges<T>(kernel, random);
    }
}

/// Counts bit by bit.
int ones_in(Word word) {
    int ones = 0;
    for (; word != 0; word >>= 1) ones += word & 1;
    return ones;
}

void check_segments(const Kernel& kernel) {
    for (auto& [random, trial] : testing::Trials(10, 50)) {
        std::vector<int> begin{0};
        for (int s = 1 + random.below(5); s > 0; --s)
            begin.push_back(begin.back() + random.below(4));
        const std::size_t segments = begin.size() - 1, words = begin.back();
        const int columns = 1 + random.below(5);
        std::vector<Word> column(columns * words);
        for (Word& word : column) word = random.next();
        std::vector<std::int32_t> rows(columns * segments, -1);
        kernel.count_segments(column.data(), columns, begin.data(), static_cast<int>(segments),
                              rows.data());
        for (std::size_t i = 0; i < rows.size(); ++i) {
            const std::size_t c = i / segments, s = i % segments;
            int expected = 0;
            for (int w = begin[s]; w < begin[s + 1]; ++w)
                expected += ones_in(column[c * words + w]);
            EXPECT(rows[i] == expected);
        }
        rows.resize(segments);
        std::vector<Word> other(words);
        for (Word& word : other) word = random.next();
        kernel.count_common(column.data(), other.data(), begin.data(),
                            static_cast<int>(rows.size()), rows.data());
        for (std::size_t s = 0; s < rows.size(); ++s) {
            int expected = 0;
            for (int w = begin[s]; w < begin[s + 1]; ++w) expected += ones_in(column[w] & other[w]);
            EXPECT(rows[s] == expected);
        }
    }
}

void check_outside(const Kernel& kernel) {
    for (auto& [random, trial] : testing::Trials(11, 50)) {
        std::vector<Word> dense(10), word;
        std::vector<std::int64_t> weight(10);
        std::vector<std::uint32_t> index;
        std::int64_t expected = 0;
        for (std::uint32_t i = 0; i < 10; ++i) {
            dense[i] = random.next();
            weight[i] = 1 + random.below(9);
            if (random.below(2) == 0) continue;
            index.push_back(i);
            word.push_back(random.next());
            expected += ones_in(word.back() & ~dense[i]) * weight[i];
        }
        const auto outside = [&](std::int64_t enough) {
            return kernel.weight_outside(index.data(), word.data(), word.size(), dense.data(),
                                         weight.data(), enough);
        };
        EXPECT(outside(expected + 1) == expected);
        const std::int64_t less = random.below(static_cast<int>(expected) + 1);
        EXPECT(outside(less) >= less && outside(less) <= expected);
    }
}

}  // namespace

int main() {
    for (const Kernel& kernel : available_kernels()) {
        check_lanes<std::uint16_t>(kernel);
        check_lanes<std::uint32_t>(kernel);
        check_lanes<std::uint64_t>(kernel);
        check_segments(kernel);
        check_outside(kernel);
    }
    return testing::report();
}
