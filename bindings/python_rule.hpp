// A rule that is written in Python, behind the core's interface AnyRule.
#pragma once

#include <cstdint>
#include <vector>

#include "bindings.hpp"
#include "rule/combined.hpp"

namespace beamtree::python {

/// A node context whose weights Python sees as real numbers.
struct Context {
    NodeContext node;
    double scale = 1;  ///< integer weight that stands for the real weight 1

    double real(std::int64_t weight) const { return static_cast<double>(weight) / scale; }
};

/// The core sees numbers in place of Python states. Equal states have the same number until the
/// rule is relaxed; then all numbers are new. So a memo holds only for an equal state and an equal
/// threshold.
class PythonRule final : public AnyRule {
  public:
    PythonRule(nb::object rule, double scale);

    double initial_state(const NodeContext& root) override;
    double update(double parent, const NodeContext& child) override;
    bool prune_split(double child) override { return !closes_nodes_ && prune(child); }
    bool prune_node(double node) override { return closes_nodes_ && prune(node); }
    bool relax(double step) override;
    void note_solved(double state) override;

    /// A rule of the user has no threshold that is a number; the sum of its steps takes its place.
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

    /// For the garbage collector: visits the Python objects that the rule holds, and drops them.
    int traverse(visitproc visit, void* arg) const;
    void clear();

  private:
    double number(nb::object state);
    const nb::object& state(double number) const;
    bool prune(double number);
    bool ask(const char* function, const nb::object& argument);

    nb::object rule_;
    double scale_;
    bool closes_nodes_;
    double steps_ = 0;
    std::int64_t first_ = 0;            ///< the number of states_[0]
    std::vector<nb::object> states_;    ///< states since the rule was last relaxed
    nb::dict numbers_;                  ///< positions in states_ of the hashable ones
    std::vector<signed char> verdict_;  ///< result of prune for each state; -1 if it was not called
    std::vector<std::size_t> skipped_;  ///< positions of the skipped states, in order
    std::vector<bool> is_skipped_;
};

}  // namespace beamtree::python
