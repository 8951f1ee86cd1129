// One pass of branch and bound over covers (DL8.5) under a rule, from the root or from below it.
//
// The paper's Algorithm 1, with the invariants of the cache in place of its `ub` bookkeeping: a
// node's lower bound is raised only by an exact kernel, by similarity, or to the least
// lower(left) + lower(right) + penalty over all its features, of which those that the rule skipped
// enter with the bounds they have. So a node that is not settled when its pass is over is one where
// the rule (or the width of the pass) left something out: the paper's "not optimal".
#pragma once

#include "rule/node_context.hpp"
#include "search/gains.hpp"
#include "search/ranking.hpp"
#include "search/workspace.hpp"

namespace beamtree {

template <class Rule>
class Pass {
  public:
    using State = typename Rule::State;

    /// Pauses when the root has a tree that costs less than `incumbent`.
    Pass(Workspace& work, Ranking& ranking, Rule& rule, const PassMode& mode, Cost incumbent)
        : work_(work), ranking_(ranking), rule_(rule), mode_(mode), incumbent_(incumbent) {}

    /// Searches a node for a tree that costs less than `bound`. At the root of the problem or of a
    /// subtree, with a state of its own.
    Facts run(const Node& node, int depth, Cost bound, double units_ahead = 0);

    bool paused() const { return paused_; }
    /// Whether wide nodes were left with some of their features untried.
    bool narrowed() const { return narrowed_; }

  private:
    /// The least thresholds that admit what was skipped are added to `skipped`.
    Facts solve(const Node& node, int depth, Cost bound, const State& state, Facts facts,
                Reach& skipped);
    void expand(const Node& node, int depth, Cost bound, const State& state, Facts& facts,
                Reach& skipped);
    bool explored(const Node& node, int depth, Cost bound, const State& state, Reach& skipped);
    void remember(const Node& node, int depth, Cost bound, const State& state,
                  const Reach& skipped);
    void solve_bottom(const Node& node, int depth, Cost bound, const State& state, Facts& facts);
    template <class T>
    void solve_narrow(const Node& node, int depth, Cost bound, Facts& facts);
    template <class T>
    void branch(const Node& node, int depth, Cost bound, const State& state, Facts& facts,
                Reach& skipped);
    template <class T>
    void solve_children(const Node& node, int depth, int f, Cost goal, const State state[2],
                        Facts child[2], Reach& skipped);
    bool skips(const State child[2], Reach& skipped);
    template <class T>
    void make_child(const Node& node, Level& level, int f, bool one, std::int64_t rows);
    NodeContext context(const Node& node, int depth) const;
    void update(const Node& node, int depth, int f, int rank, ClassWeights* weights,
                const State& state, State child[2]);
    void root_improved(int depth, const Facts& facts);
    bool halted() const { return paused_ || work_.meter.stopped(); }

    Workspace& work_;
    Ranking& ranking_;
    Rule& rule_;
    PassMode mode_;
    Cost incumbent_;
    bool paused_ = false, narrowed_ = false;
};

}  // namespace beamtree
