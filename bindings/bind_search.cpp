#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <atomic>
#include <cmath>
#include <cstring>
#include <exception>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "bindings.hpp"
#include "limits/limits.hpp"
#include "make_search.hpp"
#include "python_prices.hpp"
#include "python_rule.hpp"
#include "python_stream.hpp"

namespace beamtree::python {

namespace {

template <class T, class Row, class Get>
auto column_of(const std::vector<Row>& rows, Get get) {
    std::vector<T> values;
    values.reserve(rows.size());
    for (const Row& row : rows) values.push_back(get(row));
    return to_numpy(std::move(values));
}

nb::dict statistics_dict(const Statistics& statistics) {
    nb::dict out;
#define BEAMTREE_ITEM(name, help) out[#name] = statistics.name;
    BEAMTREE_STATISTICS(BEAMTREE_ITEM)
#undef BEAMTREE_ITEM
    return out;
}

/// Returns None in place of what is not a number.
std::optional<double> number_or_none(double value) {
    return std::isnan(value) ? std::nullopt : std::optional(value);
}

using PythonPath = std::vector<std::pair<int, bool>>;

Path steps_of(const PythonPath& path) {
    Path steps;
    for (const auto& [test, one] : path) steps.push_back({test, one});
    return steps;
}

template <class Row>
nb::bytes bytes_of(const std::vector<Row>& rows) {
    return nb::bytes(reinterpret_cast<const char*>(rows.data()), rows.size() * sizeof(Row));
}

template <class Row>
void read_bytes(const nb::bytes& bytes, std::vector<Row>& rows) {
    rows.resize(bytes.size() / sizeof(Row));
    if (bytes.size() != rows.size() * sizeof(Row))
        throw std::invalid_argument("this is not what a search has learned");
    if (!rows.empty()) std::memcpy(rows.data(), bytes.data(), bytes.size());
}

constexpr std::pair<AnswerEnd, const char*> kAnswerEnds[] = {{AnswerEnd::kSolved, "solved"},
                                                             {AnswerEnd::kReached, "reached"},
                                                             {AnswerEnd::kTimeOut, "time_out"},
                                                             {AnswerEnd::kGivenUp, "given_up"}};

const char* name_of(AnswerEnd end) {
    for (const auto& [known, name] : kAnswerEnds)
        if (known == end) return name;
    return "";
}

AnswerEnd answer_end(std::string_view name) {
    for (const auto& [end, known] : kAnswerEnds)
        if (name == known) return end;
    throw std::invalid_argument("an answer cannot end with " + std::string(name));
}

/// A search together with the arrays that it reads. It handles Ctrl-C while the search runs.
class PythonSearch {
  public:
    PythonSearch(Rows X, Target y, Column<std::int64_t> weight, int n_classes,
                 const Options& options, const nb::list& rule, double weight_scale,
                 nb::object prices, std::optional<Column<std::int64_t>> count)
        : X_(std::move(X)),
          y_(std::move(y)),
          weight_(std::move(weight)),
          count_(std::move(count)),
          prices_(std::move(prices)) {
        Problem problem = make_problem(X_, y_, weight_.size(), n_classes);
        problem.weight = weight_.data();
        set_counts(problem, count_);
        problem.prices = &prices_;
        std::vector<RulePart> parts;
        for (const nb::handle part : rule) {
            if (nb::isinstance<RulePart>(part))
                parts.push_back(nb::cast<RulePart>(part));
            else
                parts.push_back({"",
                                 {},
                                 own_.emplace_back(std::make_shared<PythonRule>(nb::borrow(part),
                                                                                weight_scale))});
        }
        columns_ = problem.columns;
        {
            const nb::gil_scoped_release without_gil;
            search_ = make_search(problem, options, parts, [this] { return poll(); });
        }
        // Handle Ctrl-C that was pressed while the rows were packed. If it were left to the
        // interpreter, the constructor would fail.
        poll();
    }

