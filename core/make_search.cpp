// Checks the options, and puts a search together from the lists of rules, schedules, heuristics and
// algorithms.
//
// To add a rule:      see rule/all_rules.hpp.
// To add a schedule:  1. write a class in schedule/; 2. add a line to `make_schedule`.
// To add a heuristic: 1. write a file in heuristic/; 2. add a value to `Heuristic` and a case in
//                     pass/gains.*; 3. add a line to `kHeuristics`.
// To add an algorithm without a rule: 1. write a class in algorithm/ behind the interface of
//                     search/algorithm.hpp; 2. add a line to `choose_algorithm`. The estimator
//                     offers only the restarts; tests and the study choose others by the option
//                     `algorithm`.
// A rule, schedule or heuristic also needs a class in Python: src/beamtree/_engine/strategy.py says
// how. The property tests take it up from there.
#include "make_search.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

#include "algorithm/blossom.hpp"
#include "algorithm/lgdt.hpp"
#include "heuristic/error.hpp"
#include "heuristic/gain_ratio.hpp"
#include "heuristic/gini.hpp"
#include "heuristic/information_gain.hpp"
#include "rule/all_rules.hpp"
#include "schedule/exponential.hpp"
#include "schedule/luby.hpp"
#include "schedule/monotonic.hpp"
#include "schedule/sequence.hpp"
#include "search/price_search.hpp"
#include "search/restarts.hpp"

namespace beamtree {

namespace {

constexpr std::pair<const char*, Heuristic> kHeuristics[] = {
    {"auto", Heuristic::kAuto},
    {"lookahead", Heuristic::kLookahead},
    {InformationGain::kName, Heuristic::kInformationGain},
    {GainRatio::kName, Heuristic::kGainRatio},
    {Gini::kName, Heuristic::kGini},
    {Error::kName, Heuristic::kError},
    {"given", Heuristic::kGiven},
};

[[noreturn]] void refuse(const std::string& name, const std::string& value,
                         const std::string& what) {
    throw std::invalid_argument(name + " must be " + what + ", got " + value);
}

void require(bool allowed, const std::string& name, const std::string& value,
             const std::string& what) {
    if (!allowed) refuse(name, value, what);
}

std::string quoted(const std::string& word) {
    return "'" + word + "'";
}

std::string joined(const std::vector<std::string>& words) {
    std::string all;
    for (const std::string& word : words) all += (all.empty() ? "" : ", ") + word;
    return all;
}

/// Checks every option against its line in the tables of options.hpp.
void check_options(const Options& options) {
    for_each_option(options, [](const OptionInfo& info, const auto& value) {
        const auto& [least, most, words] = info.allowed;
        if constexpr (std::is_integral_v<std::decay_t<decltype(value)>>) {
            require(least <= value && value <= most, info.name, std::to_string(value),
                    "an integer from " + std::to_string(least) + " to " + std::to_string(most));
        } else if constexpr (std::is_same_v<std::decay_t<decltype(value)>, std::string>) {
            const bool known = std::find(words.begin(), words.end(), value) != words.end();
            require(words.empty() || known, info.name, quoted(value), "one of " + joined(words));
        }
    });
    const int leaves = options.max_leaf_nodes;
    require(!options.any_depth || options.penalty > 0 || leaves > 0, "any_depth", "true",
            "false unless there is a penalty or a limit of leaves");
    require(!options.any_depth || leaves <= kDeepestLimit + 1, "max_leaf_nodes",
            std::to_string(leaves),
            "at most " + std::to_string(kDeepestLimit + 1) + " if the depth has no limit");
}

void check_ranks(const Problem& problem) {
    for (int order = 0; order < problem.ranks->orders(); ++order) {
        const std::uint32_t* rank = problem.order(order);
        const auto most = static_cast<std::uint32_t>(problem.ranks->cuts(order));
        const std::uint32_t largest = *std::max_element(rank, rank + problem.rows);
        require(largest <= most, "every rank of order " + std::to_string(order),
                std::to_string(largest), "from 0 to " + std::to_string(most));
    }
}

/// Checks that sums of the numbers are exact in doubles, and that scores can be rounded.
void check_values(const Problem& problem, const Options& options) {
    constexpr double kExact = 9007199254740992.0;      // 2^53
    constexpr double kMostScore = 2251799813685248.0;  // 2^51
    double weights = 0, values = 0, squares = 0;
    for (std::int64_t i = 0; i < problem.rows; ++i) {
        const auto weight = static_cast<double>(problem.weight[i]);
        const double value = std::abs(static_cast<double>(problem.value[i]));
        if (problem.weight[i] < 1)
            refuse("weight[" + std::to_string(i) + "]", std::to_string(problem.weight[i]),
                   "at least 1");
        weights += weight;
        values += value;
        squares += std::ldexp(value * value / weight, 2 * options.square_exponent) + 2;
    }
    require(weights < kExact, "the sum of all weights", std::to_string(weights), "below 2^53");
    require(values < kExact, "the sum of all |values|", std::to_string(values), "below 2^53");
    require(squares < kMostScore, "the sum of all squares", std::to_string(squares), "below 2^51");
}

/// Checks that sums of the statistics cannot overflow.
void check_statistics(const Problem& problem, const Options& options) {
    require(problem.statistics >= 1 && problem.statistics <= Targets::kMostStatistics,
            "the number of statistics", std::to_string(problem.statistics),
            "from 1 to " + std::to_string(Targets::kMostStatistics));
    require(!options.leaf_weight, "leaf_weight", "true", "false for an own objective");
    require(options.threads == 1, "threads", std::to_string(options.threads),
            "1 for an own objective");
    require(options.task_threads == 0, "task_threads", std::to_string(options.task_threads),
            "0 for an own objective");
    constexpr double kMost = 4611686018427387904.0;  // 2^62
    std::vector<double> total(problem.statistics + 1, 0);
    for (std::int64_t i = 0; i < problem.rows; ++i) {
        require(problem.weight[i] >= 1, "weight[" + std::to_string(i) + "]",
                std::to_string(problem.weight[i]), "at least 1");
        total.back() += static_cast<double>(problem.weight[i]);
        for (int k = 0; k < problem.statistics; ++k)
            total[k] +=
                std::abs(static_cast<double>(problem.statistic[i * problem.statistics + k]));
    }
    for (const double sum : total)
        require(sum < kMost, "the sum of the |statistics|", std::to_string(sum), "below 2^62");
}

/// Checks that rows which stand for several are held as columns of bits.
void check_counts(const Problem& problem, const Options& options) {
    require(problem.ranks == nullptr || !sorts(*problem.ranks, options), "the form", "'sorted'",
            "'bits' if rows stand for several rows");
    constexpr std::int64_t kMost = std::int64_t{1} << 31;
    std::int64_t total = 0;
    for (std::int64_t i = 0; i < problem.rows; ++i) {
        const std::int64_t count = problem.count[i];
        if (count < 1 || count >= kMost - total)
            refuse("count[" + std::to_string(i) + "]", std::to_string(count),
                   "at least 1, and the sum of all counts below 2^31");
        total += count;
    }
}

void check_problem(const Problem& problem, const Options& options) {
    require(problem.rows >= 1 && problem.rows < (std::int64_t{1} << 31), "the number of rows",
            std::to_string(problem.rows), "from 1 to 2^31 - 1");
    if (problem.has_classes())
        require(problem.classes >= 1, "n_classes", std::to_string(problem.classes), "at least 1");
    if (problem.has_statistics())
        require(problem.ranks != nullptr, "X", "zeros and ones", "ranks for an own objective");
    if (problem.ranks == nullptr) {
        std::uint8_t any = 0;
        const std::size_t cells = static_cast<std::size_t>(problem.rows) * problem.columns;
        for (std::size_t i = 0; i < cells; ++i) any |= problem.features[i];
        require(any <= 1, "every value of X", "another value", "0 or 1");
    } else {
        check_ranks(problem);
    }
    if (problem.has_values()) {
        check_values(problem, options);
        require(problem.ranks != nullptr || can_group(problem, problem.columns, options), "X",
                "zeros and ones",
                "ranks if the sums of y are large, if weighted rows are counted, or if trees have "
                "any depth");
        return;
    }
    if (problem.has_statistics()) return check_statistics(problem, options);
    if (problem.count != nullptr) check_counts(problem, options);
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
                   "at least 1, and unit times the sum of all weights below 2^61");
        total += problem.weight[i];
    }
}

