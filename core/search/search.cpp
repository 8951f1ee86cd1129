#include "search/search.hpp"

#include <algorithm>
#include <new>
#include <stdexcept>
#include <string>
#include <utility>

#include "check/recount.hpp"
#include "pass/rebuild.hpp"
#include "search/greedy.hpp"
#include "search/initial_tree.hpp"
#include "search/polish.hpp"

namespace beamtree {

namespace {

constexpr int kPassesAWidth = 2;  ///< before the width of early passes doubles

bool all_weigh_one(const Problem& problem) {
    return std::all_of(problem.weight, problem.weight + problem.rows,
                       [](auto weight) { return weight == 1; });
}

Objective make_objective(const Problem& problem, const Options& options) {
    Objective objective;
    objective.unit = options.unit;
    objective.penalty = options.penalty;
    objective.min_rows = options.min_samples_leaf;
    objective.rows_are_weight = options.leaf_weight || all_weigh_one(problem);
    return objective;
}

Workers make_workers(Shared& shared, const MemoryPlan& plan, Heuristic heuristic) {
    Workers workers;
    for (int i = 0; i < plan.threads; ++i)
        workers.push_back(std::make_unique<Worker>(shared, plan.tables, heuristic, i));
    return workers;
}

}  // namespace

Search::Search(const Problem& problem, const Options& options, Policies policies, Poll poll)
    : problem_(problem),
      options_(options),
      policies_(std::move(policies)),
      limits_(std::move(poll), options.hooks.stop_at_look),
      objective_(make_objective(problem, options)),
      kernel_(select_kernel(options.hooks.kernel)),
      data_(problem, objective_,
            {options.ablations.cancel_rows, options.ablations.merge_rows,
             options.ablations.unavoidable_bound, policies_.show_rows && !all_weigh_one(problem)}),
      plan_(plan_memory(data_, options_)),
      shared_(data_, objective_, kernel_, options_, limits_, plan_.tables),
      workers_(make_workers(shared_, plan_, policies_.heuristic)),
      work_(workers_[0]->work),
      passes_(policies_.passes(workers_)),
      probes_(workers_, Complete{}),
      probing_(options.hooks.probe_work) {
    root_.make_root(data_);
    statistics_.rows = root_.physical_rows;
    statistics_.features = data_.features();
    statistics_.offset = data_.offset();
    if (options_.subsets && data_.features() > options_.hooks.wide)
        mode_.width = options_.hooks.first_width;
}

Outcome Search::run(const Budget& budget) {
    const double begin = limits_.seconds();
    Budget left = budget;
    while (next(left)) left.seconds = budget.seconds - (limits_.seconds() - begin);
    return outcome();
}

bool Search::next(const Budget& budget) {
    const Cost cost = cost_, lower = lower_;
    if (done_) return false;
    const std::int64_t known = learned();
    limits_.run(budget, patience_);
    status_ = Status::kRunning;
    try {
        if (!started_) start();
        while (cost_ == cost && lower_ == lower && status_ == Status::kRunning) {
            if (!plan_.fits)
                end(Status::kMemoryLimit);
            else if (budget.enough(cost_ + data_.offset(), lower_ + data_.offset()))
                status_ = Status::kGapReached;
            else
                advance();
        }
    } catch (const std::bad_alloc&) {  // what is known by now is still true
        end(Status::kMemoryLimit);
    } catch (const Interrupted&) {
        status_ = Status::kInterrupted;
    } catch (...) {
        failure_ = std::current_exception();
        end(Status::kInterrupted);
    }
    limits_.pause();
    const bool fruitless = status_ == Status::kTimeLimit && learned() == known;
    if (budget.seconds > 0)
        patience_ = fruitless ? std::min(2 * patience_, kMostPatience) : kPatience;
    const bool improved = cost_ < cost || lower_ > lower;
    // The tree that was found while unwinding is told first; the next step ends at once.
    if (improved && status_ == Status::kInterrupted && !done_) limits_.interrupt();
    return improved;
}

/// A slice of whose turn it is: a pass under the rule, a polish of the tree, or a probe.
void Search::advance() {
    shown_passes_ = statistics_.passes;
    shown_bytes_ = shared_.cache.bytes();
    shown_threshold_ = passes_->threshold();
    const bool alternate =
        options_.probe && passes_->prunes() && !warm() && plan_.widest == PassMode::kAllFeatures;
    const bool dual = alternate && probing_.turn();
    const std::int64_t before = limits_.work();
    const Cost cost = cost_;
    limits_.slice(alternate ? probing_.slice() : Limits::kForever);
    if (!limits_.stopped()) {
        if (dual)
            probe();
        else if (polishing_)
            polish();
        else
            pass();
    }
    const std::int64_t work = limits_.work() - before;
    if (dual)
        probing_.spent_on_probes(work);
    else
        probing_.spent_on_passes(work, cost_ < cost);
    if (lower_ >= cost_)
        end(Status::kOptimal);
    else if (done_)
        return;  // by the rule or for want of memory, whatever else came in the same slice
    else if (limits_.why() == Stop::kNodes)
        status_ = Status::kNodeLimit;
    else if (limits_.why() == Stop::kTime)
        status_ = Status::kTimeLimit;
    else if (limits_.why() == Stop::kInterrupt)
        status_ = Status::kInterrupted;
}

/// The better of the two greedy trees, so that no result is worse than greedy.
void Search::start() {
    Tree leaf, greedy, planted;
    leaf.add_leaf();
    take(std::move(leaf), objective_.leaf_cost(root_.sums));
    if (options_.ablations.greedy) {
        const Cost cost = Greedy(work_).grow(root_, options_.max_depth, greedy);
        take(std::move(greedy), cost);
    }
    if (offered_.size() > 0) {
        const Cost given =
            InitialTree(work_, problem_, offered_).grow(root_, options_.max_depth, planted);
        take(std::move(planted), given);
        offered_ = {};
    }
    trace();
    started_ = true;
    if (policies_.first_step > 0) passes_->start_at(policies_.first_step);
}

void Search::pass() {
    PassEnd end = passes_->run(root_, options_.max_depth, {cost_, mode_, cost_});
    learn(end.root, std::move(end.tree));
    if (!end.finished || lower_ >= cost_) return;
    ++statistics_.passes;
    narrowed_ = end.narrowed;
    if (narrow() && statistics_.passes % kPassesAWidth == 0) widen();
    polishing_ = options_.polish && cost_ < polished_;
    if (!polishing_) relax();
}

void Search::polish() {
    Polish polish(work_, *passes_, mode_, cost_);
    learn(polish.run(root_, options_.max_depth));
    if (!polish.finished()) return;
    ++statistics_.polishes;
    polished_ = cost_;
    polishing_ = false;
    if (lower_ < cost_) relax();
}

void Search::probe() {
    const Cost offset = data_.offset();
    const Cost target = probing_.target(lower_ + offset, cost_ + offset, objective_.unit) - offset;
    const PassMode mode{true, PassMode::kAllFeatures};
    const PassEnd end = probes_.run(root_, options_.max_depth, {target, mode, cost_});
    learn(end.root);
    if (end.finished) ++statistics_.probes;
}

void Search::relax() {
    if (!passes_->skipped_any() && !narrowed_)
        throw std::logic_error("a pass left nothing out, and proved nothing");
    const bool exhausted = !passes_->skipped_any() || !passes_->relax(*policies_.schedule);
    if (exhausted && !narrowed_)
        end(Status::kRuleLimit);
    else if (exhausted && widest())
        end(Status::kMemoryLimit);  // wider passes would find more
}

void Search::widen() {
    if (widest()) return;
    mode_.width *= 2;
    if (!mode_.narrows(root_)) mode_.width = PassMode::kAllFeatures;
}

/// Takes what is known of the root after a slice. The tree is in the cache, unless it is given.
void Search::learn(const Facts& root, Tree own) {
    const Cost lower = std::min(root.lower, std::min(root.upper, cost_));
    const bool improved =
        root.upper < cost_ && (own.size() > 0 ? take(std::move(own), root.upper) : take_tree(root));
    if (!improved && lower <= lower_) return;
    lower_ = std::max(lower_, lower);
    trace();
}

/// False: the time was over before the tree was put together; the next step tries again.
bool Search::take_tree(const Facts& root) {
    const Grace grace(limits_);
    Tree tree;
    const Cost cost = rebuild(
        work_, workers_[0]->ranking, mode_, root_, options_.max_depth, root,
        [this](const Node& node, int depth, Cost upper) { return repair(node, depth, upper); },
        tree);
    if (cost <= root.upper) return take(std::move(tree), cost);
    if (limits_.stopped()) return false;
    // Too little memory to hold a tree while it is put together: it is looked for again.
    shared_.cache.drop_tree(root_.hash.key(), options_.max_depth);
    if (++lost_trees_ > kMostLostTrees) end(Status::kMemoryLimit);
    return false;
}

/// A tree of a node that costs no more than `upper`, as is known, but whose parts were evicted.
Facts Search::repair(const Node& node, int depth, Cost upper) {
#ifdef BEAMTREE_CHECKED
    if (shared_.cache.evicted() == 0)
        throw std::logic_error("the cache has no tree for an upper bound of " +
                               std::to_string(upper));
#endif
    ++statistics_.repairs;
    shared_.cache.drop_tree(node.hash.key(), depth);
    return probes_.run(node, depth, {upper + 1, {false, plan_.widest}, upper + 1}).root;
}

void Search::offer(Tree tree) {
    if (started_) throw std::logic_error("a tree is offered before the first step");
    if (!well_formed(problem_, tree))
        throw std::invalid_argument("the tree is not one over the columns of X");
    offered_ = std::move(tree);
}

bool Search::take(Tree tree, Cost cost) {
    if (cost >= cost_) return false;
    tree_ = std::move(tree);
    cost_ = cost;
#ifdef BEAMTREE_CHECKED
    check_tree(problem_, objective_, tree_, options_.max_depth, cost_ + data_.offset());
#endif
    return true;
}

void Search::trace() {
    trace_.push_back({limits_.seconds(), limits_.nodes(), cost_ + data_.offset(),
                      lower_ + data_.offset(), statistics_.passes, passes_->threshold()});
    shown_cost_ = cost_ + data_.offset();
    shown_lower_ = lower_ + data_.offset();
}

Progress Search::progress() const {
    Progress progress;
    progress.seconds = limits_.shown_seconds();
    progress.nodes = limits_.nodes();
    progress.cost = shown_cost_.load(std::memory_order_relaxed);
    progress.lower = shown_lower_.load(std::memory_order_relaxed);
    progress.passes = shown_passes_.load(std::memory_order_relaxed);
    progress.threshold = shown_threshold_.load(std::memory_order_relaxed);
    progress.bytes = shown_bytes_.load(std::memory_order_relaxed);
    return progress;
}

void Search::end(Status status) {
    status_ = status;
    done_ = true;
}

Outcome Search::outcome() const {
    if (cost_ == kInfiniteCost) throw std::logic_error("the search has not taken a step");
    if (lower_ > cost_)
        throw std::logic_error("the search has a bound of " + std::to_string(lower_) +
                               " and a tree of cost " + std::to_string(cost_));
    Outcome outcome;
    outcome.status = status_;
    outcome.cost = cost_ + data_.offset();
    outcome.lower = lower_ + data_.offset();
    outcome.tree = tree_;
    outcome.trace = trace_;
    outcome.statistics = statistics_;
    for (const auto& worker : workers_) outcome.statistics += worker->work.statistics;
    outcome.statistics.nodes = limits_.nodes();
    outcome.statistics.cache_entries = shared_.cache.entries();
    outcome.statistics.cache_evicted = shared_.cache.evicted();
    outcome.sums = check_tree(problem_, objective_, outcome.tree, options_.max_depth, outcome.cost);
    return outcome;
}

}  // namespace beamtree