    bool step(double seconds, std::int64_t nodes, double gap, Cost slack) {
        const nb::gil_scoped_release without_gil;
        return !failed_ && search_->next(Budget{seconds, nodes, gap, slack});
    }
    bool done() const { return failed_ || search_->done(); }
    void interrupt() { search_->interrupt(); }
    /// Returns whether Ctrl-C was pressed since the last call.
    bool take_pressed() { return pressed_.exchange(false); }
    auto progress() const {
        const Progress now = search_->progress();
        return std::make_tuple(now.seconds, now.nodes, now.cost, now.lower, now.restart,
                               now.threshold, now.bytes, number_or_none(now.time_to_proof));
    }
    void offer(const Column<std::int32_t>& feature, const Column<std::int32_t>& left,
               const Column<std::int32_t>& right) {
        search_->offer(make_tree(feature, left, right, columns_));
    }
    void save(nb::callable write) const {
        PieceWriter pieces(std::move(write));
        const nb::gil_scoped_release without_gil;
        search_->save([&](const void* data, std::size_t size) { pieces.put(data, size); });
        pieces.flush();
    }
    void restore(nb::callable read) {
        PieceReader pieces(std::move(read));
        const nb::gil_scoped_release without_gil;
        search_->restore([&](void* data, std::size_t size) { pieces.get(data, size); });
        pieces.finish();
    }
    auto alternatives(double seconds) {
        std::vector<Alternative> found;
        {
            const nb::gil_scoped_release without_gil;
            found = search_->alternatives(seconds);
        }
        return nb::make_tuple(
            column_of<std::int32_t>(found, [](const Alternative& a) { return a.feature; }),
            column_of<std::int64_t>(found, [](const Alternative& a) { return a.lower; }),
            column_of<std::int64_t>(found, [](const Alternative& a) { return a.upper; }));
    }
    std::int64_t prove(const PythonPath& path, std::int64_t bound, double seconds) {
        const nb::gil_scoped_release without_gil;
        return search_->prove(steps_of(path), bound, seconds);
    }
    using OpenTest = std::tuple<int, std::int64_t, std::int64_t>;
    std::optional<std::pair<std::int64_t, std::vector<OpenTest>>> shallow_bound(
        const PythonPath& path, std::int64_t bound) {
        const nb::gil_scoped_release without_gil;
        const auto found = search_->shallow_bound(steps_of(path), bound);
        if (!found) return {};
        std::vector<OpenTest> open;
        for (const ShallowBound::Test& test : found->open)
            open.emplace_back(test.test, test.zero, test.one);
        return std::pair{found->lower, open};
    }
    /// Tasks for other processes: id, path, depth, leaves, bound, target and whether it is a probe.
    using PythonTask =
        std::tuple<std::int64_t, PythonPath, int, int, std::int64_t, std::int64_t, bool>;
    std::vector<PythonTask> take_tasks(std::size_t most, double seconds) {
        std::vector<TaskBoard::Posted> taken;
        {
            const nb::gil_scoped_release without_gil;
            taken = board().take(most, seconds);
        }
        std::vector<PythonTask> tasks;
        for (const auto& [id, task] : taken) {
            PythonPath path;
            for (const auto& [test, one] : task.path) path.emplace_back(test, one);
            tasks.emplace_back(id, std::move(path), task.size.depth, task.size.leaves, task.bound,
                               task.target + search_->offset(), task.probe);
        }
        return tasks;
    }
    nb::tuple solve(const PythonPath& path, int depth, int leaves, std::int64_t bound, bool probe,
                    double seconds) {
        const Task task{steps_of(path), {depth, leaves}, bound, bound, probe};
        Answer answer;
        {
            const nb::gil_scoped_release without_gil;
            answer = search_->solve(task, seconds);
        }
        return nb::make_tuple(name_of(answer.end), answer.lower,
                              to_numpy(std::move(answer.tree.feature)),
                              to_numpy(std::move(answer.tree.left)),
                              to_numpy(std::move(answer.tree.right)), answer.nodes, answer.seconds);
    }
    void answer(std::int64_t id, const char* end, std::int64_t lower,
                const Column<std::int32_t>& feature, const Column<std::int32_t>& left,
                const Column<std::int32_t>& right, std::int64_t nodes, double seconds) {
        board().answer(
            id, {answer_end(end), lower, tree_or_none(feature, left, right), nodes, seconds});
    }
    void learn(const Column<std::int32_t>& feature, const Column<std::int32_t>& left,
               const Column<std::int32_t>& right, std::int64_t lower) {
        Tree tree = tree_or_none(feature, left, right);
        const nb::gil_scoped_release without_gil;
        search_->learn(std::move(tree), lower);
    }
    nb::tuple take_learned() {
        const Learned learned = search_->take_learned();
        return nb::make_tuple(bytes_of(learned.facts), bytes_of(learned.cells));
    }
    void merge_learned(const nb::bytes& facts, const nb::bytes& cells) {
        Learned learned;
        read_bytes(facts, learned.facts);
        read_bytes(cells, learned.cells);
        const nb::gil_scoped_release without_gil;
        search_->merge_learned(learned);
    }
    const char* status() const { return name_of(search_->status()); }
    Outcome outcome() const { return search_->outcome(); }
    /// Throws the exception of a rule or of a signal handler again, if there was one; only once.
    void raise_failure() {
        // It is not kept, because its traceback refers to frames that hold the search.
        const std::exception_ptr failure = failure_ ? failure_ : search_->failure();
        failure_ = nullptr;
        search_->forget_failure();
        if (failure) std::rethrow_exception(failure);
    }

