#include "search/incumbent.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

#include "check/recount.hpp"
#include "options/options.hpp"
#include "search/prune.hpp"

namespace beamtree {

namespace {

constexpr std::int64_t kMostRows = 10'000'000;  ///< most rows of a trace in a checkpoint
constexpr double kAnything = std::numeric_limits<double>::infinity();

void save_trace(Writer& writer, const std::vector<TraceRow>& trace) {
    writer.put<std::int64_t>(static_cast<std::int64_t>(trace.size()));
    for (const TraceRow& row : trace) {
        for (const double value : {row.seconds, row.threshold}) writer.put(value);
        for (const std::int64_t value : {row.nodes, row.cost, row.lower, row.restart})
            writer.put(value);
    }
}

std::vector<TraceRow> load_trace(Reader& reader) {
    std::vector<TraceRow> trace;
    for (auto rows = reader.get_in<std::int64_t>(1, kMostRows, "a trace of length"); rows > 0;
         --rows) {
        TraceRow& row = trace.emplace_back();
        for (double* value : {&row.seconds, &row.threshold})
            *value = reader.get_in(0.0, kAnything, "a trace with the number");
        for (std::int64_t* value : {&row.nodes, &row.cost, &row.lower, &row.restart})
            *value = reader.get_in<std::int64_t>(0, kInfiniteCost, "a trace with the number");
    }
    return trace;
}

}  // namespace

void save_tree(Writer& writer, const Tree& tree) {
    writer.put<std::int64_t>(tree.size());
    for (const auto* column : {&tree.feature, &tree.left, &tree.right})
        writer.put_array(column->data(), column->size());
}

Tree load_tree(Reader& reader, const Problem& problem, int max_depth) {
    // No tree has more leaves than there are rows, or than its depth allows.
    const auto most = std::min((std::int64_t{2} << std::min(max_depth, 40)) - 1,
                               2 * std::max<std::int64_t>(problem.rows, 1) - 1);
    const auto size = reader.get_in<std::int64_t>(1, most, "a tree of size");
    Tree tree;
    for (auto* column : {&tree.feature, &tree.left, &tree.right}) {
        column->resize(size);
        reader.get_array(column->data(), column->size());
    }
    if (!well_formed(problem, tree))
        throw std::invalid_argument("the checkpoint has a tree that is malformed");
    return tree;
}

bool Incumbent::take(Tree tree, Cost cost) {
    if (cost > cost_ || (cost == cost_ && tree.leaves() >= tree_.leaves())) return false;
    if (limit_.limited() && tree.leaves() > limit_.leaves) {
        Tree pruned = Pruning(problem_, objective_, tree, limit_.leaves).best();
        const Cost recounted = recounted_cost(problem_, objective_, pruned) - offset_;
        return take(std::move(pruned), recounted);
    }
    tree_ = std::move(tree);
    const bool cheaper = cost < std::exchange(cost_, cost);
#ifdef BEAMTREE_CHECKED
    check();
#endif
    return cheaper;
}

void Incumbent::update(Cost lower, Tree tree, Cost cost) {
    lower = std::min(lower, cost_);
    const bool improved = take(std::move(tree), cost);
    if (!improved && lower <= lower_) return;
    lower_ = std::max(lower_, lower);
    // If costs may differ when they are counted again, a tree may seem to be below the bound.
    if (objective_.tolerance(1) > 0) lower_ = std::min(lower_, cost_);
    record();
}

void Incumbent::record() {
    trace_.push_back({limits_.seconds(), limits_.nodes(), total_cost(), total_lower(),
                      restart_.load(), threshold_.load()});
    if (trace_.size() == 1) worked_on_bound({});
    show();
}

void Incumbent::worked_on_bound(const BoundTurn& turn) {
    time_to_proof_.note(turn, limits_.seconds(), lower_, cost_);
}

void Incumbent::set_stage(std::int64_t restart, double threshold) {
    restart_ = restart;
    threshold_ = threshold;
}

Progress Incumbent::progress() const {
    Progress progress;
    progress.cost = shown_cost_.load(std::memory_order_relaxed);
    progress.lower = shown_lower_.load(std::memory_order_relaxed);
    progress.restart = restart_.load(std::memory_order_relaxed);
    progress.threshold = threshold_.load(std::memory_order_relaxed);
    progress.time_to_proof = progress.lower >= progress.cost ? 0 : time_to_proof_.seconds_left();
    return progress;
}

void Incumbent::show() {
    shown_cost_ = total_cost();
    shown_lower_ = total_lower();
}

void Incumbent::check() const {
    const int leaves = limit_.limited() ? limit_.leaves : 0;
    check_tree(problem_, objective_, tree_, limit_.depth, leaves, total_cost());
}

void Incumbent::save(Writer& writer) const {
    save_tree(writer, tree_);
    save_trace(writer, trace_);
    for (const Cost value : {cost_, lower_}) writer.put(value);
}

void Incumbent::load(Reader& reader) {
    tree_ = load_tree(reader, problem_, limit_.depth);
    trace_ = load_trace(reader);
    cost_ = reader.get_in<Cost>(0, kInfiniteCost - 1, "a cost of");
    lower_ = reader.get_in<Cost>(0, cost_, "a lower bound of");
    try {
        check();
    } catch (const std::logic_error& error) {
        throw std::invalid_argument(std::string("the checkpoint is wrong: ") + error.what());
    }
    show();
}

}  // namespace beamtree
