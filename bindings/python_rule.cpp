#include "python_rule.hpp"

#include <nanobind/stl/string.h>

#include <cmath>
#include <string>
#include <utility>

#include "python_call.hpp"

namespace beamtree::python {

PythonRule::PythonRule(nb::object rule, double scale)
    : rule_(std::move(rule)),
      scale_(scale),
      closes_nodes_(nb::cast<bool>(nb::bool_(rule_.attr("closes_nodes")))) {}

double PythonRule::initial_state(const NodeContext& root) {
    return call_python([&] { return number(rule_.attr("initial_state")(Context{root, scale_})); });
}

double PythonRule::update(double parent, const NodeContext& child) {
    return call_python(
        [&] { return number(rule_.attr("update")(state(parent), Context{child, scale_})); });
}

bool PythonRule::relax(double step) {
    steps_ += step;
    const bool whole = step < 9e15 && step == std::floor(step);
    return call_python([&] {
        return ask("relax", whole ? nb::object(nb::int_(static_cast<std::int64_t>(step)))
                                  : nb::object(nb::float_(step)));
    });
}

void PythonRule::note_solved(double number_of_state) {
    // The result is dropped inside, where the thread holds the interpreter's lock.
    call_python([&] { rule_.attr("terminal_state")(state(number_of_state)); });
}

bool PythonRule::prune(double number_of_state) {
    auto& verdict = verdict_[static_cast<std::size_t>(number_of_state) - first_];
    if (verdict < 0)
        verdict = call_python([&] { return ask("prune", state(number_of_state)); }) ? 1 : 0;
    return verdict == 1;
}

bool PythonRule::admits_skipped() {
    return call_python([&] {
        for (const std::size_t at : skipped_)
            if (!ask("prune", states_[at])) return true;
        return false;
    });
}

void PythonRule::forget_skipped() {
    const nb::gil_scoped_acquire with_gil;
    first_ += static_cast<std::int64_t>(states_.size());
    // The old states are destroyed at the end of this function, when the rule no longer refers to
    // them, because a destructor may start the garbage collector.
    const auto states = std::exchange(states_, {});
    const nb::dict numbers = std::exchange(numbers_, nb::dict());
    verdict_.clear();
    skipped_.clear();
    is_skipped_.clear();
}

double PythonRule::skip(double number_of_state) {
    const auto at = static_cast<std::size_t>(number_of_state) - first_;
    if (!is_skipped_[at]) skipped_.push_back(at);
    is_skipped_[at] = true;
    return 0;
}

double PythonRule::number(nb::object state) {
    const Py_hash_t hash = PyObject_Hash(state.ptr());
    const bool hashable = hash != -1 || PyErr_Occurred() == nullptr;
    if (!hashable && PyErr_ExceptionMatches(PyExc_TypeError) == 0) nb::raise_python_error();
    if (!hashable) PyErr_Clear();
    if (hashable && numbers_.contains(state))
        return static_cast<double>(first_ + nb::cast<std::int64_t>(numbers_[state]));
    const auto at = static_cast<std::int64_t>(states_.size());
    if (hashable) numbers_[state] = at;
    states_.push_back(std::move(state));
    verdict_.push_back(-1);
    is_skipped_.push_back(false);
    return static_cast<double>(first_ + at);
}

const nb::object& PythonRule::state(double number_of_state) const {
    return states_[static_cast<std::size_t>(number_of_state) - first_];
}

int PythonRule::traverse(visitproc visit, void* arg) const {
    Py_VISIT(rule_.ptr());
    for (const nb::object& state : states_) Py_VISIT(state.ptr());
    Py_VISIT(numbers_.ptr());
    return 0;
}

void PythonRule::clear() {
    rule_ = nb::none();
    forget_skipped();
}

/// A function of the rule that must answer yes or no.
bool PythonRule::ask(const char* function, const nb::object& argument) {
    const nb::object answer = rule_.attr(function)(argument);
    if (answer.is_none())
        throw nb::type_error((nb::cast<std::string>(nb::str(rule_.type().attr("__name__"))) + "." +
                              function + " must return True or False, got None")
                                 .c_str());
    const int truth = PyObject_IsTrue(answer.ptr());
    if (truth < 0) nb::raise_python_error();
    return truth == 1;
}

}  // namespace beamtree::python
