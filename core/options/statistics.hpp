// The counters of a search, declared once: the struct, the binding and the report follow from this
// table. Checkpoints hold all of them: whoever adds or removes one raises VERSION in
// src/beamtree/_resume/checkpoint_file.py.
#pragma once

#include <cstdint>

//            name               what it counts
#define BEAMTREE_STATISTICS(X)                                                    \
    X(nodes, "subproblems expanded by the search or by the three-level kernel")   \
    X(passes, "passes under the rule that ran to their end")                      \
    X(probes, "probes that ran to their end")                                     \
    X(polishes, "times that the subtrees of the incumbent were searched again")   \
    X(cells, "splits of which the two-level kernel evaluated one or both sides")  \
    X(cell_hits, "sides whose two-level optimum was found in the table")          \
    X(bounded, "splits that a lower bound removed")                               \
    X(archive_hits, "subproblems that a bound of the archive settled")            \
    X(cache_entries, "subproblems in the cache at the end")                       \
    X(cache_evicted, "subproblems that were evicted because memory was short")    \
    X(repairs, "evicted subtrees of an improvement that were searched again")     \
    X(rows, "rows that are left after merging and cancelling")                    \
    X(features, "features after dropping constant, equal and complementary ones") \
    X(offset, "cost of the cancelled rows")

namespace beamtree {

struct Statistics {
#define BEAMTREE_FIELD(name, help) +1
    static constexpr std::int64_t kCount = 0 BEAMTREE_STATISTICS(BEAMTREE_FIELD);
#undef BEAMTREE_FIELD
#define BEAMTREE_FIELD(name, help) std::int64_t name = 0;
    BEAMTREE_STATISTICS(BEAMTREE_FIELD)
#undef BEAMTREE_FIELD
    Statistics& operator+=(const Statistics& other) {
#define BEAMTREE_FIELD(name, help) name += other.name;
        BEAMTREE_STATISTICS(BEAMTREE_FIELD)
#undef BEAMTREE_FIELD
        return *this;
    }
};

}  // namespace beamtree
