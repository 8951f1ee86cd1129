// The estimate of scratch memory is large enough, and grows with everything that it depends on.
#include "search/footprint.hpp"

#include "testing.hpp"

using namespace beamtree;

namespace {

std::size_t bytes_of(int rows, int columns, int depth, int max_weight = 1, int widest = 1000,
                     std::size_t pair_bytes = TwoLevelSolver::kAnyBytes) {
    testing::Random random(13);
    const auto owned = testing::random_problem(random, rows, columns, 2, max_weight);
    Misclassification objective;
    objective.rows_are_weight = max_weight == 1;
    Options options;
    options.max_depth = depth;
    return scratch_bytes(Dataset(owned.view(), objective, {}), options, widest,
                         TripleCounter::kUsualBytes, pair_bytes);
}

void it_counts_the_pairs_of_every_level() {
    const std::size_t pairs = std::size_t{3} * 299 * 304 * 2;  // two classes and margins
    EXPECT(bytes_of(400, 300, 6) - bytes_of(400, 300, 5) >= pairs);
    EXPECT(bytes_of(400, 300, 6) > 5 * pairs);
    EXPECT(bytes_of(400, 300, 6) < 5 * (pairs + (40 << 20)) + (20 << 20));
}

void it_grows() {
    EXPECT(bytes_of(400, 100, 4) < bytes_of(400, 200, 4));
    EXPECT(bytes_of(400, 100, 4) < bytes_of(4000, 100, 4));
    EXPECT(bytes_of(400, 100, 4) < bytes_of(400, 100, 4, 1'000'000));
    EXPECT(bytes_of(400, 100, 4, 1, 50) < bytes_of(400, 100, 4));
    EXPECT(bytes_of(400, 100, 0) > 0);
}

void two_levels_that_are_swept_need_no_pairs() {
    const std::size_t pairs = std::size_t{3} * 299 * 304 * 2;
    EXPECT(bytes_of(400, 300, 2) >= pairs);
    EXPECT(bytes_of(400, 300, 2, 1, 1000, 0) + pairs == bytes_of(400, 300, 2));
    EXPECT(bytes_of(400, 300, 2, 1, 1000, 0) < pairs);
    EXPECT(bytes_of(400, 300, 3, 1, 1000, 0) + pairs == bytes_of(400, 300, 3));
}

}  // namespace

int main() {
    it_counts_the_pairs_of_every_level();
    it_grows();
    two_levels_that_are_swept_need_no_pairs();
    return testing::report();
}
