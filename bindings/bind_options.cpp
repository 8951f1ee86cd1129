#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings.hpp"
#include "kernel/kernel.hpp"
#include "options/options.hpp"

namespace beamtree::python {

void bind_options(nb::module_& module) {
    nb::class_<Options>(module, "Options", "What a search can be told.")
        .def(nb::init<>())
#define BEAMTREE_BIND(type, name, value, help) .def_rw(#name, &Options::name, help)
            BEAMTREE_OPTIONS(BEAMTREE_BIND)
#undef BEAMTREE_BIND
        ;
    module.def(
        "kernels",
        [] {
            std::vector<std::string> names;
            for (const Kernel& kernel : available_kernels()) names.emplace_back(kernel.name);
            return names;
        },
        "The kernels that this machine can run, best first.");
}

}  // namespace beamtree::python
