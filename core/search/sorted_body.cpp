#include "search/sorted_body.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "sorted/class_pairs.hpp"
#include "sorted/sorted_greedy.hpp"
#include "sorted/sorted_objectives.hpp"
#include "sorted/split_moves.hpp"

namespace beamtree {

namespace {

/// An upper estimate of the bytes that one thread works with, beside the cache.
std::int64_t scratch_bytes(const SortedData& data, const Options& options, bool gains) {
    const std::int64_t rows = data.rows();
    const std::int64_t tests = std::min(rows * data.orders(), std::int64_t{data.ranks().tests()});
    const std::int64_t weight = data.unit_weights() ? 0 : 8;
    const std::int64_t value = data.classes() > 0 ? 6 + weight : 28;
    const std::int64_t node = rows * (4 * data.orders() + value);
    const std::int64_t thresholds = tests * (4 + weight);
    const int classes = data.classes();
    const std::int64_t bits = std::bit_width(static_cast<unsigned>(classes));
    const std::int64_t lanes =
        rows * (3 + bits * (2 + weight) + weight) +
        std::min(ClassPairs::kMostBytes, ClassPairs::bytes(rows, data.orders(), classes));
    const int ranked = options.max_depth - std::min({options.max_depth, options.exact_levels, 2});
    // A split has one child at a time at each depth. Every node above the bottom has its
    // thresholds, and so has the one at the bottom.
    return options.max_depth * node + (ranked + 1) * thresholds + ranked * (gains ? 8 * tests : 0) +
           lanes + 4 * rows;
}

/// An estimate of the bytes of the rows of the coarse search.
std::int64_t coarse_bytes(const SortedData& data, const Options& options) {
    const std::int64_t tests = std::int64_t{options.hooks.coarse_cuts} * data.orders();
    return data.rows() * (4 * data.orders() + tests / 4 + 72);
}

/// The coarse search gets a part of what the threads leave, and the cache the rest.
constexpr std::int64_t kCoarsePart = 4;
constexpr std::int64_t kMostCoarseBits = 200'000'000;  ///< of the coarse search

std::size_t cache_bytes(std::int64_t left) {
    if (left == kNoLimit) return Cache::kNoLimit;
    return Cache::kLeastBytes +
           static_cast<std::size_t>(std::max<std::int64_t>(left - left / kCoarsePart, 0));
}

/// As many threads as fit, up to the number that is wanted.
SortedPlan plan_memory(const SortedData& data, const Options& options, bool gains) {
    if (options.memory == kNoLimit) return {options.most_threads(), kNoLimit};
    const std::int64_t scratch = scratch_bytes(data, options, gains);
    const std::int64_t room = options.memory - static_cast<std::int64_t>(Cache::kLeastBytes);
    const auto fit = room / std::max<std::int64_t>(scratch, 1);
    const auto threads = static_cast<int>(std::clamp<std::int64_t>(fit, 1, options.most_threads()));
    return {threads, room - threads * scratch};
}

}  // namespace

template <SearchObjective O>
SortedBody<O>::SortedBody(const Problem& problem, const O& objective, const Options& options,
                          Limits& limits, Heuristic heuristic, bool reads_gain,
                          MakeAlgorithm<SortedForm<O>> algorithm,
                          MakeAlgorithm<CoarseForm<O>> coarse)
    : problem_(problem),
      objective_(objective),
      options_(options),
      limits_(limits),
      kernel_(select_kernel(options.hooks.kernel)),
      data_(problem),
      plan_(plan_memory(data_, options, reads_gain || !looks_ahead(heuristic))),
      shared_(data_, objective, kernel_, options, limits, cache_bytes(plan_.bytes_left)),
      heuristic_(heuristic),
      algorithm_(std::move(algorithm)),
      coarse_(std::move(coarse)) {
    root_.make_root(data_, objective);
    for (int i = 0; i < plan_.threads; ++i)
        workers_.push_back(std::make_unique<SortedWorker<O>>(shared_, heuristic, i));
    Statistics& statistics = workers_[0]->work.statistics;
    statistics.rows = root_.rows;
    statistics.features = problem.columns;
}

template <SearchObjective O>
std::unique_ptr<Algorithm> SortedBody<O>::make_algorithm(Incumbent& incumbent, TaskBoard* board) {
    // A deeper tree has at least one split more than the passes have levels.
    const Cost deeper = (options_.max_depth + 1) * objective_.penalty;
    auto fine = algorithm_({root_, workers_, limits_, incumbent, PassMode::kAllFeatures,
                            options_.any_depth ? deeper : kInfiniteCost, true, board});
    if constexpr (CoarseObjective<O>)
        if (starts_coarse()) return start_coarse(std::move(fine), incumbent);
    return fine;
}

/// Lets a search over a few thresholds take turns with the one over all.
template <SearchObjective O>
std::unique_ptr<Algorithm> SortedBody<O>::start_coarse(std::unique_ptr<Algorithm> fine,
                                                       Incumbent& incumbent)
    requires CoarseObjective<O>
{
    const auto offer = [this, &incumbent](const Tree& tree, bool refine) {
        const Grace grace(limits_);
        Tree grown;
        const Cost cost = refine ? grow_refined(tree, grown)
                                 : grow(root_, options_.max_depth, tree, 0, false, grown);
        incumbent.update(incumbent.lower(), std::move(grown), cost);
    };
    Options settings = options_;
    settings.log_facts = false;  // its rows are other ones
    if (plan_.bytes_left != kNoLimit)
        settings.memory = std::max<std::int64_t>(
            0, plan_.bytes_left / kCoarsePart - coarse_bytes(data_, options_));
    return std::make_unique<CoarseToFine<O>>(problem_, data_, objective_, settings, limits_,
                                             heuristic_, coarse_, std::move(fine), offer,
                                             incumbent);
}

/// A few thresholds are worth a search of their own if there are many, if packing the rows takes no
/// time that would be missed, and if there are more levels than those that are solved at once, or
/// that are proved soon: two for classes, three for numbers. The memory limit does not decide it: a
/// restored search may have another one.
template <SearchObjective O>
bool SortedBody<O>::starts_coarse() const {
    const std::int64_t tests = std::int64_t{options_.hooks.coarse_cuts} * data_.orders();
    const bool numbers = problem_.has_values();
    return coarse_ && options_.max_depth > (numbers ? 3 : 2) && problem_.columns > tests &&
           tests * problem_.rows <= kMostCoarseBits &&
           (!numbers || can_group(problem_, static_cast<int>(tests), options_));
}

template <SearchObjective O>
std::unique_ptr<Shrinking> SortedBody<O>::make_shrinking(Incumbent& incumbent) {
    const PartsOf<SortedForm<O>> parts{root_, workers_, limits_, incumbent, PassMode::kAllFeatures};
    return std::make_unique<Smallest<SortedForm<O>>>(parts, fits());
}

template <SearchObjective O>
std::vector<GrownTree> SortedBody<O>::grow_greedy() {
    return SortedGreedy<O>(workers_[0]->work, root_).grow(options_.max_depth);
}

template <SearchObjective O>
Cost SortedBody<O>::grow_offered(const Tree& offered, Tree& tree) {
    return grow(root_, options_.max_depth, offered, 0, false, tree);
}

/// Improves a tree over all thresholds: its last levels are solved exactly, and the splits above
/// them are moved, in turns as long as that helps. Returns the cost of the new tree.
template <SearchObjective O>
Cost SortedBody<O>::grow_refined(const Tree& offered, Tree& tree) {
    SortedWorkspace<O>& work = workers_[0]->work;
    const int depth = options_.max_depth;
    Cost cost = grow(root_, depth, offered, 0, true, tree);
    if constexpr (CoarseObjective<O>) {
        while (!work.meter.stopped()) {
            Tree moved = tree, next;
            if (!SplitMoves<O>(work, root_).improve(depth, moved)) break;
            const Cost found = grow(root_, depth, moved, 0, true, next);
            if (found >= cost) break;
            cost = found;
            tree = std::move(next);
        }
    }
    return cost;
}

/// Appends the offered tree from its node `from` on, with `refine` the best trees of the last
/// levels instead of its own. Where a split is not possible, the tree goes on with the larger side.
template <SearchObjective O>
Cost SortedBody<O>::grow(const SortedNode<O>& node, int depth, const Tree& offered, int from,
                         bool refine, Tree& tree) {
    SortedWorkspace<O>& work = workers_[0]->work;
    if (refine && depth <= work.exact_levels()) {
        // If leaves are limited, the new trees have no more than the old ones.
        const bool limited = options_.max_leaf_nodes > 0;
        const TreeSize size(depth, limited ? offered.leaves_below(from) : kAnyLeaves);
        Facts facts;
        work.bottom.solve(node, size, kInfiniteCost, facts);
        if (!work.meter.stopped())
            return rebuild(work, workers_[0]->ranking, {}, node, size, facts, {}, tree);
    }
    const int at = tree.add_leaf();
    Facts facts;
    facts.improve(objective_.leaf_cost(node.sums), kLeaf);
    Place place;
    while (depth > 0 && offered.feature[from] != Tree::kNone) {
        const int test = offered.feature[from];
        place = node.place_of(data_, test);
        if (place.order >= 0) {
            const SortedNode<O>& left = make_side(work, node, depth, place, false);
            const std::int64_t rows = left.leaf_rows;
            if (objective_.can_split(rows, node.leaf_rows - rows)) break;
            from = 2 * rows > node.leaf_rows ? offered.left[from] : offered.right[from];
        } else {
            // All rows are on one side.
            const Cut cut = data_.ranks().cut_of(test);
            const bool right = data_.rank(cut.order, node.row[0]) >= cut.cut;
            from = right ? offered.right[from] : offered.left[from];
        }
        place = {};
    }
    if (place.order >= 0) {
        Cost cost = objective_.penalty;
        for (const bool right : {false, true}) {
            const SortedNode<O>& child = make_side(work, node, depth, place, right);
            (right ? tree.right : tree.left)[at] = tree.size();
            cost += grow(child, depth - 1, offered,
                         right ? offered.right[from] : offered.left[from], refine, tree);
        }
        facts.improve(cost, offered.feature[from]);
    }
    if (facts.split == kLeaf) {
        tree.cut(at);
    } else {
        tree.feature[at] = facts.split;
        shared_.cache.merge(node.hash.key(), depth, facts);
    }
    return facts.upper;
}

template <SearchObjective O>
std::vector<Alternative> SortedBody<O>::alternatives(const Incumbent& incumbent, double seconds) {
    std::vector<Alternative> found;
    const int depth = options_.max_depth;
    if (depth == 0) return found;
    const TreeSize size =
        options_.any_depth ? TreeSize(kAnyDepth, kAnyLeaves) : tree_size_of(options_, depth);
    // Scores are costs of trees with four leaves.
    const bool scored = !size.limited() || size.leaves >= 4;
    SortedWorkspace<O>& work = workers_[0]->work;
    const std::vector<OrderScore> scores = root_scores(seconds);
    const int chosen = incumbent.tree().feature[0];
    const Place best = chosen == Tree::kNone ? Place{} : root_.place_of(data_, chosen);
    SplitAttempt<O> split;
    for (int o = 0; o < static_cast<int>(scores.size()); ++o) {
        const bool incumbents = best.order == o;
        split.place = incumbents ? best : Place{o, scores[o].last};
        if (split.place.last < 0) continue;
        Alternative next{root_.test_at(data_, split.place), objective_.penalty, objective_.penalty};
        if (incumbents) next.feature = chosen;
        if (depth == 2 && scored && split.place.last == scores[o].last) {
            // The sides of a scored threshold are solved with one more level, which is all there
            // is.
            next.lower = next.upper = scores[o].cost;
        } else {
            work.meter.spend(4 * split.weigh_sides(data_, objective_, root_));
            Facts least{kInfiniteCost, kInfiniteCost, kLeaf};
            for (int i = 0; i < size.shares(); ++i) {
                Facts both{0, 0, kLeaf};
                for (const int side : {0, 1}) {
                    const TreeSize below = size.child(size.share(i).of(side == 1));
                    Facts facts;
                    if (below.depth > 0)
                        facts = shared_.cache.find(below.key(split.hash[side]), below.depth_key());
                    facts.improve(split.leaf[side], kLeaf);
                    if (below.depth == 0) facts.raise(facts.upper);
                    both.lower += facts.lower;
                    both.upper += facts.upper;
                }
                least.lower = std::min(least.lower, both.lower);
                least.upper = std::min(least.upper, both.upper);
            }
            next.lower += least.lower;
            next.upper += least.upper;
            if (depth > 1 && scored) next.upper = std::min(next.upper, scores[o].cost);
        }
        if (incumbents) next.upper = std::min(next.upper, incumbent.cost());
        next.lower = std::min(std::max(next.lower, incumbent.lower()), next.upper);
        next.upper = std::max(next.upper, incumbent.cost());
        found.push_back(next);
    }
    return found;
}

/// Returns the scores of the root's orders that the search has found, and computes those that are
/// missing if there are `seconds` to do so.
template <SearchObjective O>
std::vector<OrderScore> SortedBody<O>::root_scores(double seconds) {
    std::vector<OrderScore> scores(root_.orders);
    for (const auto& worker : workers_) {
        const std::vector<OrderScore> known =
            worker->work.bottom.root_scores(std::min(options_.max_depth, 2));
        for (std::size_t o = 0; o < known.size(); ++o)
            if (known[o].cost < scores[o].cost) scores[o] = known[o];
    }
    const bool complete = std::all_of(scores.begin(), scores.end(),
                                      [](const OrderScore& score) { return score.last >= 0; });
    const Cost leaf = objective_.leaf_cost(root_.sums);
    if (complete || seconds <= 0 || objective_.closed(leaf, root_.leaf_rows)) return scores;
    limits_.run({seconds}, 0);
    limits_.slice(Limits::kForever);
    workers_[0]->work.bottom.look_ahead(root_, scores);
    limits_.pause();
    return scores;
}

template <SearchObjective O>
Cost SortedBody<O>::prove(const Path& path, Cost bound) {
    return beamtree::prove(follow<SortedForm<O>>(root_, workers_, path), workers_, bound);
}

template <SearchObjective O>
Facts SortedBody<O>::solve(const Task& task, Tree& tree) {
    return beamtree::solve(follow<SortedForm<O>>(root_, workers_, task.path), workers_, limits_,
                           task, tree);
}

template <SearchObjective O>
Statistics SortedBody<O>::statistics() const {
    Statistics total;
    for (const auto& worker : workers_) total += worker->work.statistics;
    total.cache_entries = shared_.cache.entries();
    total.cache_evicted = shared_.cache.evicted();
    return total;
}

template <SearchObjective O>
void SortedBody<O>::set_statistics(const Statistics& statistics) {
    workers_[0]->work.statistics = statistics;
}

template <SearchObjective O>
void SortedBody<O>::save(Writer& writer) const {
    shared_.cache.save(writer);
}

template <SearchObjective O>
void SortedBody<O>::load(Reader& reader) {
    shared_.cache.load(reader, options_.any_depth ? kAnyDepthKey : options_.max_depth,
                       std::max(problem_.columns, 2 * data_.orders()));
}

#define BEAMTREE_INSTANCE(O) template class SortedBody<O>;
BEAMTREE_SORTED_OBJECTIVES(BEAMTREE_INSTANCE)
#undef BEAMTREE_INSTANCE

}  // namespace beamtree
