#include "search/grouped_body.hpp"

#include <algorithm>
#include <utility>

#include "grouped/grouped_trees.hpp"

namespace beamtree {

namespace {

/// An upper estimate of the bytes that one thread works with, beside the tables.
std::int64_t scratch_bytes(const GroupedData& data, const GroupedNode& root,
                           const Options& options) {
    const std::int64_t groups = data.groups(), features = data.features();
    const auto items = static_cast<std::int64_t>(root.item.size());
    const std::int64_t node = groups * 48 + items * 8 + features * 64;
    const std::int64_t pairs = 8 * (features + 1) * (features + 16);
    return options.max_depth * (node + pairs + features * 80) + pairs + features * 200 + groups;
}

GroupedPlan plan_memory(const GroupedData& data, const GroupedNode& root, const Options& options) {
    GroupedPlan plan;
    plan.threads = options.most_threads();
    if (options.memory == kNoLimit) return plan;
    const std::int64_t scratch = scratch_bytes(data, root, options);
    const std::int64_t room = options.memory - static_cast<std::int64_t>(Cache::kLeastBytes);
    plan.fits = room >= scratch;
    plan.threads = static_cast<int>(
        std::clamp<std::int64_t>(room / std::max<std::int64_t>(scratch, 1), 1, plan.threads));
    const auto left =
        static_cast<std::size_t>(std::max<std::int64_t>(room - plan.threads * scratch, 0));
    plan.tables.cells = std::min(plan.tables.cells, left / 4);
    plan.tables.cache = Cache::kLeastBytes + left - plan.tables.cells;
    return plan;
}

GroupedNode make_root(const GroupedData& data) {
    GroupedNode root;
    root.make_root(data);
    return root;
}

}  // namespace

bool can_group(const Targets& targets, int tests, const Options& options) {
    constexpr int kMostTests = 1 << 14;
    const bool counts_rows =
        options.min_samples_leaf > 1 && !options.leaf_weight && !targets.unit_weights();
    return !options.any_depth && !counts_rows && tests <= kMostTests &&
           choose_packing(targets).has_value();
}

GroupedBody::GroupedBody(const Problem& problem, const SquaredError& objective,
                         const Options& options, Limits& limits, Heuristic heuristic,
                         MakeAlgorithm<GroupedForm> algorithm)
    : problem_(problem),
      objective_(objective),
      options_(options),
      limits_(limits),
      kernel_(select_kernel(options.hooks.kernel)),
      data_(problem, objective),
      root_(make_root(data_)),
      plan_(plan_memory(data_, root_, options)),
      shared_(data_, objective, kernel_, options, limits, plan_.tables),
      algorithm_(std::move(algorithm)) {
    for (int i = 0; i < plan_.threads; ++i)
        workers_.push_back(std::make_unique<GroupedWorker>(shared_, heuristic, i));
    Statistics& statistics = workers_[0]->work.statistics;
    statistics.rows = data_.groups();
    statistics.features = data_.features();
    statistics.offset = data_.offset();
}

std::unique_ptr<Algorithm> GroupedBody::make_algorithm(Incumbent& incumbent, TaskBoard* board) {
    return algorithm_(
        {root_, workers_, limits_, incumbent, PassMode::kAllFeatures, kInfiniteCost, true, board});
}

std::unique_ptr<Shrinking> GroupedBody::make_shrinking(Incumbent& incumbent) {
    const PartsOf<GroupedForm> parts{root_, workers_, limits_, incumbent, PassMode::kAllFeatures};
    return std::make_unique<Smallest<GroupedForm>>(parts, fits());
}

std::vector<GrownTree> GroupedBody::grow_greedy() {
    GrownTree grown;
    grown.cost = GroupedTrees(workers_[0]->work).grow_greedy(root_, options_.max_depth, grown.tree);
    return {std::move(grown)};
}

Cost GroupedBody::grow_offered(const Tree& offered, Tree& tree) {
    return GroupedTrees(workers_[0]->work)
        .grow_offered(root_, options_.max_depth, problem_, offered, 0, tree);
}

/// What the tables know of a cover.
Facts GroupedBody::known_of(const CoverHash& hash, const TreeSize& size) {
    if (size.depth == 0) return {};
    Facts facts = shared_.cache.find(size.key(hash), size.depth_key());
    if (size.depth != 2 || size.limited() || !options_.ablations.cell_cache) return facts;
    if (const Cost cell = shared_.cells.find(hash.key()); cell >= 0) {
        facts.upper = std::min(facts.upper, cell);
        facts.lower = std::max(facts.lower, facts.upper);
    }
    return facts;
}

std::vector<Alternative> GroupedBody::alternatives(const Incumbent& incumbent, double seconds) {
    std::vector<Alternative> found;
    const TreeSize size = tree_size_of(options_, options_.max_depth);
    if (size.depth == 0 || objective_.closed(leaf_cost(), root_.rows)) return found;
    GroupedWorkspace& work = workers_[0]->work;
    PairSums counts;
    std::vector<Cost> scores;  // of trees of two levels, which have at most four leaves
    if (size.depth >= 2 && (!size.limited() || size.leaves >= 4) && seconds > 0 &&
        incumbent.proved()) {
        limits_.run({seconds}, 0);
        limits_.slice(Limits::kForever);
        if (!work.exact.score2(root_, counts, scores)) scores.clear();
        limits_.pause();
    }
    for (int f = 0; f < root_.features; ++f) {
        Alternative next{data_.original(root_.feature[f]), objective_.penalty, objective_.penalty};
        Facts best{kInfiniteCost, kInfiniteCost, kLeaf};
        for (int i = 0; i < size.shares(); ++i) {
            Facts both{0, 0, kLeaf};
            for (const bool one : {false, true}) {
                const bool right = one != data_.flipped(root_.feature[f]);
                const TreeSize below = size.child(size.share(i).of(right));
                const Facts child = known_of(root_.side(f, one).cover_hash(), below);
                const Cost upper = std::min(child.upper, work.exact.side(root_, f, one).leaf);
                both.upper += upper;
                both.lower += below.depth == 0 ? upper : std::min(child.lower, upper);
            }
            best.upper = std::min(best.upper, both.upper);
            best.lower = std::min(best.lower, both.lower);
        }
        next.upper += best.upper;
        next.lower += best.lower;
        if (!scores.empty()) next.upper = std::min(next.upper, scores[f]);
        if (!scores.empty() && size.depth == 2 && !size.limited()) next.lower = next.upper;
        if (next.feature == incumbent.tree().feature[0])
            next.upper = std::min(next.upper, incumbent.cost());
        // No tree costs less than the bound of the incumbent. And no tree is promised that costs
        // less than the incumbent: it has not been put together yet.
        next.lower = std::min(std::max(next.lower, incumbent.lower()), next.upper);
        next.upper = std::max(next.upper, incumbent.cost());
        next.lower += incumbent.offset();
        next.upper += incumbent.offset();
        found.push_back(next);
    }
    std::sort(found.begin(), found.end(),
              [](const Alternative& a, const Alternative& b) { return a.feature < b.feature; });
    return found;
}

Cost GroupedBody::prove(const Path& path, Cost bound) {
    return beamtree::prove(follow<GroupedForm>(root_, workers_, path), workers_, bound);
}

Facts GroupedBody::solve(const Task& task, Tree& tree) {
    return beamtree::solve(follow<GroupedForm>(root_, workers_, task.path), workers_, limits_, task,
                           tree);
}

Statistics GroupedBody::statistics() const {
    Statistics total;
    for (const auto& worker : workers_) total += worker->work.statistics;
    total.cache_entries = shared_.cache.entries();
    total.cache_evicted = shared_.cache.evicted();
    return total;
}

void GroupedBody::set_statistics(const Statistics& statistics) {
    workers_[0]->work.statistics = statistics;
}

void GroupedBody::save(Writer& writer) const {
    shared_.cache.save(writer);
}

void GroupedBody::load(Reader& reader) {
    shared_.cache.load(reader, options_.max_depth, data_.features());
}

}  // namespace beamtree
