// All that a search knows, as bytes. What is read is checked before it is used: a file from
// elsewhere may be wrong about the best tree, but cannot crash the search.
#include <algorithm>
#include <limits>
#include <stdexcept>
#include <string>

#include "check/recount.hpp"
#include "search/search.hpp"

namespace beamtree {

namespace {

constexpr std::int64_t kMostSteps = 100'000'000;  ///< of a schedule
constexpr std::int64_t kMostRows = 10'000'000;    ///< of a trace
constexpr double kAnything = std::numeric_limits<double>::infinity();

void save_tree(Writer& writer, const Tree& tree) {
    writer.put<std::int64_t>(tree.size());
    for (const auto* column : {&tree.feature, &tree.left, &tree.right})
        writer.put_array(column->data(), column->size());
}

Tree load_tree(Reader& reader, const Problem& problem, int max_depth) {
    const auto most = (std::int64_t{2} << std::min(max_depth, 20)) - 1;
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
            *value = reader.get_in(0.0, kAnything, "a trace with");
        for (std::int64_t* value : {&row.nodes, &row.cost, &row.lower, &row.restart})
            *value = reader.get_in<std::int64_t>(0, kInfiniteCost, "a trace with");
    }
    return trace;
}

}  // namespace

void Search::save(const Sink& sink) const {
    if (!started_) throw std::logic_error("the search has not taken a step");
    Writer writer(sink);
    save_tree(writer, tree_);
    save_trace(writer, trace_);
    for (const Cost value : {cost_, lower_, std::min(polished_, kInfiniteCost)}) writer.put(value);
    writer.put(static_cast<std::int32_t>(mode_.width));
    for (const bool flag : {polishing_, narrowed_, done_}) writer.put<std::uint8_t>(flag ? 1 : 0);
    writer.put(static_cast<std::int32_t>(status_));
    writer.put(policies_.schedule->steps());
    passes_->save(writer);
    probing_.save(writer);
    limits_.save(writer);
    Statistics total = statistics_;
    for (const auto& worker : workers_) total += worker->work.statistics;
#define BEAMTREE_FIELD(name, help) writer.put(total.name);
    BEAMTREE_STATISTICS(BEAMTREE_FIELD)
#undef BEAMTREE_FIELD
    shared_.cache.save(writer);
    for (const Archive& archive : shared_.archive) archive.save(writer);
    writer.flush();
}

void Search::restore(const Source& source) {
    if (started_) throw std::logic_error("a search is restored before its first step");
    done_ = true;  // a search that is refused half way takes no step
    Reader reader(source);
    tree_ = load_tree(reader, problem_, options_.max_depth);
    trace_ = load_trace(reader);
    cost_ = reader.get_in<Cost>(0, kInfiniteCost - 1, "a cost of");
    lower_ = reader.get_in<Cost>(0, cost_, "a lower bound of");
    polished_ = reader.get_in<Cost>(0, kInfiniteCost, "a cost of");
    const auto width = reader.get_in<std::int32_t>(2, PassMode::kAllFeatures, "a width of");
    if (width < PassMode::kAllFeatures) checked_in(width, 2, 1 << 24, "a width of");
    mode_.width = std::min<int>(width, plan_.widest);
    bool done = false;
    for (bool* flag : {&polishing_, &narrowed_, &done})
        *flag = reader.get_in<std::uint8_t>(0, 1, "a flag of") == 1;
    status_ = static_cast<Status>(reader.get_in<std::int32_t>(
        0, static_cast<std::int32_t>(Status::kInterrupted), "a status of"));
    for (auto steps = reader.get_in<std::int64_t>(0, kMostSteps, "schedule steps"); steps > 0;
         --steps)
        policies_.schedule->next();
    passes_->load(reader);
    probing_.load(reader);
    limits_.load(reader);
#define BEAMTREE_FIELD(name, help) \
    statistics_.name = reader.get_in<std::int64_t>(0, kInfiniteCost, "a counter of");
    BEAMTREE_STATISTICS(BEAMTREE_FIELD)
#undef BEAMTREE_FIELD
    shared_.cache.load(reader, options_.max_depth, data_.features());
    for (Archive& archive : shared_.archive) archive.load(reader);
    try {
        check_tree(problem_, objective_, tree_, options_.max_depth, cost_ + data_.offset());
    } catch (const std::logic_error& error) {
        throw std::invalid_argument(std::string("the checkpoint is wrong: ") + error.what());
    }
    if (lower_ == cost_) status_ = Status::kOptimal;
    done_ = done && status_ != Status::kRunning;
    if (lower_ == cost_) done_ = true;
    patience_ = kPatience;
    started_ = true;
    shown_cost_ = cost_ + data_.offset();
    shown_lower_ = lower_ + data_.offset();
}

}  // namespace beamtree
