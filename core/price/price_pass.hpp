// A complete pass at a price per leaf, whose trees may have any depth.
//
// Without a limit of depth, a subproblem is a cover alone. What ends the search is the price: a
// tree that costs less than `bound` has at most (bound - 1 - unavoidable errors) / penalty splits.
// So the pass asks of every cover how much its trees cost at least, in steps of leaves:
//
// 1. The kernel for two levels gives the best tree of depth 2, and for each split what its two
// sides
//    cost with at most one split more. A side with more leaves costs at least two penalties.
// 2. For the splits that may still be better, the two sides are looked up in the cache, and then
//    evaluated with two levels each. A side with more leaves costs at least three penalties.
// 3. The splits that are left are searched: both children in turn, two penalties further each time,
//    the one with the smaller lower bound first.
//
// A limit of depth is obeyed as long as it matters. From the depth on that the best trees of a
// cover cannot exceed, all limits are the same subproblem. That depth depends on the cover alone,
// and not on the bound of a visit, because the tree must be found again when it is put together.
//
// The facts of these subproblems are kept apart from those of passes with a limit of depth.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <vector>

#include "pass/pass.hpp"

namespace beamtree {

/// Whether a search has priced passes: with fewer levels, probes of limited depth are faster.
inline bool has_priced_passes(const Options& options) {
    if (options.max_leaf_nodes > 0) return false;
    return options.any_depth ||
           (options.penalty > 0 && options.probe && options.max_depth >= options.hooks.price_depth);
}

/// The depth by which the cache knows a subproblem of a priced pass.
inline int price_key(int depth) {
    constexpr int kLimited = kDeepestLimit + 1;  // other passes have fewer
    static_assert(kLimited + kMaxDepth < kAnyDepthKey);
    return depth == kAnyDepth ? kAnyDepthKey : kLimited + depth;
}

/// The most levels of the recursion, which needs a stack.
inline constexpr int kMostPriceLevels = 500;

/// The memory of the node that is being searched at one level below the root of a pass.
struct PriceBuffers {
    NodeCounts counts;
    ChildBounds bounds;  ///< lower bounds of all children, from those of similar ones
    ChildBuffers child;
    std::vector<char> hashed;  ///< (features,) whether child.hash_one is set
    std::vector<Cost> scores;  ///< (features,) of the best tree of two levels
    StumpCosts stumps;
    /// (features,) Bounds of the sides where a feature is 0 and where it is 1, and the cost of the
    /// rows that every tree misclassifies there.
    std::vector<Cost> lower[2], upper[2], unavoidable[2];
    struct Choice {
        Cost first = 0, second = 0;  ///< it is sorted by these
        int feature = 0;
        friend auto operator<=>(const Choice&, const Choice&) = default;
    };
    std::vector<Choice> order, left, deferred;
};

/// The memory of one thread, by level. Levels are made when they are first reached.
using PriceLevels = std::deque<PriceBuffers>;

/// What is known of the trees of a node without looking at other nodes: trees of three levels are
/// counted, and deeper ones cost penalties.
struct ShallowBound {
    /// A test of the problem, and what the trees of its two sides cost at least.
    struct Test {
        int test = 0;
        Cost zero = 0, one = 0;
    };
    Cost lower = 0;  ///< no tree of the node costs less
    /// The tests by which trees may cost less than asked, of equal or opposite ones the first; none
    /// if `lower` is enough, or if it is the optimum.
    std::vector<Test> open;
};

/// The part of one thread in a pass.
class PricePass {
  public:
    /// Nodes that lie `most_levels` levels below the root are not split, and get no bounds.
    PricePass(Workspace& work, PriceLevels& levels, const Question& question, SharedPass& shared,
              int most_levels)
        : work_(work),
          objective_(work.objective),
          levels_(levels),
          question_(question),
          shared_(shared),
          thread_(work.cache, work.meter, shared),
          most_levels_(most_levels) {}

    /// Searches for trees of a node that cost less than the bound of the question. `depth` is the
    /// limit of their depth, or kAnyDepth. Uses the buffers from `level` on.
    Facts run(const Node& node, int depth, int level);

    /// Bounds the trees of a node without looking at other nodes; `depth` is at least 3.
    ShallowBound shallow_bound(const Node& node, int depth, Cost bound);

    /// The limit of depth of a node, or kAnyDepth if the limit does not matter there.
    static int depth_that_matters(const Misclassification& objective, int depth, Cost leaf,
                                  Cost unavoidable) {
        const bool matters = depth != kAnyDepth && depth < objective.most_splits(leaf, unavoidable);
        return matters ? depth : kAnyDepth;
    }

  private:
    /// A node whose splits are tried.
    struct Loop {
        const Node& node;
        int level, depth;
        Cost bound;
        Facts& facts;
        PriceBuffers& buffers;
        Cost least = kInfiniteCost;  ///< least lower bound of the splits
        Cost goal() const { return std::min(bound, facts.upper); }
    };

    Facts solve(const Node& node, int level, int depth, Cost bound, Facts facts);
    void expand(const Node& node, int level, int depth, Cost bound, Facts& facts);
    /// Bounds the sides of all splits by two levels. Returns false if the node needs no more.
    bool start(Loop& loop);
    /// Bounds the split by the cache and by two levels of its sides, and keeps it if that does not
    /// remove it. Returns false if the search was stopped.
    bool look_closer(Loop& loop, int f);
    /// Searches the children of the splits that are left. Returns false if the node needs no more.
    bool search_all(Loop& loop);
    /// Returns kBusy if another thread has claimed a child, and kEnough if the node needs no more.
    enum class Attempt { kTried, kBusy, kEnough };
    Attempt search_split(Loop& loop, int f, bool join);
    bool ask_others(Loop& loop, int f, bool one, int depth, Cost room, Facts& known);
    Facts plant(const Node& node, int depth, int level, const Tree& tree, int from = 0);
    void recall(Loop& loop, int f);
    /// The lower bound of a split, with what is known of similar splits by now.
    Cost split_lower(Loop& loop, int f);
    Cost split_upper(const Loop& loop, int f) const {
        return loop.buffers.upper[0][f] + loop.buffers.upper[1][f] + objective_.penalty;
    }
    void improve(Loop& loop, int f);
    void raise(Loop& loop, int side, int f, Cost lower, Cost upper);
    void hash(Loop& loop, int f);
    int child_depth(const Loop& loop, int f, int side) const;
    void make_child(Loop& loop, int f, bool one);
    void root_improved(int level, const Facts& facts);
    bool halted() const {
        return shared_.over.load(std::memory_order_relaxed) || work_.meter.stopped() ||
               thread_.leaving();
    }
    PriceBuffers& buffers_of(int level) {
        while (static_cast<int>(levels_.size()) <= level) levels_.emplace_back();
        return levels_[level];
    }

    Workspace& work_;
    const Misclassification& objective_;
    PriceLevels& levels_;
    Question question_;
    SharedPass& shared_;
    PassThread thread_;
    int most_levels_;
    bool asks_others_ = true;  ///< nodes are bounded by similar ones and by what is known of them
    int top_ = 0;              ///< level of the root of the pass
    Path path_;                ///< from the root of the pass to the node that is searched
    std::vector<std::int64_t> class_weight_;  ///< of the node that is being bounded
};

}  // namespace beamtree
