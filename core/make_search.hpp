// The door to the core: checks what it is given, then searches.
#pragma once

#include <memory>

#include "data/problem.hpp"
#include "search/options.hpp"
#include "search/outcome.hpp"
#include "search/search.hpp"

namespace beamtree {

/// Throws std::invalid_argument, naming the option or the array, its value and what is allowed,
/// before any work.
std::unique_ptr<Search> make_search(const Problem& problem, const Options& options,
                                    Listener listener = {}, Poll poll = {});

}  // namespace beamtree
