#include "search/search.hpp"

#include <algorithm>
#include <new>
#include <stdexcept>
#include <string>
#include <utility>

#include "check/recount.hpp"
#include "heuristic/gini.hpp"
#include "heuristic/information_gain.hpp"
#include "search/greedy.hpp"
#include "search/rebuild.hpp"

namespace beamtree {

namespace {

Objective make_objective(const Problem& problem, const Options& options) {
    Objective objective;
    objective.unit = options.unit;
    objective.penalty = options.penalty;
    objective.min_rows = options.min_samples_leaf;
    objective.rows_are_weight =
        std::all_of(problem.weight, problem.weight + problem.rows, [](auto w) { return w == 1; });
    return objective;
}

}  // namespace

Search::Search(const Problem& problem, const Options& options, Listener listener, Poll poll)
    : problem_(problem),
      options_(options),
      listener_(std::move(listener)),
      limits_(options.time_limit, std::move(poll)),
      objective_(make_objective(problem, options)),
      kernel_(select_kernel(options.kernel)),
      data_(problem, objective_,
            {options.cancel_rows, options.merge_rows, options.unavoidable_bound}),
      work_(data_, objective_, kernel_, options_, limits_, statistics_) {
    root_.make_root(data_);
    statistics_.rows = root_.physical_rows;
    statistics_.features = data_.features();
    statistics_.offset = data_.offset();
}

Outcome Search::run() {
    start_greedy();
    Pass pass(work_, [this](const Facts& facts) { improved(facts); });
    try {
        return finish(pass.run(root_, kInfiniteCost), false);
    } catch (const std::bad_alloc&) {  // what is known by now is still true
        return finish(work_.cache.find(root_.hash.key(), options_.max_depth), true);
    }
}

/// The better of the two greedy trees.
void Search::start_greedy() {
    Tree by_information, by_gini;
    const Cost information =
        Greedy<InformationGain>(work_).grow(root_, options_.max_depth, by_information);
    const Cost gini = Greedy<Gini>(work_).grow(root_, options_.max_depth, by_gini);
    take(information <= gini ? std::move(by_information) : std::move(by_gini),
         std::min(information, gini));
}

void Search::improved(const Facts& facts) {
    Tree tree;
    const Cost cost = rebuild(work_, root_, facts, tree);
    take(std::move(tree), cost);
}

void Search::take(Tree tree, Cost cost) {
    if (cost >= cost_) return;
    tree_ = std::move(tree);
    cost_ = cost;
    trace(0);
#ifdef BEAMTREE_CHECKED
    check_tree(problem_, objective_, tree_, options_.max_depth, cost_ + data_.offset());
#endif
}

void Search::trace(Cost lower) {
    TraceRow row{limits_.seconds(), statistics_.nodes, cost_ + data_.offset(),
                 lower + data_.offset()};
    trace_.push_back(row);
    if (listener_) listener_(row);
}

Outcome Search::finish(const Facts& root, bool out_of_memory) {
    const bool stopped = limits_.stopped() || out_of_memory;
    if (root.lower > cost_ || (root.lower < cost_ && !stopped))
        throw std::logic_error("the search ended with bound " + std::to_string(root.lower) +
                               " and a tree of cost " + std::to_string(cost_));
    if (root.lower > 0) trace(root.lower);
    statistics_.cache_entries = work_.cache.entries();
    Outcome outcome;
    outcome.cost = cost_ + data_.offset();
    outcome.lower = root.lower + data_.offset();
    outcome.status = root.lower == cost_     ? Status::kOptimal
                     : out_of_memory         ? Status::kMemoryLimit
                     : limits_.interrupted() ? Status::kInterrupted
                                             : Status::kTimeLimit;
    outcome.tree = tree_;
    outcome.trace = trace_;
    outcome.statistics = statistics_;
    check_tree(problem_, objective_, outcome.tree, options_.max_depth, outcome.cost);
    return outcome;
}

}  // namespace beamtree
