// The door to the core: checks what it is given, and puts a search together.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "data/problem.hpp"
#include "options/options.hpp"
#include "rule/combined.hpp"
#include "rule/threshold.hpp"
#include "search/outcome.hpp"
#include "search/search.hpp"

namespace beamtree {

/// A rule, or one of several that prune together: a built-in one by its name and range, or one of
/// the caller's own.
struct RulePart {
    std::string name;
    ThresholdRange range;
    std::shared_ptr<AnyRule> own;
};

/// Throws std::invalid_argument, naming the option or the array, its value and what is allowed,
/// before any work. No rule is one complete pass.
std::unique_ptr<Search> make_search(const Problem& problem, const Options& options,
                                    const std::vector<RulePart>& rule = {}, Poll poll = {});

}  // namespace beamtree
