// Searches over all thresholds that a search over a few of them helps.
#include "search/coarse_to_fine.hpp"

#include "check/recount.hpp"
#include "exhaustive.hpp"
#include "make_search.hpp"
#include "rule/discrepancy.hpp"
#include "schedule/luby.hpp"
#include "search/restarts.hpp"
#include "streams.hpp"
#include "testing.hpp"

using namespace beamtree;

namespace {

/// Searches that take turns, with a coarse search of one to six cuts per order. They predict
/// classes or numbers.
void searches_that_start_coarse_end_with_the_proof(bool numbers) {
    for (auto& [random, trial] : testing::Trials(numbers ? 4 : 2, 120)) {
        auto owned = testing::ranked_problem(random, 10 + random.below(20), 1 + random.below(3),
                                             2 + random.below(2), trial % 2 ? 1 : 9);
        if (numbers)
            for (const std::int64_t weight : owned.weight)
                owned.value.push_back(weight * (random.below(200) - 100));
        const Problem problem = owned.view();
        Options options;
        options.max_depth = 3 + random.below(3);
        options.min_samples_leaf = 1 + random.below(3);
        options.leaf_weight = numbers && random.below(2) > 0;
        options.polish = options.probe = random.below(2) > 0;
        options.hooks.form = "sorted";
        options.hooks.coarse_cuts = 1 + trial % 6;
        std::vector<RulePart> rule;
        if (trial % 4) rule = {{"discrepancy", {0, 1}, {}}};
        const auto search = make_search(problem, options, rule);
        const Outcome outcome = search->run();
        EXPECT(!search->failure());
        EXPECT(outcome.status == Status::kOptimal);
        EXPECT(outcome.cost ==
               testing::Exhaustive(problem, options)
                   .best(low_bits(static_cast<int>(problem.rows)), options.max_depth));
    }
}

/// Stands for the search over all thresholds: it works, and finds nothing.
class Idle final : public Algorithm {
  public:
    explicit Idle(Limits& limits) : limits_(limits) {}
    bool advance(std::int64_t work) override {
        limits_.spend(work, false);
        return true;
    }
    Status status() const override { return Status::kRunning; }
    void save(Writer&) const override {}
    void load(Reader&) override {}

  private:
    Limits& limits_;
};

/// A coarse search on its own. Trees are offered as they are, and never refined.
template <CoarseObjective O>
struct CoarseOnly {
    CoarseOnly(const Problem& given, const Options& chosen)
        : problem(given),
          options(chosen),
          data(problem),
          incumbent(problem, objective, {options.max_depth, kAnyLeaves}, 0, limits) {
        limits.run({}, 0);
        Tree leaf;
        leaf.add_leaf();
        offer(leaf);
        reset();
    }
    void offer(const Tree& tree) {
        incumbent.update(0, tree, recounted_cost(problem, objective, tree));
    }
    void reset() {
        using Rule = Threshold<Discrepancy>;
        using Form = CoarseForm<O>;
        const auto make = [](const PartsOf<Form>& parts) {
            auto passes =
                std::make_unique<PassesOf<Form, Rule>>(parts.workers, Rule(ThresholdRange{}));
            return std::make_unique<Restarts<Form>>(parts, std::move(passes),
                                                    std::make_unique<Luby>(), 0);
        };
        algorithm = std::make_unique<CoarseToFine<O>>(
            problem, data, objective, options, limits, Heuristic::kAuto, make,
            std::make_unique<Idle>(limits), [this](const Tree& tree, bool) { offer(tree); },
            incumbent);
    }

    Problem problem;
    O objective;
    Options options;
    SortedData data;
    Limits limits{{}};
    Incumbent incumbent;
    std::unique_ptr<Algorithm> algorithm;
};

/// Sixteen blocks of rows along one column, whose classes or numbers take turns. A tree of four
/// levels needs all fifteen thresholds between them, and no round has more than some of the others.
template <CoarseObjective O>
void rounds_find_what_one_of_them_cannot() {
    for (auto& [random, trial] : testing::Trials(3, 10)) {
        testing::RankedProblem owned;
        for (int block = 0; block < 16; ++block)
            for (int i = 4 + random.below(9); i > 0; --i) owned.label.push_back(block % 2);
        const auto rows = static_cast<std::uint32_t>(owned.label.size());
        for (std::uint32_t i = 0; i < rows; ++i) owned.rank.push_back(i);
        owned.weight.assign(rows, 1);
        owned.ranks.rank = owned.rank.data();
        owned.ranks.first = {0, static_cast<std::int32_t>(rows) - 1};
        Options options;
        options.max_depth = 4;
        options.hooks.coarse_cuts = 32;
        std::vector<std::int64_t> square;
        if constexpr (std::same_as<O, SquaredError>) {
            for (const std::int32_t label : owned.label) {
                owned.value.push_back(100 * label);
                square.push_back(O{}.square(1, owned.value.back()));
            }
        }
        Problem problem = owned.view();
        problem.square = square.data();
        CoarseOnly<O> search(problem, options);
        for (int turn = 0; turn < 2000 && search.incumbent.cost() > 0; ++turn) {
            search.algorithm->advance(Limits::kForever);
            if (turn % 7 != trial % 7) continue;
            const testing::Bytes bytes = testing::saved(*search.algorithm);
            search.reset();
            Reader reader(testing::source_of(bytes));
            search.algorithm->load(reader);
            EXPECT(testing::saved(*search.algorithm) == bytes);
        }
        EXPECT(search.incumbent.cost() == 0);
    }
}

}  // namespace

int main() {
    searches_that_start_coarse_end_with_the_proof(false);
    searches_that_start_coarse_end_with_the_proof(true);
    rounds_find_what_one_of_them_cannot<Misclassification>();
    rounds_find_what_one_of_them_cannot<SquaredError>();
    return testing::report();
}
