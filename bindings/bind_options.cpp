#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "bindings.hpp"
#include "kernel/kernel.hpp"
#include "options/options.hpp"

namespace beamtree::python {

namespace {

/// One line of the tables in options.hpp, as Python sees it.
struct Option {
    std::string name;
    nb::object value;
    std::optional<std::int64_t> least, most;
    std::vector<std::string> words;
    std::string help;
};

nb::dict all_options() {
    nb::dict all;
    const Options defaults;
    for_each_option(defaults, [&](const OptionInfo& info, const auto& value) {
        using Value = std::decay_t<decltype(value)>;
        Option option{info.name, nb::cast(value), {}, {}, info.allowed.words, info.help};
        if constexpr (std::is_integral_v<Value> && !std::is_same_v<Value, bool>) {
            option.least = info.allowed.least;
            option.most = info.allowed.most;
        }
        all[info.name] = nb::cast(std::move(option));
    });
    return all;
}

}  // namespace

void bind_options(nb::module_& module) {
    nb::class_<Option>(module, "Option", "The declaration of an option of the search.")
        .def_ro("name", &Option::name)
        .def_ro("default", &Option::value)
        .def_ro("least", &Option::least,
                "Smallest integer that is allowed; None if the option is not an integer.")
        .def_ro("most", &Option::most,
                "Largest integer that is allowed; None if the option is not an integer.")
        .def_ro("words", &Option::words, "Allowed texts; empty if the core looks them up.")
        .def_ro("help", &Option::help);
    nb::class_<Options>(module, "Options", "The options of a search.")
        .def(nb::init<>())
#define BEAMTREE_BIND(type, name, value, allowed, help) .def_rw(#name, &Options::name, help)
            BEAMTREE_OPTIONS(BEAMTREE_BIND)
#undef BEAMTREE_BIND
#define BEAMTREE_BIND(type, name, value, allowed, help)               \
    .def_prop_rw(                                                     \
        #name, [](const Options& all) { return all.ablations.name; }, \
        [](Options& all, type chosen) { all.ablations.name = std::move(chosen); }, help)
                BEAMTREE_ABLATIONS(BEAMTREE_BIND)
#undef BEAMTREE_BIND
#define BEAMTREE_BIND(type, name, value, allowed, help)           \
    .def_prop_rw(                                                 \
        #name, [](const Options& all) { return all.hooks.name; }, \
        [](Options& all, type chosen) { all.hooks.name = std::move(chosen); }, help)
                    BEAMTREE_TEST_HOOKS(BEAMTREE_BIND)
#undef BEAMTREE_BIND
        ;
    module.attr("OPTIONS") = all_options();
    module.def(
        "kernels",
        [] {
            std::vector<std::string> names;
            for (const Kernel& kernel : available_kernels()) names.emplace_back(kernel.name);
            return names;
        },
        "Return the names of the kernels that this machine can run, best first.");
}

}  // namespace beamtree::python
