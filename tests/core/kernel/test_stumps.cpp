// The kernel for stumps is compared with an enumeration of all thresholds.
#include <algorithm>
#include <cstring>
#include <numeric>

#include "data/aligned.hpp"
#include "kernel/kernel.hpp"
#include "testing.hpp"

using namespace beamtree;

namespace {

constexpr int kLanes = kBlock;

/// The rows of a node, with a column f whose thresholds are the lanes, and a column g. A row is on
/// the left side of lane k if its value of f is below cut[k].
struct Sample {
    struct Row {
        int f, g, label;
        std::int64_t weight, rows;
    };
    int classes = 2;
    std::int64_t min_rows = 1;
    bool unit = true;  ///< each row weighs 1 and counts as one row
    std::vector<Row> row{};
    std::vector<int> cut{};

    bool is_right(const Row& r, int lane) const {
        return lane < static_cast<int>(cut.size()) && r.f >= cut[lane];
    }
    int bucket(const Row& r) const {
        int lane = 0;
        while (lane < kLanes && is_right(r, lane)) ++lane;
        return lane;
    }
};

struct Shape {
    int rows, values_f, values_g;  ///< columns have the values 0 .. values - 1
    int classes;
    std::int64_t most_weight = 1, most_rows = 1, min_rows = 1;
    int noise = 2;  ///< the share of random labels is 1 / noise; the others follow the columns
};

Sample make_sample(testing::Random& random, const Shape& shape) {
    Sample sample;
    sample.classes = shape.classes;
    sample.min_rows = shape.min_rows;
    sample.unit = shape.most_weight == 1 && shape.most_rows == 1;
    const auto upto = [&](std::int64_t most) {
        return 1 + static_cast<std::int64_t>(random.next() % static_cast<std::uint64_t>(most));
    };
    for (int i = 0; i < shape.rows; ++i) {
        Sample::Row r{random.below(shape.values_f), random.below(shape.values_g), 0, 0, 0};
        r.label = random.below(shape.noise) == 0
                      ? random.below(shape.classes)
                      : (3 * r.f / shape.values_f + 3 * r.g / shape.values_g) % shape.classes;
        r.weight = upto(shape.most_weight);
        r.rows = upto(shape.most_rows);
        sample.row.push_back(r);
    }
    for (int k = 1 + random.below(kLanes); k > 0; --k)
        sample.cut.push_back(random.below(shape.values_f + 1));
    std::sort(sample.cut.begin(), sample.cut.end());
    return sample;
}

/// The sums of the two leaves of a stump.
struct Leaves {
    explicit Leaves(const Sample& sample) : weight(2 * sample.classes) {}
    void add(const Sample::Row& r, bool second) {
        const std::size_t classes = weight.size() / 2;
        weight[second * classes + r.label] += r.weight;
        rows[second] += r.rows;
    }
    std::int64_t error() const {
        std::int64_t sum = 0;
        for (int leaf = 0; leaf < 2; ++leaf) {
            const auto begin = weight.begin() + leaf * (weight.size() / 2);
            const auto end = begin + weight.size() / 2;
            sum += std::accumulate(begin, end, std::int64_t{0}) - *std::max_element(begin, end);
        }
        return sum;
    }
    std::vector<std::int64_t> weight;
    std::int64_t rows[2] = {};
};

/// Splits one side of a lane: rows whose value of g is below `value` go to the first leaf.
Leaves split(const Sample& sample, int lane, bool right, int value) {
    Leaves leaves(sample);
    for (const auto& r : sample.row)
        if (sample.is_right(r, lane) == right) leaves.add(r, r.g >= value);
    return leaves;
}

bool allowed(const Sample& sample, const Leaves& leaves) {
    const std::int64_t least = std::max<std::int64_t>(1, sample.min_rows);
    return leaves.rows[0] >= least && leaves.rows[1] >= least;
}

/// Returns the least error of one side of a lane, over all allowed thresholds of g.
std::int64_t best_error(const Sample& sample, int lane, bool right) {
    std::vector<int> values;
    for (const auto& r : sample.row) values.push_back(r.g);
    std::sort(values.begin(), values.end());
    values.erase(std::unique(values.begin(), values.end()), values.end());
    std::int64_t best = split(sample, lane, right, values[0]).error();
    for (std::size_t i = 1; i < values.size(); ++i) {
        const Leaves leaves = split(sample, lane, right, values[i]);
        if (!allowed(sample, leaves)) continue;
        best = std::min(best, leaves.error());
    }
    return best;
}

/// A sample in the arrays of the kernel.
template <class T>
struct Arrays {
    std::vector<std::uint8_t> code;
    std::vector<std::uint16_t> label;
    std::vector<T> step, rows;
    std::vector<Entry> entries;
    AlignedBuffer class_weight, side_rows, scratch, error;
    StumpLanes<T> lanes;