Heuristic find_heuristic(const std::string& name) {
    std::vector<std::string> names;
    for (const auto& [known, heuristic] : kHeuristics) {
        if (name == known) return heuristic;
        names.emplace_back(known);
    }
    refuse("heuristic", quoted(name), "one of " + joined(names));
}

std::unique_ptr<Schedule> make_schedule(const Options& options) {
    if (options.schedule == Monotonic::kName) return std::make_unique<Monotonic>();
    if (options.schedule == Exponential::kName) return std::make_unique<Exponential>();
    if (options.schedule == Luby::kName) return std::make_unique<Luby>();
    if (options.schedule != Sequence::kName)
        refuse("schedule", quoted(options.schedule),
               "one of monotonic, exponential, luby, sequence");
    double last = -1;
    for (const double step : options.steps) {
        require(std::isfinite(step) && step >= 0 && step > last, "every number of steps",
                std::to_string(step), "finite, at least 0 and above the one before");
        last = step;
    }
    require(!options.steps.empty(), "steps", "none", "at least one number");
    return std::make_unique<Sequence>(options.steps);
}

void check_range(const RulePart& part) {
    const ThresholdRange& range = part.range;
    const auto number = [&](const char* name, double value, bool allowed, const char* what) {
        require(allowed, part.name + "." + name, std::to_string(value), what);
    };
    number("start", range.start, std::isfinite(range.start) && range.start >= 0,
           "finite and at least 0");
    number("unit", range.unit, std::isfinite(range.unit) && range.unit > 0,
           "finite and greater than 0");
    number("limit", range.limit, range.limit >= range.start, "at least start");
}

