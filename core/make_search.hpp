// The way into the core: checks the problem, the options and the rule, and makes a search of them.
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

/// One of the rules that prune together: a built-in rule, given by its name and range, or a rule of
/// the caller's own.
struct RulePart {
    std::string name;
    ThresholdRange range;
    std::shared_ptr<AnyRule> own;
};

/// Throws std::invalid_argument before any work if an option or an array is not allowed; the
/// message names it, its value and what is allowed. Without a rule the first pass is complete.
std::unique_ptr<Search> make_search(const Problem& problem, const Options& options,
                                    const std::vector<RulePart>& rule = {}, Poll poll = {});

}  // namespace beamtree
