#include "search/alternatives.hpp"

#include <algorithm>
#include <new>

#include "node/class_weights.hpp"
#include "price/price_pass.hpp"

namespace beamtree {

namespace {

/// Largest work of counting all pairs of features; it takes some tenths of a second.
constexpr double kMostWork = 5e8;

double pair_work(const Node& node) {
    return static_cast<double>(node.features) * node.features * node.words;
}

}  // namespace

std::vector<Alternative> Alternatives::list(double seconds) {
    const Dataset& data = work_.data;
    const Misclassification& objective = work_.objective;
    const TreeSize size = tree_size_of(work_.options, work_.options.max_depth);
    const int depth = size.depth;
    std::vector<Alternative> found;
    if (depth == 0) return found;
    const std::vector<Cost> two_levels = best_of_two_levels(seconds);
    ClassWeights weights(data, work_.kernel, root_);
    for (int f = 0; f < root_.features; ++f) {
        weights.split(f);
        if (!weights.admissible(objective)) continue;
        const CoverHash one =
            root_.cover.hash_of_side(data.hasher(), data.column(root_.feature[f]));
        Alternative next{data.original(root_.feature[f]), objective.penalty, objective.penalty};
        Facts best{kInfiniteCost, kInfiniteCost, kLeaf};
        for (int i = 0; i < size.shares(); ++i) {
            Facts both{0, 0, kLeaf};
            for (const bool side : {false, true}) {
                const TreeSize below = size.child(size.share(i).of(side));
                const Facts child = known_of(side ? one : root_.hash - one, below);
                const Cost leaf = objective.leaf_cost(weights.leaf(side));
                const Cost upper = std::min(child.upper, leaf);
                both.upper += upper;
                both.lower += below.depth == 0 ? upper : std::min(child.lower, upper);
            }
            best.upper = std::min(best.upper, both.upper);
            best.lower = std::min(best.lower, both.lower);
        }
        next.upper += best.upper;
        next.lower += best.lower;
        if (!two_levels.empty()) next.upper = std::min(next.upper, two_levels[f]);
        if (!two_levels.empty() && depth == 2) next.lower = next.upper;
        if (next.feature == incumbent_.tree().feature[0])
            next.upper = std::min(next.upper, incumbent_.cost());
        // No tree costs less than the bound of the incumbent. And no tree is promised that costs
        // less than the incumbent: it has not been put together yet.
        next.lower = std::min(std::max(next.lower, incumbent_.lower()), next.upper);
        next.upper = std::max(next.upper, incumbent_.cost());
        next.lower += incumbent_.offset();
        next.upper += incumbent_.offset();
        found.push_back(next);
    }
    return found;
}

Facts Alternatives::known_of(const CoverHash& hash, const TreeSize& size) {
    const int depth = size.depth;
    if (depth == 0) return {};
    if (size.limited()) return shared_.cache.find(size.key(hash), depth);
    const CoverKey key = hash.key();
    Facts facts = shared_.cache.find(key, depth);
    const Facts any = shared_.cache.find(key, kAnyDepthKey);
    if (work_.options.any_depth) {
        facts.lower = 0;  // that of a limited depth says nothing about deeper trees
        facts.improve(any.upper, any.split);
    } else {
        const Facts priced = shared_.cache.find(key, price_key(depth));
        facts.improve(priced.upper, priced.split);
        facts.raise(priced.lower);
    }
    facts.raise(any.lower);
    if (depth != 2 || !work_.options.ablations.cell_cache) return facts;
    if (const Cost cell = shared_.cells.find(key); cell >= 0) {
        facts.upper = std::min(facts.upper, cell);
        facts.lower = std::max(facts.lower, facts.upper);
    }
    return facts;
}

/// Returns the cost of the best tree of two levels that begins with each feature. Returns nothing
/// if that takes too long, or if the search is not over: these trees might be better than its own.
std::vector<Cost> Alternatives::best_of_two_levels(double seconds) {
    const Misclassification& objective = work_.objective;
    const Cost leaf = objective.leaf_cost(root_.sums);
    const int leaves = work_.options.max_leaf_nodes;
    if (leaves > 0 && leaves < 4) return {};  // trees of two levels may have four
    if (work_.options.max_depth < 2 || seconds <= 0 || pair_work(root_) > kMostWork) return {};
    if (!incumbent_.proved() || !all_features_) return {};
    if (root_.features == 0 || objective.closed(leaf, root_.rows)) return {};
    std::vector<Cost> scores;
    shared_.limits.run({seconds}, 0);
    shared_.limits.slice(Limits::kForever);
    bool counted = false;
    try {
        counted = work_.exact.score2(root_, work_.buffers[2].counts, scores).has_value();
    } catch (const std::bad_alloc&) {  // the list has wider bounds then
    }
    shared_.limits.pause();
    if (!counted) return {};
    return scores;
}

}  // namespace beamtree
