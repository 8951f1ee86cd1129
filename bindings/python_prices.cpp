#include "python_prices.hpp"

#include <algorithm>
#include <stdexcept>

#include "python_call.hpp"

namespace beamtree::python {

void PythonPrices::price(const std::int64_t* sums, std::size_t leaves, int width,
                         std::int64_t* cost) {
    call_python([&] {
        // One row per statistic, so that every statistic is contiguous, however many leaves there
        // are: NumPy may round differently in arrays with gaps.
        std::vector<std::int64_t> by_statistic(leaves * static_cast<std::size_t>(width));
        for (std::size_t i = 0; i < leaves; ++i)
            for (int k = 0; k < width; ++k)
                by_statistic[static_cast<std::size_t>(k) * leaves + i] = *sums++;
        const auto table =
            to_numpy(std::move(by_statistic), {static_cast<std::size_t>(width), leaves});
        const auto costs = nb::cast<Column<std::int64_t>>(function_(table));
        if (costs.size() != leaves) throw std::length_error("one cost per leaf is needed");
        std::copy_n(costs.data(), leaves, cost);
    });
}

}  // namespace beamtree::python
