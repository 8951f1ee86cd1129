#include "search/coarse_to_fine.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "check/recount.hpp"
#include "data/subtree.hpp"

namespace beamtree {

namespace {

constexpr std::int64_t kTurn = 20'000'000;  ///< least work of a turn
constexpr std::int64_t kTurns = 8;          ///< a turn has this part of all work so far
/// Work in which the coarse search comes first. The deeper the trees, the longer it leads.
constexpr std::int64_t kEarly = 1'000'000'000, kEarlyIfDeep = 10'000'000'000;
constexpr int kDeep = 5;
/// Proofs of squared errors take longer, because their bounds between thresholds are weaker. So the
/// coarse search leads longer already with that many levels.
constexpr int kDeepSquares = 4;
/// Refining takes this part of the coarse search's work at most.
constexpr std::int64_t kRefine = 1, kRefineIfDeep = 4;
constexpr std::int64_t kLatest = 30'000'000'000;  ///< work after which it ends

/// The cuts of fresh rounds, one after the other, in parts of the most cuts. Few cuts make ranks
/// that differ, many make trees that fit.
constexpr int kFreshCuts[] = {16, 8, 32, 5, 12, 24, 3};
constexpr int kSubtreeCuts = 8;  ///< the same for the other rounds
constexpr int kAllCuts = 32;
constexpr int kLeastLevels = 4;  ///< of a subtree; smaller ones are polished over all thresholds
/// The part of the weight by which cuts are chosen that goes to rows in leaves with many errors.
constexpr double kHard = 0.7;
/// Work of a round without a better tree, which grows with the number of the round and with the
/// work until its last better tree.
constexpr std::int64_t kFreshPatience = 50'000'000, kSubtreePatience = 30'000'000;
/// Making the search of a round cannot be stopped, and takes about two nanoseconds for each row and
/// test. There are that many of these at most, except in the first round.
constexpr std::int64_t kMostBits = 10'000'000;
constexpr std::int64_t kBitWork = 2;
/// Groups of equal rows take longer than columns of bits, so the first round has a limit, too.
constexpr std::int64_t kGroupWork = 10;
constexpr std::int64_t kMostGroupBits = 40'000'000;
constexpr std::int64_t kRoundWork = 2'000'000;  ///< to make its tables, whatever its size
constexpr int kFewCuts = 4;  ///< with fewer cuts per order, there is only one round

Options with_depth(Options options, int levels) {
    options.max_depth = levels;
    return options;
}

BitBody make_body(const Problem& problem, const Misclassification& objective,
                  const Options& options, Limits& limits, Heuristic heuristic,
                  const MakeAlgorithm<BitForm>& make) {
    return {problem, objective, options, limits, heuristic, false, make};
}

GroupedBody make_body(const Problem& problem, const SquaredError& objective, const Options& options,
                      Limits& limits, Heuristic heuristic, const MakeAlgorithm<GroupedForm>& make) {
    return {problem, objective, options, limits, heuristic, make};
}

/// The error of a leaf for each unit of its weight; its rows have these `count` sums.
double share_of_errors(const Misclassification&, const std::int64_t* sums, int count) {
    LeafSums leaf;
    for (int k = 0; k < count; ++k) leaf.add_class(sums[k]);
    if (leaf.weight == 0) return 0;
    return static_cast<double>(leaf.error()) / static_cast<double>(leaf.weight);
}

double share_of_errors(const SquaredError& objective, const std::int64_t* sums, int count) {
    const std::int64_t weight = sums[0];
    if (weight == 0) return 0;
    return static_cast<double>(objective.cost_of_sums(sums, count)) / static_cast<double>(weight);
}

}  // namespace

template <CoarseObjective O>
CoarseToFine<O>::Coarse::Coarse(const CoarseToFine& owner, const std::vector<int>& rows,
                                const CutsOfOrders& cuts, int levels)
    : options(with_depth(owner.options_, levels)),
      problem(owner.problem_, rows, cuts),
      body(make_body(problem.problem(), owner.objective_, options, owner.limits_, owner.heuristic_,
                     owner.make_)),
      incumbent(problem.problem(), owner.objective_, tree_size_of(options, options.depth_limit()),
                body.offset(), owner.limits_),
      algorithm(body.make_algorithm(incumbent, nullptr)) {}

template <CoarseObjective O>
CoarseToFine<O>::CoarseToFine(const Problem& problem, const SortedData& data, const O& objective,
                              const Options& options, Limits& limits, Heuristic heuristic,
                              MakeAlgorithm<CoarseForm<O>> make, std::unique_ptr<Algorithm> fine,
                              OfferTree offer, const Incumbent& incumbent)
    : problem_(problem),
      data_(data),
      objective_(objective),
      options_(options),
      limits_(limits),
      heuristic_(heuristic),
      make_(std::move(make)),
      fine_(std::move(fine)),
      offer_(std::move(offer)),
      incumbent_(incumbent),
      many_rounds_(!options.any_depth && options.max_depth >= kLeastLevels &&
                   problem.rows * data.orders() * kFewCuts <= kMostBits) {
    options_.probe = false;  // bounds over a few thresholds say nothing about all
    coarse_ended_ = !has_memory();
}

template <CoarseObjective O>
bool CoarseToFine<O>::advance(std::int64_t work) {
    // If other processes help, they find good trees.
    if (coarse_ended_ || options_.task_threads > 0) return fine_->advance(work);
    const std::int64_t before = limits_.work();
    const Cost cost = incumbent_.cost();
    const std::int64_t turn = std::min(work, std::max(kTurn, (coarse_work_ + fine_work_) / kTurns));
    limits_.slice(turn);
    if (limits_.stopped()) return false;  // making the coarse search takes time
    const bool coarse = coarse_turn(), starts = coarse && coarse_ == nullptr;
    const bool learned = coarse ? advance_coarse(turn) : fine_->advance(turn);
    (coarse ? coarse_work_ : fine_work_) += limits_.work() - before;
    const bool improved = incumbent_.cost() < cost;
    if (improved) improved_at_ = coarse_work_ + fine_work_;
    if (starts || (coarse && improved)) round_.improved = coarse_work_;
    return learned;
}

template <CoarseObjective O>
bool CoarseToFine<O>::coarse_turn() const {
    const std::int64_t total = coarse_work_ + fine_work_;
    // The search over all thresholds has most of the work when the coarse search finds nothing any
    // more, or is done so fast that the proof cannot be far.
    if (round_.number > 0 && total - improved_at_ > std::max(kEarly, total / 2))
        return coarse_work_ <= total / 8;
    const int deep = std::same_as<O, SquaredError> ? kDeepSquares : kDeep;
    const bool early = total < (options_.max_depth < deep ? kEarly : kEarlyIfDeep);
    return early && !solved_ ? 4 * coarse_work_ <= 3 * total : 4 * coarse_work_ <= total;
}

template <CoarseObjective O>
bool CoarseToFine<O>::advance_coarse(std::int64_t work) {
    bool learned = true;
    if (coarse_ == nullptr) {
        start_round();
    } else if (coarse_->body.fits()) {
        const Cost before = coarse_->incumbent.cost();
        learned = coarse_->algorithm->advance(work);
        if (coarse_->incumbent.cost() < before) offer(false);
    }
    const bool solved = coarse_->incumbent.proved();
    const bool over = !coarse_->body.fits() || solved || coarse_work_ > kLatest ||
                      coarse_->algorithm->status() != Status::kRunning;
    const bool ends = over || (many_rounds_ && out_of_patience());
    const std::int64_t part = options_.max_depth < kDeep ? kRefine : kRefineIfDeep;
    if (!round_.refined && (ends || part * refine_work_ <= coarse_work_)) offer(true);
    if (!ends) return learned;
    // For squared errors only the first round counts: later ones may have very few cuts.
    if (round_.fresh && (std::same_as<O, Misclassification> || round_.number == 0))
        solved_ = solved;
    coarse_.reset();
    if (!many_rounds_ || coarse_work_ > kLatest) end_coarse();
    return learned;
}

template <CoarseObjective O>
bool CoarseToFine<O>::out_of_patience() const {
    const std::int64_t first = round_.fresh ? kFreshPatience : kSubtreePatience;
    const std::int64_t until = (round_.improved - round_.began) / 4;
    return (coarse_work_ - round_.improved) / (8 + round_.number) > (first + until) / 8;
}

template <CoarseObjective O>
void CoarseToFine<O>::start_round() {
    ++round_.number;
    round_.tree = incumbent_.tree();
    round_.at = 0;
    round_.fresh = round_.number % 2 == 0 || !choose_subtree();
    round_.began = round_.improved = coarse_work_;
    round_.refined = true;
    make_coarse();
    take_first_trees();
}

template <CoarseObjective O>
bool CoarseToFine<O>::choose_subtree() {
    std::vector<int> nodes;  // all that are large enough, those with most levels first
    for (int at = 0; at < round_.tree.size(); ++at)
        if (round_.tree.feature[at] != Tree::kNone && levels_below(at) >= kLeastLevels)
            nodes.push_back(at);
    std::stable_sort(nodes.begin(), nodes.end(),
                     [&](int a, int b) { return levels_below(a) > levels_below(b); });
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        round_.at = nodes[static_cast<std::size_t>(subtrees_++) % nodes.size()];
        const auto rows = static_cast<std::int64_t>(rows_of_round().size());
        const int splits = subtree(round_.tree, round_.at).leaves() - 1;
        if (splits + data_.orders() <= most_tests(rows)) return true;
    }
    round_.at = 0;
    return false;
}

