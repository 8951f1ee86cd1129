// Long loops are cut into pieces of the given size, skip no item, and end soon after a stop.
#include "limits/stoppable_loop.hpp"

#include <utility>
#include <vector>

#include "testing.hpp"

using namespace beamtree;

namespace {

using Pieces = std::vector<std::pair<int, int>>;

/// Whether the pieces make up [0, count), one after the other.
bool complete(const Pieces& pieces, int count) {
    int next = 0;
    for (const auto& [first, last] : pieces) {
        if (first != next || last <= first) return false;
        next = last;
    }
    return next == count;
}

void every_item_comes_once() {
    for (auto& [random, trial] : testing::Trials(1, 300)) {
        Limits limits({});
        limits.run({}, 0);
        Meter meter(limits, true);
        const int count = random.below(500), item_work = random.below(50), work = random.below(400);
        StoppableLoop loop(meter, work);
        Pieces pieces;
        EXPECT(loop.each(count, item_work,
                         [&](int first, int last) { pieces.push_back({first, last}); }));
        EXPECT(complete(pieces, count));
        for (const auto& [first, last] : pieces)
            EXPECT((last - first) * item_work <= work || last - first == 1);
        meter.flush();
        EXPECT(limits.work() == count * item_work);
    }
}

/// A row of the matrix costs as much as the blocks of features from its diagonal to its end.
void every_row_of_pairs_comes_once() {
    for (auto& [random, trial] : testing::Trials(2, 300)) {
        Limits limits({});
        limits.run({}, 0);
        Meter meter(limits, true);
        const int features = 1 + random.below(200), block_work = 1 + random.below(20),
                  work = random.below(3000), stride = padded(features);
        const auto cost = [&](int row) { return (stride / kBlock - row / kBlock) * block_work; };
        StoppableLoop loop(meter, work);
        Pieces pieces;
        EXPECT(loop.each_pair(features, stride, block_work,
                              [&](int first, int last) { pieces.push_back({first, last}); }));
        EXPECT(complete(pieces, features));
        std::int64_t total = 0;
        for (const auto& [first, last] : pieces) {
            std::int64_t piece = 0;
            for (int row = first; row < last; ++row) piece += cost(row);
            total += piece;
            // The last piece is estimated, by a trapezium.
            if (last < features)
                EXPECT(last - first == 1 || piece - cost(last - 1) < work);
            else
                EXPECT(piece <= 2 * work + 2 * cost(first));
        }
        meter.flush();
        EXPECT(limits.work() >= total / 2 && limits.work() <= 2 * total);
    }
}

void a_stop_is_seen_after_each_piece() {
    for (auto& [random, trial] : testing::Trials(3, 100)) {
        const int stop_at = 1 + random.below(8);
        Limits limits({}, stop_at);  // the limits look at every piece's work, and stop there
        limits.run({}, 0);
        Meter meter(limits, true);
        StoppableLoop loop(meter, 10);
        Pieces pieces;
        const auto part = [&](int first, int last) { pieces.push_back({first, last}); };
        const bool pairs = trial % 2;
        EXPECT(!(pairs ? loop.each_pair(200, padded(200), 10, part) : loop.each(200, 10, part)));
        EXPECT(static_cast<int>(pieces.size()) == stop_at && loop.stopped());
        EXPECT(complete(pieces, stop_at));
        EXPECT(!loop.each(5, 1, part) && static_cast<int>(pieces.size()) == stop_at);
    }
}

}  // namespace

int main() {
    every_item_comes_once();
    every_row_of_pairs_comes_once();
    a_stop_is_seen_after_each_piece();
    return testing::report();
}
