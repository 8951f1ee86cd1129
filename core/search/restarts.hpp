// The rule-driven restarts, the paper's Algorithm 1: a pass of branch and bound under a rule, then
// the same under a relaxed rule, until a pass leaves nothing out and so proves the optimum.
//
// Three things are added to the paper's loop, each behind an option:
// - polishing: after a pass that improved the incumbent, its subtrees are searched again with more
//   of the rule's budget;
// - probing: complete passes with a small target take turns with the others. They only raise the
//   lower bound;
// - narrow passes: early passes try only some features of wide nodes, and later ones try more.
#pragma once

#include <cstdint>
#include <memory>

#include "pass/passes.hpp"
#include "rule/complete.hpp"
#include "schedule/schedule.hpp"
#include "search/algorithm.hpp"
#include "search/probing.hpp"

namespace beamtree {

/// Name of the algorithm in the options.
inline constexpr const char* kRestarts = "restarts";

template <class Form>
class Restarts final : public Algorithm {
  public:
    using Node = typename Form::Node;

    /// The rule takes a first step before the first pass, if `first_step` is not 0.
    Restarts(const PartsOf<Form>& parts, std::unique_ptr<Passes<Form>> passes,
             std::shared_ptr<Schedule> schedule, double first_step);

    bool advance(std::int64_t work) override;
    Status status() const override { return status_; }
    /// Whether all trees of limited depth were searched, although trees may have any depth.
    bool exhausted() const { return exhausted_; }
    void save(Writer& writer) const override;
    void load(Reader& reader) override;

  private:
    void pass();
    void polish();
    void probe();
    /// Relaxes the rule for the next pass, or ends if that is impossible.
    void relax();
    void widen();

    /// Updates the incumbent and its bound from the root's facts with trees of this size.
    void learn(const Facts& root, const TreeSize& size);
    /// Puts together the tree behind the root's upper bound. Returns its cost, or infinity if there
    /// is no tree yet.
    Cost rebuild_tree(const Facts& root, const TreeSize& size, Tree& tree);
    /// Searches a node again whose tree was evicted in parts, although it cost at most `upper`.
    Facts repair(const Node& node, const TreeSize& size, Cost upper);

    /// Whether the first turns are complete passes that ask for the whole proof. Over sorted
    /// columns they find better trees than passes under a rule, if there are few levels.
    bool direct() const;
    /// Whether probes take turns with passes.
    bool probes_now() const;
    /// Whether there is no memory for wider passes.
    bool widest() const { return widest_ < PassMode::kAllFeatures && 2 * mode_.width > widest_; }
    /// Grows with what the cache knows.
    std::int64_t learned() const { return work_.cache.entries() + work_.cache.evicted(); }

    const Node& root_;
    decltype(Form::Worker::ranking)& ranking_;
    decltype(Form::Worker::work)& work_;  ///< buffers of the thread that runs the search
    Limits& limits_;
    Incumbent& incumbent_;
    int widest_;       ///< width of the widest passes that fit into memory
    Cost most_lower_;  ///< larger bounds of the root say nothing about deeper trees
    bool alone_;       ///< no other part of the search proves the optimum
    bool may_probe_;
    TaskBoard* board_;  ///< if there is one, all turns are probes, whose work other processes do
    TreeSize limit_, pass_size_, probe_size_;  ///< of all trees, and of those of passes and probes
    std::unique_ptr<Passes<Form>> passes_;
    std::shared_ptr<Schedule> schedule_;
    double first_step_;  ///< 0 once the rule has taken it
    PassesOf<Form, Complete> probes_;
    Probing probing_;
    PassMode mode_;
    Cost polished_ = kInfiniteCost;  ///< cost of the tree that was last polished
    bool polishing_ = false;         ///< the next turn is a polish
    bool narrowed_ = false;          ///< the last pass left features of wide nodes untried
    bool exhausted_ = false;
    int lost_trees_ = 0;  ///< found, but evicted before they were put together
    Status status_ = Status::kRunning;
};

}  // namespace beamtree
