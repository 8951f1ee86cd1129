// One pass over sorted columns: branch and bound under one threshold of a rule, as pass/pass.hpp
// does it over columns of bits. The two differ in how they go through the splits of a node.
//
// A node has far too many thresholds to try them one by one, and neighbours are almost the same
// split. So the pass goes through *candidates*: intervals of thresholds of one order. It tries one
// threshold of the interval, and what it learns of the two children there bounds the thresholds on
// both sides, which become two candidates of the next level. At first there is one candidate per
// order, at level 0, which tries the threshold that looks best; later ones try the middle.
//
// For a rule, the rank of a candidate is the rank of its order plus its level, and its gain is the
// best gain of its thresholds. A candidate that the rule skips is skipped as a whole.
#pragma once

#include "pass/pass.hpp"
#include "pass/threads.hpp"
#include "rule/rule.hpp"
#include "sorted/sorted_ranking.hpp"
#include "sorted/sorted_workspace.hpp"

namespace beamtree {

/// The part of one thread in a pass.
template <SearchObjective O, SearchRule Rule>
class SortedPass {
  public:
    using State = typename Rule::State;

    SortedPass(SortedWorkspace<O>& work, SortedRanking<O>& ranking, Rule& rule,
               const Question& question, SharedPass& shared)
        : work_(work),
          ranking_(ranking),
          rule_(rule),
          question_(question),
          shared_(shared),
          thread_(work.cache, work.meter, shared) {}

    /// Searches a node, the root of the problem or of a subtree, from an initial state of the rule.
    Facts run(const SortedNode<O>& node, const TreeSize& size);

  private:
    /// The loop over the candidates of a node.
    struct Loop {
        const SortedNode<O>& node;
        TreeSize size;
        Cost bound;
        const State& state;
        Facts& facts;
        Cost least = kInfiniteCost;  ///< least lower bound of what was tried or left out
        Reach below;                 ///< least reach that admits something that was skipped
        Cost present = 0;            ///< bound of the candidate that is being tried
    };
    enum class Tried { kDone, kBusy, kEnough };

    Facts solve(const SortedNode<O>& node, const TreeSize& size, Cost bound, const State& state,
                Facts facts, Reach& skipped);
    void expand(const SortedNode<O>& node, const TreeSize& size, Cost bound, const State& state,
                Facts& facts, Reach& skipped);
    bool solve_small(const SortedNode<O>& node, const TreeSize& size, Cost bound, Facts& facts);
    bool store_stumps(const SortedNode<O>& node, const TreeSize& size, const Facts& facts);
    bool explored(const SortedNode<O>& node, const TreeSize& size, Cost bound, const State& state,
                  Reach& skipped);
    void remember(const SortedNode<O>& node, const TreeSize& size, Cost bound, const State& state,
                  const Reach& skipped);
    void branch(const SortedNode<O>& node, const TreeSize& size, Cost bound, const State& state,
                Facts& facts, Reach& skipped);
    bool try_all(Loop& loop);
    void raise_by_open(Loop& loop);
    Tried attempt(Loop& loop, const Candidate& candidate, bool join);
    /// What is known of a child without a search, if it gets this number of leaves.
    Facts known_of(const Loop& loop, const SplitAttempt<O>& split, int side, int leaves);
    bool solve_children(Loop& loop, const Candidate& candidate, Cost goal, const State state[2],
                        SplitAttempt<O>& split, bool join);
    bool ask_others(Loop& loop, SplitAttempt<O>& split, bool right, const TreeSize& size,
                    Cost room);
    void update(Loop& loop, const Candidate& candidate, const SplitAttempt<O>& split,
                State child[2]);
    void push(Loop& loop, const Candidate& candidate);
    /// Sets what a rule sees of the sums of a node or of a child.
    void describe(const typename O::Sums& sums, std::int64_t rows, NodeContext& context) const;
    bool skips(const State child[2], Reach& skipped);
    void root_improved(const TreeSize& size, const Facts& facts);
    bool halted() const {
        return shared_.over.load(std::memory_order_relaxed) || work_.meter.stopped() ||
               thread_.leaving();
    }

    static constexpr int kMostLevels = 500;  ///< of the recursion, if trees may have any depth

    SortedWorkspace<O>& work_;
    SortedRanking<O>& ranking_;
    Rule& rule_;
    Question question_;
    SharedPass& shared_;
    PassThread thread_;
    TreeSize top_;  ///< size of the trees of the root of the pass
    Path path_;     ///< from the root of the pass to the node that is searched
};

}  // namespace beamtree