    explicit Arrays(const Sample& sample) {
        T* weights = class_weight.get<T>(sample.classes * 2 * kLanes);
        T* counts = side_rows.get<T>(2 * kLanes);
        std::memset(weights, 0, sample.classes * 2 * kLanes * sizeof(T));
        std::memset(counts, 0, 2 * kLanes * sizeof(T));
        for (const auto& r : sample.row) {
            code.push_back(lane_code(sample.bucket(r), r.label, sample.classes));
            label.push_back(static_cast<std::uint16_t>(r.label));
            const bool negative = sample.classes == 2 && r.label == 1;
            step.push_back(static_cast<T>(negative ? -r.weight : r.weight));
            rows.push_back(static_cast<T>(r.rows));
            for (int lane = 0; lane < kLanes; ++lane) {
                const int at = (sample.is_right(r, lane) ? kLanes : 0) + lane;
                T& weight = weights[r.label * 2 * kLanes + at];
                weight = static_cast<T>(weight + static_cast<T>(r.weight));
                counts[at] = static_cast<T>(counts[at] + static_cast<T>(r.rows));
            }
        }
        std::vector<std::uint32_t> order(sample.row.size());
        std::iota(order.begin(), order.end(), 0u);
        const auto g = [&](std::size_t i) { return sample.row[order[i]].g; };
        std::stable_sort(order.begin(), order.end(),
                         [&](auto a, auto b) { return sample.row[a].g < sample.row[b].g; });
        for (std::size_t i = 0; i < order.size(); ++i)
            entries.push_back(make_entry(order[i], i + 1 < order.size() && g(i) != g(i + 1)));
        lanes = {sample.classes,
                 code.data(),
                 label.data(),
                 sample.unit ? nullptr : step.data(),
                 sample.unit ? nullptr : rows.data(),
                 static_cast<T>(sample.min_rows),
                 weights,
                 counts,
                 scratch.get(stumps_scratch(sample.classes))};
    }
    /// Returns the errors of leaves or, in some lanes, less.
    std::vector<T> first_errors(const Sample& sample, testing::Random& random) const {
        std::vector<T> errors;
        for (int at = 0; at < 2 * kLanes; ++at) {
            const std::int64_t leaf = split(sample, at % kLanes, at >= kLanes, 0).error();
            const bool less = leaf > 0 && random.below(3) == 0;
            errors.push_back(
                static_cast<T>(less ? random.next() % static_cast<std::uint64_t>(leaf) : leaf));
        }
        return errors;
    }
    const T* run(const Kernel& kernel, const std::vector<T>& first) {
        T* out = error.get<T>(2 * kLanes);
        std::copy(first.begin(), first.end(), out);
        const int count = static_cast<int>(entries.size());
        kernel.lanes<T>().lower_to_stumps(lanes, entries.data(), count, out);
        return out;
    }
};

template <class T>
void check(const std::vector<Kernel>& kernels, const Sample& sample, testing::Random& random) {
    Arrays<T> arrays(sample);
    const std::vector<T> first = arrays.first_errors(sample, random);
    for (int at = 0; at < 2 * kLanes; ++at) {
        const int lane = at % kLanes;
        const bool right = at >= kLanes;
        const std::int64_t expected = best_error(sample, lane, right);
        for (const Kernel& kernel : kernels)
            EXPECT(arrays.run(kernel, first)[at] == std::min(first[at], static_cast<T>(expected)));
    }
}

void check_all_lanes(const std::vector<Kernel>& kernels, const Sample& sample,
                     testing::Random& random) {
    check<std::uint16_t>(kernels, sample, random);
    check<std::uint32_t>(kernels, sample, random);
    check<std::uint64_t>(kernels, sample, random);
}

void small_samples(const std::vector<Kernel>& kernels) {
    for (auto& [random, trial] : testing::Trials(1, 1500)) {
        const int rows = 1 + random.below(trial % 10 == 0 ? 120 : 30);
        Shape shape{rows, 1 + random.below(25), 1 + random.below(2 + rows), 2 + trial % 5};
        shape.noise = 1 + random.below(8);
        if (random.below(2)) shape.most_weight = 1 + random.below(9);
        if (random.below(3) == 0) shape.most_rows = 1 + random.below(4);
        if (random.below(2)) shape.min_rows = random.below(8);
        check_all_lanes(kernels, make_sample(random, shape), random);
    }
}

/// More rows than a chunk has, so that the sums have to go from one chunk to the next.
void many_rows(const std::vector<Kernel>& kernels) {
    for (auto& [random, trial] : testing::Trials(2, 8)) {
        Shape shape{400 + random.below(500), 40, 15 + random.below(20), 2 + trial % 4};
        if (trial % 2) shape.most_weight = 5;
        if (trial % 4 > 1) shape.min_rows = 30;
        check_all_lanes(kernels, make_sample(random, shape), random);
    }
}

/// The weight of the rows is the largest that a lane can hold, or close to it.
template <class T>
void large_sums(const std::vector<Kernel>& kernels) {
    for (auto& [random, trial] : testing::Trials(10 + sizeof(T), 40)) {
        const std::int64_t most = sizeof(T) == 2   ? UINT16_MAX
                                  : sizeof(T) == 4 ? INT32_MAX
                                                   : INT64_MAX;
        const std::int64_t total = most - trial % 3;
        Shape shape{20, 12, 12, 2 + random.below(3)};
        shape.most_weight = total / 40;
        if (trial % 2) shape.min_rows = shape.most_weight * (1 + random.below(8));
        Sample sample = make_sample(random, shape);
        std::int64_t rest = total;
        for (const auto& r : sample.row) rest -= r.weight;
        sample.row[random.below(20)].weight += rest;
        for (auto& r : sample.row) r.rows = r.weight;
        check<T>(kernels, sample, random);
    }
}

}  // namespace

int main() {
    const std::vector<Kernel> kernels = available_kernels();
    small_samples(kernels);
    many_rows(kernels);
    large_sums<std::uint16_t>(kernels);
    large_sums<std::uint32_t>(kernels);
    large_sums<std::uint64_t>(kernels);
    return testing::report();
}
