#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/variant.h>

#include <optional>
#include <stdexcept>
#include <string>
#include <tuple>

#include "bindings.hpp"
#include "check/recount.hpp"

namespace beamtree::python {

Tree make_tree(const Column<std::int32_t>& feature, const Column<std::int32_t>& left,
               const Column<std::int32_t>& right, int columns) {
    const auto size = static_cast<std::int32_t>(feature.size());
    if (size < 1 || left.size() != feature.size() || right.size() != feature.size())
        throw std::invalid_argument(
            "feature, left and right must have the same length, which is at least 1, got " +
            std::to_string(feature.size()) + ", " + std::to_string(left.size()) + " and " +
            std::to_string(right.size()));
    Tree tree;
    tree.feature.assign(feature.data(), feature.data() + size);
    tree.left.assign(left.data(), left.data() + size);
    tree.right.assign(right.data(), right.data() + size);
    for (std::int32_t at = 0; at < size; ++at) {
        if (tree.feature[at] == Tree::kNone) continue;
        if (tree.feature[at] < 0 || tree.feature[at] >= columns || tree.left[at] <= at ||
            tree.left[at] >= size || tree.right[at] <= at || tree.right[at] >= size)
            throw std::invalid_argument(
                "a node of a tree must have a test as its feature, and children with larger "
                "indices than its own, got node " +
                std::to_string(at) + " with feature " + std::to_string(tree.feature[at]) +
                ", left " + std::to_string(tree.left[at]) + " and right " +
                std::to_string(tree.right[at]));
    }
    return tree;
}

void bind_recount(nb::module_& module) {
    module.def(
        "recount",
        [](const Rows& X, const Column<std::int32_t>& y, const Column<double>& weight,
           int n_classes, const Column<std::int32_t>& feature, const Column<std::int32_t>& left,
           const Column<std::int32_t>& right, const std::optional<Column<std::int64_t>>& count) {
            Problem problem = make_problem(X, y, weight.size(), n_classes);
            set_counts(problem, count);
            const Tree tree = make_tree(feature, left, right, problem.columns);
            for (std::int64_t i = 0; i < problem.rows; ++i)
                if (problem.label[i] < 0 || problem.label[i] >= n_classes)
                    throw std::invalid_argument("y must be from 0 to n_classes - 1, got " +
                                                std::to_string(problem.label[i]));
            NodeSums<double> sums;
            {
                const nb::gil_scoped_release without_gil;
                sums = recount(problem, tree, weight.data());
            }
            const std::size_t nodes = feature.size(), classes = n_classes;
            return std::make_tuple(to_numpy(std::move(sums.sums), {nodes, classes}),
                                   to_numpy(std::move(sums.rows)));
        },
        nb::arg("X"), nb::arg("y"), nb::arg("weight"), nb::arg("n_classes"), nb::arg("feature"),
        nb::arg("left"), nb::arg("right"), nb::arg("count") = nb::none(),
        "Return the weight of each class (nodes, classes) and the rows (nodes,) of a tree's "
        "nodes.");
}

}  // namespace beamtree::python
