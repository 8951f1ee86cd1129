#include "search/smallest.hpp"

#include <algorithm>
#include <utility>

#include "grouped/grouped_form.hpp"
#include "pass/children.hpp"
#include "pass/rebuild.hpp"
#include "sorted/sorted_form.hpp"
#include "sorted/sorted_objectives.hpp"

namespace beamtree {

namespace {

constexpr std::int64_t kPart = 10;              ///< part of the proof's work
constexpr std::int64_t kLeastWork = 2'000'000;  ///< so that small problems are shrunk, too
constexpr int kMostLostTrees = 100;

/// Appends a tree to another one.
void append(Tree& tree, const Tree& below) {
    const int first = tree.size();
    for (int at = 0; at < below.size(); ++at) {
        tree.add_leaf();
        if (below.feature[at] == Tree::kNone) continue;
        tree.feature[first + at] = below.feature[at];
        tree.left[first + at] = first + below.left[at];
        tree.right[first + at] = first + below.right[at];
    }
}

int depth_of(const Tree& tree, int at = 0) {
    if (tree.feature[at] == Tree::kNone) return 0;
    return 1 + std::max(depth_of(tree, tree.left[at]), depth_of(tree, tree.right[at]));
}

}  // namespace

template <class Form>
Smallest<Form>::Smallest(const PartsOf<Form>& parts, bool has_memory)
    : root_(parts.root),
      ranking_(parts.workers[0]->ranking),
      work_(parts.workers[0]->work),
      limits_(parts.limits),
      incumbent_(parts.incumbent),
      passes_(parts.workers, Complete{}),
      early_(parts.workers, Threshold<Discrepancy>(Discrepancy::kUsualRange)),
      limit_(tree_size_of(work_.options, work_.options.max_depth)),
      has_memory_(has_memory),
      to_the_end_(work_.options.tie_break == "smallest") {}

template <class Form>
bool Smallest<Form>::advance() {
    const int before = incumbent_.tree().leaves();
    if (work_end_ < 0) work_end_ = limits_.work() + std::max(kLeastWork, limits_.work() / kPart);
    if (before > 1) bound_ = std::max(bound_, 2);  // a leaf would have been the first incumbent
    // Priced passes may find trees that are deeper than other passes can be.
    if (depth_of(incumbent_.tree()) > limit_.depth) finished_ = true;
    while (!finished() && !halted() && incumbent_.tree().leaves() == before) {
        if (bound_ >= incumbent_.tree().leaves())
            finished_ = true;
        else if (levels_ < limit_.depth && limits_.work() < work_end_)
            shrink_subtrees();
        else if (exhausted())
            finished_ = true;
        else
            shrink_whole();
    }
    return incumbent_.tree().leaves() < before;
}

template <class Form>
void Smallest<Form>::shrink_subtrees() {
    tree_ = {};
    walk(root_, limit_.depth, 0);
    if (tree_.leaves() < incumbent_.tree().leaves()) incumbent_.take(tree_, incumbent_.cost());
    if (!halted()) ++levels_;
}

template <class Form>
void Smallest<Form>::walk(const Node& node, int depth, int from) {
    const Tree& old = incumbent_.tree();
    const int at = tree_.add_leaf();
    if (old.feature[from] == Tree::kNone) return;
    const auto place = Form::find_place(work_, node, old.feature[from]);
    for (const bool one : {false, true}) {
        Node& child = make_side(work_, node, depth, place, one);
        const int below = one ? old.right[from] : old.left[from];
        (one ? tree_.right : tree_.left)[at] = tree_.size();
        if (depth - 1 == levels_)
            replace(child, levels_, below);
        else
            walk(child, depth - 1, below);
    }
    tree_.feature[at] = old.feature[from];
}

template <class Form>
Cost Smallest<Form>::copy(const Node& node, int depth, int from) {
    const Tree& old = incumbent_.tree();
    const int at = tree_.add_leaf();
    if (old.feature[from] == Tree::kNone) return work_.objective.leaf_cost(node.sums);
    const auto place = Form::find_place(work_, node, old.feature[from]);
    Cost cost = work_.objective.penalty;
    for (const bool one : {false, true}) {
        const Node& child = make_side(work_, node, depth, place, one);
        (one ? tree_.right : tree_.left)[at] = tree_.size();
        cost += copy(child, depth - 1, one ? old.right[from] : old.left[from]);
    }
    tree_.feature[at] = old.feature[from];
    return cost;
}

/// Appends the smallest tree that is found in a part of the work. More leaves than that are needed
/// by trees for which a question was refuted; a question that takes too long counts as refuted.
template <class Form>
void Smallest<Form>::replace(Node& node, int depth, int from) {
    const int at = tree_.size();
    const Cost cost = copy(node, depth, from);
    // Not before: a test of the tree may separate only rows that the dataset has cancelled.
    Form::prepare(work_, node);
    Tree best;
    int leaves = incumbent_.tree().leaves_below(from);
    for (int refuted = 1; leaves - refuted > 1 && !halted() && limits_.work() < work_end_;) {
        const int most = (refuted + leaves) / 2;
        limits_.slice(work_left() / 4);
        Tree found;
        if (ask(passes_, node, {depth, most}, cost, found) != Answer::kFound) {
            refuted = most;
            continue;
        }
        leaves = found.leaves();
        best = std::move(found);
    }
    if (best.size() == 0) return;
    tree_.cut(at);
    for (auto* column : {&tree_.feature, &tree_.left, &tree_.right}) column->pop_back();
    append(tree_, best);
}

/// One turn of the last stage.
template <class Form>
void Smallest<Form>::shrink_whole() {
    const std::int64_t before = limits_.work();
    const bool trees = tree_work_ <= bound_work_;
    limits_.slice(to_the_end_ ? slice_ : std::min(slice_, work_left()));
    if (trees)
        find_smaller();
    else
        raise_bound();
    (trees ? tree_work_ : bound_work_) += limits_.work() - before;
    slice_ = std::max(kFirstSlice, (tree_work_ + bound_work_) / 4);
}

template <class Form>
void Smallest<Form>::find_smaller() {
    Tree found;
    const int most = incumbent_.tree().leaves() - 1;
    const Answer answer = ask(early_, root_, {limit_.depth, most}, incumbent_.cost(), found);
    if (answer == Answer::kFound) {
        incumbent_.take(std::move(found), incumbent_.cost());
    } else if (answer == Answer::kRefuted && early_.skipped_any()) {
        early_.relax(schedule_);
    } else if (answer == Answer::kRefuted) {
        if (searches_all(most)) bound_ = most + 1;
        finished_ = true;
    }
}

template <class Form>
void Smallest<Form>::raise_bound() {
    Tree found;
    const Answer answer = ask(passes_, root_, {limit_.depth, bound_}, incumbent_.cost(), found);
    if (answer == Answer::kFound) incumbent_.take(std::move(found), incumbent_.cost());
    if (answer != Answer::kRefuted) return;
    if (searches_all(bound_))
        ++bound_;
    else
        bound_work_ = Limits::kForever / 4;  // nothing more can be proved
}

template <class Form>
auto Smallest<Form>::ask(Passes<Form>& passes, const Node& node, const TreeSize& size, Cost cost,
                         Tree& found) -> Answer {
    const Question question{cost + 1, {}, cost + 1};
    const PassEnd end = passes.run(node, size, question);
    if (end.root.lower > cost) return Answer::kRefuted;
    if (end.root.upper > cost) return end.finished ? Answer::kRefuted : Answer::kUnknown;
    const Grace grace(limits_);
    const Cost built = rebuild(
        work_, ranking_, {}, node, size, end.root,
        [&](const Node& part, const TreeSize& of, Cost upper) {
            ++work_.statistics.repairs;
            if (!to_the_end_) limits_.slice(work_left());
            work_.cache.drop_tree(of.key(part.hash), of.depth_key());
            return passes_.run(part, of, {upper + 1, {}, upper + 1}).root;
        },
        found);
    if (built <= cost) return Answer::kFound;
    if (limits_.stopped()) return Answer::kUnknown;  // the next question tries again
    // There is too little memory to hold a tree while it is put together.
    work_.cache.drop_tree(size.key(node.hash), size.depth_key());
    if (++lost_trees_ > kMostLostTrees) finished_ = true;
    return Answer::kUnknown;
}

template <class Form>
void Smallest<Form>::save(Writer& writer) const {
    writer.put(work_end_);
    for (const int value : {levels_, bound_}) writer.put<std::int32_t>(value);
    writer.put<std::uint8_t>(finished_ ? 1 : 0);
}

template <class Form>
void Smallest<Form>::load(Reader& reader) {
    work_end_ = reader.get_in<std::int64_t>(-1, kInfiniteCost, "a work of");
    levels_ = reader.get_in<std::int32_t>(2, std::max(2, limit_.depth), "a number of levels of");
    bound_ = reader.get_in<std::int32_t>(1, 1 << 30, "a number of leaves of");
    finished_ = reader.get_in<std::uint8_t>(0, 1, "a flag of") == 1;
}

template class Smallest<BitForm>;
template class Smallest<GroupedForm>;
#define BEAMTREE_INSTANCE(O) template class Smallest<SortedForm<O>>;
BEAMTREE_SORTED_OBJECTIVES(BEAMTREE_INSTANCE)
#undef BEAMTREE_INSTANCE

}  // namespace beamtree
