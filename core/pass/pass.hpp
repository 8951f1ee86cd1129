// One pass of branch and bound over covers (DL8.5) under a rule, from the root or from below it.
//
// The paper's Algorithm 1, with the invariants of the cache in place of its `ub` bookkeeping: a
// node's lower bound is raised only by an exact kernel, by similarity, or to the least
// lower(left) + lower(right) + penalty over all its features, of which those that the rule skipped
// enter with the bounds they have. So a node that is not settled when its pass is over is one where
// the rule (or the width of the pass) left something out: the paper's "not optimal".
#pragma once

#include <optional>

#include "node/class_weights.hpp"
#include "pass/ranking.hpp"
#include "pass/threads.hpp"
#include "pass/workspace.hpp"
#include "rule/rule.hpp"

namespace beamtree {

/// What a pass is asked.
struct Question {
    Cost bound = 0;          ///< a tree that costs less
    PassMode mode;           ///< how to go about it
    Cost pause_below = 0;    ///< ends when the root of the pass has a tree that costs less
    double units_ahead = 0;  ///< of the rule, more than a pass from the start has
};

/// One thread's pass.
template <SearchRule Rule>
class Pass {
  public:
    using State = typename Rule::State;

    Pass(Workspace& work, Ranking& ranking, Rule& rule, const Question& question,
         SharedPass& shared)
        : work_(work),
          ranking_(ranking),
          rule_(rule),
          question_(question),
          mode_(question.mode),
          shared_(shared),
          thread_(work.cache, work.meter, shared) {}

    /// Searches a node, the root of the problem or of a subtree, with a state of its own.
    Facts run(const Node& node, int depth);

  private:
    /// The loop over the splits of a node.
    struct Loop {
        const Node& node;
        int depth;
        Cost bound;
        const State& state;
        Facts& facts;
        std::optional<ClassWeights> weights;
        Cost least = kInfiniteCost;  ///< of the splits' lower bounds
        Reach below;                 ///< that admits something of what was skipped
    };
    enum class Attempt { kBounded, kTried, kBusy, kEnough };

    /// The least thresholds that admit what was skipped are added to `skipped`.
    Facts solve(const Node& node, int depth, Cost bound, const State& state, Facts facts,
                Reach& skipped);
    void expand(const Node& node, int depth, Cost bound, const State& state, Facts& facts,
                Reach& skipped);
    bool explored(const Node& node, int depth, Cost bound, const State& state, Reach& skipped);
    void remember(const Node& node, int depth, Cost bound, const State& state,
                  const Reach& skipped);
    void solve_bottom(const Node& node, int depth, Cost bound, const State& state, Facts& facts);
    void branch(const Node& node, int depth, Cost bound, const State& state, Facts& facts,
                Reach& skipped);
    Cost rank(const Node& node, int depth, Facts& facts);
    bool try_all(Loop& loop);
    bool try_deferred(Loop& loop);
    Attempt attempt(Loop& loop, int f, int rank, bool join);
    bool solve_children(Loop& loop, int f, Cost goal, const State state[2], Facts child[2],
                        bool join);
    bool skips(const State child[2], Reach& skipped);
    void update(Loop& loop, int f, int rank, State child[2]);
    void root_improved(int depth, const Facts& facts);
    bool halted() const {
        return shared_.over.load(std::memory_order_relaxed) || work_.meter.stopped() ||
               thread_.leaving();
    }

    Workspace& work_;
    Ranking& ranking_;
    Rule& rule_;
    Question question_;
    PassMode mode_;
    SharedPass& shared_;
    PassThread thread_;
    int top_ = 0;  ///< levels of the root of the pass
};

}  // namespace beamtree
