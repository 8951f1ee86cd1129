// A memory plan stays within the memory limit, and makes use of it.
#include "search/memory_plan.hpp"

#include "testing.hpp"

using namespace beamtree;

namespace {

/// A random dataset and random options.
struct Planned {
    Planned(testing::Random& random, int trial)
        : owned(testing::random_problem(random, 50 + random.below(300), 10 + random.below(300),
                                        2 + random.below(2), trial % 2 ? 1 : 9)),
          data(owned.view(), objective, {}) {
        options.max_depth = 1 + random.below(7);
        options.threads = 1 + random.below(4);
        options.exact_levels = random.below(4);
        options.subsets = random.below(2) > 0;
        options.hooks.wide = 16;
        options.hooks.first_width = 8;
        options.heuristic = random.below(2) ? "auto" : "gini";
    }
    std::size_t scratch(int threads, int width, const TableBytes& tables) const {
        PassMode mode;
        mode.width = width;
        return threads *
               scratch_bytes(data, options, mode.most_features(), tables.triples, tables.pairs);
    }
    /// Whether the threads and the width of a plan could not be larger.
    bool is_largest(const MemoryPlan& plan) const {
        TableBytes tables = plan.tables;
        tables.triples = 0;
        const auto fits = [&](int threads, int width) {
            return scratch(threads, width, tables) + 2 * Cache::kLeastBytes <=
                   static_cast<std::size_t>(options.memory);
        };
        return (plan.threads == options.threads || !fits(plan.threads + 1, plan.widest)) &&
               (plan.widest == PassMode::kAllFeatures || !fits(1, 2 * plan.widest));
    }

    testing::OwnedProblem owned;
    Misclassification objective;
    Dataset data;
    Options options;
};

/// Plans for growing memory: the first does not fit, and the last restricts nothing.
void plans_fit_and_grow() {
    bool seen_fewer_threads = false, seen_narrow = false;
    testing::Trials trials(1, 60);
    for (auto& [random, trial] : trials) {
        Planned planned(random, trial);
        const MemoryPlan unlimited = plan_memory(planned.data, planned.options);
        EXPECT(unlimited.fits && unlimited.threads == planned.options.threads);
        EXPECT(unlimited.widest == PassMode::kAllFeatures);
        EXPECT(unlimited.tables.cache == Cache::kNoLimit);
        MemoryPlan before;
        before.fits = false;
        before.threads = 0;
        before.widest = 0;
        before.tables = {};
        for (std::int64_t memory = 1 << 10; memory < std::int64_t{1} << 40; memory += memory / 3) {
            planned.options.memory = memory;
            const MemoryPlan plan = plan_memory(planned.data, planned.options);
            EXPECT(plan.threads >= 1 && plan.threads <= planned.options.threads);
            EXPECT(plan.fits || !before.fits);
            if (plan.fits) {
                const TableBytes& tables = plan.tables;
                const std::size_t used = planned.scratch(plan.threads, plan.widest, tables);
                EXPECT(used + tables.cache + tables.cells + tables.archive <=
                       static_cast<std::size_t>(memory));
                EXPECT(tables.cache >= Cache::kLeastBytes / 2 && tables.cache >= tables.cells);
                EXPECT(planned.is_largest(plan));
                if (before.fits) EXPECT(plan.widest >= before.widest);
                if (before.fits) EXPECT(plan.threads >= before.threads);
            } else {
                EXPECT(plan.tables.cache == Cache::kLeastBytes && plan.tables.cells == 0);
            }
            seen_fewer_threads |= plan.fits && plan.threads < planned.options.threads;
            seen_narrow |= plan.fits && plan.widest < PassMode::kAllFeatures;
            before = plan;
        }
        EXPECT(before.fits && before.threads == unlimited.threads);
        EXPECT(before.widest == PassMode::kAllFeatures);
        EXPECT(before.tables.triples == unlimited.tables.triples);
        EXPECT(before.tables.archive == unlimited.tables.archive);
    }
    if (trials.complete()) EXPECT(seen_fewer_threads && seen_narrow);
}

/// Only searches that solve three levels at once use the table of cells.
void cells_are_for_three_levels() {
    testing::Random random(2);
    Planned planned(random, 1);
    planned.options.memory = 1 << 30;
    planned.options.exact_levels = 2;
    planned.options.heuristic = "gini";
    EXPECT(plan_memory(planned.data, planned.options).tables.cells == 0);
    planned.options.heuristic = "auto";
    EXPECT(plan_memory(planned.data, planned.options).tables.cells > 0);
    planned.options.heuristic = "gini";
    planned.options.exact_levels = 3;
    EXPECT(plan_memory(planned.data, planned.options).tables.cells > 0);
}

/// Narrow passes are used for wide data only, and only if they are allowed.
void narrow_passes_need_leave() {
    testing::Random random(3);
    Planned planned(random, 1);
    planned.owned = testing::random_problem(random, 300, 400, 2, 1);
    const Dataset data(planned.owned.view(), planned.objective, {});
    planned.options.max_depth = 6;
    planned.options.threads = 1;
    planned.options.exact_levels = 3;
    planned.options.memory = 3 << 20;
    for (const bool subsets : {false, true})
        for (const int wide : {16, 1000}) {
            planned.options.subsets = subsets;
            planned.options.hooks.wide = wide;
            const MemoryPlan plan = plan_memory(data, planned.options);
            EXPECT(plan.fits == (subsets && wide == 16));
        }
}

}  // namespace

int main() {
    plans_fit_and_grow();
    cells_are_for_three_levels();
    narrow_passes_need_leave();
    return testing::report();
}
