#include <vector>

#include "schedule/exponential.hpp"
#include "schedule/luby.hpp"
#include "schedule/monotonic.hpp"
#include "schedule/sequence.hpp"
#include "testing.hpp"

using namespace beamtree;

namespace {

std::vector<double> sums(Schedule& schedule, int count) {
    std::vector<double> out = {0};
    for (int i = 1; i < count; ++i) out.push_back(out.back() + schedule.next());
    return out;
}

void schedules_by_their_sums() {
    Monotonic monotonic;
    Exponential exponential;
    Luby luby;
    Sequence sequence({0, 2, 7});
    EXPECT((sums(monotonic, 5) == std::vector<double>{0, 1, 2, 3, 4}));
    EXPECT((sums(exponential, 6) == std::vector<double>{0, 1, 2, 4, 8, 16}));
    // increments 1, 1, 2, 1, 1, 2, 4, 1
    EXPECT((sums(luby, 9) == std::vector<double>{0, 1, 2, 4, 5, 6, 8, 12, 13}));
    EXPECT((sums(sequence, 5) == std::vector<double>{0, 2, 7, 12, 17}));
}

}  // namespace

int main() {
    schedules_by_their_sums();
    return testing::report();
}