/// Calls `function` with the measure of that name.
template <class Function>
void with_measure(const std::string& name, Function function) {
    bool found = false;
    std::vector<std::string> names;
    for_each_measure([&](auto measure) {
        names.emplace_back(measure.kName);
        if (name != measure.kName) return;
        function(measure);
        found = true;
    });
    require(found, "rule", quoted(name), "one of " + joined(names));
}

template <SearchRule Rule>
void use(Policies& policies, const Options& options, Rule rule) {
    const double first = options.schedule == Sequence::kName ? options.steps[0] : 0;
    const auto make = [rule = std::move(rule), options,
                       first]<class Form>(const PartsOf<Form>& parts) {
        const auto make_restarts = [&](const PartsOf<Form>& some) {
            auto passes = std::make_unique<PassesOf<Form, Rule>>(some.workers, rule);
            return std::make_unique<Restarts<Form>>(some, std::move(passes), make_schedule(options),
                                                    first);
        };
        std::unique_ptr<Algorithm> made;
        if constexpr (std::is_same_v<Form, BitForm>) {
            if (has_priced_passes(options) && parts.widest == PassMode::kAllFeatures) {
                PartsOf<Form> early = parts;
                early.alone = false;
                auto restarts = Rule::kPrunes ? make_restarts(early) : nullptr;
                made = std::make_unique<PriceSearch>(parts, std::move(restarts));
                return made;
            }
        }
        made = make_restarts(parts);
        return made;
    };
    policies.over_bits = make;
    policies.over_sorted = {make, make, make};
    policies.over_groups = make;
    policies.reads_gain = Rule::kReadsGain;
    // Two searches must not share a rule whose state lives outside of it.
    if constexpr (Rule::kPrunes && !std::is_same_v<Rule, Combined>) policies.coarse = {make, make};
}

void choose_restarts(const std::vector<RulePart>& rule, const Options& options,
                     Policies& policies) {
    require(rule.size() <= kMaxRuleParts, "the number of rules", std::to_string(rule.size()),
            "at most " + std::to_string(kMaxRuleParts));
    for (const RulePart& part : rule) {
        if (part.own)
            policies.show_rows = true;
        else
            check_range(part);
    }
    if (rule.empty()) return use(policies, options, Complete{});
    if (rule.size() == 1 && !rule[0].own) {
        with_measure(rule[0].name, [&](auto measure) {
            use(policies, options, Threshold<decltype(measure)>(rule[0].range));
        });
        return;
    }
    std::vector<std::shared_ptr<AnyRule>> parts;
    for (const RulePart& part : rule) {
        if (part.own) {
            parts.push_back(part.own);
            continue;
        }
        with_measure(part.name, [&](auto measure) {
            parts.push_back(std::make_shared<AnyThreshold<decltype(measure)>>(part.range));
        });
    }
    use(policies, options, Combined(std::move(parts)));
}

/// The restarts under a rule, or an algorithm without a rule, which runs on one thread and has no
/// passes that could be polished, probed or narrowed.
void choose_algorithm(const std::vector<RulePart>& rule, Options& options, Policies& policies) {
    if (options.max_leaf_nodes > 0) {
        // A tree with n leaves has at most n - 1 levels.
        const int deepest = options.any_depth ? kDeepestLimit : options.max_depth;
        options.max_depth = std::min(deepest, options.max_leaf_nodes - 1);
        options.any_depth = options.subsets = false;
        if (!tree_size_of(options, options.max_depth).limited()) options.max_leaf_nodes = 0;
    }
    if (options.any_depth) options.max_depth = kMaxDepth;  // of greedy trees and of restarts
    if (options.algorithm == kRestarts) return choose_restarts(rule, options, policies);
    if (options.algorithm == Blossom::kName) {
        policies.over_bits = [](const SearchParts& parts) {
            return std::make_unique<Blossom>(parts);
        };
    } else if (options.algorithm == Lgdt::kName) {
        policies.over_bits = [](const SearchParts& parts) { return std::make_unique<Lgdt>(parts); };
        options.exact_levels = Lgdt::kLevels;
    } else {
        refuse("algorithm", quoted(options.algorithm), "one of restarts, blossom, lgdt");
    }
    require(rule.empty(), "rule", "a rule", "None if algorithm is " + quoted(options.algorithm));
    require(options.max_leaf_nodes == 0, "max_leaf_nodes", std::to_string(options.max_leaf_nodes),
            "0 if algorithm is " + quoted(options.algorithm));
    options.polish = options.probe = options.subsets = false;
    options.tie_break = "any";
    options.threads = 1;
    options.task_threads = 0;
}

}  // namespace

std::unique_ptr<Search> make_search(const Problem& problem, const Options& options,
                                    const std::vector<RulePart>& rule, Poll poll) {
    check_options(options);
    Policies policies;
    policies.heuristic = find_heuristic(options.heuristic);
    make_schedule(options);  // refuses a wrong schedule, whatever the algorithm
    Options chosen = options;
    choose_algorithm(rule, chosen, policies);
    check_problem(problem, chosen);
    return std::make_unique<Search>(problem, chosen, std::move(policies), std::move(poll));
}

}  // namespace beamtree
