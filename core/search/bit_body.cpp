#include "search/bit_body.hpp"

#include <algorithm>
#include <utility>

#include "price/price_pass.hpp"
#include "price/price_tree.hpp"
#include "search/alternatives.hpp"
#include "search/greedy.hpp"
#include "search/initial_tree.hpp"

namespace beamtree {

namespace {

Workers make_workers(Shared& shared, const MemoryPlan& plan, Heuristic heuristic) {
    Workers workers;
    for (int i = 0; i < plan.threads; ++i)
        workers.push_back(std::make_unique<Worker>(shared, plan.tables, heuristic, i));
    return workers;
}

}  // namespace

BitBody::BitBody(const Problem& problem, const Misclassification& objective, const Options& options,
                 Limits& limits, Heuristic heuristic, bool show_rows,
                 MakeAlgorithm<BitForm> algorithm)
    : problem_(problem),
      objective_(objective),
      options_(options),
      limits_(limits),
      kernel_(select_kernel(options.hooks.kernel)),
      data_(problem, objective,
            {options.ablations.cancel_rows, options.ablations.merge_rows,
             options.ablations.unavoidable_bound, show_rows}),
      plan_(plan_memory(data_, options)),
      shared_(data_, objective, kernel_, options, limits, plan_.tables),
      workers_(make_workers(shared_, plan_, heuristic)),
      algorithm_(std::move(algorithm)) {
    root_.make_root(data_);
    Statistics& statistics = workers_[0]->work.statistics;
    statistics.rows = root_.physical_rows;
    statistics.features = data_.features();
    statistics.offset = data_.offset();
}

std::unique_ptr<Algorithm> BitBody::make_algorithm(Incumbent& incumbent, TaskBoard* board) {
    // A deeper tree has at least one split more than the passes have levels.
    const Cost deeper =
        objective_.error_cost(root_.least_error) + (options_.max_depth + 1) * objective_.penalty;
    return algorithm_({root_, workers_, limits_, incumbent, plan_.widest,
                       options_.any_depth ? deeper : kInfiniteCost, true, board});
}

std::unique_ptr<Shrinking> BitBody::make_shrinking(Incumbent& incumbent) {
    const SearchParts parts{root_, workers_, limits_, incumbent, plan_.widest};
    return std::make_unique<Smallest<BitForm>>(parts,
                                               fits() && plan_.widest == PassMode::kAllFeatures);
}

std::vector<GrownTree> BitBody::grow_greedy() {
    return Greedy(workers_[0]->work).grow(root_, options_.max_depth);
}

Cost BitBody::grow_offered(const Tree& offered, Tree& tree) {
    return InitialTree(workers_[0]->work, problem_, offered).grow(root_, options_.max_depth, tree);
}

std::vector<Alternative> BitBody::alternatives(const Incumbent& incumbent, double seconds) {
    const bool all_features = plan_.widest == PassMode::kAllFeatures;
    return Alternatives(shared_, workers_[0]->work, root_, incumbent, all_features).list(seconds);
}

Cost BitBody::prove(const Path& path, Cost bound) {
    const Subproblem<BitForm> sub = follow<BitForm>(root_, workers_, path);
    if (!has_priced_passes(options_)) return beamtree::prove(sub, workers_, bound);
    Workspace& work = workers_[0]->work;
    SharedPass alone;
    const int depth = options_.any_depth ? kAnyDepth : sub.size.depth;
    const Facts found = PricePass(work, price_levels_, {bound, {}, 0}, alone, kMostPriceLevels)
                            .run(sub.node, depth, 0);
    work.meter.flush();
    return std::min(found.lower, found.upper);
}

Facts BitBody::solve(const Task& task, Tree& tree) {
    const Subproblem<BitForm> sub = follow<BitForm>(root_, workers_, task.path);
    if (!has_priced_passes(options_)) return beamtree::solve(sub, workers_, limits_, task, tree);
    Workspace& work = workers_[0]->work;
    const auto run = [&](const Node& node, int depth, int level, Cost bound) {
        SharedPass alone;
        return PricePass(work, price_levels_, {bound, {}, 0}, alone, kMostPriceLevels)
            .run(node, depth, level);
    };
    // A limit of depth that does not matter at a node does not matter below it either, even where
    // it would if the path were not known.
    const bool any_depth = task.size.depth == kAnyDepth;
    const int depth = any_depth ? kAnyDepth : std::min(task.size.depth, sub.size.depth);
    Facts found = run(sub.node, depth, 0, task.bound);
    work.meter.flush();
    if (found.split == kLeaf) return found;
    const Grace grace(limits_);
    const auto repair = [&](const Node& node, int levels, int level, Cost upper) {
        work.cache.drop_tree(node.hash.key(), price_key(levels));
        return run(node, levels, level, upper + 1);
    };
    if (PriceTree(work, price_levels_, repair, tree).build(sub.node, depth, 0, found.upper) >
        found.upper) {
        tree = {};
        found.upper = kInfiniteCost;
    }
    return found;
}

std::optional<ShallowBound> BitBody::shallow_bound(const Path& path, Cost bound) {
    if (objective_.penalty == 0) return {};
    const Subproblem<BitForm> sub = follow<BitForm>(root_, workers_, path);
    const int depth = options_.any_depth ? kAnyDepth : sub.size.depth;
    if (depth < 3) return {};
    Workspace& work = workers_[0]->work;
    SharedPass alone;
    ShallowBound found = PricePass(work, price_levels_, {}, alone, kMostPriceLevels)
                             .shallow_bound(sub.node, depth, bound);
    work.meter.flush();
    if (work.meter.stopped()) return {};
    return found;
}

Statistics BitBody::statistics() const {
    Statistics total;
    for (const auto& worker : workers_) total += worker->work.statistics;
    total.cache_entries = shared_.cache.entries();
    total.cache_evicted = shared_.cache.evicted();
    return total;
}

void BitBody::set_statistics(const Statistics& statistics) {
    workers_[0]->work.statistics = statistics;
}

void BitBody::save(Writer& writer) const {
    shared_.cache.save(writer);
    for (const Archive& archive : shared_.archive) archive.save(writer);
}

void BitBody::load(Reader& reader) {
    shared_.cache.load(reader, has_priced_passes(options_) ? kAnyDepthKey : options_.max_depth,
                       data_.features());
    for (Archive& archive : shared_.archive) archive.load(reader);
}

}  // namespace beamtree
