// Calls from the core into Python.
#pragma once

#include "bindings.hpp"
#include "limits/limits.hpp"

namespace beamtree::python {

/// Calls a function that uses Python objects. Ctrl-C during the call ends the step, and not the
/// search.
template <class Function>
auto call_python(Function function) {
    const nb::gil_scoped_acquire with_gil;
    try {
        return function();
    } catch (nb::python_error& error) {
        if (error.matches(PyExc_KeyboardInterrupt)) throw Interrupted{};
        throw;
    }
}

}  // namespace beamtree::python
