// The anytime search: a first tree at once, then one improvement after the other, by the algorithm
// that make_search chose, until the tree is proved to be the best. Its primitive is the next
// improvement; running to the end is a loop over it.
#pragma once

#include <atomic>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <tuple>
#include <vector>

#include "data/problem.hpp"
#include "data/stream.hpp"
#include "limits/limits.hpp"
#include "options/options.hpp"
#include "search/algorithm.hpp"
#include "search/bit_body.hpp"
#include "search/body.hpp"
#include "search/grouped_body.hpp"
#include "search/incumbent.hpp"
#include "search/outcome.hpp"
#include "search/sorted_body.hpp"
#include "sorted/sorted_objectives.hpp"

namespace beamtree {

/// The policies of a search, as make_search chose them.
struct Policies {
    MakeAlgorithm<BitForm> over_bits;
    /// Over sorted columns, for each objective; empty if the algorithm needs bits.
    std::tuple<MakeAlgorithm<SortedForm<Misclassification>>,
               MakeAlgorithm<SortedForm<SquaredError>>, MakeAlgorithm<SortedForm<OwnObjective>>>
        over_sorted;
    MakeAlgorithm<GroupedForm> over_groups;  ///< for regression on few tests
    /// Over a few thresholds, see CoarseToFine; may be empty.
    std::tuple<MakeAlgorithm<BitForm>, MakeAlgorithm<GroupedForm>> coarse;
    Heuristic heuristic = Heuristic::kAuto;
    bool reads_gain = false;  ///< the rule reads the gains of all splits
    bool show_rows = false;   ///< rules see the number of rows of a node
};

/// Whether a search holds rows as sorted columns, and not as columns of bits.
bool sorts(const Ranks& ranks, const Options& options);

/// An estimate of the bytes that the rows of a problem take inside a search.
std::int64_t packed_bytes(const Problem& problem);

class Search {
  public:
    /// The problem's arrays must outlive the search.
    Search(const Problem& problem, const Options& options, Policies policies, Poll poll);
    ~Search();  // compiled once, and not wherever a search is made

    /// Runs to the next improvement of the tree or of the lower bound, within the budget. The first
    /// improvement is a greedy tree, whatever the budget, or a leaf if the option `greedy` is off.
    /// Returns false if there was no improvement; `status` says why.
    bool next(const Budget& budget = {});
    /// Runs to the end, or until the budget is spent.
    Outcome run(const Budget& budget = {});
    /// Offers a tree over the problem's columns, before the first step. Splits are removed where
    /// the tree is too deep, where they do not lower the cost, or where leaves would be too small.
    void offer(Tree tree);
    /// Whether no further step can change anything.
    bool done() const { return done_; }
    Status status() const { return status_; }
    /// The result so far, after the first step.
    Outcome outcome() const;
    /// The exception that a rule has thrown, if any.
    std::exception_ptr failure() const { return failure_; }
    void forget_failure() { failure_ = nullptr; }
    /// What is known of the trees that begin with each feature that can split all rows; of equal
    /// features only the first is listed. Spends at most `seconds` on tighter bounds. After the
    /// first step.
    std::vector<Alternative> alternatives(double seconds);
    /// Returns a lower bound on the cost of all trees on the rows at the end of a path, without the
    /// cost of cancelled rows; see prove.hpp. It is lower than `bound` if some tree costs less, or
    /// if the time ends the search for it.
    Cost prove(const Path& path, Cost bound, double seconds);
    /// Solves a task that another process has posted, as far as `seconds` allow. Throws
    /// std::bad_alloc if the memory limit leaves no room for a search.
    Answer solve(const Task& task, double seconds);
    /// The cost of cancelled rows, which bounds and targets of tasks leave out.
    Cost offset() const { return body_->offset(); }
    /// Where this search posts tasks for other processes; null if it does all itself.
    TaskBoard* board() { return board_.get(); }
    /// From any thread: takes over a tree over the problem's columns and a lower bound of the
    /// whole problem, which another search of it has found. The tree is recounted; one that is not
    /// allowed throws std::invalid_argument. A step that is under way reports it soon.
    void learn(Tree tree, Cost lower);
    /// Returns what was learned of subproblems since the last call, if the option `log_facts` is
    /// on.
    Learned take_learned();
    /// Takes over what another search of the same problem has learned. With `task_threads` it may
    /// be called from any thread; without, not during a step.
    void merge_learned(const Learned& learned);
    /// Returns what is known of the same trees without looking at the nodes below the end of the
    /// path; nothing if there are no such bounds.
    std::optional<ShallowBound> shallow_bound(const Path& path, Cost bound);
    /// From any thread: ends the step soon, with the best tree so far.
    void interrupt() { limits_.interrupt(); }
    /// From any thread, also during a step.
    Progress progress() const;
    /// Writes all that the search knows. Not during a step.
    void save(const Sink& sink) const;
    /// Goes on from what another search of the same problem and options has saved. The bytes are
    /// checked: a wrong file may lead to a wrong bound, but it cannot crash the search.
    void restore(const Source& source);

  private:
    static constexpr std::int64_t kPatience = 200'000;  ///< least work of a step, however short
    static constexpr std::int64_t kMostPatience = std::int64_t{1} << 40;

    void start();
    template <class Answer>
    auto ask(double seconds, Answer answer) -> decltype(answer());
    bool advance();
    bool take_news();
    bool shrink();
    void end(Status status);

    Options options_;
    Limits limits_;
    std::unique_ptr<Objective> objective_;
    std::vector<std::int64_t> square_;  ///< (rows,) if rows have numbers
    Problem problem_;
    std::unique_ptr<TaskBoard> board_;
    std::unique_ptr<Body> body_;
    Incumbent incumbent_;
    std::unique_ptr<Algorithm> algorithm_;
    std::unique_ptr<Shrinking> shrinking_;  ///< null if any tree of least cost will do
    std::vector<Tree> offered_;
    /// The best that other threads have brought, and its tree until the algorithm's next turn.
    struct News {
        Tree tree;
        Cost cost = kInfiniteCost, lower = 0;
    };
    std::mutex news_mutex_;
    News news_;
    /// Least work of a step. It grows while steps are too short to learn anything, since otherwise
    /// the search would never end.
    std::int64_t patience_ = kPatience;
    bool started_ = false, done_ = false;
    Status status_ = Status::kRunning;
    std::exception_ptr failure_;
    std::atomic<std::size_t> shown_bytes_ = 0;  ///< size of the cache, for other threads
};

}  // namespace beamtree
