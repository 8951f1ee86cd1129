// A rule written in Python, behind the core's interface.
#pragma once

#include <cstdint>
#include <vector>

#include "bindings.hpp"
#include "rule/combined.hpp"

namespace beamtree::python {

/// A context in real weights.
struct Context {
    NodeContext node;
    double scale = 1;  ///< integer weight of a row of real weight 1

    double real(std::int64_t weight) const { return static_cast<double>(weight) / scale; }
};

/// The core sees numbers in place of states: equal states have one number until the rule is
/// relaxed, and no number returns after that. So a memo holds for an equal state and threshold.
class PythonRule final : public AnyRule {
  public:
    PythonRule(nb::object rule, double scale);

    double initial_state(const NodeContext& root) override;
    double update(double parent, const NodeContext& child) override;
    bool prune_split(double child) override { return !closes_nodes_ && prune(child); }
    bool prune_node(double node) override { return closes_nodes_ && prune(node); }
    bool relax(double step) override;
    void note_solved(double state) override;

    /// A rule of one's own has no number for it: the steps so far.
    double threshold() const override { return steps_; }
    void admit() override {}
    bool skipped_any() const override { return !skipped_.empty(); }
    bool admits_skipped() override;
    void forget_skipped() override;
    double reach(double node) override { return node; }
    bool covers(double explored, double reach) const override { return explored == reach; }
    double skip(double skipped) override;
    double need(double, double) const override { return 0; }
    double skip_again(double, double) override { return 0; }
    double ahead(double state, double) const override { return state; }

    /// For the garbage collector: what it holds, and letting go of it.
    int traverse(visitproc visit, void* arg) const;
    void clear();

  private:
    /// Calls into Python; Ctrl-C there ends the step and not the search.
    template <class Function>
    auto call(Function function);
    double number(nb::object state);
    const nb::object& state(double number) const;
    bool prune(double number);
    bool ask(const char* function, const nb::object& argument);

    nb::object rule_;
    double scale_;
    bool closes_nodes_;
    double steps_ = 0;
    std::int64_t first_ = 0;            ///< number of states_[0]
    std::vector<nb::object> states_;    ///< since the rule was last relaxed
    nb::dict numbers_;                  ///< of the states that can be hashed
    std::vector<signed char> verdict_;  ///< of prune on each state, -1 if it was not asked
    std::vector<std::size_t> skipped_;  ///< states, in order
    std::vector<bool> is_skipped_;
};

}  // namespace beamtree::python
