// Where the threads of a pass post subproblems that other processes solve, and wait for the
// answers. A search that distributes its work runs ordinary passes; only where a pass would search
// a child itself, it asks this board first. Whoever distributes the work takes tasks from the board
// and brings the answers, in any order and from any thread.
//
// An answer has a lower bound, which the pass takes over as a fact, and a tree, which it recounts.
// An answer may be incomplete, because the time of the task was over: then the pass goes on below
// the subproblem itself, so that its children become tasks.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <mutex>
#include <optional>
#include <tuple>
#include <vector>

#include "cache/tree_size.hpp"
#include "data/path.hpp"
#include "data/tree.hpp"

namespace beamtree {

/// A subproblem: the rows at the end of a path, and how large their trees may be.
struct Task {
    Path path;
    TreeSize size;
    Cost bound = 0;      ///< only trees that cost less matter
    Cost target = 0;     ///< the bound of the whole pass
    bool probe = false;  ///< see PassMode
};

enum class AnswerEnd {
    kSolved,   ///< the tree is the best one
    kReached,  ///< no tree costs less than the bound
    kTimeOut,  ///< the task took too long, or no tree of its cost could be put together
    kGivenUp   ///< it was not tried to the end for another reason, and may be tried again
};

struct Answer {
    AnswerEnd end = AnswerEnd::kGivenUp;
    Cost lower = 0;
    Tree tree;  ///< the best tree that was found; it is empty if none was
    std::int64_t nodes = 0;
    double seconds = 0;
};

class TaskBoard {
  public:
    struct Posted {
        std::int64_t id;
        Task task;
    };
    /// Tasks that take less than `least_seconds` on average are not worth an exchange.
    explicit TaskBoard(double least_seconds) : least_seconds_(least_seconds) {}

    /// Called every few milliseconds while a thread waits; a true return value ends the wait.
    using Idle = std::function<bool()>;

    /// Posts a task and waits for its answer. Threads that ask for the same subproblem, known by
    /// its key in the cache, wait for one answer. Returns nothing if `idle` has ended the wait.
    std::optional<Answer> ask(const Task& task, const CoverKey& key, int depth_key,
                              const Idle& idle);
    /// Whether tasks at this distance from the root take long enough to be posted.
    bool worth(std::size_t steps) const;

    /// Takes up to `most` tasks, those farthest from the root first. Waits up to `seconds` until
    /// there is one.
    std::vector<Posted> take(std::size_t most, double seconds);
    /// Brings the answer to a task that was taken.
    void answer(std::int64_t id, Answer answer);
    /// Forgets the answers that nobody has asked for again.
    void clean();

  private:
    static constexpr std::size_t kMostSteps = 8;    ///< farther tasks are taken together
    static constexpr std::int64_t kFewAnswers = 8;  ///< too few to know how long tasks take

    /// A subproblem that threads have asked for.
    struct Entry {
        Task task;
        std::int64_t id = 0;
        int waiting = 0;
        bool taken = false;
        std::optional<Answer> answer;
    };
    using Key = std::tuple<Word, Word, int>;
    struct Measured {
        std::int64_t count = 0;
        double seconds = 0;
    };

    void post(Entry& entry);
    static bool is_enough(const Answer& answer, Cost bound);

    const double least_seconds_;
    mutable std::mutex mutex_;
    std::condition_variable posted_, answered_;
    std::map<Key, Entry> entries_;
    std::map<std::int64_t, Key> key_of_;
    std::list<std::int64_t> open_;  ///< ids of tasks that nobody has taken, those to take first
    std::int64_t last_id_ = 0;
    Measured measured_[kMostSteps + 1];
};

}  // namespace beamtree
