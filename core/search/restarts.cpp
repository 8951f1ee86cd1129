#include "search/restarts.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

#include "grouped/grouped_form.hpp"
#include "pass/rebuild.hpp"
#include "search/polish.hpp"
#include "sorted/sorted_form.hpp"
#include "sorted/sorted_objectives.hpp"
#include "sorted/sorted_polish.hpp"

namespace beamtree {

namespace {

constexpr int kPassesPerWidth = 2;  ///< before the width of early passes doubles
constexpr int kMostLostTrees = 100;
constexpr std::int64_t kBusy = 300'000'000;      ///< work before trees from elsewhere are polished
constexpr std::int64_t kDirect = 2'000'000'000;  ///< Form::direct_work for trees of any depth
constexpr int kShallow = 3;  ///< up to this depth, such probes never give way to anything else
constexpr std::int64_t kMostSteps = 100'000'000;  ///< most steps of a schedule in a checkpoint

}  // namespace

template <class Form>
Restarts<Form>::Restarts(const PartsOf<Form>& parts, std::unique_ptr<Passes<Form>> passes,
                         std::shared_ptr<Schedule> schedule, double first_step)
    : root_(parts.root),
      ranking_(parts.workers[0]->ranking),
      work_(parts.workers[0]->work),
      limits_(parts.limits),
      incumbent_(parts.incumbent),
      widest_(parts.widest),
      most_lower_(parts.most_lower),
      alone_(parts.alone),
      may_probe_(alone_ && work_.options.probe),
      board_(alone_ && widest_ == PassMode::kAllFeatures ? parts.board : nullptr),
      passes_(std::move(passes)),
      schedule_(std::move(schedule)),
      first_step_(first_step),
      probes_(parts.workers, Complete{}),
      probing_(work_.options.hooks.probe_work, Form::kFirstTarget) {
    // Passes under a rule have a limit of depth in any case: it makes them fast.
    limit_ = tree_size_of(work_.options, work_.options.max_depth);
    probe_size_ = limit_;
    if (Form::kAnyDepths && work_.options.any_depth) probe_size_ = {kAnyDepth, kAnyLeaves};
    pass_size_ = passes_->prunes() ? limit_ : probe_size_;
    mode_.width = Form::first_width(work_);
    incumbent_.set_stage(0, passes_->threshold());
}

/// One turn: a slice of a probe, of a polish or of a pass.
template <class Form>
bool Restarts<Form>::advance(std::int64_t work) {
    // Not in the constructor: a rule of the user's own may throw.
    if (const double step = std::exchange(first_step_, 0); step > 0) passes_->start_at(step);
    incumbent_.set_stage(work_.statistics.passes, passes_->threshold());
    const std::int64_t known = learned(), before = limits_.work();
    const Cost cost = incumbent_.cost();
    const bool whole = direct();
    // Over sorted columns, the coarse search may have found a better tree.
    if (Form::polishes_first() && work_.options.polish && cost < polished_ && before > kBusy)
        polishing_ = true;
    const bool alternate = probes_now();
    const bool probes_turn =
        exhausted_ || board_ != nullptr || (alternate && (direct() || probing_.turn()));
    limits_.slice(alternate && board_ == nullptr ? std::min(probing_.slice(), work) : work);
    if (!limits_.stopped()) {
        if (probes_turn)
            probe();
        else if (polishing_)
            polish();
        else
            pass();
    }
    const std::int64_t done = limits_.work() - before;
    if (probes_turn)
        probing_.spent_on_probes(done);
    else
        probing_.spent_on_passes(done, incumbent_.cost() < cost);
    if (probes_turn) incumbent_.worked_on_bound({done, whole});
    return learned() != known;
}

template <class Form>
bool Restarts<Form>::direct() const {
    const int depth = work_.options.max_depth;
    const bool any_depth = is_any_depth(probe_size_.depth);
    const std::int64_t most = any_depth ? kDirect : Form::direct_work(depth);
    return (most > 0 && !any_depth && depth <= kShallow) || probing_.probe_work() < most;
}

template <class Form>
bool Restarts<Form>::probes_now() const {
    const bool warm = work_.statistics.passes < Probing::kWarmPasses && !direct();
    return may_probe_ && passes_->prunes() && !warm && widest_ == PassMode::kAllFeatures;
}

template <class Form>
void Restarts<Form>::pass() {
    const Cost cost = incumbent_.cost();
    const PassEnd end = passes_->run(root_, pass_size_, {cost, mode_, cost});
    learn(end.root, pass_size_);
    if (!end.finished || incumbent_.proved()) return;
    ++work_.statistics.passes;
    if (end.narrowed && is_any_depth(pass_size_.depth)) {
        status_ = Status::kMemoryLimit;  // deeper trees would need a deeper stack
        return;
    }
    narrowed_ = end.narrowed;
    const bool narrow = mode_.width < PassMode::kAllFeatures;
    if (narrow && work_.statistics.passes % kPassesPerWidth == 0) widen();
    polishing_ = work_.options.polish && incumbent_.cost() < polished_;
    if (!polishing_) relax();
}

template <class Form>
void Restarts<Form>::polish() {
    typename Form::Polish polish(work_, *passes_, mode_, incumbent_.cost());
    learn(polish.run(root_, limit_), limit_);
    if (!polish.finished()) return;
    ++work_.statistics.polishes;
    polished_ = incumbent_.cost();
    polishing_ = false;
    // A tree from elsewhere may be polished before the first pass under this threshold: then there
    // is no reason to relax the rule.
    if (!incumbent_.proved() && (passes_->skipped_any() || narrowed_)) relax();
}

template <class Form>
void Restarts<Form>::probe() {
    Cost target = incumbent_.cost();
    if (!direct())
        target = probing_.target(incumbent_.total_lower(), incumbent_.total_cost(),
                                 work_.objective.unit) -
                 incumbent_.offset();
    const PassMode mode{!direct(), PassMode::kAllFeatures};
    const PassEnd end =
        probes_.run(root_, probe_size_, {target, mode, incumbent_.cost(), 0, board_});
    learn(end.root, probe_size_);
    if (board_ != nullptr) board_->clean();
    if (!end.finished) return;
    ++work_.statistics.probes;
    if (end.narrowed && target >= incumbent_.cost() && !incumbent_.proved())
        status_ = Status::kMemoryLimit;  // deeper trees would need a deeper stack
}

template <class Form>
void Restarts<Form>::relax() {
    if (!passes_->skipped_any() && !narrowed_) {
        if (most_lower_ == kInfiniteCost)
            throw std::logic_error("a pass left nothing out, and proved nothing");
        exhausted_ = true;
        // Without memory for priced passes, nothing is left that could search deeper trees.
        if (!Form::kAnyDepths && alone_) status_ = Status::kMemoryLimit;
        return;
    }
    const bool exhausted = !passes_->skipped_any() || !passes_->relax(*schedule_);
    if (exhausted && !narrowed_)
        status_ = Status::kRuleLimit;
    else if (exhausted && widest())
        status_ = Status::kMemoryLimit;  // only wider passes would find more
}

template <class Form>
void Restarts<Form>::widen() {
    if (widest()) return;
    mode_.width *= 2;
    if (!Form::narrows(mode_, root_)) mode_.width = PassMode::kAllFeatures;
}

template <class Form>
void Restarts<Form>::learn(const Facts& root, const TreeSize& size) {
    Tree tree;
    const Cost cost =
        root.upper < incumbent_.cost() ? rebuild_tree(root, size, tree) : kInfiniteCost;
    const Cost most = is_any_depth(size.depth) ? kInfiniteCost : most_lower_;
    incumbent_.update(std::min({root.lower, root.upper, most}), std::move(tree), cost);
}

template <class Form>
Cost Restarts<Form>::rebuild_tree(const Facts& root, const TreeSize& size, Tree& tree) {
    const Grace grace(limits_);
    const Cost cost = rebuild(
        work_, ranking_, mode_, root_, size, root,
        [this](const Node& node, const TreeSize& part, Cost upper) {
            return repair(node, part, upper);
        },
        tree);
    if (cost <= root.upper) return cost;
    if (limits_.stopped()) return kInfiniteCost;  // the next slice tries again
    // There is too little memory to hold a tree while it is put together: search for it again.
    work_.cache.drop_tree(size.key(root_.hash), size.depth_key());
    if (++lost_trees_ > kMostLostTrees) status_ = Status::kMemoryLimit;
    return kInfiniteCost;
}

template <class Form>
Facts Restarts<Form>::repair(const Node& node, const TreeSize& size, Cost upper) {
#ifdef BEAMTREE_CHECKED
    if (work_.cache.evicted() == 0)
        throw std::logic_error("the cache has no tree for an upper bound of " +
                               std::to_string(upper));
#endif
    ++work_.statistics.repairs;
    work_.cache.drop_tree(size.key(node.hash), size.depth_key());
    return probes_.run(node, size, {upper + 1, {false, widest_}, upper + 1}).root;
}

template <class Form>
void Restarts<Form>::save(Writer& writer) const {
    writer.put(std::min(polished_, kInfiniteCost));
    writer.put(static_cast<std::int32_t>(mode_.width));
    for (const bool flag : {polishing_, narrowed_, exhausted_})
        writer.put<std::uint8_t>(flag ? 1 : 0);
    writer.put(schedule_->steps());
    writer.put<std::uint8_t>(first_step_ > 0 ? 1 : 0);
    passes_->save(writer);
    probing_.save(writer);
}

template <class Form>
void Restarts<Form>::load(Reader& reader) {
    polished_ = reader.get_in<Cost>(0, kInfiniteCost, "a cost of");
    const auto width = reader.get_in<std::int32_t>(2, PassMode::kAllFeatures, "a width of");
    if (width < PassMode::kAllFeatures) checked_in(width, 2, 1 << 24, "a width of");
    mode_.width = std::min<int>(width, widest_);
    for (bool* flag : {&polishing_, &narrowed_, &exhausted_})
        *flag = reader.get_in<std::uint8_t>(0, 1, "a flag of") == 1;
    for (auto steps = reader.get_in<std::int64_t>(0, kMostSteps, "a number of schedule steps of");
         steps > 0; --steps)
        schedule_->next();
    if (reader.get_in<std::uint8_t>(0, 1, "a flag of") == 0) first_step_ = 0;
    passes_->load(reader);
    probing_.load(reader);
}

template class Restarts<BitForm>;
template class Restarts<GroupedForm>;
#define BEAMTREE_INSTANCE(O) template class Restarts<SortedForm<O>>;
BEAMTREE_SORTED_OBJECTIVES(BEAMTREE_INSTANCE)
#undef BEAMTREE_INSTANCE

}  // namespace beamtree
