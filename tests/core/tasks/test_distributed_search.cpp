// A search whose work others do finds the optimum, whatever they do: they answer in any order, too
// late or not at all, exchange what they learn, and offer trees of their own. Here the others are
// threads, each with a search of its own. `make test-threads` runs this test under the thread
// sanitizer, which looks for races.
#include <algorithm>
#include <atomic>
#include <mutex>
#include <thread>

#include "exhaustive.hpp"
#include "make_search.hpp"
#include "testing.hpp"

using namespace beamtree;

namespace {

constexpr double kForever = 1e9;

/// How often something happened, so that the tests cannot become empty.
struct Counts {
    std::atomic<int> answers = 0, trees = 0, timed_out = 0, given_up = 0, facts = 0, cells = 0,
                     learned = 0, compared = 0;
};

/// Compares single answers with plain recursion, if no cost is left out of them (see
/// `statistics.offset`): the optimum of the whole problem may be right in spite of wrong answers.
class Judge {
  public:
    Judge(const Problem& problem, const Options& options)
        : problem_(problem), exhaustive_(problem, options) {}

    void expect_true(const Task& task, const Answer& answer) {
        std::uint64_t rows = 0;
        for (int i = 0; i < problem_.rows; ++i)
            if (std::all_of(task.path.begin(), task.path.end(), [&](const PathStep& step) {
                    return problem_.right(i, step.test) == step.one;
                }))
                rows |= std::uint64_t{1} << i;
        const std::scoped_lock lock(mutex_);
        const Cost best =
            exhaustive_.best(rows, std::min(task.size.depth, problem_.columns), task.size.leaves);
        EXPECT(answer.lower <= best);
        EXPECT(answer.end != AnswerEnd::kSolved || answer.lower == best);
        EXPECT(answer.end != AnswerEnd::kReached || answer.lower >= task.bound);
    }

  private:
    const Problem& problem_;
    std::mutex mutex_;
    testing::Exhaustive exhaustive_;
};

/// What the helpers of a search have learned, for each other.
class Exchange {
  public:
    void add(const Learned& learned) {
        const std::scoped_lock lock(mutex_);
        learned_.push_back(learned);
    }
    /// Returns what was added after the first `known`.
    std::vector<Learned> since(std::size_t known) const {
        const std::scoped_lock lock(mutex_);
        return {learned_.begin() + static_cast<std::ptrdiff_t>(known), learned_.end()};
    }

  private:
    mutable std::mutex mutex_;
    std::vector<Learned> learned_;
};

/// A process that helps a search: it solves tasks, and sometimes searches by itself.
class Helper {
  public:
    Helper(const Problem& problem, const Options& options, const std::vector<RulePart>& rule,
           Search& whole, std::uint64_t seed, Counts& counts, Judge* judge, Exchange& exchange)
        : search_(make_search(problem, options, rule)),
          whole_(whole),
          random_(seed),
          counts_(counts),
          judge_(judge),
          exchange_(exchange),
          thread_([this] { run(); }) {}
    ~Helper() {
        over_ = true;
        thread_.join();
    }
    Helper(const Helper&) = delete;
    Helper& operator=(const Helper&) = delete;

  private:
    void run() {
        while (!over_) {
            if (random_.below(4) == 0) explore();
            for (const auto& [id, task] : whole_.board()->take(1 + random_.below(3), 0.002)) {
                for (const Learned& other : exchange_.since(known_)) {
                    search_->merge_learned(other);
                    ++known_;
                }
                const double seconds = random_.below(3) ? kForever : 1e-5 * random_.below(20);
                Answer answer = search_->solve(task, seconds);
                if (judge_ != nullptr) judge_->expect_true(task, answer);
                counts_.compared += judge_ != nullptr;
                if (random_.below(8) == 0) answer = {};  // the process died
                ++counts_.answers;
                counts_.trees += !answer.tree.feature.empty();
                counts_.timed_out += answer.end == AnswerEnd::kTimeOut;
                counts_.given_up += answer.end == AnswerEnd::kGivenUp;
                const Learned learned = search_->take_learned();
                counts_.facts += static_cast<int>(learned.facts.size());
                counts_.cells += static_cast<int>(learned.cells.size());
                whole_.merge_learned(learned);
                exchange_.add(learned);
                whole_.board()->answer(id, std::move(answer));
            }
        }
    }
    void explore() {
        const bool improved = search_->next({1e-4 * random_.below(20)});
        const Outcome outcome = search_->outcome();
        counts_.learned += improved;
        whole_.learn(random_.below(4) ? outcome.tree : Tree{}, outcome.lower);
    }

