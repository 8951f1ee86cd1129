#include "data/dataset.hpp"

#include <algorithm>
#include <vector>

#include "node/node.hpp"
#include "testing.hpp"

using namespace beamtree;

namespace {

/// Whether rows are merged, cancelled or written by bits: each feature splits the weight of each
/// class as in the raw rows.
void counts_are_those_of_the_rows() {
    for (auto& [random, trial] : testing::Trials(4, 200)) {
        const int classes = 2 + random.below(3);
        const auto owned = testing::random_problem(
            random, 1 + random.below(300), 1 + random.below(90), classes, trial % 2 ? 1 : 300);
        const Problem problem = owned.view();
        Misclassification objective;
        objective.min_rows = trial % 3 == 0 ? 2 : 1;
        objective.rows_are_weight = trial % 2;
        const Dataset data(problem, objective, {trial % 5 != 0, trial % 7 != 0, trial % 4 != 0});
        Node root;
        root.make_root(data);
        for (int f = 0; f < data.features(); ++f) {
            for (int k = 0; k < classes; ++k) {
                std::int64_t raw = 0;
                for (std::int64_t i = 0; i < problem.rows; ++i)
                    if (problem.label[i] == k && problem.row(i)[data.original(f)])
                        raw += problem.weight[i];
                std::int64_t packed = count_plane(data, root, f, k);
                if (data.planes().tied >= 0)
                    packed += count_plane(data, root, f, data.planes().tied);
                EXPECT(packed == raw);
            }
            if (data.planes().rows >= 0) {
                std::int64_t raw = 0;
                for (std::int64_t i = 0; i < problem.rows; ++i)
                    raw += problem.row(i)[data.original(f)];
                EXPECT(count_plane(data, root, f, data.planes().rows) == raw);
            }
        }
    }
}

void useless_columns_are_dropped() {
    testing::OwnedProblem owned;
    owned.columns = 5;  // a feature, a constant, a copy, a complement, another feature
    owned.features = {0, 1, 0, 1, 0, /**/ 1, 1, 1, 0, 0, /**/ 0, 1, 0, 1, 1};
    owned.label = {0, 1, 1};
    owned.weight = {1, 1, 1};
    const Dataset data(owned.view(), Misclassification{}, {});
    EXPECT(data.features() == 2);
    EXPECT(data.original(0) == 0);
    EXPECT(data.original(1) == 4);
}

void opposite_rows_cancel() {
    testing::OwnedProblem owned;
    owned.columns = 1;
    owned.features = {0, 0, 0, 1};
    owned.label = {0, 1, 1, 0};
    owned.weight = {2, 1, 4, 1};
    const Dataset cancelled(owned.view(), Misclassification{}, {});
    EXPECT(cancelled.offset() == 2);
    Misclassification two_rows;
    two_rows.min_rows = 2;
    const Dataset kept(owned.view(), two_rows, {});
    EXPECT(kept.offset() == 0);
}

/// Rows that stand for several equal rows are packed as these rows are.
void rows_that_stand_for_several_are_packed_alike() {
    for (auto& [random, trial] : testing::Trials(5, 200)) {
        auto owned = testing::random_problem(random, 1 + random.below(60), 1 + random.below(6),
                                             2 + random.below(2), trial % 2 ? 1 : 5);
        testing::OwnedProblem every = owned;
        every.features.clear();
        every.label.clear();
        every.weight.clear();
        std::vector<std::int64_t> count;
        for (std::size_t i = 0; i < owned.label.size(); ++i) {
            count.push_back(1 + random.below(4));
            for (std::int64_t copy = 0; copy < count[i]; ++copy) {
                const auto row = owned.features.begin() + i * owned.columns;
                every.features.insert(every.features.end(), row, row + owned.columns);
                every.label.push_back(owned.label[i]);
                every.weight.push_back(owned.weight[i]);
            }
            owned.weight[i] *= count[i];
        }
        Problem problem = owned.view();
        problem.count = count.data();
        Misclassification objective;
        objective.min_rows = trial % 3 == 0 ? 2 : 1;
        objective.rows_are_weight = every.view().unit_weights();
        EXPECT(problem.unit_weights() == objective.rows_are_weight);
        const Dataset packed(problem, objective, {}), wanted(every.view(), objective, {});
        EXPECT(packed.offset() == wanted.offset());
        EXPECT(packed.words() == wanted.words());
        EXPECT(packed.features() == wanted.features());
        for (int f = 0; f < packed.features(); ++f)
            EXPECT(
                std::equal(packed.column(f), packed.column(f) + packed.words(), wanted.column(f)));
    }
}

}  // namespace

int main() {
    counts_are_those_of_the_rows();
    useless_columns_are_dropped();
    opposite_rows_cancel();
    rows_that_stand_for_several_are_packed_alike();
    return testing::report();
}