template <CoarseObjective O>
void CoarseToFine<O>::make_coarse() {
    const std::vector<int> rows = rows_of_round();
    const std::int64_t tests = most_tests(static_cast<std::int64_t>(rows.size()));
    const Tree start = round_.fresh ? Tree{} : subtree(round_.tree, round_.at);
    const std::int64_t splits = round_.fresh ? 0 : start.leaves() - 1;
    int part = kAllCuts;
    if (!round_.fresh)
        part = kSubtreeCuts;
    else if (many_rounds_)
        part = kFreshCuts[static_cast<std::size_t>(round_.number / 2) % std::size(kFreshCuts)];
    const std::int64_t count =
        std::clamp<std::int64_t>(std::int64_t{options_.hooks.coarse_cuts} * part / kAllCuts, 1,
                                 std::max<std::int64_t>((tests - splits) / data_.orders(), 1));
    CutsOfOrders cuts =
        quantile_cuts(data_, static_cast<int>(count), cut_weights(rows), round_.number);
    if (!round_.fresh) add_cuts(*problem_.ranks, start, cuts);
    coarse_ = std::make_unique<Coarse>(*this, rows, cuts, levels_below(round_.at));
    const std::int64_t bits =
        static_cast<std::int64_t>(rows.size()) * coarse_->problem.problem().columns;
    const std::int64_t bit_work = std::same_as<O, SquaredError> ? kGroupWork : kBitWork;
    limits_.spend(kRoundWork + bit_work * bits + problem_.rows * data_.orders(), true);
}

