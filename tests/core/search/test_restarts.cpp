// Passes that alternate with trees from elsewhere.
#include "search/restarts.hpp"

#include "check/recount.hpp"
#include "exhaustive.hpp"
#include "rule/discrepancy.hpp"
#include "schedule/luby.hpp"
#include "search/sorted_body.hpp"
#include "sorted/sorted_form.hpp"
#include "testing.hpp"

using namespace beamtree;

namespace {

/// After this much work, trees from elsewhere are polished before the next pass.
constexpr std::int64_t kBusy = 300'000'000;

using Form = SortedForm<Misclassification>;

std::unique_ptr<Algorithm> make_restarts(const PartsOf<Form>& parts) {
    using Rule = Threshold<Discrepancy>;
    auto passes = std::make_unique<PassesOf<Form, Rule>>(parts.workers, Rule(ThresholdRange{}));
    return std::make_unique<Restarts<Form>>(parts, std::move(passes), std::make_unique<Luby>(), 0);
}

/// The greedy trees come when no pass has begun under the present threshold, so that the rule has
/// left nothing out yet. They are polished, and then the passes go on until the proof.
void trees_from_elsewhere_are_polished_before_the_first_pass() {
    for (auto& [random, trial] : testing::Trials(1, 200)) {
        const auto owned =
            testing::ranked_problem(random, 10 + random.below(20), 1 + random.below(3),
                                    2 + random.below(2), trial % 2 ? 1 : 9);
        const Problem problem = owned.view();
        Options options;
        options.max_depth = 3 + random.below(3);
        options.polish = true;
        options.probe = random.below(2) > 0;
        const Misclassification objective;
        Limits limits{{}};
        SortedBody<Misclassification> body(problem, objective, options, limits, Heuristic::kAuto,
                                           false, make_restarts, nullptr);
        Incumbent incumbent(problem, objective, {options.max_depth, kAnyLeaves}, 0, limits);
        const auto algorithm = body.make_algorithm(incumbent, nullptr);
        limits.run({}, 0);
        Tree leaf;
        leaf.add_leaf();
        incumbent.take(std::move(leaf), body.leaf_cost());
        incumbent.record();
        limits.spend(kBusy + 1, false);
        for (GrownTree& grown : body.grow_greedy())
            incumbent.update(0, std::move(grown.tree), grown.cost);
        while (!incumbent.proved() && algorithm->status() == Status::kRunning)
            algorithm->advance(Limits::kForever);
        EXPECT(incumbent.cost() ==
               testing::Exhaustive(problem, options)
                   .best(low_bits(static_cast<int>(problem.rows)), options.max_depth));
        EXPECT(recounted_cost(problem, objective, incumbent.tree()) == incumbent.cost());
    }
}

}  // namespace

int main() {
    trees_from_elsewhere_are_polished_before_the_first_pass();
    return testing::report();
}
