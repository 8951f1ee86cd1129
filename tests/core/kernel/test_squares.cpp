// The kernel for stumps of the squared error is compared with an enumeration of all thresholds.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "kernel/kernel.hpp"
#include "objective/squared_error.hpp"
#include "testing.hpp"

using namespace beamtree;

namespace {

constexpr int kLanes = kBlock;

/// Rows with two columns f and g. The thresholds of f are the lanes.
struct Sample {
    int rows = 0, lanes = 0;
    std::vector<int> f, g, cut;
    std::vector<std::int64_t> weight, value;
    std::int64_t min_rows = 1;
    SquaredError objective;

    bool is_right(int row, int lane) const { return lane < lanes && f[row] >= cut[lane]; }
};

Sample make_sample(testing::Random& random, int trial) {
    Sample sample;
    sample.rows = 2 + random.below(60);
    sample.lanes = 1 + random.below(kLanes);
    sample.min_rows = trial % 2 ? 1 + random.below(4) : 1;
    sample.objective.factor = std::ldexp(1.0, random.below(8) - 3);
    const int values_f = 2 + random.below(30), values_g = 2 + random.below(30);
    for (int i = 0; i < sample.rows; ++i) {
        sample.f.push_back(random.below(values_f));
        sample.g.push_back(random.below(values_g));
        sample.weight.push_back(1 + random.below(testing::kMaxWeights[trial % 3]));
        sample.value.push_back(sample.weight.back() *
                               (random.below(2000) - 1000 + 30 * sample.g[i]));
    }
    for (int lane = 0; lane < sample.lanes; ++lane)
        sample.cut.push_back(random.below(values_f + 1));
    std::sort(sample.cut.begin(), sample.cut.end());
    return sample;
}

/// The largest score of a stump by column g of one side of a lane, or -1 if there is none.
Cost best_score(const Sample& sample, int lane, bool right) {
    Cost best = -1;
    const int most = *std::max_element(sample.g.begin(), sample.g.end());
    for (int cut = 1; cut <= most; ++cut) {
        std::int64_t weight[2] = {0, 0}, value[2] = {0, 0}, rows[2] = {0, 0};
        for (int i = 0; i < sample.rows; ++i) {
            if (sample.is_right(i, lane) != right) continue;
            const int side = sample.g[i] >= cut;
            weight[side] += sample.weight[i];
            value[side] += sample.value[i];
            ++rows[side];
        }
        if (rows[0] < sample.min_rows || rows[1] < sample.min_rows) continue;
        best = std::max(best, sample.objective.score(weight[0], value[0]) +
                                  sample.objective.score(weight[1], value[1]));
    }
    return best;
}

void kernels_find_the_best_stumps() {
    for (const Kernel& kernel : available_kernels())
        for (auto& [random, trial] : testing::Trials(1, 300)) {
            const Sample sample = make_sample(random, trial);
            std::vector<double> weight, value, count;
            std::vector<std::uint8_t> bucket;
            alignas(64) double sums[3][2][kLanes] = {}, score[2][kLanes];
            for (int i = 0; i < sample.rows; ++i) {
                weight.push_back(static_cast<double>(sample.weight[i]));
                value.push_back(static_cast<double>(sample.value[i]) * sample.objective.factor);
                count.push_back(1);
                int lane = 0;
                while (lane < kLanes && sample.is_right(i, lane)) ++lane;
                bucket.push_back(static_cast<std::uint8_t>(lane));
                for (int k = 0; k < kLanes; ++k) {
                    const int side = sample.is_right(i, k);
                    sums[0][side][k] += weight[i];
                    sums[1][side][k] += value[i];
                    sums[2][side][k] += 1;
                }
            }
            std::vector<int> order(sample.rows);
            std::iota(order.begin(), order.end(), 0);
            std::stable_sort(order.begin(), order.end(),
                             [&](int a, int b) { return sample.g[a] < sample.g[b]; });
            std::vector<Entry> entries;
            for (int i = 0; i < sample.rows; ++i) {
                const bool last = i + 1 == sample.rows;
                entries.push_back(make_entry(static_cast<std::uint32_t>(order[i]),
                                             !last && sample.g[order[i]] < sample.g[order[i + 1]]));
            }
            SquareLanes task;
            task.bucket = bucket.data();
            task.weight = weight.data();
            task.value = value.data();
            task.count = sample.min_rows > 1 ? count.data() : nullptr;
            task.min_count = static_cast<double>(sample.min_rows);
            task.side_weight = sums[0][0];
            task.side_value = sums[1][0];
            task.side_count = sums[2][0];
            for (const int side : {0, 1})
                for (int k = 0; k < kLanes; ++k)
                    score[side][k] = k % 3 == 0 ? static_cast<double>(random.below(1 << 20)) : 0;
            alignas(64) double found[2][kLanes];
            std::copy(score[0], score[0] + 2 * kLanes, found[0]);
            kernel.raise_to_stumps(task, entries.data(), sample.rows, found[0]);
            for (const int side : {0, 1})
                for (int k = 0; k < sample.lanes; ++k) {
                    const Cost best = best_score(sample, k, side == 1);
                    const double expected =
                        std::max(score[side][k], static_cast<double>(std::max<Cost>(best, 0)));
                    EXPECT(found[side][k] == expected);
                }
        }
}

}  // namespace

int main() {
    kernels_find_the_best_stumps();
    return testing::report();
}
