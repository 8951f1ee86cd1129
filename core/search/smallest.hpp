// Looks for a smaller tree of the same cost, once the cost of the incumbent is proved.
//
// First the subtrees of the incumbent are replaced by smaller ones that cost the same, from the
// bottom up: those of two levels, then those of three, and so on. Then two searches of the whole
// tree take turns. One looks for trees with one leaf less, by passes under a rule that is relaxed.
// The other one shows that trees of least cost have more than one leaf, than two, and so on. All
// questions are asked of passes with a limit of leaves, below the known cost + 1.
#pragma once

#include <cstdint>

#include "pass/passes.hpp"
#include "rule/complete.hpp"
#include "rule/discrepancy.hpp"
#include "schedule/luby.hpp"
#include "search/algorithm.hpp"

namespace beamtree {

class Shrinking {
  public:
    virtual ~Shrinking() = default;
    /// Works until the incumbent has become smaller, until it is finished, or until the limits stop
    /// it. Returns whether the incumbent has become smaller.
    virtual bool advance() = 0;
    virtual bool finished() const = 0;
    /// No tree of least cost has fewer leaves.
    virtual int bound() const = 0;
    virtual void save(Writer& writer) const = 0;
    virtual void load(Reader& reader) = 0;
};

template <class Form>
class Smallest final : public Shrinking {
  public:
    using Node = typename Form::Node;

    /// `has_memory` says whether complete passes fit into the memory.
    Smallest(const PartsOf<Form>& parts, bool has_memory);

    bool advance() override;
    bool finished() const override { return finished_ || !has_memory_; }
    int bound() const override { return bound_; }
    void save(Writer& writer) const override;
    void load(Reader& reader) override;

  private:
    static constexpr std::int64_t kFirstSlice = 20'000'000;
    enum class Answer { kFound, kRefuted, kUnknown };

    /// Asks whether a node has a tree of this size that costs no more than `cost`.
    Answer ask(Passes<Form>& passes, const Node& node, const TreeSize& size, Cost cost,
               Tree& found);
    void shrink_subtrees();
    void shrink_whole();
    void find_smaller();
    void raise_bound();
    /// Appends the incumbent from its node `from` on, with smaller subtrees of `levels_` levels.
    void walk(const Node& node, int depth, int from);
    void replace(Node& node, int depth, int from);
    /// Appends the incumbent from its node `from` on, and returns its cost.
    Cost copy(const Node& node, int depth, int from);
    /// The work that may still be done, unless the smallest tree is asked for.
    std::int64_t work_left() const { return std::max<std::int64_t>(0, work_end_ - limits_.work()); }
    /// Whether passes search all trees with at most that many leaves. If the depth has no limit,
    /// there may be deeper ones.
    bool searches_all(int leaves) const {
        return !work_.options.any_depth || leaves - 1 <= limit_.depth;
    }
    bool exhausted() const { return !to_the_end_ && limits_.work() >= work_end_; }
    bool halted() const { return limits_.stopped() && limits_.why() != Stop::kSlice; }

    const Node& root_;
    decltype(Form::Worker::ranking)& ranking_;
    decltype(Form::Worker::work)& work_;
    Limits& limits_;
    Incumbent& incumbent_;
    PassesOf<Form, Complete> passes_;
    PassesOf<Form, Threshold<Discrepancy>> early_;  ///< under a rule, which finds trees early
    Luby schedule_;
    TreeSize limit_;
    bool has_memory_;
    bool to_the_end_;             ///< until the smallest tree is proved
    std::int64_t work_end_ = -1;  ///< when to stop, or before the last stage; -1 at first
    int levels_ = 2;              ///< of the subtrees that come next
    int bound_ = 1;
    std::int64_t slice_ = kFirstSlice, tree_work_ = 0, bound_work_ = 0;  ///< of the last stage
    bool finished_ = false;
    int lost_trees_ = 0;  ///< found, but evicted before they were put together
    Tree tree_;           ///< the tree that is being made
};

}  // namespace beamtree
