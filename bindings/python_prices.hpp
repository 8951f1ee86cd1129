// What leaves cost under an objective that is written in Python, behind the core's interface
// LeafPrices.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "bindings.hpp"

namespace beamtree::python {

class PythonPrices final : public LeafPrices {
  public:
    explicit PythonPrices(nb::object function) : function_(std::move(function)) {}

    /// Calls the function with an array (width, leaves) of sums. It returns integers (leaves,).
    void price(const std::int64_t* sums, std::size_t leaves, int width,
               std::int64_t* cost) override;

    /// For the garbage collector: visits the Python object that is held, and drops it.
    int traverse(visitproc visit, void* arg) const {
        Py_VISIT(function_.ptr());
        return 0;
    }
    void clear() { function_ = nb::none(); }

  private:
    nb::object function_;
};

}  // namespace beamtree::python
