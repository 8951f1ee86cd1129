// Searches find the same optimum if they are saved and restored, have little memory, or start from
// a given tree.
#include <memory>
#include <stdexcept>

#include "exhaustive.hpp"
#include "make_search.hpp"
#include "streams.hpp"
#include "testing.hpp"

using namespace beamtree;

namespace {

testing::Bytes saved(const Search& search) {
    testing::Bytes bytes;
    search.save(testing::sink_to(bytes));
    return bytes;
}

/// Returns the number of bytes that were read.
std::size_t restore(Search& search, const testing::Bytes& bytes) {
    std::size_t read = 0;
    search.restore([&, source = testing::source_of(bytes)](void* to, std::size_t size) {
        source(to, size);
        read += size;
    });
    return read;
}

void a_restored_search_goes_on() {
    for (auto& [random, trial] : testing::Trials(31, 600)) {
        const auto owned =
            testing::random_problem(random, 1 + random.below(40), 1 + random.below(14),
                                    2 + random.below(3), trial % 2 ? 1 : 9);
        const Problem problem = owned.view();
        Options options = testing::random_options(random, trial);
        options.threads = random.below(8) ? 1 : 2 + random.below(2);
        if (random.below(2)) options.memory = (1 << 20) + random.below(3 << 20);
        const auto rule = testing::random_rule(random);
        auto search = make_search(problem, options, rule);
        for (std::int64_t nodes = 1; !search->done(); nodes += nodes) {
            const Outcome now = search->run({1e9, nodes});
            const testing::Bytes bytes = saved(*search);
            search = make_search(problem, options, rule);
            EXPECT(restore(*search, bytes) == bytes.size());
            const Outcome then = search->outcome();
            EXPECT(now.cost == then.cost && now.lower == then.lower);
            EXPECT(now.status == then.status);
            EXPECT(now.trace.size() == then.trace.size());
            EXPECT(now.statistics.nodes == then.statistics.nodes);
        }
        EXPECT(!search->failure());
        const std::uint64_t all = low_bits(static_cast<int>(problem.rows));
        EXPECT(search->outcome().cost ==
               testing::Exhaustive(problem, options).best(all, options.max_depth));
        EXPECT(search->outcome().status == Status::kOptimal);
    }
}

/// Whatever the bytes are, loading fails with an error, or the search goes on and ends.
void altered_checkpoints_do_no_harm() {
    testing::Random random(32);
    const auto owned = testing::random_problem(random, 40, 9, 2, 1);
    Options options;
    options.max_depth = 5;
    options.exact_levels = 1;
    options.free_ranks = options.polish = options.probe = true;
    const std::vector<RulePart> rule = {{"discrepancy", {0, 1}, {}}};
    const auto search = make_search(owned.view(), options, rule);
    search->run({1e9, 30});
    testing::expect_refusals(32, 1000, 300, saved(*search), [&](const Source& altered) {
        const auto other = make_search(owned.view(), options, rule);
        other->restore(altered);
        try {
            other->run({0.05, 2000});
        } catch (const std::logic_error& error) {  // checks of the search found a contradiction
            throw std::invalid_argument(error.what());
        }
    });
}

/// With too little memory a search evicts entries, repairs its trees, and still finds the optimum.
void little_memory_is_enough() {
    std::int64_t evicted = 0;
    testing::Trials trials(33, 12);
    for (auto& [random, trial] : trials) {
        const auto owned = testing::random_problem(random, 150, 16, 2, trial % 2 ? 1 : 4);
        Options options;
        options.max_depth = 5;
        options.exact_levels = 1 + trial % 3;
        options.min_samples_leaf = 1 + trial % 2;
        options.polish = options.probe = options.free_ranks = trial % 4 > 1;
        options.hooks.probe_work = 100'000;
        std::vector<RulePart> rule;
        if (trial % 3) rule = {{"discrepancy", {0, 1}, {}}};
        const Outcome best = make_search(owned.view(), options, rule)->run();
        options.memory = 600 << 10;
        options.threads = 1 + trial % 2;
        const auto search = make_search(owned.view(), options, rule);
        const Outcome outcome = search->run();
        EXPECT(!search->failure());
        EXPECT(outcome.status == Status::kOptimal);
        EXPECT(outcome.cost == best.cost);
        evicted += outcome.statistics.cache_evicted;
    }
    if (trials.complete()) EXPECT(evicted > 5000);  // threads share the work differently each time
}

/// A search starts from the offered tree. If it is too deep or has small leaves, it is cut; columns
/// that the dataset dropped do not matter.
void offered_trees_are_not_lost() {
    for (auto& [random, trial] : testing::Trials(34, 150)) {
        const auto owned = testing::random_problem(random, 10 + random.below(60),
                                                   2 + random.below(9), 2 + random.below(2), 3);
        Options options;
        options.max_depth = 1 + random.below(4);
        options.min_samples_leaf = 1 + random.below(4);
        const Outcome best = make_search(owned.view(), options)->run();
        const auto search = make_search(owned.view(), options);
        search->offer(best.tree);
        EXPECT(search->run({0}).cost == best.cost);
        EXPECT(search->run().cost == best.cost);
        Options deeper = options, shallower = options;
        deeper.max_depth = options.max_depth + 1;
        shallower.max_depth = options.max_depth - 1;
        shallower.min_samples_leaf = options.min_samples_leaf + 2;
        for (const Options& other : {deeper, shallower}) {
            const auto next = make_search(owned.view(), other);
            next->offer(best.tree);
            EXPECT(next->run({0}).cost <= best.cost || other.max_depth < options.max_depth);
            EXPECT(next->run().cost == make_search(owned.view(), other)->run().cost);
        }
    }
}

void broken_trees_are_refused() {
    testing::Random random(35);
    const auto owned = testing::random_problem(random, 20, 4, 2, 1);
    const auto refused = [&](const Tree& tree) {
        try {
            make_search(owned.view(), {})->offer(tree);
        } catch (const std::invalid_argument&) {
            return true;
        }
        return false;
    };
    EXPECT(!refused({{0, -1, -1}, {1, -1, -1}, {2, -1, -1}}));
    EXPECT(refused({}));
    EXPECT(refused({{4, -1, -1}, {1, -1, -1}, {2, -1, -1}}));
    EXPECT(refused({{0, -1, -1}, {0, -1, -1}, {2, -1, -1}}));
    EXPECT(refused({{0, -1, -1}, {1, -1, -1}, {3, -1, -1}}));
    EXPECT(refused({{0, -1, -1}, {1}, {2}}));
}

}  // namespace

int main() {
    a_restored_search_goes_on();
    altered_checkpoints_do_no_harm();
    little_memory_is_enough();
    offered_trees_are_not_lost();
    broken_trees_are_refused();
    return testing::report();
}
