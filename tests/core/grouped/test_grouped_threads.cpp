// Threads that search together over groups of equal rows find the same optimum as one thread.
// `make test-threads` runs this test under the thread sanitizer, which looks for races.
#include <thread>

#include "exhaustive.hpp"
#include "make_search.hpp"
#include "testing.hpp"

using namespace beamtree;

namespace {

/// Zeros and ones, and numbers to predict.
struct Numbers {
    testing::OwnedProblem owned;
    std::vector<std::int64_t> value;

    Numbers(testing::Random& random, int rows, int heaviest)
        : owned(testing::random_problem(random, rows, 8 + random.below(6), 2, heaviest)) {
        for (std::size_t i = 0; i < owned.weight.size(); ++i)
            value.push_back(owned.weight[i] * (40 * owned.label[i] + random.below(60)));
    }
    Problem view() const {
        Problem problem = owned.view();
        problem.label = nullptr;
        problem.classes = 0;
        problem.value = value.data();
        return problem;
    }
};

Options thread_options(testing::Random& random) {
    Options options;
    options.max_depth = 4 + random.below(2);
    options.exact_levels = 1 + random.below(3);
    options.min_samples_leaf = 1 + random.below(2);
    options.leaf_weight = true;  // else weighted rows cannot be held as groups
    options.penalty = random.below(2) * 500;
    options.ablations.memo = random.below(4) > 0;
    options.ablations.cell_cache = random.below(4) > 0;
    options.free_ranks = random.below(2) > 0;
    options.polish = random.below(2) > 0;
    options.probe = random.below(2) > 0;
    options.hooks.probe_work = 1 + random.below(200'000);
    if (random.below(4) == 0) options.max_leaf_nodes = 3 + random.below(6);
    return options;
}

void threads_agree_with_one(int trials) {
    for (auto& [random, trial] : testing::Trials(31, trials)) {
        const Numbers numbers(random, 40 + random.below(80), trial % 2 ? 1 : 5);
        const Options options = thread_options(random);
        const auto rule = testing::random_rule(random);
        testing::expect_threads_agree(numbers.view(), options, rule, 2 + trial % 2);
    }
}

/// The number of steps and their limits differ, so that threads are stopped at many places.
void stopped_threads_have_true_bounds(int trials) {
    for (auto& [random, trial] : testing::Trials(32, trials)) {
        const Numbers numbers(random, 80, 1);
        Options options = thread_options(random);
        const auto rule = testing::random_rule(random);
        const Cost optimum = make_search(numbers.view(), options, rule)->run().cost;
        options.threads = 3;
        const auto search = make_search(numbers.view(), options, rule);
        for (std::int64_t nodes = 1; !search->done(); nodes += nodes / 2 + 1) {
            std::thread interrupter([&] {
                if (nodes % 3 == 0) search->interrupt();
            });
            search->run({1.0, nodes});
            interrupter.join();
            const Outcome now = search->outcome();
            EXPECT(now.lower <= optimum && optimum <= now.cost);
        }
        EXPECT(!search->failure());
        EXPECT(search->outcome().status == Status::kOptimal && search->outcome().cost == optimum);
    }
}

}  // namespace

#ifdef __SANITIZE_THREAD__
constexpr int kTrials = 4;  // the thread sanitizer is slow
#else
constexpr int kTrials = 30;
#endif

int main() {
    threads_agree_with_one(2 * kTrials);
    stopped_threads_have_true_bounds(kTrials / 2);
    return testing::report();
}
