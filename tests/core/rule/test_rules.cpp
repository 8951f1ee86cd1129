// Rules are called directly, without a search.
#include <algorithm>
#include <memory>

#include "rule/combined.hpp"
#include "rule/discrepancy.hpp"
#include "rule/gain.hpp"
#include "rule/halving_top_k.hpp"
#include "rule/purity.hpp"
#include "rule/top_k.hpp"
#include "testing.hpp"

using namespace beamtree;

namespace {

NodeContext ranked(int rank, int level = 1) {
    NodeContext context;
    context.rank = rank;
    context.level = level;
    return context;
}

void discrepancies_add_up() {
    Threshold<Discrepancy> rule({0, 1});
    const double root = rule.initial_state({});
    EXPECT(!rule.prune_split(rule.update(root, ranked(0))));
    EXPECT(rule.prune_split(rule.update(root, ranked(1))));
    rule.skip(rule.update(root, ranked(3)));
    EXPECT(rule.relax(2));
    EXPECT(!rule.admits_skipped());
    EXPECT(rule.relax(1));
    EXPECT(rule.admits_skipped());
    const double child = rule.update(root, ranked(1));
    EXPECT(!rule.prune_split(rule.update(child, ranked(2))));  // 1 + 2
    EXPECT(rule.prune_split(rule.update(child, ranked(3))));
    // An exploration with 2 discrepancies left covers a visit with 1 left, but not one with 3.
    EXPECT(rule.covers(rule.reach(child), rule.reach(2)));
    EXPECT(!rule.covers(rule.reach(child), rule.reach(0)));
}

void top_k_sees_the_last_rank_only() {
    Threshold<TopK> rule({2, 1, 2});
    EXPECT(!rule.prune_split(rule.update(7, ranked(1))));
    EXPECT(rule.prune_split(rule.update(0, ranked(2))));
    rule.skip(rule.update(0, ranked(2)));
    EXPECT(!rule.relax(1));  // it is at its limit
}

/// k = 8: 8 features at the root, 4 at its children, 2, 1, and never less.
void halving_top_k_halves_a_level() {
    Threshold<HalvingTopK> rule({8, 1});
    for (int level = 0; level < 6; ++level) {
        const int k = std::max(1, 8 >> level);
        EXPECT(!rule.prune_split(rule.update(0, ranked(k - 1, level + 1))));
        EXPECT(rule.prune_split(rule.update(0, ranked(k, level + 1))));
    }
}

void gaps_of_gain_add_up() {
    Threshold<Gain> rule({0.5, 0.25});
    NodeContext split;
    split.best_gain = 0.75;
    split.gain = 0.5;
    const double once = rule.update(0, split), twice = rule.update(once, split);
    EXPECT(once == 0.25 && twice == 0.5);
    EXPECT(!rule.prune_split(twice));
    EXPECT(rule.prune_split(rule.update(twice, split)));
}

void purity_closes_nodes() {
    Threshold<Purity> rule({0.75, 0.25, 1});
    NodeContext node;
    node.weight = 8;
    node.error = 2;  // purity 0.75: pruned at >=
    EXPECT(rule.prune_node(rule.update(0, node)));
    node.error = 3;
    EXPECT(!rule.prune_node(rule.update(0, node)));
    EXPECT(!rule.prune_split(rule.update(0, node)));
    rule.relax(1);
    node.error = 1;
    node.weight = std::int64_t{1} << 60;  // a purity that a double rounds to 1
    EXPECT(!rule.prune_node(rule.update(0, node)));
}

void combined_rules_prune_where_any_does() {
    Combined rule({std::make_shared<AnyThreshold<Discrepancy>>(ThresholdRange{5, 1}),
                   std::make_shared<AnyThreshold<TopK>>(ThresholdRange{2, 1, 2})});
    const auto root = rule.initial_state({});
    EXPECT(!rule.prune_split(rule.update(root, ranked(1))));
    const auto skipped = rule.update(root, ranked(2));
    EXPECT(rule.prune_split(skipped));
    rule.skip(skipped);
    EXPECT(!rule.relax(1));  // the one that pruned is at its limit
}

}  // namespace

int main() {
    discrepancies_add_up();
    top_k_sees_the_last_rank_only();
    halving_top_k_halves_a_level();
    gaps_of_gain_add_up();
    purity_closes_nodes();
    combined_rules_prune_where_any_does();
    return testing::report();
}
