// Conversions and declarations that the binding files share.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "data/problem.hpp"
#include "data/tree.hpp"

namespace beamtree::python {

namespace nb = nanobind;

template <class T>
using Column = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Table = nb::ndarray<const std::uint8_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

/// Returns a NumPy array that takes over the memory of a vector.
template <class T>
auto to_numpy(std::vector<T>&& values, std::initializer_list<std::size_t> shape) {
    auto* owned = new std::vector<T>(std::move(values));
    nb::capsule owner(owned, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    return nb::ndarray<nb::numpy, T>(owned->data(), shape, owner);
}
template <class T>
auto to_numpy(std::vector<T>&& values) {
    const std::size_t size = values.size();
    return to_numpy(std::move(values), {size});
}

/// Ranked rows together with the array that holds the ranks.
class PythonRanks {
  public:
    using Array = nb::ndarray<const std::uint32_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

    /// Checks the shapes and the number of tests.
    PythonRanks(Array rank, const Column<std::int32_t>& cuts);

    const Ranks& ranks() const { return ranks_; }
    std::size_t rows() const { return array_.shape(1); }
    std::size_t orders() const { return array_.shape(0); }

  private:
    Array array_;
    Ranks ranks_;
};

/// The rows of a problem: zeros and ones, or ranks.
using Rows = std::variant<Table, PythonRanks>;

/// What is to be predicted: classes, or numbers times the weights of their rows; or the statistics
/// of the rows (rows, statistics) for an objective of the user's own.
using StatisticTable = nb::ndarray<const std::int64_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Target = std::variant<Column<std::int32_t>, Column<std::int64_t>, StatisticTable>;

inline std::size_t rows_of(const Target& y) {
    return std::visit([](const auto& array) { return array.shape(0); }, y);
}

/// Checks that the arrays have equally many rows. The problem refers to them.
Problem make_problem(const Rows& X, const Target& y, std::size_t weights, int n_classes);

/// Checks that there is a count for every row. The problem refers to them.
void set_counts(Problem& problem, const std::optional<Column<std::int64_t>>& count);

/// Checks that children have larger indices than their parents, and that features are tests.
Tree make_tree(const Column<std::int32_t>& feature, const Column<std::int32_t>& left,
               const Column<std::int32_t>& right, int columns);

void bind_memory(nb::module_& module);
void bind_options(nb::module_& module);
void bind_rules(nb::module_& module);
void bind_search(nb::module_& module);
void bind_ranks(nb::module_& module);
void bind_recount(nb::module_& module);

}  // namespace beamtree::python
