#include <algorithm>
#include <new>

#include "node/class_weights.hpp"
#include "search/search.hpp"

namespace beamtree {

namespace {

/// Features and words up to which all pairs are counted for it; some tenths of a second.
constexpr double kMostWork = 5e8;

double pair_work(const Node& node) {
    return static_cast<double>(node.features) * node.features * node.words;
}

}  // namespace

std::vector<Alternative> Search::alternatives(double seconds) {
    const int depth = options_.max_depth;
    std::vector<Alternative> found;
    if (depth == 0 || !plan_.fits) return found;
    const std::vector<Cost> two_levels = best_of_two_levels(seconds);
    ClassWeights weights(data_, kernel_, root_);
    for (int f = 0; f < root_.features; ++f) {
        weights.split(f);
        if (!weights.admissible(objective_)) continue;
        const CoverHash one =
            root_.cover.hash_of_side(data_.hasher(), data_.column(root_.feature[f]));
        Alternative next{data_.original(root_.feature[f]), objective_.penalty, objective_.penalty};
        for (const bool side : {false, true}) {
            const Facts child = known_of((side ? one : root_.hash - one).key(), depth - 1);
            const Cost leaf = objective_.leaf_cost(weights.leaf(side));
            const Cost upper = std::min(child.upper, leaf);
            next.upper += upper;
            next.lower += depth == 1 ? upper : std::min(child.lower, upper);
        }
        if (!two_levels.empty()) next.upper = std::min(next.upper, two_levels[f]);
        if (!two_levels.empty() && depth == 2) next.lower = next.upper;
        if (next.feature == tree_.feature[0]) next.upper = std::min(next.upper, cost_);
        // No tree costs less than the best of all; and what parts of trees that were not yet put
        // together promise is not told before they are.
        next.lower = std::min(std::max(next.lower, lower_), next.upper);
        next.upper = std::max(next.upper, cost_);
        next.lower += data_.offset();
        next.upper += data_.offset();
        found.push_back(next);
    }
    return found;
}

Facts Search::known_of(const CoverKey& key, int depth) {
    if (depth == 0) return {};
    Facts facts = shared_.cache.find(key, depth);
    if (depth != 2 || !options_.ablations.cell_cache) return facts;
    if (const Cost cell = shared_.cells.find(key); cell >= 0) {
        facts.upper = std::min(facts.upper, cell);
        facts.lower = std::max(facts.lower, facts.upper);
    }
    return facts;
}

/// Cost of the best tree of two levels that begins with each feature; none if that takes too long,
/// or if the search, which it would overtake, is not over.
std::vector<Cost> Search::best_of_two_levels(double seconds) {
    const Cost leaf = objective_.leaf_cost(root_.sums);
    if (options_.max_depth < 2 || seconds <= 0 || pair_work(root_) > kMostWork) return {};
    if (lower_ < cost_ || plan_.widest < PassMode::kAllFeatures) return {};
    if (root_.features == 0 || objective_.closed(leaf, root_.rows)) return {};
    std::vector<Cost> scores;
    limits_.run({seconds}, 0);
    limits_.slice(Limits::kForever);
    bool counted = false;
    try {
        counted = work_.exact.score2(root_, work_.buffers[2].counts, scores).has_value();
    } catch (const std::bad_alloc&) {  // it does without
    }
    limits_.pause();
    if (!counted) return {};
    return scores;
}

}  // namespace beamtree
