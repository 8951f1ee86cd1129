#include "make_search.hpp"

#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

namespace beamtree {

namespace {

[[noreturn]] void refuse(const std::string& name, const std::string& value,
                         const std::string& what) {
    throw std::invalid_argument(name + " is " + value + "; it must be " + what);
}

void require(bool allowed, const std::string& name, const std::string& value,
             const std::string& what) {
    if (!allowed) refuse(name, value, what);
}

void check_options(const Options& options) {
    const auto integer = [](const char* name, std::int64_t value, std::int64_t least,
                            std::int64_t most) {
        require(least <= value && value <= most, name, std::to_string(value),
                "from " + std::to_string(least) + " to " + std::to_string(most));
    };
    integer("max_depth", options.max_depth, 0, kMaxDepth);
    integer("fused_granules", options.fused_granules, 0, 1 << 20);
    integer("exact_levels", options.exact_levels, 0, 3);
    integer("min_samples_leaf", options.min_samples_leaf, 1, std::int64_t{1} << 40);
    integer("unit", options.unit, 1, std::int64_t{1} << 60);
    integer("penalty", options.penalty, 0, std::int64_t{1} << 60);
    require(options.time_limit >= 0, "time_limit", std::to_string(options.time_limit),
            "at least 0");
}

void check_problem(const Problem& problem, const Options& options) {
    require(problem.rows >= 1 && problem.rows < (std::int64_t{1} << 31), "the number of rows",
            std::to_string(problem.rows), "from 1 to 2^31 - 1");
    require(problem.classes >= 1, "n_classes", std::to_string(problem.classes), "at least 1");
    std::uint8_t any = 0;
    const std::size_t cells = static_cast<std::size_t>(problem.rows) * problem.columns;
    for (std::size_t i = 0; i < cells; ++i) any |= problem.features[i];
    require(any <= 1, "a value of X", "neither 0 nor 1", "0 or 1");
    std::int64_t total = 0;
    const std::int64_t most = (std::int64_t{1} << 61) / options.unit;
    for (std::int64_t i = 0; i < problem.rows; ++i) {
        const std::int32_t label = problem.label[i];
        const std::int64_t weight = problem.weight[i];
        if (label < 0 || label >= problem.classes)
            refuse("y[" + std::to_string(i) + "]", std::to_string(label),
                   "from 0 to n_classes - 1");
        if (weight < 1 || weight > most - total)
            refuse("weight[" + std::to_string(i) + "]", std::to_string(weight),
                   "at least 1, and unit times all weights below 2^61");
        total += problem.weight[i];
    }
}

}  // namespace

std::unique_ptr<Search> make_search(const Problem& problem, const Options& options,
                                    Listener listener, Poll poll) {
    check_options(options);
    check_problem(problem, options);
    return std::make_unique<Search>(problem, options, std::move(listener), std::move(poll));
}

}  // namespace beamtree
