#include <nanobind/stl/tuple.h>
#include <nanobind/stl/variant.h>

#include <limits>
#include <stdexcept>
#include <string>
#include <tuple>

#include "bindings.hpp"
#include "data/rank_values.hpp"
#include "search/search.hpp"

namespace beamtree::python {

PythonRanks::PythonRanks(Array rank, const Column<std::int32_t>& cuts) : array_(std::move(rank)) {
    if (cuts.size() != array_.shape(0))
        throw std::invalid_argument("rank and cuts must have the same number of orders, got " +
                                    std::to_string(array_.shape(0)) + " and " +
                                    std::to_string(cuts.size()));
    std::int64_t tests = 0;
    ranks_.first.push_back(0);
    for (std::size_t order = 0; order < cuts.size(); ++order) {
        const std::int32_t count = cuts.data()[order];
        tests += count;
        if (count < 0 || tests > std::numeric_limits<std::int32_t>::max())
            throw std::invalid_argument("cuts must be at least 0, and their sum below 2^31, got " +
                                        std::to_string(count) + " for order " +
                                        std::to_string(order));
        ranks_.first.push_back(static_cast<std::int32_t>(tests));
    }
    ranks_.rank = array_.data();
}

Problem make_problem(const Rows& X, const Target& y, std::size_t weights, int n_classes) {
    Problem problem;
    std::size_t rows = 0;
    if (const auto* table = std::get_if<Table>(&X)) {
        rows = table->shape(0);
        problem.features = table->data();
        problem.columns = static_cast<int>(table->shape(1));
    } else {
        const auto& ranked = std::get<PythonRanks>(X);
        rows = ranked.rows();
        problem.ranks = &ranked.ranks();
        problem.columns = ranked.ranks().tests();
    }
    const std::size_t targets = rows_of(y);
    if (targets != rows || weights != rows)
        throw std::invalid_argument("X, y and weight must have the same number of rows, got " +
                                    std::to_string(rows) + ", " + std::to_string(targets) +
                                    " and " + std::to_string(weights));
    if (const auto* label = std::get_if<Column<std::int32_t>>(&y))
        problem.label = label->data();
    else if (const auto* value = std::get_if<Column<std::int64_t>>(&y))
        problem.value = value->data();
    else if (const auto* table = std::get_if<StatisticTable>(&y)) {
        problem.statistic = table->data();
        problem.statistics = static_cast<int>(table->shape(1));
    }
    problem.rows = static_cast<std::int64_t>(rows);
    problem.classes = n_classes;
    return problem;
}

void set_counts(Problem& problem, const std::optional<Column<std::int64_t>>& count) {
    if (!count) return;
    if (static_cast<std::int64_t>(count->size()) != problem.rows)
        throw std::invalid_argument("X and count must have the same number of rows, got " +
                                    std::to_string(problem.rows) + " and " +
                                    std::to_string(count->size()));
    problem.count = count->data();
}

namespace {

template <class T>
void bind_rank_values(nb::module_& module) {
    module.def(
        "rank_values",
        [](const Column<T>& column) {
            RankedValues<T> ranked;
            {
                const nb::gil_scoped_release without_gil;
                ranked = rank_values(column.data(), column.size());
            }
            return std::make_tuple(to_numpy(std::move(ranked.values)),
                                   to_numpy(std::move(ranked.rank)));
        },
        nb::arg("column").noconvert(),
        "The sorted distinct values of a column, and the position of each row's value among them; "
        "for a NaN, the number of values.");
}

}  // namespace

void bind_ranks(nb::module_& module) {
    bind_rank_values<double>(module);
    bind_rank_values<std::int64_t>(module);
    bind_rank_values<std::uint64_t>(module);
    nb::class_<PythonRanks>(module, "Ranks",
                            "Rows as ranks in orders. Cut t of an order is the test whether a row "
                            "has a rank of at least t; tests are numbered through all orders.")
        .def(nb::init<PythonRanks::Array, Column<std::int32_t>>(), nb::arg("rank"), nb::arg("cuts"))
        .def_prop_ro(
            "shape", [](const PythonRanks& r) { return std::make_tuple(r.rows(), r.orders()); },
            "Number of rows and number of orders.")
        .def(
            "sorts",
            [](const PythonRanks& r, const Options& options) { return sorts(r.ranks(), options); },
            nb::arg("options"),
            "Whether a search holds the rows as sorted columns, and not as columns of bits.");
}

}  // namespace beamtree::python
