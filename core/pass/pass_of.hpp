// The bodies of the functions of pass.hpp. They are compiled once per form and rule, in a source
// file of the form's folder.
#pragma once

#include <algorithm>

#include "pass/children.hpp"
#include "pass/pass.hpp"
#include "pass/plant.hpp"
#include "rule/node_context.hpp"

namespace beamtree {

/// Returns what a rule sees of a node.
template <class Form>
NodeContext context_of(const typename Form::Workspace& work, const typename Form::Node& node,
                       int depth) {
    NodeContext context;
    context.remaining_depth = depth;
    context.level = work.options.max_depth - depth;
    typename Form::SplitSums(work.data, work.kernel, node).describe(context);
    return context;
}

/// Returns what a rule sees of a child of feature `f` of a node with `depth` levels left, except
/// its weights and rows.
template <class Form>
NodeContext context_of_split(const typename Form::Workspace& work, const typename Form::Node& node,
                             int depth, int f, int rank) {
    const RankedFeatures& ranked = work.buffers[depth].ranked;
    NodeContext context;
    context.rank = rank;
    context.feature = work.data.original(node.feature[f]);
    context.gain = static_cast<double>(ranked.gain[f]) * kGainUnit;
    context.best_gain = static_cast<double>(ranked.best_gain) * kGainUnit;
    context.remaining_depth = depth - 1;
    context.level = work.options.max_depth - context.remaining_depth;
    return context;
}

template <class Form, SearchRule Rule>
Facts Pass<Form, Rule>::run(const Node& node, const TreeSize& size) {
    top_ = size;
    const State state = rule_.ahead(rule_.initial_state(context_of<Form>(work_, node, size.depth)),
                                    question_.units_ahead);
    Reach skipped = rule_.nothing_needed();
    const CoverKey key = size.key(node.hash);
    const Claim claim(thread_.cache(), key, size.depth, true);
    return solve(node, size, question_.bound, state, work_.cache.find(key, size.depth), skipped);
}

template <class Form, SearchRule Rule>
Facts Pass<Form, Rule>::solve(const Node& node, const TreeSize& size, Cost bound,
                              const State& state, Facts facts, Reach& skipped) {
#ifdef BEAMTREE_CHECKED
    work_.ledger.check(node.hash.key(), Form::cover_of(node));
#endif
    const auto& objective = work_.objective;
    const Cost leaf = objective.leaf_cost(node.sums);
    facts.improve(leaf, kLeaf);
    if (size.depth == 0 || node.features == 0 || objective.closed(leaf, node.rows)) {
        facts.raise(facts.upper);
        root_improved(size, facts);
        return facts;
    }
    facts.raise(Form::floor(work_, node));
    const bool similar =
        work_.options.ablations.archive_bound && size.depth < work_.options.max_depth;
    if (similar && !facts.settled(bound)) {
        facts.raise(Form::early_bound(work_, node, size, std::min(bound, facts.upper)));
        if (facts.settled(bound)) ++work_.statistics.archive_hits;
    }
    const Cost known = facts.lower;
    if (!facts.settled(bound) && !halted()) expand(node, size, bound, state, facts, skipped);
    thread_.arrive(facts);
    // A bound for any number of leaves holds for few, but not the other way round.
    if (similar && facts.lower > known && !size.limited())
        Form::keep_bound(work_, node, size, facts.lower);
    if (facts.lower > known) work_.log.add(size.key(node.hash), size.depth, facts.lower);
    facts = work_.cache.merge(size.key(node.hash), size.depth, facts);
    root_improved(size, facts);
    return facts;
}

template <class Form, SearchRule Rule>
void Pass<Form, Rule>::expand(const Node& node, const TreeSize& size, Cost bound,
                              const State& state, Facts& facts, Reach& skipped) {
    const bool bottom = size.depth <= work_.options.exact_levels;
    if (!bottom && rule_.prune_node(state)) {
        skipped = rule_.least(skipped, rule_.skip(state));
        return;
    }
    if (explored(node, size, bound, state, skipped)) return;
    work_.meter.count_node();
    const Node& tried = size.depth >= 3 && mode_.narrows_much(node)
                            ? ranking_.outer_features(node, size.depth, mode_)
                            : node;
    if (halted()) return;
    if (bottom)
        solve_bottom(tried, size, bound, state, facts);
    else
        branch(tried, size, bound, state, facts, skipped);
}

/// Whether a memo says that the pass would find nothing new in the node.
template <class Form, SearchRule Rule>
bool Pass<Form, Rule>::explored(const Node& node, const TreeSize& size, Cost bound,
                                const State& state, Reach& skipped) {
    const bool narrow = mode_.narrows(node);
    if (mode_.probe || !work_.options.ablations.memo ||
        (size.depth <= work_.options.exact_levels ? !narrow : !Rule::kPrunes && !narrow))
        return false;
    Memo memo;
    if (!work_.cache.find_memo(size.key(node.hash), size.depth, memo) || memo.bound < bound ||
        memo.width < std::min(mode_.width, node.features))
        return false;
    if (size.depth > work_.options.exact_levels) {
        if (!rule_.covers(memo.reach, rule_.reach(state))) return false;
        skipped = rule_.least(skipped, rule_.skip_again(state, memo.need));
    }
    if (narrow) shared_.narrowed = true;
    return true;
}

template <class Form, SearchRule Rule>
void Pass<Form, Rule>::remember(const Node& node, const TreeSize& size, Cost bound,
                                const State& state, const Reach& skipped) {
    Memo memo;
    memo.reach = rule_.reach(state);
    memo.need = rule_.need(state, skipped);
    memo.bound = bound;
    memo.width = mode_.narrows(node) || node.narrow ? mode_.width : PassMode::kAllFeatures;
    work_.cache.set_memo(size.key(node.hash), size.depth, memo);
}

template <class Form, SearchRule Rule>
void Pass<Form, Rule>::solve_bottom(const Node& node, const TreeSize& size, Cost bound,
                                    const State& state, Facts& facts) {
    auto& buffers = work_.buffers[size.depth];
    if (size.depth == 3 && (mode_.narrows(node) || node.narrow)) {
        ranking_.solve_narrow(node, mode_, bound, facts);
        if (!halted() && !facts.settled(bound)) {
            shared_.narrowed = true;
            remember(node, size, bound, state, rule_.nothing_needed());
        }
        return;
    }
    // A probe proves more than it needs: that bounds similar nodes, and makes the next probe cheap.
    if (mode_.probe)
        bound = std::min(2 * bound, kInfiniteCost / 2) +
                std::min(Form::probe_margin(work_), kInfiniteCost / 2);
    work_.exact.solve(node, buffers.counts, size, bound, facts, mode_.probe);
}

template <class Form, SearchRule Rule>
void Pass<Form, Rule>::branch(const Node& node, const TreeSize& size, Cost bound,
                              const State& state, Facts& facts, Reach& skipped) {
    const Cost asked = bound, three_levels = rank(node, size, facts);
    if (halted()) return;
    // More levels never cost more than the best tree of three levels, so a search below that cost +
    // 1 is exact.
    if (three_levels >= 0) bound = std::min(bound, three_levels + 1);
    Loop loop{node, size, bound, state, facts, {}, kInfiniteCost, rule_.nothing_needed()};
    if constexpr (Rule::kWholeContext) loop.sums.emplace(work_.data, work_.kernel, node);
    const PassThread::Visit visit(thread_, size.key(node.hash), size.depth, bound);
    if (!try_all(loop)) return;
    if (node.narrow)
        shared_.narrowed = true;  // the features that were not tried have no bounds
    else
        facts.raise(loop.least);
    if ((Rule::kPrunes || mode_.narrows(node) || node.narrow) && !mode_.probe &&
        !facts.settled(asked))
        remember(node, size, asked, state, loop.below);
    skipped = rule_.least(skipped, loop.below);
}

template <class Form, SearchRule Rule>
Cost Pass<Form, Rule>::rank(const Node& node, const TreeSize& size, Facts& facts) {
    const PassThread::RankingTurn turn(thread_, size.key(node.hash), size.depth);
    return ranking_.rank(node, size, mode_, facts);
}

/// Tries every split in the order of its rank, then the deferred ones. Returns false if the node
/// needs no more.
template <class Form, SearchRule Rule>
bool Pass<Form, Rule>::try_all(Loop& loop) {
    auto& buffers = work_.buffers[loop.size.depth];
    buffers.deferred.clear();
    int position = -1, free_rank = 0;
    for (const int f : buffers.ranked.order) {
        ++position;
        const int rank = work_.options.free_ranks ? free_rank : position;
        const Attempt attempted = attempt(loop, f, rank, false);
        if (attempted == Attempt::kEnough) return false;
        if (attempted == Attempt::kBusy) buffers.deferred.emplace_back(f, rank);
        if (attempted != Attempt::kBounded) ++free_rank;
    }
    return buffers.deferred.empty() || try_deferred(loop);
}

/// Tries the deferred splits again: uses what other threads have found by now, else joins them,
/// else waits.
template <class Form, SearchRule Rule>
bool Pass<Form, Rule>::try_deferred(Loop& loop) {
    auto& deferred = work_.buffers[loop.size.depth].deferred;
    for (bool join = false; !deferred.empty();) {
        const std::size_t before = deferred.size();
        std::size_t left = 0;
        for (std::size_t i = 0; i < before; ++i) {
            const auto [f, rank] = deferred[i];
            const Attempt attempted = attempt(loop, f, rank, join && left == i);
            if (attempted == Attempt::kEnough) return false;
            if (attempted == Attempt::kBusy) deferred[left++] = {f, rank};
        }
        deferred.resize(left);
        if (left == before && join) thread_.wait();
        join = left == before;
    }
    return true;
}

/// Attempts one split: bounds it, asks the rule, and searches its children.
template <class Form, SearchRule Rule>
auto Pass<Form, Rule>::attempt(Loop& loop, int f, int rank, bool join) -> Attempt {
    const Node& node = loop.node;
    const TreeSize& size = loop.size;
    const Cost penalty = work_.objective.penalty;
    const ChildFacts& known = work_.buffers[size.depth].known;
    Facts& facts = loop.facts;
    if (halted()) return Attempt::kEnough;
    if (!thread_.alone()) facts = work_.cache.merge(size.key(node.hash), size.depth, facts);
    const Cost goal = std::min(loop.bound, facts.upper);
    if (facts.lower >= goal || thread_.settled_by_others()) return Attempt::kEnough;
    ranking_.recall_split(node, size, f);
    const bool bounded = known.lower() + penalty >= goal;
    bool skip = false;
    if (bounded) {
        ++work_.statistics.bounded;
    } else {
        State child_state[2];
        update(loop, f, rank, child_state);
        skip = skips(child_state, loop.below);
        if (!skip && !solve_shares(loop, f, child_state, join)) return Attempt::kBusy;
    }
    if (!skip) facts.improve(known.upper() + penalty, node.feature[f]);
    root_improved(size, facts);
    if (halted()) return Attempt::kEnough;
    loop.least = std::min(loop.least, known.lower() + penalty);
    ranking_.bound_siblings(node, size, f);
    return bounded ? Attempt::kBounded : Attempt::kTried;
}

/// Searches the children of a feature for every way to share the leaves among them that may be
/// better than the best tree of the node. Returns false if another thread has claimed a child.
template <class Form, SearchRule Rule>
bool Pass<Form, Rule>::solve_shares(Loop& loop, int f, const State state[2], bool join) {
    const TreeSize& size = loop.size;
    const Cost penalty = work_.objective.penalty;
    ChildFacts& known = work_.buffers[size.depth].known;
    bool done = true;
    for (int share = 0; share < size.shares(); ++share) {
        const Facts &zero = known.side[0][share], &one = known.side[1][share];
        const Cost goal = std::min({loop.bound, loop.facts.upper, known.upper() + penalty,
                                    zero.upper + one.upper + penalty});
        if (size.limited() && zero.lower + one.lower + penalty >= goal) continue;
        if (!solve_children(loop, f, share, goal, state, join)) done = false;
        if (size.limited()) known.compare();
        if (halted()) return true;
    }
    return done;
}

/// Whether the rule skips the split that leads to these children.
template <class Form, SearchRule Rule>
bool Pass<Form, Rule>::skips(const State child[2], Reach& skipped) {
    bool any = false;
    for (const int side : {0, 1}) {
        if (!rule_.prune_split(child[side])) continue;
        skipped = rule_.least(skipped, rule_.skip(child[side]));
        any = true;
    }
    return any;
}

/// Sets the rule's states of the two children of a split.
template <class Form, SearchRule Rule>
void Pass<Form, Rule>::update(Loop& loop, int f, int rank, State child[2]) {
    NodeContext context = context_of_split<Form>(work_, loop.node, loop.size.depth, f, rank);
    if constexpr (!Rule::kWholeContext) {
        child[0] = child[1] = rule_.update(loop.state, context);
        return;
    }
    loop.sums->split(f);
    for (const int side : {0, 1}) {
        loop.sums->describe(side == 1, context);
        child[side] = rule_.update(loop.state, context);
    }
}

/// Searches the children of a feature as long as the split may still cost less than `goal`. A child
/// that is solved comes first, else the one whose leaf costs more. Returns false if another thread
/// has claimed a child.
template <class Form, SearchRule Rule>
bool Pass<Form, Rule>::solve_children(Loop& loop, int f, int share, Cost goal, const State state[2],
                                      bool join) {
    const Node& node = loop.node;
    auto& buffers = work_.buffers[loop.size.depth];
    Facts* child[2] = {&buffers.known.side[0][share], &buffers.known.side[1][share]};
    const auto zero = work_.exact.side(node, buffers.counts, f, false);
    const auto one = work_.exact.side(node, buffers.counts, f, true);
    const int first =
        child[1]->solved() != child[0]->solved() ? child[1]->solved() : one.leaf >= zero.leaf;
    for (const int side : {first, 1 - first}) {
        // As in the paper, the second child gets the room that the best tree of the first leaves. A
        // pass under a rule looks for better trees, and if the first child is not solved then the
        // pass proves nothing here anyway.
        const bool tight = Rule::kPrunes && side != first;
        const Cost other = tight ? child[1 - side]->upper : child[1 - side]->lower;
        const Cost room = goal - work_.objective.penalty - other;
        if (child[side]->lower >= room) return true;
        if (child[side]->solved()) continue;
        const int leaves = loop.size.share(share).of(side == 1);
        const TreeSize size = loop.size.child(leaves);
        const Claim claim(thread_.cache(), size.key(buffers.child.hash(node, f, side == 1)),
                          size.depth, join && size.depth > work_.options.exact_levels);
        if (!claim) return false;
        if (!thread_.alone()) {  // another thread may just have finished it
            *child[side] = ranking_.child_facts(node, loop.size, f, side == 1, leaves);
            if (child[side]->lower >= room) return true;
            if (child[side]->solved()) continue;
        }
        if (thread_.asks_others(path_.size() + 1)) {
            if (!ask_others(loop, f, side == 1, size, room, *child[side])) return true;
            if (child[side]->settled(room)) continue;
        }
        make_child(work_, node, buffers.counts, f, side == 1, side == 1 ? one.rows : zero.rows,
                   buffers.child);
        if (halted()) return true;  // the child is not complete
        Facts facts = *child[side];
        if (loop.size.limited()) {
            // Its best tree may be one of another size, which is not this entry's.
            facts = ranking_.child_facts(node, loop.size, f, side == 1, leaves);
            facts.raise(child[side]->lower);
        }
        path_.push_back(Form::step(work_, node, f, side == 1));
        facts = solve(buffers.child.node, size, room, state[side], facts, loop.below);
        path_.pop_back();
        child[side]->improve(facts.upper, facts.split);
        child[side]->raise(std::max(facts.lower, child[side]->lower));
        if (halted()) return true;
        if (child[side]->solved()) rule_.note_solved(state[side]);
    }
    return true;
}

/// Takes over what another process finds out about a child. Returns false if the pass is over, or
/// if the child does not matter any more.
template <class Form, SearchRule Rule>
bool Pass<Form, Rule>::ask_others(Loop& loop, int f, bool one, const TreeSize& size, Cost room,
                                  Facts& facts) {
    const Node& node = loop.node;
    const CoverKey key = size.key(work_.buffers[loop.size.depth].child.hash(node, f, one));
    Task task{path_, size, room, question_.bound, mode_.probe};
    const PathStep step = Form::step(work_, node, f, one);
    task.path.push_back(step);
    const std::optional<Answer> answer = thread_.ask(task, key, size.depth);
    if (!answer || halted()) return false;
    Facts learned;
    learned.raise(answer->lower);
    if (!answer->tree.feature.empty()) {
        const Node& child = make_side(work_, node, loop.size.depth, f, step.one);
        const Facts planted = plant<Form>(work_, child, size, answer->tree);
        learned.improve(planted.upper, planted.split);
    }
    learned = work_.cache.merge(key, size.depth, learned);
    facts.improve(learned.upper, learned.split);
    facts.raise(learned.lower);
    return !halted();
}

template <class Form, SearchRule Rule>
void Pass<Form, Rule>::root_improved(const TreeSize& size, const Facts& facts) {
    // No other node of the pass has as many levels.
    if (size.depth != top_.depth || facts.upper >= question_.pause_below) return;
    shared_.paused = true;
    shared_.over = true;
}

}  // namespace beamtree
