#include "search/coarse_to_fine.hpp"

#include <algorithm>
#include <utility>

namespace beamtree {

namespace {

constexpr std::int64_t kTurn = 20'000'000;  ///< least work of a turn
constexpr std::int64_t kTurns = 8;          ///< a turn has this part of all work so far
/// Work in which the coarse search comes first. The deeper the trees, the longer it leads.
constexpr std::int64_t kEarly = 1'000'000'000, kEarlyIfDeep = 10'000'000'000;
constexpr int kDeep = 5;
/// Refining takes this part of the coarse search's work at most.
constexpr std::int64_t kRefine = 1, kRefineIfDeep = 4;
constexpr std::int64_t kLatest = 30'000'000'000;  ///< work after which it ends

/// Returns the places at which an order is cut: `count` quantiles of its rows.
std::vector<std::uint32_t> quantile_cuts(const SortedData& data, int order, int count) {
    const Entry* sorted = data.sorted(order);
    std::vector<std::uint32_t> cuts;
    for (int i = 1; i <= count; ++i) {
        const auto aim = static_cast<int>(static_cast<std::int64_t>(data.rows()) * i / (count + 1));
        // The next boundary at or after the quantile.
        int at = std::min(aim, data.rows() - 1);
        while (at + 1 < data.rows() && !has_boundary(sorted[at])) ++at;
        if (at + 1 < data.rows()) cuts.push_back(data.rank(order, row_of(sorted[at + 1])));
    }
    return cuts;
}

}  // namespace

CoarseProblem::CoarseProblem(const Problem& problem, const SortedData& data, int cuts)
    : rank_(static_cast<std::size_t>(problem.rows) * problem.ranks->orders()), problem_(problem) {
    const Ranks& all = *problem.ranks;
    std::vector<std::vector<std::uint32_t>> chosen(all.orders());
    for (int order = 0; order < all.orders(); ++order) {
        if (all.cuts(order) > cuts) {
            chosen[order] = quantile_cuts(data, order, cuts);
            continue;
        }
        for (int cut = 1; cut <= all.cuts(order); ++cut) chosen[order].push_back(cut);
    }
    ranks_.first.push_back(0);
    std::vector<std::uint32_t> coarse_rank;
    for (int order = 0; order < all.orders(); ++order) {
        auto& list = chosen[order];
        std::sort(list.begin(), list.end());
        list.erase(std::unique(list.begin(), list.end()), list.end());
        ranks_.first.push_back(ranks_.first.back() + static_cast<std::int32_t>(list.size()));
        for (const std::uint32_t cut : list) test_.push_back(all.test_of({order, cut}));
        // The coarse rank of every rank: how many of the cuts it has reached.
        coarse_rank.assign(static_cast<std::size_t>(all.cuts(order)) + 1, 0);
        for (const std::uint32_t cut : list) ++coarse_rank[cut];
        for (std::size_t r = 1; r < coarse_rank.size(); ++r) coarse_rank[r] += coarse_rank[r - 1];
        const std::uint32_t* rank = problem.order(order);
        std::uint32_t* out =
            rank_.data() + static_cast<std::size_t>(order) * static_cast<std::size_t>(problem.rows);
        for (std::int64_t i = 0; i < problem.rows; ++i) out[i] = coarse_rank[rank[i]];
    }
    ranks_.rank = rank_.data();
    problem_.ranks = &ranks_;
    problem_.columns = ranks_.tests();
}

Tree CoarseProblem::fine(Tree tree) const {
    for (std::int32_t& test : tree.feature)
        if (test != Tree::kNone) test = test_[test];
    return tree;
}

CoarseToFine::Coarse::Coarse(const CoarseToFine& owner)
    : problem(owner.problem_, owner.data_, owner.options_.hooks.coarse_cuts),
      body(problem.problem(), owner.objective_, owner.options_, owner.limits_, owner.heuristic_,
           false, owner.make_),
      incumbent(problem.problem(), owner.objective_,
                tree_size_of(owner.options_, owner.options_.depth_limit()), body.offset(),
                owner.limits_),
      algorithm(body.make_algorithm(incumbent)) {}

CoarseToFine::CoarseToFine(const Problem& problem, const SortedData& data,
                           const Objective& objective, const Options& options, Limits& limits,
                           Heuristic heuristic, MakeAlgorithm<BitForm> make,
                           std::unique_ptr<Algorithm> fine, OfferTree offer)
    : problem_(problem),
      data_(data),
      objective_(objective),
      options_(options),
      limits_(limits),
      heuristic_(heuristic),
      make_(std::move(make)),
      fine_(std::move(fine)),
      offer_(std::move(offer)) {
    options_.probe = false;  // bounds over a few thresholds say nothing about all
    coarse_ended_ = !has_memory();
}

bool CoarseToFine::advance(std::int64_t work) {
    if (coarse_ended_) return fine_->advance(work);
    const std::int64_t before = limits_.work();
    const std::int64_t turn = std::min(work, std::max(kTurn, (coarse_work_ + fine_work_) / kTurns));
    limits_.slice(turn);
    if (limits_.stopped()) return false;  // making the coarse search takes time
    if (coarse_turn()) {
        const bool learned = advance_coarse(turn);
        coarse_work_ += limits_.work() - before;
        return learned;
    }
    const bool learned = fine_->advance(turn);
    fine_work_ += limits_.work() - before;
    return learned;
}

bool CoarseToFine::coarse_turn() const {
    const std::int64_t total = coarse_work_ + fine_work_;
    const bool early = total < (options_.max_depth < kDeep ? kEarly : kEarlyIfDeep);
    return early ? 4 * coarse_work_ <= 3 * total : 4 * coarse_work_ <= total;
}

bool CoarseToFine::advance_coarse(std::int64_t work) {
    const Cost before = coarse_ == nullptr ? kInfiniteCost : coarse_->incumbent.cost();
    bool learned = true;
    if (coarse_ == nullptr) {
        coarse_ = std::make_unique<Coarse>(*this);
        Tree leaf;
        leaf.add_leaf();
        coarse_->incumbent.take(std::move(leaf), coarse_->body.leaf_cost());
        for (GrownTree& grown : coarse_->body.grow_greedy())
            coarse_->incumbent.take(std::move(grown.tree), grown.cost);
        coarse_->incumbent.record();  // a checkpoint must have a first row of the trace
    } else if (coarse_->body.fits()) {
        learned = coarse_->algorithm->advance(work);
    }
    const Incumbent& found = coarse_->incumbent;
    if (found.cost() < before) {
        offer_(coarse_->problem.fine(found.tree()), false);
        refined_ = false;
    }
    const bool over = !coarse_->body.fits() || found.proved() ||
                      coarse_->algorithm->status() != Status::kRunning || coarse_work_ > kLatest;
    const std::int64_t part = options_.max_depth < kDeep ? kRefine : kRefineIfDeep;
    if (!refined_ && (over || part * refine_work_ <= coarse_work_)) refine();
    if (over) end_coarse();
    return learned;
}

void CoarseToFine::refine() {
    const std::int64_t before = limits_.work();
    offer_(coarse_->problem.fine(coarse_->incumbent.tree()), true);
    refine_work_ += limits_.work() - before;
    refined_ = true;
}

void CoarseToFine::end_coarse() {
    coarse_ended_ = true;
    coarse_.reset();
}

void CoarseToFine::save(Writer& writer) const {
    fine_->save(writer);
    for (const std::int64_t work : {coarse_work_, fine_work_, refine_work_}) writer.put(work);
    for (const bool flag : {refined_, coarse_ended_, coarse_ != nullptr})
        writer.put<std::uint8_t>(flag ? 1 : 0);
    if (coarse_ == nullptr) return;
    coarse_->incumbent.save(writer);
    coarse_->algorithm->save(writer);
    coarse_->body.save(writer);
}

void CoarseToFine::load(Reader& reader) {
    fine_->load(reader);
    for (std::int64_t* work : {&coarse_work_, &fine_work_, &refine_work_})
        *work = reader.get_in<std::int64_t>(0, kInfiniteCost, "a work of");
    refined_ = reader.get_in<std::uint8_t>(0, 1, "a flag of") == 1;
    coarse_ended_ = reader.get_in<std::uint8_t>(0, 1, "a flag of") == 1 || !has_memory();
    if (reader.get_in<std::uint8_t>(0, 1, "a flag of") == 0) return;
    coarse_ = std::make_unique<Coarse>(*this);
    coarse_->incumbent.load(reader);
    coarse_->algorithm->load(reader);
    coarse_->body.load(reader);
    if (!has_memory()) end_coarse();
}

}  // namespace beamtree
