// Looks for a smaller tree of the same cost, once the cost of the incumbent is proved.
//
// First the subtrees of the incumbent are replaced by smaller ones that cost the same, from the
// bottom up: those of two levels, then those of three, and so on. Then the same is asked of the
// whole tree, and the answer also says how many leaves a tree of least cost needs at least. Each
// question is a complete pass with a limit of leaves, below the known cost + 1.
#pragma once

#include <cstdint>

#include "pass/passes.hpp"
#include "rule/complete.hpp"
#include "search/algorithm.hpp"

namespace beamtree {

class Shrinking {
  public:
    virtual ~Shrinking() = default;
    /// Works until it is finished, or until the limits stop it. Returns whether the incumbent has
    /// become smaller.
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
    bool finished() const override { return finished_; }
    int bound() const override { return bound_; }
    void save(Writer& writer) const override;
    void load(Reader& reader) override;

  private:
    enum class Answer { kFound, kRefuted, kUnknown };

    /// Asks whether a node has a tree of this size that costs no more than `cost`.
    Answer ask(const Node& node, const TreeSize& size, Cost cost, Tree& found);
    void shrink_subtrees();
    void shrink_whole();
    /// Appends the incumbent from its node `from` on, with smaller subtrees of `levels_` levels.
    void walk(const Node& node, int depth, int from);
    void replace(const Node& node, int depth, int from);
    /// Appends the incumbent from its node `from` on, and returns its cost.
    Cost copy(const Node& node, int depth, int from);
    /// Starts a slice of the work that is left; a part of it if there are more questions.
    void start_slice(int parts);
    bool exhausted() const { return !to_the_end_ && limits_.work() >= work_end_; }
    bool halted() const { return limits_.stopped() && limits_.why() != Stop::kSlice; }

    const Node& root_;
    decltype(Form::Worker::ranking)& ranking_;
    decltype(Form::Worker::work)& work_;
    Limits& limits_;
    Incumbent& incumbent_;
    PassesOf<Form, Complete> passes_;
    TreeSize limit_;
    bool has_memory_;
    bool to_the_end_;             ///< until the smallest tree is proved
    std::int64_t work_end_ = -1;  ///< when to stop, or before the last stage; -1 at first
    int levels_ = 2;              ///< of the subtrees that come next
    int bound_ = 1;
    bool finished_ = false;
    Tree tree_;  ///< the tree that is being made
};

}  // namespace beamtree
