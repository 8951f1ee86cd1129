// Threads that search together find the same optimum as one thread, whatever the rule, and wherever
// they are stopped. `make test-threads` runs this test under the thread sanitizer, which looks for
// races.
#include <algorithm>
#include <thread>

#include "exhaustive.hpp"
#include "make_search.hpp"
#include "testing.hpp"

using namespace beamtree;

namespace {

/// No rule, each built-in rule, and two rules that prune together.
std::vector<std::vector<RulePart>> make_rules() {
    const std::vector<RulePart> all = testing::all_rules();
    std::vector<std::vector<RulePart>> rules = {{}, {all[0], all[1]}};
    for (const RulePart& rule : all) rules.push_back({rule});
    return rules;
}

const std::vector<std::vector<RulePart>> kRules = make_rules();

Options thread_options(testing::Random& random) {
    Options options;
    options.max_depth = 4 + random.below(2);
    options.exact_levels = 1 + random.below(3);
    options.min_samples_leaf = 1 + random.below(2);
    options.penalty = random.below(2);
    options.ablations.memo = random.below(4) > 0;
    options.free_ranks = random.below(2) > 0;
    options.polish = random.below(2) > 0;
    options.probe = random.below(2) > 0;
    options.hooks.probe_work = 1 + random.below(200'000);
    options.subsets = random.below(2) > 0;
    options.hooks.wide = 4;
    options.hooks.first_width = 3;
    options.heuristic = random.below(2) ? "auto" : "information_gain";
    options.hooks.price_depth = random.below(8);
    if (options.penalty > 0 && random.below(2)) {
        options.penalty = 8;  // cheaper leaves take too long to prove
        options.any_depth = true;
    }
    return options;
}

void threads_agree_with_one(int trials) {
    for (auto& [random, trial] : testing::Trials(21, trials)) {
        const auto owned =
            testing::random_problem(random, 60 + random.below(100), 8 + random.below(8),
                                    2 + random.below(2), trial % 2 ? 1 : 5);
        const Options options = thread_options(random);
        const auto& rule = kRules[random.below(static_cast<int>(kRules.size()))];
        testing::expect_threads_agree(owned.view(), options, rule, 2 + random.below(3));
    }
}

void threads_can_be_stopped_and_go_on(int trials) {
    for (auto& [random, trial] : testing::Trials(22, trials)) {
        const auto owned = testing::random_problem(random, 120, 12, 2, 1);
        Options options = thread_options(random);
        const auto& rule = kRules[trial % kRules.size()];
        const Outcome one = make_search(owned.view(), options, rule)->run();
        options.threads = 3;
        const auto search = make_search(owned.view(), options, rule);
        Cost lower = 0;
        // The node limit grows, because without memos a pass must end within one step.
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

void progress_is_seen_from_outside() {
    testing::Random random(23);
    const auto owned = testing::random_problem(random, 300, 24, 2, 1);
    Options options;
    options.max_depth = 5;
    options.threads = 2;
    const auto search = make_search(owned.view(), options, {{"discrepancy", {0, 1}, {}}});
    std::atomic<bool> over = false;
    std::thread watcher([&] {
        std::int64_t nodes = 0;
        while (!over) {
            const Progress now = search->progress();
            EXPECT(now.nodes >= nodes && now.lower <= now.cost);
            nodes = now.nodes;
        }
    });
    search->run({2.0});
    over = true;
    watcher.join();
    EXPECT(search->progress().cost == search->outcome().cost);
}

}  // namespace

#ifdef __SANITIZE_THREAD__
constexpr int kTrials = 5;  // the thread sanitizer is slow
#else
constexpr int kTrials = 25;
#endif

int main() {
    threads_agree_with_one(3 * kTrials);
    threads_can_be_stopped_and_go_on(kTrials / 2);
    progress_is_seen_from_outside();
    return testing::report();
}
