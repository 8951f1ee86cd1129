// The incumbent keeps the cheapest tree and the highest bound, and traces how they improved.
#include "search/incumbent.hpp"

#include <stdexcept>
#include <utility>

#include "check/recount.hpp"
#include "objective/misclassification.hpp"
#include "streams.hpp"
#include "testing.hpp"

using namespace beamtree;

namespace {

constexpr int kMaxDepth = 2;

/// A problem whose column 0 is its class, except for one row of four.
testing::OwnedProblem small_problem() {
    testing::OwnedProblem out;
    out.columns = 1;
    out.features = {0, 0, 1, 1};
    out.label = {0, 0, 1, 0};
    out.weight = {3, 1, 5, 2};
    return out;
}

Tree leaf() {
    Tree tree;
    tree.add_leaf();
    return tree;
}

Tree stump() {
    Tree tree;
    tree.add_leaf();
    tree.left[0] = tree.add_leaf();
    tree.right[0] = tree.add_leaf();
    tree.feature[0] = 0;
    return tree;
}

struct Setting {
    testing::OwnedProblem owned = small_problem();
    Problem problem = owned.view();
    Misclassification objective;
    Limits limits{{}};
    Incumbent incumbent{problem, objective, {kMaxDepth, kAnyLeaves}, 0, limits};
};

void the_cost_falls_and_the_bound_rises() {
    Setting setting;
    Incumbent& incumbent = setting.incumbent;
    EXPECT(incumbent.cost() == kInfiniteCost && incumbent.progress().cost == kInfiniteCost);
    EXPECT(incumbent.take(leaf(), 5));
    incumbent.record();
    EXPECT(!incumbent.take(leaf(), 5));
    incumbent.set_stage(3, 1.5);
    incumbent.update(1);              // a better bound
    incumbent.update(1);              // nothing new
    incumbent.update(0, stump(), 2);  // a better tree, and a bound that says less
    EXPECT(incumbent.cost() == 2 && incumbent.lower() == 1 && !incumbent.proved());
    incumbent.update(7);  // no bound exceeds the cost
    EXPECT(incumbent.lower() == 2 && incumbent.proved());
    const auto& trace = incumbent.trace();
    EXPECT(trace.size() == 4);
    const Cost expected[][2] = {{5, 0}, {5, 1}, {2, 1}, {2, 2}};
    for (std::size_t i = 0; i < trace.size(); ++i) {
        EXPECT(trace[i].cost == expected[i][0] && trace[i].lower == expected[i][1]);
        EXPECT(trace[i].restart == (i == 0 ? 0 : 3));
    }
    const Progress progress = incumbent.progress();
    EXPECT(progress.cost == 2 && progress.lower == 2);
    EXPECT(progress.restart == 3 && progress.threshold == 1.5);
}

void it_is_the_same_after_loading() {
    Setting before, after;
    before.incumbent.take(stump(), 2);
    before.incumbent.record();
    before.incumbent.update(1);
    const testing::Bytes bytes = testing::saved(before.incumbent);
    Reader reader(testing::source_of(bytes));
    after.incumbent.load(reader);
    EXPECT(after.incumbent.cost() == 2 && after.incumbent.lower() == 1);
    EXPECT(after.incumbent.tree().feature == before.incumbent.tree().feature);
    EXPECT(after.incumbent.trace().size() == 2);
    EXPECT(after.incumbent.progress().cost == 2);
}

void a_tree_of_another_cost_is_refused() {
    Setting before, after;
    before.incumbent.take(stump(), 2);
    before.incumbent.record();
    testing::Bytes bytes = testing::saved(before.incumbent);
    const Cost wrong = 1;
    std::memcpy(bytes.data() + bytes.size() - 2 * sizeof(Cost), &wrong, sizeof(Cost));
    bool refused = false;
    try {
        Reader reader(testing::source_of(bytes));
        after.incumbent.load(reader);
    } catch (const std::invalid_argument&) {
        refused = true;
    }
    EXPECT(refused);
}

}  // namespace

int main() {
    the_cost_falls_and_the_bound_rises();
    it_is_the_same_after_loading();
    a_tree_of_another_cost_is_refused();
    return testing::report();
}
