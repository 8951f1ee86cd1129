#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings.hpp"
#include "make_search.hpp"
#include "python_rule.hpp"

namespace beamtree::python {

void bind_rules(nb::module_& module) {
    nb::class_<RulePart>(module, "RulePart",
                         "A built-in rule, given by its name and its thresholds.")
        .def(
            "__init__",
            [](RulePart* part, const std::string& name, double start, double unit, double limit) {
                new (part) RulePart{name, {start, unit, limit}, {}};
            },
            nb::arg("name"), nb::arg("start"), nb::arg("unit"), nb::arg("limit"))
        .def_ro("name", &RulePart::name)
        .def_prop_ro("start", [](const RulePart& part) { return part.range.start; })
        .def_prop_ro("unit", [](const RulePart& part) { return part.range.unit; })
        .def_prop_ro("limit", [](const RulePart& part) { return part.range.limit; });

    nb::class_<Context>(
        module, "NodeContext",
        "The properties of a node, and of the split that leads to it, that a rule can use.")
        .def(
            "__init__",
            [](Context* context, int rank, int feature, double gain, double best_gain, int level,
               int remaining_depth, double error, double weight, std::int64_t rows) {
                new (context) Context;
                context->node.rank = rank;
                context->node.feature = feature;
                context->node.gain = gain;
                context->node.best_gain = best_gain;
                context->node.level = level;
                context->node.remaining_depth = remaining_depth;
                context->scale = 1 << 20;
                const auto whole = [&](double real) {
                    return static_cast<std::int64_t>(real * context->scale);
                };
                context->node.error = whole(error);
                context->node.weight = whole(weight);
                context->node.class_weights = {whole(weight - error), whole(error)};
                context->node.rows = rows;
            },
            nb::arg("rank") = 0, nb::arg("feature") = -1, nb::arg("gain") = 0.0,
            nb::arg("best_gain") = 0.0, nb::arg("level") = 0, nb::arg("remaining_depth") = 0,
            nb::arg("error") = 0.0, nb::arg("weight") = 1.0, nb::arg("rows") = 1,
            "Create a context, to test a rule without a search.")
        .def_prop_ro(
            "rank", [](const Context& c) { return c.node.rank; },
            "Rank, from 0, of the split that leads to the node, in the order of the heuristic. In "
            "a "
            "table with many thresholds, it is the rank of the column plus the number of times "
            "that "
            "the interval of its thresholds was divided.")
        .def_prop_ro(
            "feature", [](const Context& c) { return c.node.feature; },
            "Number of the test of the split that leads to the node; -1 at the root.")
        .def_prop_ro(
            "gain", [](const Context& c) { return c.node.gain; },
            "Gain of the split that leads to the node, in the unit of the heuristic; larger is "
            "better.")
        .def_prop_ro(
            "best_gain", [](const Context& c) { return c.node.best_gain; },
            "Largest gain of a split of the parent.")
        .def_prop_ro(
            "level", [](const Context& c) { return c.node.level; },
            "Level of the node; the root has level 0.")
        .def_prop_ro(
            "remaining_depth", [](const Context& c) { return c.node.remaining_depth; },
            "Number of levels of splits that may follow below the node.")
        .def_prop_ro(
            "error", [](const Context& c) { return c.real(c.node.error); },
            "Weight of the rows that the node misclassifies if it is a leaf.")
        .def_prop_ro(
            "weight", [](const Context& c) { return c.real(c.node.weight); },
            "Weight of the node's rows.")
        .def_prop_ro(
            "rows", [](const Context& c) { return c.node.rows; }, "Number of the node's rows.")
        .def_prop_ro(
            "class_weights",
            [](const Context& c) {
                std::vector<double> weights;
                for (const std::int64_t weight : c.node.class_weights)
                    weights.push_back(c.real(weight));
                return weights;
            },
            "Weight of each class in the node.");
}

}  // namespace beamtree::python
