// The passes of a search under one rule, hidden behind an interface that is called once a pass.
#pragma once

#include <utility>

#include "rule/complete.hpp"
#include "schedule/schedule.hpp"
#include "search/pass.hpp"

namespace beamtree {

/// What a pass left.
struct PassEnd {
    Facts root;
    bool finished = false;  ///< it was not stopped, nor paused at an improvement
    bool narrowed = false;  ///< wide nodes were left with some of their features untried
};

class Passes {
  public:
    virtual ~Passes() = default;
    /// A pass over the root or, to polish it, over a subtree, there with more of the rule's units.
    virtual PassEnd run(const Node& node, int depth, Cost bound, const PassMode& mode,
                        Cost incumbent, double units_ahead) = 0;
    /// Whether the rule skipped something since it was last relaxed.
    virtual bool skipped_any() const = 0;
    /// Takes steps of the schedule until the rule admits something that it skipped. False: it
    /// cannot.
    virtual bool relax(Schedule& schedule) = 0;
    /// One step, before the first pass.
    virtual void start_at(double step) = 0;
    virtual double threshold() const = 0;
    /// Whether passes can skip anything.
    virtual bool prunes() const = 0;
};

template <class Rule>
class PassesOf final : public Passes {
  public:
    PassesOf(Workspace& work, Ranking& ranking, Rule rule)
        : work_(work), ranking_(ranking), rule_(std::move(rule)) {}

    PassEnd run(const Node& node, int depth, Cost bound, const PassMode& mode, Cost incumbent,
                double units_ahead) override {
        Pass<Rule> pass(work_, ranking_, rule_, mode, incumbent);
        PassEnd end;
        end.root = pass.run(node, depth, bound, units_ahead);
        work_.meter.flush();
        end.finished = !pass.paused() && !work_.meter.stopped();
        end.narrowed = pass.narrowed();
        return end;
    }
    bool skipped_any() const override { return rule_.skipped_any(); }
    bool relax(Schedule& schedule) override {
        for (int step = 0; step < kMostSteps; ++step) {
            if (!rule_.relax(schedule.next())) return false;
            if (!rule_.admits_skipped()) continue;
            rule_.forget_skipped();
            return true;
        }
        rule_.admit();
        const bool admitted = rule_.admits_skipped();
        rule_.forget_skipped();
        return admitted;
    }
    void start_at(double step) override { rule_.relax(step); }
    double threshold() const override { return rule_.threshold(); }
    bool prunes() const override { return Rule::kPrunes; }

  private:
    static constexpr int kMostSteps = 1000;

    Workspace& work_;
    Ranking& ranking_;
    Rule rule_;
};

}  // namespace beamtree