    int traverse(visitproc visit, void* arg) const {
        for (const auto& rule : own_)
            if (const int stop = rule->traverse(visit, arg)) return stop;
        return prices_.traverse(visit, arg);
    }
    void clear() {
        for (const auto& rule : own_) rule->clear();
        prices_.clear();
    }

  private:
    TaskBoard& board() {
        if (search_->board() == nullptr)
            throw std::logic_error("the search has no threads that wait for other processes");
        return *search_->board();
    }
    Tree tree_or_none(const Column<std::int32_t>& feature, const Column<std::int32_t>& left,
                      const Column<std::int32_t>& right) const {
        return feature.size() == 0 ? Tree{} : make_tree(feature, left, right, columns_);
    }

    /// Returns whether the step must end. Ctrl-C ends it, and the best tree so far is kept.
    bool poll() {
        const nb::gil_scoped_acquire with_gil;
        if (PyErr_CheckSignals() == 0) return false;
        if (PyErr_ExceptionMatches(PyExc_KeyboardInterrupt) != 0) {
            PyErr_Clear();
            pressed_ = true;
            return true;
        }
        try {
            nb::raise_python_error();
        } catch (...) {
            failure_ = std::current_exception();
            failed_ = true;
        }
        return true;
    }

    Rows X_;
    Target y_;
    Column<std::int64_t> weight_;
    std::optional<Column<std::int64_t>> count_;
    /// Rules of the user; the search holds them, too.
    std::vector<std::shared_ptr<PythonRule>> own_;
    PythonPrices prices_;  ///< used if the rows have statistics
    std::unique_ptr<Search> search_;
    std::exception_ptr failure_;  ///< exception of a signal handler
    bool failed_ = false;
    std::atomic<bool> pressed_ = false;
    int columns_ = 0;
};

/// A rule may refer to the search that holds it, so the garbage collector must be able to see the
/// cycle.
int traverse_search(PyObject* self, visitproc visit, void* arg) {
    Py_VISIT(Py_TYPE(self));
    if (!nb::inst_ready(self)) return 0;
    return nb::inst_ptr<PythonSearch>(self)->traverse(visit, arg);
}

int clear_search(PyObject* self) {
    if (nb::inst_ready(self)) nb::inst_ptr<PythonSearch>(self)->clear();
    return 0;
}

PyType_Slot search_slots[] = {{Py_tp_traverse, reinterpret_cast<void*>(traverse_search)},
                              {Py_tp_clear, reinterpret_cast<void*>(clear_search)},
                              {0, nullptr}};

}  // namespace

void bind_search(nb::module_& module) {
    // Ctrl-C in a rule or in an objective, outside of a step.
    nb::register_exception_translator([](const std::exception_ptr& thrown, void*) {
        try {
            std::rethrow_exception(thrown);
        } catch (const Interrupted&) {
            PyErr_SetNone(PyExc_KeyboardInterrupt);
        }
    });
    nb::class_<Outcome>(module, "Outcome", "The result of a search.")
        .def_prop_ro("status", [](const Outcome& o) { return name_of(o.status); })
        .def_ro("cost", &Outcome::cost)
        .def_ro("lower", &Outcome::lower)
        .def_ro("leaves_bound", &Outcome::leaves_bound)
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
            "sums",
            [](const Outcome& o) {
                const std::size_t nodes = o.tree.feature.size();
                const std::size_t width = o.sums.width;
                return to_numpy(std::vector(o.sums.sums), {nodes, width});
            },
            nb::rv_policy::move)
        .def_prop_ro(
            "rows", [](const Outcome& o) { return to_numpy(std::vector(o.sums.rows)); },
            nb::rv_policy::move)
        .def_prop_ro(
            "trace",
            [](const Outcome& o) {
                return nb::make_tuple(
                    column_of<double>(o.trace, [](const TraceRow& r) { return r.seconds; }),
                    column_of<std::int64_t>(o.trace, [](const TraceRow& r) { return r.nodes; }),
                    column_of<std::int64_t>(o.trace, [](const TraceRow& r) { return r.cost; }),
                    column_of<std::int64_t>(o.trace, [](const TraceRow& r) { return r.lower; }),
                    column_of<std::int64_t>(o.trace, [](const TraceRow& r) { return r.restart; }),
                    column_of<double>(o.trace, [](const TraceRow& r) { return r.threshold; }));
            })
        .def_prop_ro("statistics", [](const Outcome& o) { return statistics_dict(o.statistics); })
        .def_prop_ro("time_to_proof",
                     [](const Outcome& o) { return number_or_none(o.time_to_proof); });
    module.def(
        "packed_bytes",
        [](const Rows& X, const Target& y) {
            return packed_bytes(make_problem(X, y, rows_of(y), 1));
        },
        nb::arg("X"), nb::arg("y"), "Estimate the bytes that the rows take inside a search.");
    nb::class_<PythonSearch>(module, "Search", nb::type_slots(search_slots),
                             "A search for the tree of least cost.")
        .def(nb::init<Rows, Target, Column<std::int64_t>, int, const Options&, const nb::list&,
                      double, nb::object, std::optional<Column<std::int64_t>>>(),
             nb::arg("X"), nb::arg("y"), nb::arg("weight"), nb::arg("n_classes"),
             nb::arg("options"), nb::arg("rule"), nb::arg("weight_scale") = 1.0,
             nb::arg("prices") = nb::none(), nb::arg("count") = nb::none())
        .def("step", &PythonSearch::step, nb::arg("seconds"), nb::arg("nodes"), nb::arg("gap"),
             nb::arg("slack"),
             "Search until the next improvement; return False if there was none. The GIL is "
             "released, and Ctrl-C ends the step.")
        .def("interrupt", &PythonSearch::interrupt,
             "End the step soon. May be called from any thread.")
        .def("take_pressed", &PythonSearch::take_pressed,
             "Return whether Ctrl-C was pressed since the last call.")
        .def("progress", &PythonSearch::progress,
             "Return seconds, nodes, cost, lower, restart, threshold, bytes and the estimated "
             "seconds until the proof, or None. May be called from any thread.")
        .def("offer", &PythonSearch::offer, nb::arg("feature"), nb::arg("left"), nb::arg("right"),
             "Start from this tree if it is better than the greedy ones. Call it before the first "
             "step.")
        .def("save", &PythonSearch::save, nb::arg("write"),
             "Pass the state of the search to write(bytes), in pieces.")
        .def("restore", &PythonSearch::restore, nb::arg("read"),
             "Load the state of a search from read(), which returns a piece, and b'' at the end.")
        .def_prop_ro("done", &PythonSearch::done)
        .def_prop_ro("status", &PythonSearch::status)
        .def("alternatives", &PythonSearch::alternatives, nb::arg("seconds"),
             "Return the feature, the lower bound and the least known cost of every first split.")
        .def("prove", &PythonSearch::prove, nb::arg("path"), nb::arg("bound"), nb::arg("seconds"),
             "Return a lower bound on the cost of all trees at the end of a path of tests and "
             "sides.")
        .def(
            "shallow_bound", &PythonSearch::shallow_bound, nb::arg("path"), nb::arg("bound"),
            "Return a lower bound on their cost that is found without looking at further nodes, "
            "and the tests that leave them below the bound with bounds of their two sides; None if "
            "there are no such bounds.")
        .def(
            "take_tasks", &PythonSearch::take_tasks, nb::arg("most"), nb::arg("seconds"),
            "Take tasks for other processes: id, path, depth, leaves, bound, target and whether it "
            "is a probe. Wait for one as long as `seconds`. May be called from any thread.")
        .def("solve", &PythonSearch::solve, nb::arg("path"), nb::arg("depth"), nb::arg("leaves"),
             nb::arg("bound"), nb::arg("probe"), nb::arg("seconds"),
             "Solve a task of another process. Return how it ended, a lower bound, the tree, and "
             "the nodes and seconds that it took.")
        .def("answer", &PythonSearch::answer, nb::arg("id"), nb::arg("end"), nb::arg("lower"),
             nb::arg("feature"), nb::arg("left"), nb::arg("right"), nb::arg("nodes"),
             nb::arg("seconds"), "Bring the answer to a task. May be called from any thread.")
        .def("learn", &PythonSearch::learn, nb::arg("feature"), nb::arg("left"), nb::arg("right"),
             nb::arg("lower"),
             "Take over a tree, if it has nodes, and a lower bound that another search of the same "
             "problem has found. May be called from any thread.")
        .def("take_learned", &PythonSearch::take_learned,
             "Return what was learned of subproblems since the last call, as bytes: bounds, and "
             "cells, of which there are more and which are worth less.")
        .def("merge_learned", &PythonSearch::merge_learned, nb::arg("facts"), nb::arg("cells"),
             "Take over what another search of the same problem has learned.")
        .def("outcome", &PythonSearch::outcome)
        .def("raise_failure", &PythonSearch::raise_failure);
}

}  // namespace beamtree::python
