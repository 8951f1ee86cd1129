#include "sorted/sorted_pass.hpp"

#include <algorithm>
#include <cmath>

#include "node/class_weights.hpp"
#include "pass/plant.hpp"
#include "rule/all_rules.hpp"
#include "rule/node_context.hpp"
#include "sorted/sorted_form.hpp"
#include "sorted/sorted_objectives.hpp"

namespace beamtree {

namespace {

#ifdef BEAMTREE_CHECKED
/// The rows of a node, as the ledger compares them.
template <SearchObjective O>
Cover cover_of(const SortedNode<O>& node) {
    Cover cover;
    cover.index = node.row;
    cover.word.assign(node.row.size(), 1);
    cover.size = node.rows;
    return cover;
}
#endif

}  // namespace

template <SearchObjective O, SearchRule Rule>
void SortedPass<O, Rule>::describe(const typename O::Sums& sums, std::int64_t rows,
                                   NodeContext& context) const {
    context.rows = rows;
    if constexpr (std::same_as<O, Misclassification>) {
        const LeafSums leaf = sums.leaf();
        context.weight = leaf.weight;
        context.error = leaf.error();
        context.class_weights = sums.class_weight;
    } else {
        // The cost of the leaf, and what its rows would cost if they cost as much as all rows do.
        const double share = static_cast<double>(rows) / static_cast<double>(work_.data.rows());
        const auto usual = static_cast<double>(work_.total_cost);
        context.error = work_.objective.leaf_cost(sums);
        context.weight = std::max<std::int64_t>({context.error, std::llround(usual * share), 1});
    }
}

template <SearchObjective O, SearchRule Rule>
Facts SortedPass<O, Rule>::run(const SortedNode<O>& node, const TreeSize& size) {
    top_ = size;
    NodeContext context;
    context.remaining_depth = size.depth;
    context.level = work_.options.max_depth - size.depth;
    describe(node.sums, node.rows, context);
    const State state = rule_.ahead(rule_.initial_state(context), question_.units_ahead);
    Reach skipped = rule_.nothing_needed();
    const CoverKey key = size.key(node.hash);
    const Claim claim(thread_.cache(), key, size.depth_key(), true);
    return solve(node, size, question_.bound, state, work_.cache.find(key, size.depth_key()),
                 skipped);
}

template <SearchObjective O, SearchRule Rule>
Facts SortedPass<O, Rule>::solve(const SortedNode<O>& node, const TreeSize& size, Cost bound,
                                 const State& state, Facts facts, Reach& skipped) {
#ifdef BEAMTREE_CHECKED
    work_.ledger.check(node.hash.key(), cover_of(node));
#endif
    const O& objective = work_.objective;
    const Cost leaf = objective.leaf_cost(node.sums);
    facts.improve(leaf, kLeaf);
    if (size.depth == 0 || node.orders == 0 || objective.closed(leaf, node.leaf_rows)) {
        facts.raise(facts.upper);
        root_improved(size, facts);
        return facts;
    }
    facts.raise(std::max(objective.penalty, objective.floor(node.sums, size.depth)));
    const Cost known = facts.lower;
    if (!facts.settled(bound) && !halted()) expand(node, size, bound, state, facts, skipped);
    thread_.arrive(facts);
    if (facts.lower > known) work_.log.add(size.key(node.hash), size.depth_key(), facts.lower);
    facts = work_.cache.merge(size.key(node.hash), size.depth_key(), facts);
    root_improved(size, facts);
    return facts;
}

template <SearchObjective O, SearchRule Rule>
void SortedPass<O, Rule>::expand(const SortedNode<O>& node, const TreeSize& size, Cost bound,
                                 const State& state, Facts& facts, Reach& skipped) {
    const bool bottom = size.depth <= work_.exact_levels();
    if (!bottom && rule_.prune_node(state)) {
        skipped = rule_.least(skipped, rule_.skip(state));
        return;
    }
    if (explored(node, size, bound, state, skipped)) return;
    work_.meter.count_node();
    if (halted()) return;
    if (bottom)
        work_.bottom.solve(node, size, bound, facts);
    else if (!is_any_depth(size.depth) || !solve_small(node, size, bound, facts))
        branch(node, size, bound, state, facts, skipped);
}

/// Searches the trees of at most two splits of a node without a limit of depth. Returns false if
/// trees that cost less than the bound may have more.
template <SearchObjective O, SearchRule Rule>
bool SortedPass<O, Rule>::solve_small(const SortedNode<O>& node, const TreeSize& size, Cost bound,
                                      Facts& facts) {
    const O& objective = work_.objective;
    const auto splits =
        std::min<std::int64_t>(objective.most_splits(std::min(bound, facts.upper), 0), 2);
    const Cost larger = (splits + 1) * objective.penalty;  // what trees of more splits cost
    if (facts.lower < std::min(bound, larger)) {
        Facts found;
        work_.bottom.solve(node, {static_cast<int>(splits), kAnyLeaves}, std::min(bound, larger),
                           found);
        if (found.upper < facts.upper && (splits < 2 || store_stumps(node, size, found)))
            facts.improve(found.upper, found.split);
        if (work_.meter.stopped()) return true;
        facts.raise(std::min(found.lower, larger));
    }
    if (facts.settled(bound)) return true;
    if (kAnyDepth - size.depth < kMostLevels) return false;
    shared_.narrowed = true;  // deeper trees would need a deeper stack
    return true;
}

/// Stores the best stumps of the two sides of a split, so that the tree can be put together.
/// Returns false if they cost more than the facts say: then the search was stopped before it had
/// them all.
template <SearchObjective O, SearchRule Rule>
bool SortedPass<O, Rule>::store_stumps(const SortedNode<O>& node, const TreeSize& size,
                                       const Facts& facts) {
    const Place place = facts.split == kLeaf ? Place{} : node.place_of(work_.data, facts.split);
    if (place.order < 0) return true;
    Cost cost = work_.objective.penalty;
    for (const bool right : {false, true}) {
        SortedNode<O>& child = work_.buffers_at(size.depth).child;
        child.make_child(work_.data, work_.objective, node, place, right, false, work_.scratch);
        Facts stump;
        work_.bottom.solve(child, {1, kAnyLeaves}, kInfiniteCost, stump);
        work_.cache.merge(child.hash.key(), depth_key(size.depth - 1),
                          {0, stump.upper, stump.split});
        cost += stump.upper;
    }
    return cost <= facts.upper;
}

/// Whether a memo says that the pass would find nothing new in the node.
template <SearchObjective O, SearchRule Rule>
bool SortedPass<O, Rule>::explored(const SortedNode<O>& node, const TreeSize& size, Cost bound,
                                   const State& state, Reach& skipped) {
    if (!Rule::kPrunes || question_.mode.probe || !work_.options.ablations.memo ||
        size.depth <= work_.exact_levels())
        return false;
    Memo memo;
    if (!work_.cache.find_memo(size.key(node.hash), size.depth_key(), memo) || memo.bound < bound ||
        !rule_.covers(memo.reach, rule_.reach(state)))
        return false;
    skipped = rule_.least(skipped, rule_.skip_again(state, memo.need));
    return true;
}

template <SearchObjective O, SearchRule Rule>
void SortedPass<O, Rule>::remember(const SortedNode<O>& node, const TreeSize& size, Cost bound,
                                   const State& state, const Reach& skipped) {
    Memo memo;
    memo.reach = rule_.reach(state);
    memo.need = rule_.need(state, skipped);
    memo.bound = bound;
    memo.width = PassMode::kAllFeatures;
    work_.cache.set_memo(size.key(node.hash), size.depth_key(), memo);
}

template <SearchObjective O, SearchRule Rule>
void SortedPass<O, Rule>::branch(const SortedNode<O>& node, const TreeSize& size, Cost bound,
                                 const State& state, Facts& facts, Reach& skipped) {
    {
        const PassThread::RankingTurn turn(thread_, size.key(node.hash), size.depth_key());
        // Looking ahead pays where few candidates are tried, and it finds the first trees.
        const bool scores = !question_.mode.probe && (Rule::kPrunes || size.depth == top_.depth);
        if (!ranking_.rank(node, size.depth, Rule::kReadsGain, scores) || halted()) return;
    }
    Loop loop{node, size, bound, state, facts, kInfiniteCost, rule_.nothing_needed()};
    const PassThread::Visit visit(thread_, size.key(node.hash), size.depth_key(), bound);
    if (!try_all(loop)) {
        if (!Rule::kPrunes) raise_by_open(loop);
        return;
    }
    facts.raise(loop.least);
    if (Rule::kPrunes && !question_.mode.probe && !facts.settled(bound))
        remember(node, size, bound, state, loop.below);
    skipped = rule_.least(skipped, loop.below);
}

/// Raises the lower bound of a node whose search has ended early: no tree costs less than the least
/// bound of what was tried, and of what was not.
template <SearchObjective O, SearchRule Rule>
void SortedPass<O, Rule>::raise_by_open(Loop& loop) {
    Cost least = std::min(loop.least, loop.present);
    const SortedBuffers<O>& buffers = work_.buffers_at(loop.size.depth);
    for (const auto* candidates : {&buffers.heap, &buffers.deferred})
        for (const Candidate& candidate : *candidates) least = std::min(least, candidate.lower);
    loop.facts.raise(least);
}

/// Tries all candidates, those of the smallest bound first. Returns false if the node needs no
/// more.
template <SearchObjective O, SearchRule Rule>
bool SortedPass<O, Rule>::try_all(Loop& loop) {
    SortedBuffers<O>& buffers = work_.buffers_at(loop.size.depth);
    buffers.heap.clear();
    buffers.deferred.clear();
    for (int i = 0; i < buffers.orders; ++i)
        for (int share = 0; share < loop.size.shares(); ++share)
            push(loop, {0, i, 0, {-1, buffers.ranked[i].thresholds.size()}, share});
    for (bool join = false;;) {
        bool moved = false;
        while (!buffers.heap.empty()) {
            std::pop_heap(buffers.heap.begin(), buffers.heap.end());
            const Candidate candidate = buffers.heap.back();
            buffers.heap.pop_back();
            loop.present = candidate.lower;
            const Tried tried = attempt(loop, candidate, join);
            if (tried == Tried::kEnough) return false;
            if (tried == Tried::kBusy) {
                buffers.deferred.push_back(candidate);
            } else {
                moved = true;
                join = false;
            }
        }
        if (buffers.deferred.empty()) return true;
        // The children of what is left are being searched by other threads: use what they have
        // found by now, else join them, else wait.
        if (!moved && join) thread_.wait();
        join = !moved;
        buffers.heap.swap(buffers.deferred);
        buffers.deferred.clear();
        std::make_heap(buffers.heap.begin(), buffers.heap.end());
    }
}

/// Bounds a candidate, asks the rule, searches the children of one threshold, and puts what is left
/// of the interval back.
template <SearchObjective O, SearchRule Rule>
auto SortedPass<O, Rule>::attempt(Loop& loop, const Candidate& candidate, bool join) -> Tried {
    const TreeSize& size = loop.size;
    const Cost penalty = work_.objective.penalty;
    SortedBuffers<O>& buffers = work_.buffers_at(size.depth);
    Facts& facts = loop.facts;
    if (halted()) return Tried::kEnough;
    if (!thread_.alone())
        facts = work_.cache.merge(size.key(loop.node.hash), size.depth_key(), facts);
    Cost goal = std::min(loop.bound, facts.upper);
    if (facts.lower >= goal || thread_.settled_by_others()) return Tried::kEnough;
    if (candidate.lower >= goal) {
        ++work_.statistics.bounded;
        loop.least = std::min(loop.least, candidate.lower);
        return Tried::kDone;
    }
    const RankedOrder& ranked = buffers.ranked[candidate.rank];
    const Thresholds& thresholds = ranked.thresholds;
    const Interval& interval = candidate.interval;
    const int rows = thresholds.rows(interval.begin, loop.node.rows) +
                     thresholds.rows(interval.end, loop.node.rows);
    const int t = candidate.level == 0
                      ? ranked.first
                      : nearest(thresholds, interval.begin + 1, interval.end, rows / 2);
    SplitAttempt<O>& split = buffers.attempt;
    split.place = {ranked.order, thresholds.last[t]};
    work_.meter.spend(4 * split.weigh_sides(work_.data, work_.objective, loop.node));
    const LeafShare share = size.share(candidate.share);
    for (const int side : {0, 1})
        split.child[side] = known_of(loop, split, side, share.of(side == 1));
    split.child[0].raise(interval.left_at(thresholds, work_.objective, t));
    split.child[1].raise(interval.right_at(thresholds, work_.objective, t));
    Facts* child = split.child;
    if (child[0].lower + child[1].lower + penalty < goal) {
        State state[2];
        update(loop, candidate, split, state);
        if (skips(state, loop.below)) {
            loop.least = std::min(loop.least, candidate.lower);
            return Tried::kDone;
        }
        if (!solve_children(loop, candidate, goal, state, split, join)) return Tried::kBusy;
    }
    const Cost upper = child[0].upper + child[1].upper + penalty;
    if (upper < facts.upper) facts.improve(upper, loop.node.test_at(work_.data, split.place));
    root_improved(size, facts);
    if (halted()) return Tried::kEnough;
    loop.least = std::min(loop.least, child[0].lower + child[1].lower + penalty);
    const Cost slack = work_.objective.slack(size.depth - 1, loop.node.rows);
    const Cost left = child[0].lower - slack, right = child[1].lower - slack;
    for (const Interval& part : {interval.before(t, left, right), interval.after(t, left, right)})
        push(loop, {candidate.lower, candidate.rank, candidate.level + 1, part, candidate.share});
    return Tried::kDone;
}

/// Puts a candidate on the heap, unless it is empty.
template <SearchObjective O, SearchRule Rule>
void SortedPass<O, Rule>::push(Loop& loop, const Candidate& candidate) {
    if (candidate.interval.empty()) return;
    SortedBuffers<O>& buffers = work_.buffers_at(loop.size.depth);
    const Thresholds& thresholds = buffers.ranked[candidate.rank].thresholds;
    Candidate next = candidate;
    next.lower = std::max(next.lower, candidate.interval.bound(thresholds, work_.objective));
    buffers.heap.push_back(next);
    std::push_heap(buffers.heap.begin(), buffers.heap.end());
}

/// Returns what is known of a child without a search, if it gets this number of leaves.
template <SearchObjective O, SearchRule Rule>
Facts SortedPass<O, Rule>::known_of(const Loop& loop, const SplitAttempt<O>& split, int side,
                                    int leaves) {
    const Cost leaf = split.leaf[side];
    const TreeSize child = loop.size.child(leaves);
    if (child.depth == 0 || work_.objective.closed(leaf, split.rows[side]))
        return {leaf, leaf, kLeaf};
    Facts facts = work_.cache.find(child.key(split.hash[side]), child.depth_key());
    facts.improve(leaf, kLeaf);
    facts.raise(work_.objective.penalty);  // the leaf is not closed
    if (child.limited()) {                 // what holds for any number of leaves holds for few
        const TreeSize any(loop.size.depth - 1, kAnyLeaves);
        facts.raise(work_.cache.find(any.key(split.hash[side]), any.depth_key()).lower);
    }
    return facts;
}

/// Sets the rule's states of the two children.
template <SearchObjective O, SearchRule Rule>
void SortedPass<O, Rule>::update(Loop& loop, const Candidate& candidate,
                                 const SplitAttempt<O>& split, State child[2]) {
    const SortedBuffers<O>& buffers = work_.buffers_at(loop.size.depth);
    const RankedOrder& ranked = buffers.ranked[candidate.rank];
    NodeContext context;
    context.rank = candidate.rank + candidate.level;
    context.remaining_depth = loop.size.depth - 1;
    context.level = work_.options.max_depth - context.remaining_depth;
    if constexpr (Rule::kReadsGain) {
        const auto begin = ranked.gain.begin();
        const std::int64_t best =
            *std::max_element(begin + candidate.interval.begin + 1, begin + candidate.interval.end);
        context.gain = static_cast<double>(best) * kGainUnit;
        context.best_gain = static_cast<double>(buffers.best_gain) * kGainUnit;
    }
    if constexpr (!Rule::kWholeContext) {
        child[0] = child[1] = rule_.update(loop.state, context);
        return;
    }
    context.feature = loop.node.test_at(work_.data, split.place);
    for (const int side : {0, 1}) {
        describe(split.sums[side],
                 side == 0 ? split.place.last + 1 : loop.node.rows - split.place.last - 1, context);
        child[side] = rule_.update(loop.state, context);
    }
}

/// Whether the rule skips the split that leads to these children.
template <SearchObjective O, SearchRule Rule>
bool SortedPass<O, Rule>::skips(const State child[2], Reach& skipped) {
    bool any = false;
    for (const int side : {0, 1}) {
        if (!rule_.prune_split(child[side])) continue;
        skipped = rule_.least(skipped, rule_.skip(child[side]));
        any = true;
    }
    return any;
}

/// Searches the children, a solved one first, else the one whose leaf costs more. Returns false if
/// another thread has claimed a child.
///
/// A pass under a rule looks for better trees, and gives each child the room that the other one
/// leaves. A complete pass has to prove something for the whole interval, so it gives each child
/// the *wide* room: the largest bound that can still remove the thresholds on one side of this one.
template <SearchObjective O, SearchRule Rule>
bool SortedPass<O, Rule>::solve_children(Loop& loop, const Candidate& candidate, Cost goal,
                                         const State state[2], SplitAttempt<O>& split, bool join) {
    const LeafShare share = loop.size.share(candidate.share);
    const Cost penalty = work_.objective.penalty;
    Facts* child = split.child;
    const int first =
        child[1].solved() != child[0].solved() ? child[1].solved() : split.leaf[1] >= split.leaf[0];
    const bool wide = !Rule::kPrunes && !work_.objective.similar_is_subset();
    // A bound for the thresholds beside this one is less by the slack, and must still be enough.
    const Cost slack = work_.objective.slack(loop.size.depth - 1, loop.node.rows);
    for (const int side : {first, 1 - first}) {
        const bool tight = Rule::kPrunes && side != first;
        Cost other = tight ? child[1 - side].upper : child[1 - side].lower;
        if (wide) other = side == 0 ? candidate.interval.right[1] : candidate.interval.left[0];
        const Cost room = goal - penalty - other + (wide ? slack : 0);
        if (child[side].lower >= room) {
            if (wide) continue;
            return true;
        }
        if (child[side].solved()) continue;
        const TreeSize size = loop.size.child(share.of(side == 1));
        const Claim claim(thread_.cache(), size.key(split.hash[side]), size.depth_key(),
                          join && size.depth > work_.exact_levels());
        if (!claim) return false;
        if (!thread_.alone()) {  // another thread may just have finished it
            const Facts known = known_of(loop, split, side, share.of(side == 1));
            child[side].improve(known.upper, known.split);
            child[side].raise(known.lower);
            if (child[side].lower >= room || child[side].solved()) continue;
        }
        if (thread_.asks_others(path_.size() + 1)) {
            if (!ask_others(loop, split, side == 1, size, room)) return true;
            if (child[side].settled(room)) continue;
        }
        SortedBuffers<O>& buffers = work_.buffers_at(loop.size.depth);
        buffers.child.make_child(work_.data, work_.objective, loop.node, split.place, side == 1,
                                 false, work_.scratch);
        work_.meter.spend(static_cast<std::int64_t>(loop.node.orders) * loop.node.rows);
        if (halted()) return true;
        path_.push_back({loop.node.test_at(work_.data, split.place), side == 1});
        child[side] = solve(buffers.child, size, room, state[side], child[side], loop.below);
        path_.pop_back();
        if (halted()) return true;
        if (child[side].solved()) rule_.note_solved(state[side]);
    }
    return true;
}

/// Takes over what another process finds out about a child. Returns false if the pass is over, or
/// if the child does not matter any more.
template <SearchObjective O, SearchRule Rule>
bool SortedPass<O, Rule>::ask_others(Loop& loop, SplitAttempt<O>& split, bool right,
                                     const TreeSize& size, Cost room) {
    const CoverKey key = size.key(split.hash[right]);
    Task task{path_, size, room, question_.bound, question_.mode.probe};
    task.path.push_back({loop.node.test_at(work_.data, split.place), right});
    const std::optional<Answer> answer = thread_.ask(task, key, size.depth_key());
    if (!answer || halted()) return false;
    Facts learned;
    learned.raise(answer->lower);
    if (!answer->tree.feature.empty()) {
        const SortedNode<O>& child =
            make_side(work_, loop.node, loop.size.depth, split.place, right);
        const Facts planted = plant<SortedForm<O>>(work_, child, size, answer->tree);
        learned.improve(planted.upper, planted.split);
    }
    learned = work_.cache.merge(key, size.depth_key(), learned);
    split.child[right].improve(learned.upper, learned.split);
    split.child[right].raise(learned.lower);
    return !halted();
}

template <SearchObjective O, SearchRule Rule>
void SortedPass<O, Rule>::root_improved(const TreeSize& size, const Facts& facts) {
    if (size.depth != top_.depth || facts.upper >= question_.pause_below) return;
    shared_.paused = true;
    shared_.over = true;
}

#define BEAMTREE_INSTANCE(O)                \
    template class SortedPass<O, Complete>; \
    template class SortedPass<O, Combined>;
BEAMTREE_SORTED_OBJECTIVES(BEAMTREE_INSTANCE)
#undef BEAMTREE_INSTANCE
#define BEAMTREE_INSTANCE(Measure)                                    \
    template class SortedPass<Misclassification, Threshold<Measure>>; \
    template class SortedPass<SquaredError, Threshold<Measure>>;      \
    template class SortedPass<OwnObjective, Threshold<Measure>>;
BEAMTREE_MEASURES(BEAMTREE_INSTANCE)
#undef BEAMTREE_INSTANCE

}  // namespace beamtree