template <CoarseObjective O>
void CoarseToFine<O>::take_first_trees() {
    Incumbent& incumbent = coarse_->incumbent;
    Tree leaf, first;
    leaf.add_leaf();
    incumbent.take(std::move(leaf), coarse_->body.leaf_cost());
    if (round_.fresh) {
        for (GrownTree& grown : coarse_->body.grow_greedy())
            incumbent.take(std::move(grown.tree), grown.cost);
    } else {
        const Tree start = coarse_->problem.coarse(subtree(round_.tree, round_.at));
        const Cost cost = coarse_->body.grow_offered(start, first);
        incumbent.take(std::move(first), cost);
    }
    incumbent.record();  // a checkpoint must have a first row of the trace
    if (round_.fresh) offer(false);
}

template <CoarseObjective O>
std::int64_t CoarseToFine<O>::most_tests(std::int64_t rows) const {
    const std::int64_t all = std::int64_t{options_.hooks.coarse_cuts} * data_.orders();
    const bool groups = std::same_as<O, SquaredError>;
    if (round_.number == 0 && !groups) return all;
    const std::int64_t bits = round_.number == 0 ? kMostGroupBits : kMostBits;
    return std::min(all, bits / std::max<std::int64_t>(rows, 1));
}

template <CoarseObjective O>
std::vector<int> CoarseToFine<O>::rows_of_round() const {
    std::vector<int> rows;
    const Tree& tree = round_.tree;
    for (int i = 0; i < data_.rows(); ++i) {
        int at = 0;
        while (at != round_.at && tree.feature[at] != Tree::kNone)
            at = problem_.right(i, tree.feature[at]) ? tree.right[at] : tree.left[at];
        if (at == round_.at) rows.push_back(i);
    }
    return rows;
}

