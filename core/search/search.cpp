#include "search/search.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <new>
#include <stdexcept>
#include <string>
#include <utility>

#include "check/recount.hpp"
#include "search/bit_body.hpp"

namespace beamtree {

namespace {

std::unique_ptr<Objective> make_objective(const Problem& problem, const Options& options) {
    const bool counts_weight = options.leaf_weight || problem.unit_weights();
    if (problem.has_classes())
        return std::make_unique<Misclassification>(options.unit, options.penalty,
                                                   options.min_samples_leaf, counts_weight);
    if (problem.has_statistics()) {
        auto own =
            std::make_unique<OwnObjective>(1, options.penalty, options.min_samples_leaf, false);
        own->prices = problem.prices;
        own->grows = options.costs_grow;
        own->removes = options.costs_bounded;
        return own;
    }
    auto objective =
        std::make_unique<SquaredError>(1, options.penalty, options.min_samples_leaf, counts_weight);
    objective->factor = std::ldexp(1.0, options.square_exponent);
    return objective;
}

/// Returns the problem with the squares of the rows, if they have numbers.
Problem with_squares(Problem problem, const Objective& objective,
                     std::vector<std::int64_t>& square) {
    if (!problem.has_values()) return problem;
    const auto& squared_error = dynamic_cast<const SquaredError&>(objective);
    square.reserve(problem.rows);
    for (std::int64_t i = 0; i < problem.rows; ++i)
        square.push_back(squared_error.square(problem.weight[i], problem.value[i]));
    problem.square = square.data();
    return problem;
}

/// Up to about this many tests, or if there are few per order, columns of bits are faster: they
/// solve three levels at once.
constexpr int kFewTests = 600;
/// Sorted columns hold a row's class in 16 bits.
constexpr int kMostSortedClasses = 1 << 16;

bool sorts(const Problem& problem, const Options& options) {
    if (problem.ranks == nullptr || problem.classes > kMostSortedClasses) return false;
    return sorts(*problem.ranks, options);
}

template <SearchObjective O>
std::unique_ptr<Body> make_sorted(const Problem& problem, const O& objective,
                                  const Options& options, Limits& limits, Policies& policies) {
    auto& algorithm = std::get<MakeAlgorithm<SortedForm<O>>>(policies.over_sorted);
    auto& coarse = std::get<MakeAlgorithm<CoarseForm<O>>>(policies.coarse);
    return std::make_unique<SortedBody<O>>(problem, objective, options, limits, policies.heuristic,
                                           policies.reads_gain, std::move(algorithm),
                                           std::move(coarse));
}

/// Whether rows with numbers are held as groups of equal rows.
bool groups(const Problem& problem, const Options& options) {
    if (problem.ranks == nullptr) return true;
    if (options.hooks.form == "sorted" || !can_group(problem, problem.columns, options))
        return false;
    return options.hooks.form == "grouped" || problem.columns <= kFewTests;
}

std::unique_ptr<Body> make_body(const Problem& problem, const Objective& objective,
                                const Options& options, Limits& limits, Policies& policies) {
    if (problem.has_values()) {
        const auto& squares = dynamic_cast<const SquaredError&>(objective);
        if (groups(problem, options))
            return std::make_unique<GroupedBody>(problem, squares, options, limits,
                                                 policies.heuristic,
                                                 std::move(policies.over_groups));
        return make_sorted(problem, squares, options, limits, policies);
    }
    if (problem.has_statistics())
        return make_sorted(problem, dynamic_cast<const OwnObjective&>(objective), options, limits,
                           policies);
    const auto& errors = dynamic_cast<const Misclassification&>(objective);
    if (std::get<0>(policies.over_sorted) && sorts(problem, options))
        return make_sorted(problem, errors, options, limits, policies);
    return std::make_unique<BitBody>(problem, errors, options, limits, policies.heuristic,
                                     policies.show_rows && !problem.unit_weights(),
                                     std::move(policies.over_bits));
}

}  // namespace

bool sorts(const Ranks& ranks, const Options& options) {
    if (options.hooks.form != "auto") return options.hooks.form == "sorted";
    return ranks.tests() > kFewTests &&
           ranks.tests() > std::int64_t{options.hooks.coarse_cuts} * ranks.orders();
}

std::int64_t packed_bytes(const Problem& problem) {
    if (sorts(problem, {})) return problem.rows * (8 * problem.ranks->orders() + 48);
    return problem.rows * problem.columns / 4 + 40 * problem.rows;  // as measured
}

Search::Search(const Problem& problem, const Options& options, Policies policies, Poll poll)
    : options_(options),
      limits_(std::move(poll), options.hooks.stop_at_look),
      objective_(make_objective(problem, options)),
      problem_(with_squares(problem, *objective_, square_)),
      board_(options.task_threads > 0
                 ? std::make_unique<TaskBoard>(static_cast<double>(options.hooks.task_nanoseconds) *
                                               1e-9)
                 : nullptr),
      body_(make_body(problem_, *objective_, options_, limits_, policies)),
      incumbent_(problem_, *objective_, tree_size_of(options_, options_.depth_limit()),
                 body_->offset(), limits_),
      algorithm_(body_->make_algorithm(incumbent_, board_.get())) {
    if (options.tie_break != "any") shrinking_ = body_->make_shrinking(incumbent_);
}

Search::~Search() = default;

Outcome Search::run(const Budget& budget) {
    const double begin = limits_.seconds();
    Budget left = budget;
    while (next(left)) left.seconds = budget.seconds - (limits_.seconds() - begin);
    return outcome();
}

bool Search::next(const Budget& budget) {
    const Cost cost = incumbent_.cost(), lower = incumbent_.lower();
    bool learned = false, smaller = false;
    const auto improved = [&] {
        return incumbent_.cost() < cost || incumbent_.lower() > lower || smaller;
    };
    if (done_) return false;
    limits_.run(budget, patience_, true);
    status_ = Status::kRunning;
    try {
        if (!started_) start();
        while (!improved() && status_ == Status::kRunning) {
            if (!body_->fits())
                end(incumbent_.proved() ? Status::kOptimal : Status::kMemoryLimit);
            else if (incumbent_.proved() && shrinking_ != nullptr)
                smaller = shrink();
            else if (budget.enough(incumbent_.total_cost(), incumbent_.total_lower()))
                status_ = Status::kGapReached;
            else
                learned = take_news() || advance() || learned;
        }
    } catch (const std::bad_alloc&) {  // what is known by now is still true
        end(incumbent_.proved() ? Status::kOptimal : Status::kMemoryLimit);
    } catch (const Interrupted&) {
        status_ = Status::kInterrupted;
    } catch (...) {
        failure_ = std::current_exception();
        end(Status::kInterrupted);
    }
    limits_.pause();
    const bool fruitless = limits_.why() == Stop::kTime && !learned && !smaller && !done_;
    if (budget.seconds > 0)
        patience_ = fruitless ? std::min(2 * patience_, kMostPatience) : kPatience;
    // A tree that was found while the step was interrupted is reported first; the next step then
    // ends at once.
    if (improved() && status_ == Status::kInterrupted && !done_) limits_.interrupt();
    return improved();
}

/// Takes over what other threads have brought, and returns whether it is an improvement.
bool Search::take_news() {
    News news;
    {
        const std::scoped_lock lock(news_mutex_);
        news = {std::exchange(news_.tree, {}), news_.cost, news_.lower};
    }
    if (news.tree.feature.empty()) news.cost = kInfiniteCost;
    const Cost cost = incumbent_.cost(), lower = incumbent_.lower();
    incumbent_.update(news.lower, std::move(news.tree), news.cost);
    if (incumbent_.proved() && shrinking_ == nullptr) end(Status::kOptimal);
    return incumbent_.cost() < cost || incumbent_.lower() > lower;
}

void Search::learn(Tree tree, Cost lower) {
    Cost cost = kInfiniteCost;
    if (!tree.feature.empty()) {
        if (!well_formed(problem_, tree))
            throw std::invalid_argument("the learned tree is not a tree over the columns of X");
        cost = recounted_cost(problem_, *objective_, tree);
        try {
            check_tree(problem_, *objective_, tree, options_.depth_limit(), options_.max_leaf_nodes,
                       cost);
        } catch (const std::logic_error& error) {
            throw std::invalid_argument(error.what());
        }
        cost -= body_->offset();
    }
    lower -= body_->offset();
    {
        const std::scoped_lock lock(news_mutex_);
        if (cost >= news_.cost && lower <= news_.lower) return;  // a pass need not end for that
        news_.lower = std::max(news_.lower, lower);
        if (cost < news_.cost) {
            news_.cost = cost;
            news_.tree = std::move(tree);
        }
    }
    limits_.cut_slice();
}

Learned Search::take_learned() {
    Learned all;
    body_->take_learned(all);
    return all;
}

void Search::merge_learned(const Learned& learned) {
    const auto is_cost = [](Cost cost) { return 0 <= cost && cost <= kInfiniteCost; };
    bool right = true;
    for (const LoggedFact& fact : learned.facts)
        right = right && 0 <= fact.depth && fact.depth <= kAnyDepthKey && is_cost(fact.lower);
    for (const LoggedCell& cell : learned.cells) right = right && is_cost(cell.optimum);
    if (!right) throw std::invalid_argument("this is not what a search has learned");
    body_->merge_learned(learned);
}

/// Lets the algorithm work, and finds out whether and why the search is over or the step must end.
/// Returns whether the algorithm has learned anything.
bool Search::advance() {
    shown_bytes_ = body_->bytes();
    const bool learned = algorithm_->advance(Limits::kForever);
    if (incumbent_.proved()) {
        if (shrinking_ == nullptr) end(Status::kOptimal);
    } else if (algorithm_->status() != Status::kRunning) {
        end(algorithm_->status());
    } else if (limits_.why() == Stop::kNodes) {
        status_ = Status::kNodeLimit;
    } else if (limits_.why() == Stop::kTime) {
        status_ = Status::kTimeLimit;
    } else if (limits_.why() == Stop::kInterrupt) {
        status_ = Status::kInterrupted;
    }
    return learned;
}

/// Looks for a smaller tree of least cost. Returns whether there is one.
bool Search::shrink() {
    const bool smaller = shrinking_->advance();
    if (smaller) incumbent_.record();
    status_ = Status::kOptimal;  // the limits may end the step, but not the proof
    done_ = shrinking_->finished();
    return smaller;
}

/// The first incumbent: the best of a leaf, the two greedy trees and the trees that were offered.
void Search::start() {
    Tree leaf;
    leaf.add_leaf();
    incumbent_.take(std::move(leaf), body_->leaf_cost());
    started_ = true;
    try {
        if (options_.ablations.greedy)
            for (GrownTree& grown : body_->grow_greedy())
                incumbent_.take(std::move(grown.tree), grown.cost);
        for (const Tree& offered : std::exchange(offered_, {})) {
            Tree planted;
            const Cost cost = body_->grow_offered(offered, planted);
            incumbent_.take(std::move(planted), cost);
        }
    } catch (...) {  // an objective of the caller's own, or no memory: there is a tree already
        incumbent_.record();
        throw;
    }
    incumbent_.record();
}

void Search::end(Status status) {
    status_ = status;
    done_ = true;
}

void Search::offer(Tree tree) {
    if (started_) throw std::logic_error("a tree must be offered before the first step");
    if (!well_formed(problem_, tree))
        throw std::invalid_argument("the offered tree is not a tree over the columns of X");
    offered_.push_back(std::move(tree));
}

Progress Search::progress() const {
    Progress progress = incumbent_.progress();
    progress.seconds = limits_.shown_seconds();
    progress.nodes = limits_.nodes();
    progress.bytes = shown_bytes_.load(std::memory_order_relaxed);
    return progress;
}

std::vector<Alternative> Search::alternatives(double seconds) {
    if (!body_->fits()) return {};
    return body_->alternatives(incumbent_, seconds);
}

/// Returns the answer of the body, for which the clock runs.
template <class Answer>
auto Search::ask(double seconds, Answer answer) -> decltype(answer()) {
    if (!body_->fits()) return {};
    limits_.run({seconds}, 0);
    limits_.slice(Limits::kForever);
    struct Pause {
        Limits& limits;
        ~Pause() { limits.pause(); }
    };
    const Pause pause{limits_};  // also if there is no memory
    return answer();
}

Cost Search::prove(const Path& path, Cost bound, double seconds) {
    return ask(seconds, [&] { return body_->prove(path, bound); });
}

Answer Search::solve(const Task& task, double seconds) {
    Answer answer;
    if (!body_->fits()) throw std::bad_alloc();  // another answer would be asked for again
    const double begin = limits_.seconds();
    const std::int64_t nodes = limits_.nodes();
    const Facts found = ask(seconds, [&] { return body_->solve(task, answer.tree); });
    answer.lower = found.lower;
    answer.nodes = limits_.nodes() - nodes;
    answer.seconds = limits_.seconds() - begin;
    if (found.solved())
        answer.end = AnswerEnd::kSolved;
    else if (found.lower >= task.bound)
        answer.end = AnswerEnd::kReached;
    else if (limits_.why() == Stop::kTime || !limits_.stopped())
        answer.end = AnswerEnd::kTimeOut;
    return answer;
}

std::optional<ShallowBound> Search::shallow_bound(const Path& path, Cost bound) {
    return ask(std::numeric_limits<double>::infinity(),
               [&] { return body_->shallow_bound(path, bound); });
}

Outcome Search::outcome() const {
    const Cost cost = incumbent_.cost(), lower = incumbent_.lower();
    if (cost == kInfiniteCost) throw std::logic_error("the search has not taken a step");
    if (lower > cost)
        throw std::logic_error("the search has a bound of " + std::to_string(lower) +
                               " and a tree of cost " + std::to_string(cost));
    Outcome outcome;
    outcome.status = status_;
    outcome.cost = incumbent_.total_cost();
    outcome.lower = incumbent_.total_lower();
    if (shrinking_ != nullptr && incumbent_.proved()) outcome.leaves_bound = shrinking_->bound();
    outcome.tree = incumbent_.tree();
    outcome.trace = incumbent_.trace();
    outcome.statistics = body_->statistics();
    outcome.statistics.nodes = limits_.nodes();
    outcome.time_to_proof = incumbent_.time_to_proof();
    outcome.sums = check_tree(problem_, *objective_, outcome.tree, options_.depth_limit(),
                              options_.max_leaf_nodes, outcome.cost);
    return outcome;
}

void Search::save(const Sink& sink) const {
    if (!started_) throw std::logic_error("the search has not taken a step");
    Writer writer(sink);
    incumbent_.save(writer);
    writer.put<std::uint8_t>(done_ ? 1 : 0);
    writer.put(static_cast<std::int32_t>(status_));
    algorithm_->save(writer);
    if (shrinking_ != nullptr) shrinking_->save(writer);
    limits_.save(writer);
    const Statistics total = body_->statistics();
    writer.put(Statistics::kCount);
#define BEAMTREE_FIELD(name, help) writer.put(total.name);
    BEAMTREE_STATISTICS(BEAMTREE_FIELD)
#undef BEAMTREE_FIELD
    body_->save(writer);
    writer.flush();
}

void Search::restore(const Source& source) {
    if (started_) throw std::logic_error("a search is restored before its first step");
    done_ = true;  // a search whose file is refused half way takes no step
    Reader reader(source);
    incumbent_.load(reader);
    const bool done = reader.get_in<std::uint8_t>(0, 1, "a flag of") == 1;
    status_ = static_cast<Status>(reader.get_in<std::int32_t>(
        0, static_cast<std::int32_t>(Status::kInterrupted), "a status of"));
    algorithm_->load(reader);
    if (shrinking_ != nullptr) shrinking_->load(reader);
    limits_.load(reader);
    reader.get_in(Statistics::kCount, Statistics::kCount, "a number of counters of");
    Statistics statistics;
#define BEAMTREE_FIELD(name, help) \
    statistics.name = reader.get_in<std::int64_t>(0, kInfiniteCost, "a counter of");
    BEAMTREE_STATISTICS(BEAMTREE_FIELD)
#undef BEAMTREE_FIELD
    body_->set_statistics(statistics);
    body_->load(reader);
    if (incumbent_.proved()) status_ = Status::kOptimal;
    const bool shrinks = shrinking_ != nullptr && !shrinking_->finished();
    done_ = incumbent_.proved() ? !shrinks : done && status_ != Status::kRunning;
    patience_ = kPatience;
    started_ = true;
}

}  // namespace beamtree
