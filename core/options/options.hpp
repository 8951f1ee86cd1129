// The options of a search, declared once: the structs, the checks of their values and the Python
// binding follow from these tables. In Python the options of all three tables are attributes of one
// flat object.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

// The problem, and how it is searched. `heuristic`, `schedule` and `algorithm` are names of the
// lists in make_search.cpp, which checks them.
//    type, name, default, allowed values, meaning
#define BEAMTREE_OPTIONS(X)                                                                       \
    X(int, max_depth, 4, between(0, kMaxDepth), "number of levels of splits")                     \
    X(bool, any_depth, false, anything(), "trees may have any depth; needs a penalty, or leaves") \
    X(int, max_leaf_nodes, 0, between(0, 1 << 30), "most leaves of a tree; 0: no limit")          \
    X(std::string, tie_break, "any", one_of({"any", "small", "smallest"}),                        \
      "how long to look for the smallest of the best trees")                                      \
    X(std::int64_t, min_samples_leaf, 1, between(1, kHuge), "least number of rows of a leaf")     \
    X(bool, leaf_weight, false, anything(), "min_samples_leaf counts weight instead of rows")     \
    X(std::int64_t, unit, 1, between(1, kHuge), "cost of one unit of misclassified weight")       \
    X(std::int64_t, penalty, 0, between(0, kHuge), "cost of one more leaf")                       \
    X(int, square_exponent, 0, between(-60, 60),                                                  \
      "numbers are multiplied by two to this power before they are squared")                      \
    X(bool, costs_grow, false, anything(), "costs of an own objective grow with the rows")        \
    X(bool, costs_bounded, false, anything(),                                                     \
      "removing a row lowers costs of an own objective by its weight at most")                    \
    X(std::string, algorithm, "restarts", anything(), "restarts, blossom or lgdt")                \
    X(std::string, heuristic, "auto", anything(), "the order in which features are tried")        \
    X(std::string, schedule, "luby", anything(), "monotonic, exponential, luby or sequence")      \
    X(std::vector<double>, steps, {}, anything(), "cumulated steps of the schedule 'sequence'")   \
    X(int, exact_levels, 3, between(0, 3), "bottom levels that kernels solve without the rule")   \
    X(int, threads, 1, between(1, 1 << 10), "number of threads that search together")             \
    X(int, task_threads, 0, between(0, 1 << 10),                                                  \
      "number of threads that wait for what other processes find; 0: none")                       \
    X(bool, log_facts, false, anything(), "keep what is learned for other processes")             \
    X(std::int64_t, memory, kNoLimit, between(0, kNoLimit),                                       \
      "bytes that may be used beside the data")                                                   \
    X(bool, free_ranks, false, anything(), "ranks count only features that no bound removes")     \
    X(bool, polish, false, anything(), "search the incumbent's subtrees again when it improves")  \
    X(bool, probe, false, anything(),                                                             \
      "raise the lower bound by complete passes with small targets")                              \
    X(bool, subsets, false, anything(), "early passes try only a few features of wide nodes")

// Parts of the search that the study switches off, one by one, to measure what they contribute.
#define BEAMTREE_ABLATIONS(X)                                                                     \
    X(bool, greedy, true, anything(), "start from the greedy trees instead of a leaf")            \
    X(bool, cancel_rows, true, anything(), "cancel equal rows of opposite classes")               \
    X(bool, merge_rows, true, anything(), "merge equal rows of one class")                        \
    X(bool, similarity_bound, true, anything(), "bound children by those of solved features")     \
    X(bool, archive_bound, true, anything(), "bound subproblems by similar ones solved before")   \
    X(bool, parent_bound, true, anything(), "bound children by their parent's shallower optimum") \
    X(bool, unavoidable_bound, true, anything(), "bound by equal rows of different classes")      \
    X(bool, memo, true, anything(), "skip nodes that an earlier pass explored as far")            \
    X(bool, cell_cache, true, anything(), "remember the optima of the bottom two levels")         \
    X(bool, relearn, true, anything(), "scores of features follow the bounds of their children")  \
    X(std::string, sweep, "auto", one_of({"auto", "always", "never"}),                            \
      "whether two levels are solved by sweeps over ordered thresholds, without pair counts")

