// The anytime search: a first tree at once, then passes whose rule is relaxed until one is clean,
// which proves the optimum (the paper's Algorithm 1). Its primitive is the next improvement.
#pragma once

#include <atomic>
#include <exception>
#include <functional>
#include <memory>

#include "data/dataset.hpp"
#include "data/problem.hpp"
#include "data/stream.hpp"
#include "kernel/kernel.hpp"
#include "limits/limits.hpp"
#include "node/node.hpp"
#include "options/options.hpp"
#include "pass/passes.hpp"
#include "schedule/schedule.hpp"
#include "search/memory_plan.hpp"
#include "search/outcome.hpp"
#include "search/probing.hpp"

namespace beamtree {

/// The policies of a search, as make_search chose them.
struct Policies {
    std::function<std::unique_ptr<Passes>(Workers&)> passes;
    std::unique_ptr<Schedule> schedule;
    double first_step = 0;  ///< of the schedule, before the first pass
    Heuristic heuristic = Heuristic::kAuto;
    bool show_rows = false;  ///< to rules
};

class Search {
  public:
    /// The problem's arrays must outlive the search.
    Search(const Problem& problem, const Options& options, Policies policies, Poll poll);

    /// Runs to the next improvement of the tree or of the lower bound, within the budget. The first
    /// is a greedy tree, whatever the budget, or a leaf if the option is off. False: there was
    /// none, see `outcome`.
    bool next(const Budget& budget = {});
    /// Runs to the end, or until the budget is spent.
    Outcome run(const Budget& budget = {});
    /// Offers a tree over the problem's columns, before the first step. It is cut where it is too
    /// deep, does not pay, or its leaves are too small.
    void offer(Tree tree);
    /// No step would change anything.
    bool done() const { return done_; }
    Status status() const { return status_; }
    /// What there is after the first step.
    Outcome outcome() const;
    /// What a rule threw, if it did.
    std::exception_ptr failure() const { return failure_; }
    void forget_failure() { failure_ = nullptr; }
    /// What is known of the trees that begin with each feature that can split all rows (of equal
    /// ones the first); within so many seconds it finds out more. After the first step.
    std::vector<Alternative> alternatives(double seconds);
    /// From any thread: ends the step soon, with the best tree so far.
    void interrupt() { limits_.interrupt(); }
    /// From any thread, also during a step.
    Progress progress() const;
    /// Writes all that is known, or goes on from it: same problem, same options. Not during a step.
    void save(const Sink& sink) const;
    void restore(const Source& source);

  private:
    static constexpr std::int64_t kPatience = 200'000;  ///< work of a step, however short its time
    static constexpr std::int64_t kMostPatience = std::int64_t{1} << 40;
    static constexpr int kMostLostTrees = 100;

    void start();
    void advance();
    void pass();
    void polish();
    void probe();
    void relax();
    bool warm() const { return statistics_.passes < Probing::kWarmPasses; }
    bool narrow() const { return mode_.width < PassMode::kAllFeatures; }
    void widen();
    /// Grows with what is known.
    std::int64_t learned() const {
        return shared_.cache.entries() + shared_.cache.evicted() + passes_->steps();
    }
    /// Whether there is no memory for wider passes.
    bool widest() const {
        return plan_.widest < PassMode::kAllFeatures && 2 * mode_.width > plan_.widest;
    }
    Facts known_of(const CoverKey& key, int depth);
    std::vector<Cost> best_of_two_levels(double seconds);
    void learn(const Facts& root, Tree own = {});
    bool take_tree(const Facts& root);
    Facts repair(const Node& node, int depth, Cost upper);
    bool take(Tree tree, Cost cost);
    void trace();
    void end(Status status);

    Problem problem_;
    Options options_;
    Policies policies_;
    Limits limits_;
    Statistics statistics_;
    Objective objective_;
    Kernel kernel_;
    Dataset data_;
    Node root_;
    MemoryPlan plan_;
    Shared shared_;
    Workers workers_;
    Workspace& work_;  ///< of the thread that runs the search
    std::unique_ptr<Passes> passes_;
    PassesOf<Complete> probes_;
    Probing probing_;
    PassMode mode_;
    // The incumbent lives here, outside the cache.
    Tree tree_, offered_;
    Cost cost_ = kInfiniteCost;
    Cost lower_ = 0;
    /// Grows while steps are too short to learn anything, or they would never end.
    std::int64_t patience_ = kPatience;
    int lost_trees_ = 0;             ///< found, and gone before they were put together
    Cost polished_ = kInfiniteCost;  ///< cost of the tree that was last polished
    bool polishing_ = false, narrowed_ = false, started_ = false, done_ = false;
    Status status_ = Status::kRunning;
    std::exception_ptr failure_;
    std::vector<TraceRow> trace_;
    // What other threads may see during a step.
    std::atomic<Cost> shown_cost_ = kInfiniteCost, shown_lower_ = 0;
    std::atomic<std::int64_t> shown_passes_ = 0;
    std::atomic<double> shown_threshold_ = 0;
    std::atomic<std::size_t> shown_bytes_ = 0;
};

}  // namespace beamtree
