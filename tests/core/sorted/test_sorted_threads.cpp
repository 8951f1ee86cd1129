// Threads that search together over sorted columns find the same optimum as one thread.
// `make test-threads` runs this test under the thread sanitizer, which looks for races.
#include <thread>

#include "exhaustive.hpp"
#include "make_search.hpp"
#include "testing.hpp"

using namespace beamtree;

namespace {

Options thread_options(testing::Random& random) {
    Options options;
    options.max_depth = 3 + random.below(2);
    options.exact_levels = random.below(3);
    options.min_samples_leaf = 1 + random.below(2);
    options.penalty = random.below(2);
    options.ablations.memo = random.below(4) > 0;
    options.polish = random.below(2) > 0;
    options.probe = random.below(2) > 0;
    options.hooks.probe_work = 1 + random.below(200'000);
    options.heuristic = random.below(2) ? "auto" : "information_gain";
    options.hooks.form = "sorted";
    if (random.below(3) == 0) options.hooks.coarse_cuts = 1 + random.below(3);
    return options;
}

void threads_agree_with_one(int trials) {
    for (auto& [random, trial] : testing::Trials(1, trials)) {
        const auto owned = testing::ranked_problem(random, 20 + random.below(40),
                                                   2 + random.below(3), 2, trial % 2 ? 1 : 5);
        const Options options = thread_options(random);
        const auto rule = testing::random_rule(random);
        testing::expect_threads_agree(owned.view(), options, rule, 2 + trial % 2);
    }
}

void threads_can_be_stopped_and_go_on(int trials) {
    for (auto& [random, trial] : testing::Trials(2, trials)) {
        const auto owned = testing::ranked_problem(random, 40, 3, 2, 1);
        Options options = thread_options(random);
        const auto rule = testing::random_rule(random);
        const Outcome one = make_search(owned.view(), options, rule)->run();
        options.threads = 2 + trial % 2;
        const auto search = make_search(owned.view(), options, rule);
        Cost lower = 0;
        for (std::int64_t nodes = 1, step = 0; !search->done(); nodes += nodes / 4 + 1, ++step) {
            std::thread interrupter([&] {
                if (step % 3 == 0) search->interrupt();
            });
            while (search->next({step % 2 ? 1.0 : 0.001, nodes})) {
                const Outcome outcome = search->outcome();
                EXPECT(lower <= outcome.lower && outcome.lower <= one.cost);
                EXPECT(outcome.cost >= one.cost);
                lower = outcome.lower;
            }
            interrupter.join();
        }
        EXPECT(!search->failure());
        EXPECT(search->outcome().cost == one.cost);
        EXPECT(search->outcome().status == Status::kOptimal);
    }
}

}  // namespace

#ifdef __SANITIZE_THREAD__
constexpr int kTrials = 8;  // the thread sanitizer is slow
#else
constexpr int kTrials = 40;
#endif

int main() {
    threads_agree_with_one(3 * kTrials);
    threads_can_be_stopped_and_go_on(kTrials / 2);
    return testing::report();
}