// Constants that only tests change: they stop a search at every place, and lower thresholds so that
// small problems reach the code that is written for large ones.
#define BEAMTREE_TEST_HOOKS(X)                                                              \
    X(std::string, kernel, "auto", anything(), "instruction set: auto, portable or avx2")   \
    X(std::string, form, "auto", one_of({"auto", "bits", "sorted", "grouped"}),             \
      "how rows are held: bits or groups for few tests, sorted columns for many")           \
    X(std::int64_t, stop_at_look, 0, between(0, kNoLimit),                                  \
      "number of the look at the limits that stops a step, doubled each time; 0: none")     \
    X(int, fused_granules, 12, between(0, 1 << 20),                                         \
      "granules per plane above which the pair counts of a side are kept")                  \
    X(std::int64_t, probe_work, 20'000'000, between(1, kHuge),                              \
      "work of the first probe; one unit takes about a nanosecond")                         \
    X(int, coarse_cuts, 32, between(1, 1 << 20),                                            \
      "cuts of each order in the coarse search that helps the one over sorted columns")     \
    X(int, price_depth, 5, between(0, 1 << 20),                                             \
      "least max_depth with which a search at a price per leaf has passes of any depth")    \
    X(std::int64_t, task_nanoseconds, 1'000'000, between(0, kHuge),                         \
      "what a subproblem must take on average to be left to another process")               \
    X(int, wide, 128, between(1, 1 << 30), "features above which `subsets` narrows a node") \
    X(int, first_width, 48, between(2, 1 << 24),                                            \
      "features with which the first narrow passes solve three levels")

namespace beamtree {

inline constexpr int kMaxDepth = 20;
/// The deepest trees of a search whose number of leaves limits the depth.
inline constexpr int kDeepestLimit = 120;
/// The remaining depth of a root whose trees may have any depth. Below it, all depths above
/// kDeepestLimit mean the same.
inline constexpr int kAnyDepth = 1 << 20;
inline bool is_any_depth(int depth) {
    return depth > kDeepestLimit;
}
/// The depth by which the cache knows a subproblem.
inline constexpr int kAnyDepthKey = 250;
inline int depth_key(int depth) {
    return is_any_depth(depth) ? kAnyDepthKey : depth;
}
inline constexpr std::int64_t kHuge = std::int64_t{1} << 60;  ///< sums of two do not overflow
inline constexpr std::int64_t kNoLimit = std::numeric_limits<std::int64_t>::max();

struct Ablations {
#define BEAMTREE_FIELD(type, name, value, allowed, help) type name = value;
    BEAMTREE_ABLATIONS(BEAMTREE_FIELD)
};

struct TestHooks {
    BEAMTREE_TEST_HOOKS(BEAMTREE_FIELD)
};

struct Options {
    BEAMTREE_OPTIONS(BEAMTREE_FIELD)
#undef BEAMTREE_FIELD
    Ablations ablations;
    TestHooks hooks;

    /// The largest depth that a tree may have.
    int depth_limit() const { return any_depth ? kAnyDepth : max_depth; }
    /// The most threads that use the tables at the same time.
    int most_threads() const { return std::max(threads, task_threads); }
    /// Whether several threads use the tables. Threads that bring what other processes have learned
    /// write to them while a single thread searches.
    bool shares_tables() const { return threads > 1 || task_threads > 0; }
};

/// The values that an option allows: a range of integers, one of several words, or every value of
/// its type.
struct Allowed {
    std::int64_t least = std::numeric_limits<std::int64_t>::min();
    std::int64_t most = std::numeric_limits<std::int64_t>::max();
    std::vector<std::string> words{};
};

/// One line of a table, without its default.
struct OptionInfo {
    const char* name;
    Allowed allowed;
    const char* help;
};

/// Calls visit(info, value) for every option of the three tables.
template <class AnyOptions, class Visit>
void for_each_option(AnyOptions& options, Visit visit) {
    const auto anything = [] { return Allowed{}; };
    const auto between = [](std::int64_t least, std::int64_t most) { return Allowed{least, most}; };
    const auto one_of = [](std::vector<std::string> words) {
        Allowed allowed;
        allowed.words = std::move(words);
        return allowed;
    };
#define BEAMTREE_VISIT(type, name, value, allowed, help) \
    visit(OptionInfo{#name, allowed, help}, options.name);
    BEAMTREE_OPTIONS(BEAMTREE_VISIT)
#undef BEAMTREE_VISIT
#define BEAMTREE_VISIT(type, name, value, allowed, help) \
    visit(OptionInfo{#name, allowed, help}, options.ablations.name);
    BEAMTREE_ABLATIONS(BEAMTREE_VISIT)
#undef BEAMTREE_VISIT
#define BEAMTREE_VISIT(type, name, value, allowed, help) \
    visit(OptionInfo{#name, allowed, help}, options.hooks.name);
    BEAMTREE_TEST_HOOKS(BEAMTREE_VISIT)
#undef BEAMTREE_VISIT
}

}  // namespace beamtree
