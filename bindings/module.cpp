// The native module. This file is its table of contents.
#include "bindings.hpp"

NB_MODULE(_core, module) {
    using namespace beamtree::python;
    module.doc() = "The native core of beamtree; its interface may change in any version.";
    bind_memory(module);
    bind_options(module);
    bind_rules(module);
    bind_search(module);
    bind_ranks(module);
    bind_recount(module);
}
