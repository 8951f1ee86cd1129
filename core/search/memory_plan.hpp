// How a search shares out the memory that it may take beyond its data: first what its threads work
// with, then its tables, which make do with what is left by evicting.
#pragma once

#include <algorithm>
#include <cstdint>

#include "search/footprint.hpp"
#include "search/workspace.hpp"

namespace beamtree {

struct MemoryPlan {
    int threads = 1;
    TableBytes tables;
    int widest = PassMode::kAllFeatures;  ///< width of passes beyond which memory does not suffice
    bool fits = true;                     ///< even the narrowest
};

inline MemoryPlan plan_memory(const Dataset& data, const Options& options) {
    MemoryPlan plan;
    plan.threads = options.threads;
    if (options.memory == std::numeric_limits<std::int64_t>::max()) return plan;
    const auto all = static_cast<std::size_t>(options.memory);
    const auto scratch = [&](int features) { return scratch_bytes(data, options, features); };
    const std::size_t least = std::min<std::size_t>(2 * Cache::kLeastBytes, all / 2);
    const std::size_t most = all - least;  // for scratch

    int features = data.features();
    while (plan.threads > 1 && plan.threads * scratch(features) > most) --plan.threads;
    if (scratch(features) > most) {
        PassMode mode;
        mode.width = options.first_width;
        plan.fits = options.subsets && data.features() > options.wide &&
                    scratch(mode.most_features()) <= most;
        while (plan.fits && scratch(mode.most_features()) <= most) {
            plan.widest = mode.width;
            features = mode.most_features();
            mode.width *= 2;
        }
    }
    if (!plan.fits) features = 0;
    std::size_t left = all - std::min(all, plan.threads * scratch(features));
    // Only some levels have a store of triples at a time, and few fill it.
    plan.tables.triples =
        std::min(plan.tables.triples, left / 4 / (plan.threads * (options.max_depth + 1)));
    left -= plan.tables.triples * plan.threads * (options.max_depth + 1);
    plan.tables.archive = std::min(plan.tables.archive, left / 8);
    plan.tables.cells = std::min(plan.tables.cells, left / 4);
    plan.tables.cache = left - plan.tables.archive - plan.tables.cells;
    return plan;
}

}  // namespace beamtree
