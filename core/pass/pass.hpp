// One pass: a run of branch and bound over covers (DL8.5) under one threshold of a rule, from the
// root or from the root of a subtree.
//
// This is Algorithm 1 of the paper, with the invariants of the cache in place of its `ub`
// bookkeeping. The lower bound of a node is raised only by the exact solver, by similarity, or to
// the least lower(left) + lower(right) + penalty over all its features, where features that the
// rule skipped count with the bounds they have. So if a node is not settled when the pass is over,
// the rule (or the width of the pass) has left something out there: the paper's "not optimal".
#pragma once

#include <optional>

#include "pass/ranking.hpp"
#include "pass/threads.hpp"
#include "pass/workspace.hpp"
#include "rule/rule.hpp"

namespace beamtree {

/// The task of a pass.
struct Question {
    Cost bound = 0;          ///< find a tree that costs less
    PassMode mode;           ///< how it treats its nodes
    Cost pause_below = 0;    ///< end when a tree of the pass costs less than this
    double units_ahead = 0;  ///< extra units of the rule, beside those of its threshold
    /// Where subproblems are posted for other processes; null for a pass that searches all itself.
    /// Such a pass begins at the root of the problem.
    TaskBoard* board = nullptr;
};

/// The part of one thread in a pass. The form (see bit_form.hpp) says how rows are held; the bodies
/// of the functions are in pass_of.hpp.
template <class Form, SearchRule Rule>
class Pass {
  public:
    using Node = typename Form::Node;
    using Workspace = typename Form::Workspace;
    using Ranking = RankingOf<Form>;
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

    /// Searches a node, the root of the problem or of a subtree, for trees of this size, from an
    /// initial state of the rule.
    Facts run(const Node& node, const TreeSize& size);

  private:
    /// The loop over the splits of a node.
    struct Loop {
        const Node& node;
        TreeSize size;
        Cost bound;
        const State& state;
        Facts& facts;
        std::optional<typename Form::SplitSums> sums;
        Cost least = kInfiniteCost;  ///< least lower bound of the splits
        Reach below;                 ///< least reach that admits something that was skipped
    };
    /// How an attempt at a split ended: its bound was enough, it was tried, another thread is at
    /// work on it, or the whole node needs no more.
    enum class Attempt { kBounded, kTried, kBusy, kEnough };

    /// Returns the facts of a node. Lowers `skipped` to the least reach that admits something that
    /// was skipped below it. The reach says how far a rule lets a pass explore below a node, as the
    /// memo stores it.
    Facts solve(const Node& node, const TreeSize& size, Cost bound, const State& state, Facts facts,
                Reach& skipped);
    void expand(const Node& node, const TreeSize& size, Cost bound, const State& state,
                Facts& facts, Reach& skipped);
    bool explored(const Node& node, const TreeSize& size, Cost bound, const State& state,
                  Reach& skipped);
    void remember(const Node& node, const TreeSize& size, Cost bound, const State& state,
                  const Reach& skipped);
    void solve_bottom(const Node& node, const TreeSize& size, Cost bound, const State& state,
                      Facts& facts);
    void branch(const Node& node, const TreeSize& size, Cost bound, const State& state,
                Facts& facts, Reach& skipped);
    Cost rank(const Node& node, const TreeSize& size, Facts& facts);
    bool try_all(Loop& loop);
    bool try_deferred(Loop& loop);
    Attempt attempt(Loop& loop, int f, int rank, bool join);
    bool solve_shares(Loop& loop, int f, const State state[2], bool join);
    bool solve_children(Loop& loop, int f, int share, Cost goal, const State state[2], bool join);
    bool ask_others(Loop& loop, int f, bool one, const TreeSize& size, Cost room, Facts& facts);
    bool skips(const State child[2], Reach& skipped);
    void update(Loop& loop, int f, int rank, State child[2]);
    void root_improved(const TreeSize& size, const Facts& facts);
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
    TreeSize top_;  ///< size of the trees of the root of the pass
    Path path_;     ///< from the root of the pass to the node that is searched
};

}  // namespace beamtree
