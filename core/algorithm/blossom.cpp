#include "algorithm/blossom.hpp"

#include <algorithm>
#include <new>
#include <stdexcept>
#include <utility>

#include "heuristic/information_gain.hpp"
#include "node/class_weights.hpp"
#include "pass/rebuild.hpp"

namespace beamtree {

namespace {

std::size_t bytes_of(const Node& node) {
    return sizeof(Node) + node.columns.capacity() * sizeof(Word) +
           (node.feature.capacity() + node.position.capacity()) * sizeof(int) +
           node.cover.index.capacity() * (sizeof(std::uint32_t) + sizeof(Word));
}

/// Appends a copy of a whole tree.
void append_tree(const Tree& part, Tree& tree) {
    const auto shift = [by = tree.size()](std::int32_t index) {
        return index == Tree::kNone ? Tree::kNone : index + by;
    };
    tree.feature.insert(tree.feature.end(), part.feature.begin(), part.feature.end());
    std::transform(part.left.begin(), part.left.end(), std::back_inserter(tree.left), shift);
    std::transform(part.right.begin(), part.right.end(), std::back_inserter(tree.right), shift);
}

}  // namespace

Blossom::Blossom(const SearchParts& parts)
    : root_(parts.root),
      work_(parts.workers[0]->work),
      ranking_(parts.workers[0]->ranking),
      limits_(parts.limits),
      incumbent_(parts.incumbent) {}

bool Blossom::advance(std::int64_t) {
    limits_.slice(Limits::kForever);
    if (limits_.stopped()) return false;
    const std::int64_t steps = steps_;
    bound_ = incumbent_.cost();
    if (branches_.empty()) {
        auto first = std::make_unique<Branch>();
        first->node = &root_;
        first->depth = work_.options.max_depth;
        begin(*first);
        add(std::move(first));
    }
    Tree found;
    bool finished = false;
    while (!work_.meter.stopped()) {
        if (open()) {
            branch();
        } else if (!buds_.empty()) {
            expand();
        } else if (at(0).best < bound_) {
            if (record(found)) break;
        } else if (path_.empty()) {
            finished = true;
            break;
        } else {
            retire();
        }
    }
    work_.meter.flush();
    const Cost cost = found.size() > 0 ? at(0).best : kInfiniteCost;
    incumbent_.update(std::min(proved(), std::min(cost, bound_)), std::move(found), cost);
    if (finished && !incumbent_.proved())
        throw std::logic_error("every branch is settled, and nothing is proved");
    return steps_ != steps;
}

/// Takes the bud nearest to the root. A kernel solves it, or its features are sorted.
void Blossom::expand() {
    const int index = buds_.front();
    Branch& bud = at(index);
    const Cost room = goal(index);
    if (bud.lower >= room) {
        settle(bud);
    } else {
        const bool bottom = bud.depth <= work_.options.exact_levels;
        if (!(bottom ? solve_bottom(bud, room) : rank(bud))) return;
        work_.meter.count_node();  // only once, also if the step was repeated
        if (!bottom)
            path_.push_back(index);
        else if (bud.parent != kNone)
            spread(bud.parent);
    }
    buds_.pop_front();
    ++steps_;
}

bool Blossom::solve_bottom(Branch& bud, Cost goal) {
    Facts facts{bud.lower, bud.best, kLeaf};
    work_.exact.solve(*bud.node, work_.buffers[bud.depth].counts, {bud.depth, kAnyLeaves}, goal,
                      facts);
    if (work_.meter.stopped()) return false;
    bud.lower = facts.lower;
    bud.best = facts.upper;
    bud.split = facts.split;
    bud.settled = true;
    return true;
}

/// Sorts by information gain; ties are broken by index.
bool Blossom::rank(Branch& bud) {
    const Node& node = *bud.node;
    ClassWeights weights(work_.data, work_.kernel, node);
    gain_.assign(node.features, 0);
    bud.order.clear();
    for (int f = 0; f < node.features; ++f) {
        if (work_.meter.stopped()) return false;
        const SplitWeights split = weights.split(f);
        work_.meter.spend(node.words * work::kWord + work::kGain);
        if (!weights.admissible(work_.objective)) continue;
        gain_[f] = whole_gain(InformationGain::gain(split));
        bud.order.push_back(f);
    }
    std::stable_sort(bud.order.begin(), bud.order.end(),
                     [&](int a, int b) { return gain_[a] > gain_[b]; });
    return !work_.meter.stopped();
}

/// Splits the branch that was expanded last by its next feature, or settles it.
void Blossom::branch() {
    const int index = path_.back();
    Branch& parent = at(index);
    const bool tried_all = parent.next == parent.order.size();
    if (tried_all || parent.lower >= goal(index)) {
        if (tried_all) parent.lower = std::max(parent.lower, std::min(parent.least, parent.best));
        settle(parent);
        path_.pop_back();
        ++steps_;
        return;
    }
    const Node& node = *parent.node;
    const int f = parent.order[parent.next];
    const CoverHash one =
        node.cover.hash_of_side(work_.data.hasher(), work_.data.column(node.feature[f]));
    work_.meter.spend(node.cover.size * work::kHashedWord);
    std::unique_ptr<Branch> sides[2] = {make_side(parent, f, false, node.hash - one),
                                        make_side(parent, f, true, one)};
    if (work_.meter.stopped()) return;
    ++parent.next;
    parent.split = node.feature[f];
    for (const int side : {0, 1}) {
        sides[side]->parent = index;
        parent.child[side] = add(std::move(sides[side]));
    }
    spread(index);
    ++steps_;
}

std::unique_ptr<Blossom::Branch> Blossom::make_side(const Branch& parent, int f, bool one,
                                                    const CoverHash& hash) {
    const Misclassification& objective = work_.objective;
    auto side = std::make_unique<Branch>();
    side->own = std::make_unique<Node>();
    side->depth = parent.depth - 1;
    Node& child = *side->own;
    // A feature that cannot split a node cannot split its children. A leaf needs no columns.
    splits_.assign(parent.node->features, false);
    for (const int g : parent.order) splits_[g] = g != f;
    child.make_child(
        work_.data, *parent.node, f, one, hash, work_.buffers[parent.depth].child.selection,
        work_.kernel,
        [&](int g) {
            return splits_[g] && side->depth > 0 &&
                   !objective.closed(objective.leaf_cost(child.sums), child.rows);
        },
        [&](std::int64_t words) {
            work_.meter.spend(words * work::kWord);
            return work_.meter.stopped();
        });
    side->node = &child;
    begin(*side);
    if (side->settled) child.columns = {};
    return side;
}

void Blossom::begin(Branch& leaf) const {
    const Node& node = *leaf.node;
    leaf.best = leaf.kept = work_.objective.leaf_cost(node.sums);
    if (leaf.depth == 0 || node.features == 0 || work_.objective.closed(leaf.best, node.rows)) {
        leaf.lower = leaf.best;
        settle(leaf);
    } else {
        leaf.lower = std::min(work_.objective.split_floor(node.least_error), leaf.best);
    }
}

/// Marks a branch as done: its best subtree is known.
void Blossom::settle(Branch& branch) const {
    branch.settled = true;
    branch.order = {};
}

Cost Blossom::goal(int index) const {
    Cost least = at(index).best, others = 0;
    for (int below = index; at(below).parent != kNone; below = at(below).parent) {
        const Branch& above = at(at(below).parent);
        const int sibling = above.child[above.child[0] == below ? 1 : 0];
        others += work_.objective.penalty + at(sibling).lower;
        least = std::min(least, above.best - others);
    }
    return std::min(least, bound_ - others);
}

void Blossom::spread(int index) {
    for (; index != kNone; index = at(index).parent) {
        Branch& above = at(index);
        const Cost cost =
            work_.objective.penalty + at(above.child[0]).best + at(above.child[1]).best;
        if (cost >= above.best) return;
        above.best = cost;
    }
}

Cost Blossom::split_lower(const Branch& branch) const {
    return work_.objective.penalty + at(branch.child[0]).lower + at(branch.child[1]).lower;
}

/// Removes the split of the branch that was expanded last, and keeps its subtree if it is the best.
void Blossom::retire() {
    Branch& last = at(path_.back());
    if (last.best < last.kept) {
        Tree tree;
        if (!append(path_.back(), tree)) return;
        last.tree = std::move(tree);
        last.kept = last.best;
    }
    last.least = std::min(last.least, split_lower(last));
    for (int& child : last.child) remove(std::exchange(child, kNone));
    last.split = kLeaf;
    ++steps_;
}

bool Blossom::record(Tree& found) {
    Tree tree;
    if (!append(0, tree)) return false;
    found = std::move(tree);
    ++steps_;
    return true;
}

Cost Blossom::proved() const {
    const Branch& root = at(0);
    if (path_.empty() || root.next < root.order.size()) return root.lower;
    const Cost now = root.child[0] == kNone ? kInfiniteCost : split_lower(root);
    return std::max(root.lower, std::min({root.least, now, root.best}));
}

bool Blossom::append(int index, Tree& tree) const {
    const Branch& branch = at(index);
    if (branch.best == branch.kept) {
        if (branch.tree.size() == 0)
            tree.add_leaf();
        else
            append_tree(branch.tree, tree);
        return true;
    }
    if (branch.child[0] == kNone)
        return rebuild_bottom(work_, ranking_, *branch.node, branch.depth,
                              {branch.lower, branch.best, branch.split}, tree) <= branch.best;
    const int root = tree.add_leaf();
    tree.feature[root] = work_.data.original(branch.split);
    tree.left[root] = tree.size();
    if (!append(branch.child[0], tree)) return false;
    tree.right[root] = tree.size();
    return append(branch.child[1], tree);
}

int Blossom::add(std::unique_ptr<Branch> branch) {
    if (branch->own) bytes_ += bytes_of(*branch->own);
    if (bytes_ > work_.table_bytes) throw std::bad_alloc();
    int index = static_cast<int>(branches_.size());
    if (free_.empty()) {
        branches_.emplace_back();
    } else {
        index = free_.back();
        free_.pop_back();
    }
    if (!branch->settled) buds_.push_back(index);
    branches_[index] = std::move(branch);
    return index;
}

void Blossom::remove(int index) {
    if (at(index).own) bytes_ -= bytes_of(*at(index).own);
    branches_[index].reset();
    free_.push_back(index);
}

}  // namespace beamtree