template <CoarseObjective O>
int CoarseToFine<O>::levels_below(int at) const {
    // Children have larger numbers than their parents.
    int levels = options_.max_depth;
    for (int parent = at - 1; parent >= 0; --parent) {
        if (round_.tree.left[parent] != at && round_.tree.right[parent] != at) continue;
        at = parent;
        --levels;
    }
    return levels;
}

template <CoarseObjective O>
std::vector<double> CoarseToFine<O>::cut_weights(const std::vector<int>& rows) const {
    std::vector<double> weight(data_.rows(), 0.0);
    for (const int i : rows) weight[i] = static_cast<double>(problem_.weight[i]);
    const bool even = round_.fresh && round_.number / 2 % 2 == 0;
    if (even) return weight;
    // The weight of rows in a leaf grows with its share of errors.
    const Tree& tree = round_.tree;
    const NodeSums<std::int64_t> sums = recount(problem_, tree, problem_.weight);
    std::vector<double> share(tree.size(), 0.0);
    for (int at = 0; at < tree.size(); ++at)
        share[at] = share_of_errors(objective_, sums.of(at), sums.width);
    std::vector<double> hard(data_.rows(), 0.0);
    for (const int i : rows) {
        int at = 0;
        while (tree.feature[at] != Tree::kNone)
            at = problem_.right(i, tree.feature[at]) ? tree.right[at] : tree.left[at];
        hard[i] = weight[i] * share[at];
    }
    const double all = std::accumulate(weight.begin(), weight.end(), 0.0);
    const double errors = std::accumulate(hard.begin(), hard.end(), 0.0);
    if (errors <= 0) return weight;
    for (const int i : rows) weight[i] = (1 - kHard) * weight[i] + kHard * all / errors * hard[i];
    return weight;
}

/// Offers the round's best tree, in its place in the tree with which the round began.
template <CoarseObjective O>
void CoarseToFine<O>::offer(bool refine) {
    const std::int64_t before = limits_.work();
    const Tree found = coarse_->problem.fine(coarse_->incumbent.tree());
    offer_(replace_subtree(round_.tree, round_.at, found), refine);
    round_.refined = refine;
    if (refine) refine_work_ += limits_.work() - before;
}

template <CoarseObjective O>
void CoarseToFine<O>::end_coarse() {
    coarse_ended_ = true;
    coarse_.reset();
}

template <CoarseObjective O>
void CoarseToFine<O>::save(Writer& writer) const {
    fine_->save(writer);
    for (const std::int64_t value : {coarse_work_, fine_work_, refine_work_, improved_at_,
                                     subtrees_, round_.number + 1, round_.began, round_.improved})
        writer.put(value);
    for (const bool flag :
         {round_.fresh, round_.refined, solved_, coarse_ended_, coarse_ != nullptr})
        writer.put<std::uint8_t>(flag ? 1 : 0);
    if (coarse_ == nullptr) return;
    save_tree(writer, round_.tree);
    writer.put<std::int32_t>(round_.at);
    coarse_->incumbent.save(writer);
    coarse_->algorithm->save(writer);
    coarse_->body.save(writer);
}

template <CoarseObjective O>
void CoarseToFine<O>::load(Reader& reader) {
    fine_->load(reader);
    for (std::int64_t* value : {&coarse_work_, &fine_work_, &refine_work_, &improved_at_,
                                &subtrees_, &round_.number, &round_.began, &round_.improved})
        *value = reader.get_in<std::int64_t>(0, kInfiniteCost / 8, "a work of");
    --round_.number;
    bool running = false;
    for (bool* flag : {&round_.fresh, &round_.refined, &solved_, &coarse_ended_, &running})
        *flag = reader.get_in<std::uint8_t>(0, 1, "a flag of") == 1;
    coarse_ended_ = coarse_ended_ || !has_memory();
    if (!running) return;
    // The cuts of the round follow from its tree.
    round_.tree = load_tree(reader, problem_, options_.depth_limit());
    round_.at = reader.get_in<std::int32_t>(0, round_.tree.size() - 1, "a node of a tree of");
    if (levels_below(round_.at) < 1 || rows_of_round().empty())
        throw std::invalid_argument("the checkpoint has a round that searches nothing");
    make_coarse();
    coarse_->incumbent.load(reader);
    coarse_->algorithm->load(reader);
    coarse_->body.load(reader);
    if (!has_memory()) end_coarse();
}

template class CoarseToFine<Misclassification>;
template class CoarseToFine<SquaredError>;

}  // namespace beamtree
