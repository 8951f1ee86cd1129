#include "search/price_search.hpp"

#include <algorithm>
#include <exception>
#include <utility>

#include "price/price_tree.hpp"

namespace beamtree {

namespace {

constexpr std::int64_t kDirect = 200'000'000;  ///< work of passes that ask for the proof at once
constexpr int kMostLostTrees = 100;

}  // namespace

PriceSearch::PriceSearch(const SearchParts& parts, std::unique_ptr<Restarts<BitForm>> restarts)
    : root_(parts.root),
      workers_(parts.workers),
      work_(parts.workers[0]->work),
      limits_(parts.limits),
      incumbent_(parts.incumbent),
      restarts_(std::move(restarts)),
      board_(parts.board),
      depth_(PricePass::depth_that_matters(work_.objective, work_.options.depth_limit(),
                                           work_.objective.leaf_cost(root_.sums),
                                           work_.objective.error_cost(root_.least_error))),
      levels_(parts.workers.size()),
      probing_(work_.options.hooks.probe_work),
      restarts_ended_(restarts_ == nullptr) {}

/// One turn: a slice of the restarts, or of a priced pass.
bool PriceSearch::advance(std::int64_t work) {
    const std::int64_t known = work_.cache.entries() + work_.cache.evicted();
    const std::int64_t before = limits_.work();
    const Cost cost = incumbent_.cost(), lower = incumbent_.lower();
    const bool alone = restarts_ended_ || board_ != nullptr;
    const std::int64_t slice = alone ? work : std::min(probing_.slice(), work);
    if (restarts_turn()) {
        const bool learned = restarts_->advance(slice);
        restarts_ended_ = restarts_->exhausted();
        status_ = restarts_->status();
        const std::int64_t done = limits_.work() - before;
        restart_work_ += done;
        probing_.spent_on_passes(done, incumbent_.cost() < cost);
        return learned;
    }
    limits_.slice(slice);
    if (!limits_.stopped()) probe();
    const std::int64_t done = limits_.work() - before;
    price_work_ += done;
    probing_.spent_on_probes(done);
    incumbent_.worked_on_bound({done, false});
    return work_.cache.entries() + work_.cache.evicted() != known || incumbent_.cost() < cost ||
           incumbent_.lower() > lower;
}

/// Restarts get half of the work at first, and less while the tree does not improve.
bool PriceSearch::restarts_turn() const {
    if (restarts_ended_ || price_work_ == 0 || board_ != nullptr) return false;
    return restart_work_ < price_work_ && !(restart_work_ > 0 && probing_.turn());
}

void PriceSearch::probe() {
    Cost target = incumbent_.cost();
    if (price_work_ >= kDirect)
        target = probing_.target(incumbent_.total_lower(), incumbent_.total_cost(),
                                 work_.objective.unit) -
                 incumbent_.offset();
    const PassEnd end = run(root_, depth_, 0, {target, {}, incumbent_.cost(), 0, board_});
    learn(end);
    if (board_ != nullptr) board_->clean();
    if (!end.finished) return;
    ++work_.statistics.probes;
    if (end.narrowed && target >= incumbent_.cost() && !incumbent_.proved())
        status_ = Status::kMemoryLimit;  // deeper trees would need a deeper stack
}

PassEnd PriceSearch::run(const Node& node, int depth, int level, const Question& question) {
    SharedPass shared;
    shared.board = question.board;
    shared.threads = threads_of(workers_, work_.options, question.board);
    std::exception_ptr failure;
    PassEnd end;
    {
        const Helpers helpers(
            shared, meters_of(workers_),
            [&](int i) {
                PricePass(workers_[i]->work, levels_[i], question, shared, kMostPriceLevels)
                    .run(node, depth, level);
            },
            failure);
        end.root = PricePass(work_, levels_[0], question, shared, kMostPriceLevels)
                       .run(node, depth, level);
    }
    if (failure) std::rethrow_exception(failure);
    work_.meter.flush();
    end.finished = !shared.paused && !work_.meter.stopped();
    end.narrowed = shared.narrowed;
    return end;
}

Facts PriceSearch::repair(const Node& node, int depth, int level, Cost upper) {
    ++work_.statistics.repairs;
    work_.cache.drop_tree(node.hash.key(), price_key(depth));
    return run(node, depth, level, {upper + 1, {}, 0}).root;
}

void PriceSearch::learn(const PassEnd& end) {
    Tree tree;
    Cost cost = kInfiniteCost;
    if (end.root.upper < incumbent_.cost()) {
        const Grace grace(limits_);
        const auto again = [this](const Node& node, int depth, int level, Cost upper) {
            return repair(node, depth, level, upper);
        };
        cost = PriceTree(work_, levels_[0], again, tree).build(root_, depth_, 0, end.root.upper);
        if (cost > end.root.upper && !limits_.stopped()) {
            // There is too little memory to hold a tree while it is put together.
            work_.cache.drop_tree(root_.hash.key(), price_key(depth_));
            if (++lost_trees_ > kMostLostTrees) status_ = Status::kMemoryLimit;
        }
    }
    incumbent_.update(std::min(end.root.lower, end.root.upper), std::move(tree), cost);
}

void PriceSearch::save(Writer& writer) const {
    for (const std::int64_t work : {price_work_, restart_work_}) writer.put(work);
    writer.put<std::uint8_t>(restarts_ended_ ? 1 : 0);
    probing_.save(writer);
    if (restarts_ != nullptr) restarts_->save(writer);
}

void PriceSearch::load(Reader& reader) {
    for (std::int64_t* work : {&price_work_, &restart_work_})
        *work = reader.get_in<std::int64_t>(0, kInfiniteCost, "a work of");
    restarts_ended_ = reader.get_in<std::uint8_t>(0, 1, "a flag of") == 1 || restarts_ == nullptr;
    probing_.load(reader);
    if (restarts_ != nullptr) restarts_->load(reader);
}

}  // namespace beamtree
