#include "price/price_pass.hpp"

namespace beamtree {

namespace {

constexpr int kHashesAhead = 2;  ///< splits whose sides are hashed before they are looked at
constexpr int kStep = 2;         ///< penalties by which the children are raised in turn

}  // namespace

Facts PricePass::run(const Node& node, int depth, int level) {
    top_ = level;
    depth = depth_that_matters(objective_, depth, objective_.leaf_cost(node.sums),
                               objective_.error_cost(node.least_error));
    const CoverKey key = node.hash.key();
    const Claim claim(thread_.cache(), key, price_key(depth), true);
    return solve(node, level, depth, question_.bound, work_.cache.find(key, price_key(depth)));
}

Facts PricePass::solve(const Node& node, int level, int depth, Cost bound, Facts facts) {
#ifdef BEAMTREE_CHECKED
    work_.ledger.check(node.hash.key(), node.cover);
#endif
    const Cost leaf = objective_.leaf_cost(node.sums);
    const Cost least = objective_.penalty + objective_.error_cost(node.least_error);
    facts.improve(leaf, kLeaf);
    if (depth == 0 || node.features == 0 || leaf <= least || objective_.closed(leaf, node.rows)) {
        facts.raise(facts.upper);
        root_improved(level, facts);
        return facts;
    }
    facts.raise(least);
    const int classes = work_.data.planes().classes;
    if (classes > 2) {
        class_weight_.assign(node.plane_weight.begin(), node.plane_weight.begin() + classes);
        facts.raise(class_floor(objective_, class_weight_, depth));
    }
    if (!facts.settled(bound) && !halted()) {
        work_.meter.count_node();
        if (level < most_levels_)
            expand(node, level, depth, bound, facts);
        else
            shared_.narrowed = true;
    }
    thread_.arrive(facts);
    facts = work_.cache.merge(node.hash.key(), price_key(depth), facts);
    root_improved(level, facts);
    return facts;
}

ShallowBound PricePass::shallow_bound(const Node& node, int depth, Cost bound) {
    const Cost leaf = objective_.leaf_cost(node.sums);
    asks_others_ = false;
    Facts facts;
    facts.improve(leaf, kLeaf);
    PriceBuffers& buffers = buffers_of(0);
    Loop loop{node, 0, depth, kInfiniteCost, facts, buffers};
    ShallowBound found;
    if (node.features == 0 || objective_.closed(leaf, node.rows)) {
        found.lower = leaf;
        return found;
    }
    if (!start(loop)) {
        found.lower = std::min(facts.lower, facts.upper);
        return found;
    }
    found.lower = kInfiniteCost;
    buffers.left.clear();
    for (const auto& choice : buffers.order) {
        const int f = choice.feature;
        hash(loop, f);
        if (!look_closer(loop, f)) return {};  // the search was stopped
        const Cost lower = split_lower(loop, f);
        found.lower = std::min(found.lower, lower);
        if (lower < bound)
            found.open.push_back(
                {work_.data.original(node.feature[f]), buffers.lower[0][f], buffers.lower[1][f]});
    }
    found.lower = std::min(found.lower, leaf);
    return found;
}

void PricePass::expand(const Node& node, int level, int depth, Cost bound, Facts& facts) {
    PriceBuffers& buffers = buffers_of(level);
    const Cost leaf = objective_.leaf_cost(node.sums);
    const std::int64_t splits =
        objective_.most_splits(leaf, objective_.error_cost(node.least_error));
    if (depth <= 2 || splits <= 2) {
        const auto levels = static_cast<int>(std::min<std::int64_t>(depth, splits));
        work_.exact.solve(node, buffers.counts, {levels, kAnyLeaves}, bound, facts);
        return;
    }
    Loop loop{node, level, depth, bound, facts, buffers};
    if (!start(loop)) return;
    const PassThread::Visit visit(thread_, node.hash.key(), price_key(depth), bound);
    buffers.left.clear();
    for (std::size_t i = 0; i < buffers.order.size(); ++i) {
        const std::size_t ahead = i + kHashesAhead;
        if (ahead < buffers.order.size() && buffers.order[ahead].first < loop.goal())
            hash(loop, buffers.order[ahead].feature);
        if (!look_closer(loop, buffers.order[i].feature)) return;
    }
    std::sort(buffers.left.begin(), buffers.left.end());
    if (search_all(loop)) facts.raise(loop.least);
}

bool PricePass::start(Loop& loop) {
    const Node& node = loop.node;
    PriceBuffers& buffers = loop.buffers;
    Facts& facts = loop.facts;
    const Cost penalty = objective_.penalty;
    const auto two_levels =
        work_.exact.score_stumps(node, buffers.counts, buffers.scores, buffers.stumps);
    if (!two_levels) return false;
    for (int f = 0; f < node.features; ++f) facts.improve(buffers.scores[f], node.feature[f]);
    facts.raise(std::min(*two_levels, 3 * penalty + objective_.error_cost(node.least_error)));
    facts.raise(buffers.stumps.any_depth);
    if (facts.settled(loop.bound)) return false;

    const int plane = work_.data.planes().unavoidable;
    for (const int s : {0, 1}) {
        buffers.lower[s].resize(node.features);
        buffers.upper[s].resize(node.features);
        buffers.unavoidable[s].resize(node.features);
    }
    buffers.child.hash_one.resize(node.features);
    buffers.hashed.assign(node.features, 0);
    buffers.order.clear();
    for (int f = 0; f < node.features; ++f) {
        if (buffers.scores[f] >= kInfiniteCost) continue;  // a side has too few rows
        const std::int64_t lost_one =
            node.least_error > 0 ? count_plane(work_.data, node, f, plane) : 0;
        const std::int64_t lost[2] = {node.least_error - lost_one, lost_one};
        bool pays = true;
        for (const int s : {0, 1}) {
            const SideSummary side = work_.exact.side(node, buffers.counts, f, s == 1);
            const Cost unavoidable = objective_.error_cost(lost[s]);
            pays = pays && objective_.error_cost(side.weight) - side.leaf > penalty;
            const bool closed = side.closed || side.leaf <= penalty + unavoidable;
            const Cost upper = closed ? side.leaf : buffers.stumps.side[s][f];
            buffers.unavoidable[s][f] = unavoidable;
            buffers.upper[s][f] = upper;
            buffers.lower[s][f] = closed ? upper : std::min(upper, 2 * penalty + unavoidable);
        }
        if (pays || !asks_others_) buffers.order.push_back({0, 0, f});
    }
    work_.meter.spend(static_cast<std::int64_t>(node.features) *
                      (20 + (node.least_error > 0 ? node.words : 0)));
    if (halted()) return false;
    work_.exact.start_bounds(node, buffers.counts, asks_others_ ? facts.lower : 0, buffers.bounds);
    for (auto& [first, second, f] : buffers.order) {
        first = split_lower(loop, f);
        second = split_upper(loop, f);
    }
    std::sort(buffers.order.begin(), buffers.order.end());
    return true;
}

bool PricePass::look_closer(Loop& loop, int f) {
    PriceBuffers& buffers = loop.buffers;
    const Cost penalty = objective_.penalty;
    const bool children_have_two = loop.depth == 3;
    if (halted()) return false;
    Cost lower = split_lower(loop, f);
    if (lower < loop.goal() && asks_others_) {
        recall(loop, f);
        lower = split_lower(loop, f);
    }
    if (lower < loop.goal()) {
        bool wanted[2];
        for (const int s : {0, 1}) {
            const Cost most =
                children_have_two ? kInfiniteCost : 5 * penalty + buffers.unavoidable[s][f];
            wanted[s] = buffers.lower[s][f] < std::min(buffers.upper[s][f], most);
        }
        if (wanted[0] || wanted[1]) {
            const ExtendedCells cells = work_.exact.extended_cells(
                loop.node, buffers.counts, f, buffers.child.hash_one[f], CellExtra::kBound, wanted);
            if (!cells.exact) return false;
            for (const int s : {0, 1}) {
                if (!wanted[s]) continue;
                const Cost two = cells.two_levels[s];
                const Cost more = 3 * penalty + buffers.unavoidable[s][f];
                raise(loop, s, f,
                      children_have_two ? two : std::max(std::min(two, more), cells.extra[s]), two);
            }
            improve(loop, f);
            lower = split_lower(loop, f);
        }
    }
    if (asks_others_)
        work_.exact.bound_siblings(loop.node, buffers.counts, f, buffers.lower[1][f],
                                   buffers.lower[0][f], buffers.bounds);
    if (lower < loop.goal() && lower < split_upper(loop, f))
        buffers.left.push_back({split_upper(loop, f), lower, f});
    else
        loop.least = std::min(loop.least, lower);
    return !halted();
}

bool PricePass::search_all(Loop& loop) {
    PriceBuffers& buffers = loop.buffers;
    auto& waiting = buffers.left;
    for (bool join = false; !waiting.empty();) {
        buffers.deferred.clear();
        bool joins = join;
        for (const auto& choice : waiting) {
            const Attempt attempt = search_split(loop, choice.feature, joins);
            if (attempt == Attempt::kEnough) return false;
            if (attempt == Attempt::kBusy)
                buffers.deferred.push_back(choice);
            else
                joins = false;
        }
        // The children of what is left are being searched by other threads: use what they have
        // found by now, else join them, else wait.
        const bool moved = buffers.deferred.size() < waiting.size();
        if (!moved && join) thread_.wait();
        join = !moved;
        waiting.swap(buffers.deferred);
    }
    return true;
}

auto PricePass::search_split(Loop& loop, int f, bool join) -> Attempt {
    PriceBuffers& buffers = loop.buffers;
    const Cost penalty = objective_.penalty;
    recall(loop, f);
    for (;;) {
        if (!thread_.alone())
            loop.facts = work_.cache.merge(loop.node.hash.key(), price_key(loop.depth), loop.facts);
        if (halted() || loop.facts.settled(loop.bound) || thread_.settled_by_others())
            return Attempt::kEnough;
        const Cost lower = split_lower(loop, f);
        if (lower >= loop.goal() || lower >= split_upper(loop, f)) break;
        const bool done[2] = {buffers.lower[0][f] >= buffers.upper[0][f],
                              buffers.lower[1][f] >= buffers.upper[1][f]};
        const int s = done[0] != done[1] ? done[0] : buffers.lower[1][f] < buffers.lower[0][f];
        Cost room = loop.goal() - penalty - buffers.lower[1 - s][f];
        if (!done[1 - s]) room = std::min(room, buffers.lower[s][f] + kStep * penalty);
        const int depth = child_depth(loop, f, s);
        const CoverKey key = buffers.child.hash(loop.node, f, s == 1).key();
        const Claim claim(thread_.cache(), key, price_key(depth), join);
        if (!claim) return Attempt::kBusy;
        Facts known = work_.cache.find(key, price_key(depth));
        known.raise(buffers.lower[s][f]);
        // Others cannot follow longer paths, for which they have no buffers.
        const bool may_ask = path_.size() < static_cast<std::size_t>(work_.options.max_depth);
        if (!known.settled(room) && may_ask && thread_.asks_others(path_.size() + 1)) {
            if (!ask_others(loop, f, s == 1, depth, room, known)) return Attempt::kEnough;
        }
        if (!known.settled(room)) {
            make_child(loop, f, s == 1);
            if (halted()) return Attempt::kEnough;  // the child is not complete
            path_.push_back({work_.data.original(loop.node.feature[f]), s == 1});
            known = solve(buffers.child.node, loop.level + 1, depth, room, known);
            path_.pop_back();
        }
        raise(loop, s, f, known.lower, known.upper);
        improve(loop, f);
        if (!known.settled(room) && !halted()) break;  // the child is too deep to be searched
    }
    const Cost lower = split_lower(loop, f);
    loop.least = std::min(loop.least, lower);
    work_.exact.bound_siblings(loop.node, buffers.counts, f, buffers.lower[1][f],
                               buffers.lower[0][f], buffers.bounds);
    return Attempt::kTried;
}

/// Takes over what another process finds out about a child. Returns false if the pass is over, or
/// if the child does not matter any more.
bool PricePass::ask_others(Loop& loop, int f, bool one, int depth, Cost room, Facts& known) {
    const CoverKey key = loop.buffers.child.hash(loop.node, f, one).key();
    Task task{path_, {depth, kAnyLeaves}, room, question_.bound, question_.mode.probe};
    task.path.push_back({work_.data.original(loop.node.feature[f]), one});
    const std::optional<Answer> answer = thread_.ask(task, key, price_key(depth));
    if (!answer || halted()) return false;
    Facts learned;
    learned.raise(answer->lower);
    if (!answer->tree.feature.empty()) {
        make_child(loop, f, one);
        if (halted()) return false;
        const Facts planted = plant(loop.buffers.child.node, depth, loop.level + 1, answer->tree);
        learned.improve(planted.upper, planted.split);
    }
    learned = work_.cache.merge(key, price_key(depth), learned);
    known.improve(learned.upper, learned.split);
    known.raise(learned.lower);
    return !halted();
}

/// Stores a tree that another process has found, as if it had been found here. Its cost is counted
/// from the rows.
Facts PricePass::plant(const Node& node, int depth, int level, const Tree& tree, int from) {
    const Cost leaf = objective_.leaf_cost(node.sums);
    Facts facts;
    facts.improve(leaf, kLeaf);
    if (tree.feature[from] == Tree::kNone || depth == 0) return facts;
    depth = depth_that_matters(objective_, depth, leaf, objective_.error_cost(node.least_error));
    int f = 0;
    while (f < node.features && work_.data.original(node.feature[f]) != tree.feature[from]) ++f;
    if (f == node.features) return facts;  // the test does not split these rows
    ChildBuffers& child = buffers_of(level).child;
    const CoverHash hash_one =
        node.cover.hash_of_side(work_.data.hasher(), work_.data.column(node.feature[f]));
    Cost cost = objective_.penalty;
    for (const bool one : {false, true}) {
        child.node.make_child(work_.data, node, f, one, one ? hash_one : node.hash - hash_one,
                              child.selection, work_.kernel, [](int) { return true; });
        cost += plant(child.node, depth == kAnyDepth ? kAnyDepth : depth - 1, level + 1, tree,
                      one ? tree.right[from] : tree.left[from])
                    .upper;
    }
    facts.improve(cost, node.feature[f]);
    work_.cache.merge(node.hash.key(), price_key(depth), facts);
    return facts;
}

/// Adds what the cache knows of the two sides.
void PricePass::recall(Loop& loop, int f) {
    PriceBuffers& buffers = loop.buffers;
    hash(loop, f);
    for (const int s : {0, 1}) {
        if (buffers.lower[s][f] >= buffers.upper[s][f]) continue;
        const int depth = child_depth(loop, f, s);
        const CoverKey key = buffers.child.hash(loop.node, f, s == 1).key();
        const Facts known = work_.cache.find(key, price_key(depth));
        raise(loop, s, f, known.lower, known.upper);
        if (depth != kAnyDepth)
            raise(loop, s, f, work_.cache.find(key, price_key(kAnyDepth)).lower, kInfiniteCost);
    }
    work_.meter.spend(work::kRecall);
    improve(loop, f);
}

Cost PricePass::split_lower(Loop& loop, int f) {
    for (const int s : {0, 1})
        raise(loop, s, f, objective_.error_cost(loop.buffers.bounds.at(f, s == 1)), kInfiniteCost);
    return loop.buffers.lower[0][f] + loop.buffers.lower[1][f] + objective_.penalty;
}

/// Adds bounds of a side.
void PricePass::raise(Loop& loop, int side, int f, Cost lower, Cost upper) {
    Cost& most = loop.buffers.upper[side][f];
    Cost& least = loop.buffers.lower[side][f];
    most = std::min(most, upper);
    least = std::min(most, std::max(least, lower));
}

void PricePass::improve(Loop& loop, int f) {
    loop.facts.improve(split_upper(loop, f), loop.node.feature[f]);
    root_improved(loop.level, loop.facts);
}

void PricePass::root_improved(int level, const Facts& facts) {
    if (level != top_ || facts.upper >= question_.pause_below) return;
    shared_.paused = true;
    shared_.over = true;
}

void PricePass::hash(Loop& loop, int f) {
    PriceBuffers& buffers = loop.buffers;
    if (buffers.hashed[f]) return;
    const Node& node = loop.node;
    work_.meter.spend(node.cover.size * work::kHashedWord);
    buffers.child.hash_one[f] =
        node.cover.hash_of_side(work_.data.hasher(), work_.data.column(node.feature[f]));
    buffers.hashed[f] = 1;
}

int PricePass::child_depth(const Loop& loop, int f, int side) const {
    if (loop.depth == kAnyDepth) return kAnyDepth;
    const Cost leaf = work_.exact.side(loop.node, loop.buffers.counts, f, side == 1).leaf;
    return depth_that_matters(objective_, loop.depth - 1, leaf, loop.buffers.unavoidable[side][f]);
}

/// Makes one side of feature `f`. Features that cannot pay there are left out.
void PricePass::make_child(Loop& loop, int f, bool one) {
    const Node& node = loop.node;
    ChildBuffers& child = loop.buffers.child;
    const NodeCounts& counts = loop.buffers.counts;
    const CoverHash hash = child.hash(node, f, one);
    const auto leave = [&](std::int64_t words) {
        work_.meter.spend(words * work::kWord);
        return work_.meter.stopped();
    };
    with_lanes(node, [&](auto lane) {
        using T = decltype(lane);
        const LaneCounts<T>& lanes = counts.lanes<T>();
        const std::size_t row = static_cast<std::size_t>(f) * node.stride;
        const int classes = counts.planes().classes;
        const T* rows_pair =
            counts.planes().count() > classes ? lanes.pairs[classes] + row : nullptr;
        const std::int64_t rows = work_.exact.side(node, counts, f, one).rows;
        const auto keep = [&](int g) {
            std::int64_t both = 0;
            LeafSums sums[2];
            for (int p = 0; p < classes; ++p) {
                const auto pair = static_cast<std::int64_t>(lanes.pairs[p][row + g]);
                const auto in_f = static_cast<std::int64_t>(lanes.single[p][f]);
                const auto in_g = static_cast<std::int64_t>(lanes.single[p][g]);
                const std::int64_t side =
                    one ? in_f : static_cast<std::int64_t>(lanes.total[p]) - in_f;
                const std::int64_t in_one = one ? pair : in_g - pair;
                both += pair;
                sums[1].add_class(in_one);
                sums[0].add_class(side - in_one);
            }
            if (!objective_.pays(sums[0]) || !objective_.pays(sums[1])) return false;
            if (rows_pair != nullptr) both = static_cast<std::int64_t>(rows_pair[g]);
            const std::int64_t in_one =
                one ? both : static_cast<std::int64_t>(lanes.rows_one[g]) - both;
            return objective_.can_split(in_one, rows - in_one);
        };
        child.node.make_child(work_.data, node, f, one, hash, child.selection, work_.kernel, keep,
                              leave);
    });
    child.node.origin = {&counts, f, one};
}

}  // namespace beamtree
