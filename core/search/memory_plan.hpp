// How a search divides the memory that it may use beside its data. The buffers of its threads come
// first. Its tables get the rest; they evict entries when they are full.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "pass/narrow.hpp"
#include "pass/workspace.hpp"
#include "search/footprint.hpp"

namespace beamtree {

struct MemoryPlan {
    int threads = 1;
    TableBytes tables;
    int widest = PassMode::kAllFeatures;  ///< width of the widest passes that fit
    bool fits = true;                     ///< whether a pass fits, however narrow
};

inline MemoryPlan plan_memory(const Dataset& data, const Options& options) {
    MemoryPlan plan;
    plan.threads = options.most_threads();
    if (options.memory == std::numeric_limits<std::int64_t>::max()) return plan;
    const auto all = static_cast<std::size_t>(options.memory);
    const std::size_t most = all - std::min(all, 2 * Cache::kLeastBytes);  // for scratch
    PassMode mode;
    const auto scratch = [&](int threads, std::size_t triples) {
        return threads *
               scratch_bytes(data, options, mode.most_features(), triples, plan.tables.pairs);
    };

    // If the pair counts of two levels do not fit, these levels are solved by sweeps.
    plan.tables.pairs = all;
    while (plan.tables.pairs > 0 && scratch(plan.threads, 0) > most) plan.tables.pairs /= 2;
    while (plan.threads > 1 && scratch(plan.threads, 0) > most) --plan.threads;
    if (scratch(1, 0) > most) {
        mode.width = options.hooks.first_width;
        plan.fits =
            options.subsets && data.features() > options.hooks.wide && scratch(1, 0) <= most;
        for (; plan.fits && scratch(1, 0) <= most; mode.width *= 2) plan.widest = mode.width;
        mode.width = plan.widest;
    }
    if (!plan.fits) {
        plan.tables = {Cache::kLeastBytes, 0, 0, 0, 0};
        return plan;
    }
    // The stores of triples only save time: they get a part of what is left.
    while (plan.tables.triples > 0 &&
           scratch(plan.threads, plan.tables.triples) > scratch(plan.threads, 0) / 2 + all / 2)
        plan.tables.triples /= 2;
    const std::size_t left = all - std::min(all, scratch(plan.threads, plan.tables.triples));
    plan.tables.archive = std::min(plan.tables.archive, left / 8);
    const bool three_levels = options.exact_levels >= 3 || options.heuristic == "auto" ||
                              options.heuristic == "lookahead";
    plan.tables.cells = three_levels ? std::min(plan.tables.cells, left / 4) : 0;
    plan.tables.cache = left - plan.tables.archive - plan.tables.cells;
    return plan;
}

}  // namespace beamtree
