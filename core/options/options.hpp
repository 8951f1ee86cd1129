// What a search can be told, declared once: the struct and the binding follow from here.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

//            type          name              default   meaning
#define BEAMTREE_OPTIONS(X)                                                                       \
    X(int, max_depth, 4, "levels of splits, 0 to 20")                                             \
    X(std::int64_t, min_samples_leaf, 1, "rows that every leaf must hold")                        \
    X(bool, leaf_weight, false, "min_samples_leaf counts weight, not rows")                       \
    X(std::int64_t, unit, 1, "cost of one unit of misclassified weight")                          \
    X(std::int64_t, penalty, 0, "cost of one more leaf")                                          \
    X(std::string, algorithm, "passes", "passes, blossom, lgdt: see make_search.cpp")             \
    X(bool, greedy, true, "start from the greedy trees, not from a leaf")                         \
    X(int, exact_levels, 3, "bottom levels that kernels solve at once, 0 to 3")                   \
    X(int, threads, 1, "that search together")                                                    \
    X(std::int64_t, memory, std::numeric_limits<std::int64_t>::max(), "bytes beyond the data")    \
    X(std::int64_t, stop_at_look, 0, "tests stop there, then after twice as many; see Limits")    \
    X(std::string, heuristic, "auto", "order of the features: see make_search.cpp")               \
    X(std::string, schedule, "luby", "monotonic, exponential, luby, sequence")                    \
    X(std::vector<double>, steps, {}, "of the schedule 'sequence', cumulated")                    \
    X(std::string, kernel, "auto", "instruction set: auto, portable, avx2")                       \
    X(bool, cancel_rows, true, "cancel equal rows of opposite classes")                           \
    X(bool, merge_rows, true, "merge equal rows of one class")                                    \
    X(bool, similarity_bound, true, "bound children by those of features already solved")         \
    X(bool, archive_bound, true, "bound subproblems by similar ones solved before")               \
    X(bool, parent_bound, true, "bound children by their parent's optimum of fewer levels")       \
    X(bool, unavoidable_bound, true, "bound by equal rows of different classes")                  \
    X(bool, memo, true, "do not explore again what a pass explored as far")                       \
    X(bool, cell_cache, true, "remember the optima of the bottom two levels")                     \
    X(int, fused_granules, 12, "granules a plane above which the pair counts of a side are kept") \
    X(std::string, sweep, "auto",                                                                 \
      "whether two levels do without pair counts: auto, always, never")                           \
    X(bool, relearn, true, "scores of features follow what passes learn of their children")       \
    X(bool, free_ranks, false, "rank only features that no bound removes")                        \
    X(bool, polish, false, "re-optimise the incumbent's subtrees after a pass that improved it")  \
    X(bool, probe, false, "raise the lower bound by complete passes with small targets")          \
    X(std::int64_t, probe_work, 20'000'000, "of the first probe, about a nanosecond each")        \
    X(bool, subsets, false, "early passes take a few features of wide nodes")                     \
    X(int, wide, 128, "features beyond which they do")                                            \
    X(int, first_width, 48, "features that the first of them solve three levels with")

namespace beamtree {

inline constexpr int kMaxDepth = 20;

struct Options {
#define BEAMTREE_FIELD(type, name, value, help) type name = value;
    BEAMTREE_OPTIONS(BEAMTREE_FIELD)
#undef BEAMTREE_FIELD
};

}  // namespace beamtree
