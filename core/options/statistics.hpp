// Counters of a search, declared once: the struct, the binding and the report follow from here.
#pragma once

#include <cstdint>

//            name               what it counts
#define BEAMTREE_STATISTICS(X)                                                    \
    X(nodes, "expanded subproblems, by the search or by the three-level kernel")  \
    X(passes, "complete passes under the rule")                                   \
    X(probes, "complete passes that proved a bound")                              \
    X(polishes, "times that the subtrees of the tree were searched again")        \
    X(cells, "splits of which a depth-2 kernel evaluated one or both sides")      \
    X(cell_hits, "sides whose depth-2 optimum was found in the table")            \
    X(bounded, "splits that a lower bound removed")                               \
    X(archive_hits, "subproblems that a bound of the archive closed")             \
    X(cache_entries, "subproblems in the cache at the end")                       \
    X(cache_evicted, "subproblems that gave way to others, for want of memory")   \
    X(repairs, "subtrees of an improvement that were evicted and searched again") \
    X(rows, "physical rows after merging and cancelling")                         \
    X(features, "features after dropping constant, equal and complementary ones") \
    X(offset, "cost of the cancelled rows")

namespace beamtree {

struct Statistics {
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
