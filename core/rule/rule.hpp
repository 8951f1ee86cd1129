// The contract of a rule, in two parts: the rule of the paper, and the protocol by which a search
// remembers what a rule made it skip. Pass accepts every type that fulfils both.
//
// A rule decides what a pass leaves out. It never decides which tree is the best: the rule is
// relaxed from pass to pass until nothing is left out.
#pragma once

#include <array>
#include <concepts>

#include "data/stream.hpp"
#include "rule/node_context.hpp"

namespace beamtree {

/// The paper's two types, the state of a rule at a node and the context that it sees (NodeContext),
/// and its five functions:
///
/// - initial_state(root): the state of the root of a pass;
/// - update(parent, child): the state of a child, from the state of its parent and the context of
///   the child. The parent's state does not change, since both children start from it;
/// - prune: whether the present threshold leaves something out. A rule either skips splits or
///   closes nodes, and answers false to the other question. prune_split(child) is asked about each
///   child of a split before the split is searched; if one is pruned, the split is skipped.
///   prune_node(node) is asked when the search has arrived at a node; a pruned node stays a leaf in
///   this pass. Of the built-in rules only Purity closes nodes;
/// - relax(step): adds one step of the schedule to the threshold. It returns false if the rule
///   cannot admit anything of what it pruned, however far it is relaxed;
/// - note_solved(node): a node with this state has been solved exactly. This is the paper's
///   terminal_state, without a result: that a node is solved is a fact of the cache and needs no
///   mark in the state.
///
/// kPrunes says whether the rule can prune anything. kWholeContext says whether it reads the
/// weights, errors and rows of a context, and kReadsGain whether it reads gains; both cost time.
template <class R>
concept PaperRule = requires(R rule, const typename R::State state, const NodeContext& context) {
    { R::kPrunes } -> std::convertible_to<bool>;
    { R::kWholeContext } -> std::convertible_to<bool>;
    { R::kReadsGain } -> std::convertible_to<bool>;
    { rule.initial_state(context) } -> std::same_as<typename R::State>;
    { rule.update(state, context) } -> std::same_as<typename R::State>;
    { rule.prune_split(state) } -> std::same_as<bool>;
    { rule.prune_node(state) } -> std::same_as<bool>;
    { rule.relax(1.0) } -> std::same_as<bool>;
    { rule.note_solved(state) } -> std::same_as<void>;
};

/// Largest number of rules that prune together.
inline constexpr int kMaxRuleParts = 4;
/// How far a rule lets a pass explore below a node, as the memo stores it: one number per rule that
/// prunes.
using Reach = std::array<double, kMaxRuleParts>;

/// The protocol of the memo. A memo says with which reach a node was explored, and which reach
/// would explore more:
///
/// - reach(node): the reach at a node with this state, under the present threshold;
/// - covers(explored, reach): whether a node that was explored with the first reach holds nothing
///   new for the second;
/// - skip(pruned): notes that something with this state was pruned, and returns the threshold that
///   would admit it;
/// - need(node, threshold): the reach at a node that corresponds to a threshold;
/// - skip_again(node, need): notes once more what was pruned below a node when it was explored, and
///   returns the threshold that would admit it;
/// - least(a, b): the smaller of two thresholds; nothing_needed() is larger than all others.
template <class R>
concept MemoRule =
    requires(R rule, const R& fixed, const typename R::State state, const Reach& reach) {
        { rule.reach(state) } -> std::same_as<Reach>;
        { fixed.covers(reach, reach) } -> std::same_as<bool>;
        { rule.skip(state) } -> std::same_as<Reach>;
        { rule.need(state, reach) } -> std::same_as<Reach>;
        { rule.skip_again(state, reach) } -> std::same_as<Reach>;
        { R::least(reach, reach) } -> std::same_as<Reach>;
        { R::nothing_needed() } -> std::same_as<Reach>;
    };

/// What the restarts need to know of a rule between two passes:
///
/// - skipped_any(): whether something was skipped since the last forget_skipped();
/// - admits_skipped(): whether the relaxed rule admits something of that;
/// - admit(): relaxes the rule just enough to admit it, however small its unit;
/// - threshold(): the number that the trace shows;
/// - ahead(state, units): a state from which more units of the threshold are left, for polishing;
/// - can_fork(), fork(), absorb(fork): a copy for another thread of the same pass, and what that
///   copy skipped;
/// - save(writer), load(reader): the threshold, for checkpoints.
template <class R>
concept RestartRule = requires(R rule, const R& fixed, const typename R::State state,
                               Writer& writer, Reader& reader) {
    { fixed.skipped_any() } -> std::same_as<bool>;
    rule.forget_skipped();
    { rule.admits_skipped() } -> std::same_as<bool>;
    rule.admit();
    { fixed.threshold() } -> std::same_as<double>;
    { rule.ahead(state, 1.0) } -> std::same_as<typename R::State>;
    { fixed.can_fork() } -> std::same_as<bool>;
    { fixed.fork() } -> std::same_as<R>;
    rule.absorb(fixed);
    fixed.save(writer);
    rule.load(reader);
};

template <class R>
concept SearchRule = PaperRule<R> && MemoRule<R> && RestartRule<R>;

}  // namespace beamtree
