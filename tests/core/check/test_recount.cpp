#include <stdexcept>

#include "check/recount.hpp"
#include "objective/misclassification.hpp"
#include "testing.hpp"

using namespace beamtree;

namespace {

testing::OwnedProblem exclusive_or() {
    testing::OwnedProblem owned;
    owned.columns = 2;
    owned.features = {0, 0, /**/ 0, 1, /**/ 1, 0, /**/ 1, 1};
    owned.label = {0, 1, 1, 0};
    owned.weight = {1, 2, 3, 4};
    return owned;
}

Tree stump(int feature) {
    Tree tree;
    tree.feature = {feature, Tree::kNone, Tree::kNone};
    tree.left = {1, Tree::kNone, Tree::kNone};
    tree.right = {2, Tree::kNone, Tree::kNone};
    return tree;
}

void cost_is_recounted() {
    const auto owned = exclusive_or();
    Misclassification objective;
    objective.unit = 10;
    objective.penalty = 3;
    EXPECT(recounted_cost(owned.view(), objective, stump(0)) == 10 * (1 + 3) + 3);
}

template <class Call>
bool throws(Call call) {
    try {
        call();
    } catch (const std::logic_error&) {
        return true;
    }
    return false;
}

void wrong_claims_are_found() {
    const auto owned = exclusive_or();
    const Problem problem = owned.view();
    Misclassification objective;
    EXPECT(!throws([&] { check_tree(problem, objective, stump(0), 1, 0, 4); }));
    EXPECT(throws([&] { check_tree(problem, objective, stump(0), 1, 0, 3); }));
    EXPECT(throws([&] { check_tree(problem, objective, stump(0), 0, 0, 4); }));
    objective.min_rows = 3;
    objective.rows_are_weight = false;
    EXPECT(throws([&] { check_tree(problem, objective, stump(0), 1, 0, 4); }));
    objective.rows_are_weight = true;  // now the weight counts, which is large enough
    EXPECT(!throws([&] { check_tree(problem, objective, stump(0), 1, 0, 4); }));
    objective.min_rows = 100;
    EXPECT(throws([&] { check_tree(problem, objective, stump(0), 1, 0, 4); }));
}

}  // namespace

int main() {
    cost_is_recounted();
    wrong_claims_are_found();
    return testing::report();
}
