#include <nanobind/stl/tuple.h>

#include <exception>
#include <stdexcept>
#include <string>

#include "bindings.hpp"
#include "make_search.hpp"

namespace beamtree::python {

namespace {

template <class T, class Get>
auto column_of(const std::vector<TraceRow>& trace, Get get) {
    std::vector<T> values;
    values.reserve(trace.size());
    for (const TraceRow& row : trace) values.push_back(get(row));
    return to_numpy(std::move(values));
}

nb::dict statistics_dict(const Statistics& statistics) {
    nb::dict out;
#define BEAMTREE_ITEM(name, help) out[#name] = statistics.name;
    BEAMTREE_STATISTICS(BEAMTREE_ITEM)
#undef BEAMTREE_ITEM
    return out;
}

/// The Python side of a running search: a function that is told of improvements, and Ctrl-C.
class PythonSide {
  public:
    explicit PythonSide(nb::object listener) : listener_(std::move(listener)) {}

    /// An exception in the listener ends the search; it is raised when the search has unwound.
    void improved(const TraceRow& row) {
        if (failure_ || listener_.is_none()) return;
        const nb::gil_scoped_acquire with_gil;
        try {
            listener_(row.seconds, row.nodes, row.cost, row.lower);
        } catch (...) {
            failure_ = std::current_exception();
        }
    }
    /// Whether to end the search. Ctrl-C ends it with the best tree so far.
    bool poll() {
        if (failure_) return true;
        const nb::gil_scoped_acquire with_gil;
        if (PyErr_CheckSignals() == 0) return false;
        if (PyErr_ExceptionMatches(PyExc_KeyboardInterrupt) != 0) {
            PyErr_Clear();
        } else {
            try {
                nb::raise_python_error();
            } catch (...) {
                failure_ = std::current_exception();
            }
        }
        return true;
    }
    void rethrow() const {
        if (failure_) std::rethrow_exception(failure_);
    }

  private:
    nb::object listener_;
    std::exception_ptr failure_;
};

Outcome solve(const Table& X, const Column<std::int32_t>& y, const Column<std::int64_t>& weight,
              int n_classes, const Options& options, nb::object listener) {
    Problem problem = make_problem(X, y, weight.size(), n_classes);
    problem.weight = weight.data();
    PythonSide python(std::move(listener));
    Outcome outcome;
    {
        const nb::gil_scoped_release without_gil;
        outcome = make_search(
                      problem, options, [&](const TraceRow& row) { python.improved(row); },
                      [&] { return python.poll(); })
                      ->run();
    }
    python.rethrow();
    return outcome;
}

}  // namespace

Problem make_problem(const Table& X, const Column<std::int32_t>& y, std::size_t weights,
                     int n_classes) {
    if (y.size() != X.shape(0) || weights != X.shape(0))
        throw std::invalid_argument("X has " + std::to_string(X.shape(0)) + " rows, y " +
                                    std::to_string(y.size()) + ", weight " +
                                    std::to_string(weights) + "; they must be equal");
    Problem problem;
    problem.features = X.data();
    problem.label = y.data();
    problem.rows = static_cast<std::int64_t>(X.shape(0));
    problem.columns = static_cast<int>(X.shape(1));
    problem.classes = n_classes;
    return problem;
}

void bind_search(nb::module_& module) {
    nb::class_<Outcome>(module, "Outcome", "What a search leaves behind.")
        .def_prop_ro("status", [](const Outcome& o) { return name_of(o.status); })
        .def_ro("cost", &Outcome::cost)
        .def_ro("lower", &Outcome::lower)
        .def_prop_ro(
            "feature", [](const Outcome& o) { return to_numpy(std::vector(o.tree.feature)); },
            nb::rv_policy::move)
        .def_prop_ro(
            "left", [](const Outcome& o) { return to_numpy(std::vector(o.tree.left)); },
            nb::rv_policy::move)
        .def_prop_ro(
            "right", [](const Outcome& o) { return to_numpy(std::vector(o.tree.right)); },
            nb::rv_policy::move)
        .def_prop_ro(
            "trace",
            [](const Outcome& o) {
                return nb::make_tuple(
                    column_of<double>(o.trace, [](const TraceRow& r) { return r.seconds; }),
                    column_of<std::int64_t>(o.trace, [](const TraceRow& r) { return r.nodes; }),
                    column_of<std::int64_t>(o.trace, [](const TraceRow& r) { return r.cost; }),
                    column_of<std::int64_t>(o.trace, [](const TraceRow& r) { return r.lower; }));
            })
        .def_prop_ro("statistics", [](const Outcome& o) { return statistics_dict(o.statistics); });
    module.def(
        "solve", &solve, nb::arg("X"), nb::arg("y"), nb::arg("weight"), nb::arg("n_classes"),
        nb::arg("options"), nb::arg("listener") = nb::none(),
        "Searches for the tree of least cost. Releases the GIL; Ctrl-C ends the search with the "
        "best tree so far.");
}

}  // namespace beamtree::python