    std::unique_ptr<Search> search_;
    Search& whole_;
    testing::Random random_;
    Counts& counts_;
    Judge* judge_;  ///< null if answers cannot be compared
    Exchange& exchange_;
    std::size_t known_ = 0;  ///< how much of the exchange this helper has had
    std::atomic<bool> over_ = false;
    std::thread thread_;
};

void expect_optimum(testing::Random& random, const Problem& problem, Options options, Cost best,
                    Counts& counts) {
    const auto rule = testing::random_rule(random);
    Options waits = options;
    waits.task_threads = 1 + random.below(4);
    waits.hooks.task_nanoseconds = random.below(4) ? 0 : 10'000;
    const auto search = make_search(problem, waits, rule);
    search->next({0});  // the first tree, so that there is an outcome
    Judge judge(problem, options);
    Judge* const judges = search->outcome().statistics.offset == 0 ? &judge : nullptr;
    options.log_facts = random.below(4) > 0;
    options.threads = 1 + random.below(2);
    Exchange exchange;
    std::vector<std::unique_ptr<Helper>> helpers;
    for (int i = 1 + random.below(2); i > 0; --i)
        helpers.push_back(std::make_unique<Helper>(problem, options, rule, *search, random.next(),
                                                   counts, judges, exchange));
    Cost lower = 0;
    while (!search->done()) {
        if (!search->next({random.below(2) ? 0.002 : 1.0})) continue;
        const Outcome outcome = search->outcome();
        EXPECT(lower <= outcome.lower && outcome.lower <= best && best <= outcome.cost);
        lower = outcome.lower;
    }
    EXPECT(!search->failure());
    EXPECT(search->outcome().cost == best);
    EXPECT(search->outcome().status == Status::kOptimal);
}

/// Options for which the whole tree is not solved at once.
Options distributed_options(testing::Random& random, int trial) {
    Options options = testing::random_options(random, trial);
    options.algorithm = "restarts";
    options.memory = kNoLimit;
    options.threads = 1;
    options.hooks.stop_at_look = 0;
    options.max_depth = 2 + random.below(4);
    options.exact_levels = random.below(4);
    options.max_leaf_nodes = random.below(3) ? 0 : 2 + random.below(7);
    return options;
}

void expect_varied(const Counts& counts, int least) {
    EXPECT(counts.answers > least && counts.trees > least / 4 && counts.given_up > least / 20);
    EXPECT(counts.timed_out > 0 && counts.learned > 0 && counts.compared > least / 4);
}

void bits_agree(int count) {
    Counts counts;
    testing::Trials trials(51, count);
    for (auto& [random, trial] : trials) {
        const auto owned =
            testing::random_problem(random, 10 + random.below(50), 3 + random.below(7),
                                    2 + random.below(3), random.below(2) ? 1 : 9);
        Options options = distributed_options(random, trial);
        options.hooks.price_depth = random.below(2) ? 0 : 1 << 20;
        if (options.hooks.price_depth == 0 && random.below(2)) {
            options.penalty = 1 + random.below(6);
            options.probe = true;
            options.any_depth = random.below(2) > 0;
            if (!options.any_depth) {  // at some nodes, the limit of depth does not matter
                options.max_depth = 4 + random.below(3);
                options.penalty *= 1 + random.below(10);
            }
            options.max_leaf_nodes = 0;
        }
        const Problem problem = owned.view();
        const int depth = options.any_depth ? problem.columns : options.max_depth;
        const int leaves = options.max_leaf_nodes > 0 ? options.max_leaf_nodes : kAnyLeaves;
        const std::uint64_t all = (std::uint64_t{1} << problem.rows) - 1;
        const Cost best = testing::Exhaustive(problem, options).best(all, depth, leaves);
        expect_optimum(random, problem, options, best, counts);
    }
    if (trials.complete()) expect_varied(counts, count);
    if (trials.complete()) EXPECT(counts.facts > 0 && counts.cells > 0);
}

void sorted_columns_agree(int count, bool numbers) {
    Counts counts;
    testing::Trials trials(52 + numbers, count);
    for (auto& [random, trial] : trials) {
        auto owned = testing::ranked_problem(random, 8 + random.below(20), 1 + random.below(3),
                                             2 + random.below(3), trial % 2 ? 1 : 5);
        if (numbers)
            for (const std::int64_t weight : owned.weight)
                owned.value.push_back(weight * (random.below(50) - 25));
        Options options = distributed_options(random, trial);
        options.any_depth = false;
        options.penalty *= numbers ? 1 + random.below(200) : 1;
        options.leaf_weight = options.leaf_weight || numbers;
        options.hooks.form = numbers && random.below(2) ? "grouped" : "sorted";
        const Problem problem = owned.view();
        const int leaves = options.max_leaf_nodes > 0 ? options.max_leaf_nodes : kAnyLeaves;
        const std::uint64_t all = (std::uint64_t{1} << problem.rows) - 1;
        const Cost best =
            testing::Exhaustive(problem, options).best(all, options.max_depth, leaves);
        expect_optimum(random, problem, options, best, counts);
    }
    if (trials.complete()) expect_varied(counts, count / 2);
}

/// What others bring ends the pass of a step, but no question about a single subproblem, whose
/// answer would be incomplete.
void questions_are_not_cut() {
    testing::Random random(8);
    const auto owned = testing::random_problem(random, 60, 9, 2, 1);
    Options options;
    options.max_depth = 4;
    options.exact_levels = 1;
    const auto known = make_search(owned.view(), options, {});
    const Outcome best = known->run();
    const auto search = make_search(owned.view(), options, {});
    search->learn(best.tree, best.lower);
    const Cost inner = best.cost - best.statistics.offset;
    EXPECT(search->prove({}, inner, kForever) == inner);
    search->next({});  // a first tree
    search->next({});
    EXPECT(search->outcome().cost == best.cost);
}

/// A tree of another search is recounted, and refused if it is not allowed.
void wrong_trees_are_refused() {
    testing::Random random(7);
    const auto owned = testing::random_problem(random, 30, 4, 2, 1);
    Options options;
    options.max_depth = 1;
    const auto search = make_search(owned.view(), options, {});
    const auto refused = [&](const Tree& tree) {
        try {
            search->learn(tree, 0);
        } catch (const std::invalid_argument&) {
            return true;
        }
        return false;
    };
    Tree tree;
    tree.add_leaf();
    EXPECT(!refused(tree));
    for (int at = 0; at < 2; ++at) {
        tree.feature[at] = at;
        tree.left[at] = tree.add_leaf();
        tree.right[at] = tree.add_leaf();
        EXPECT(refused(tree) == (at == 1));  // it is too deep
    }
    tree.feature[1] = 4;
    EXPECT(refused(tree));
}

}  // namespace

#ifdef __SANITIZE_THREAD__
constexpr int kTrials = 20;  // the thread sanitizer is slow
#else
constexpr int kTrials = 100;
#endif

int main() {
    bits_agree(2 * kTrials);
    sorted_columns_agree(kTrials, false);
    sorted_columns_agree(kTrials, true);
    wrong_trees_are_refused();
    questions_are_not_cut();
    return testing::report();
}
