// Bounds of subproblems that are proved after a search are compared with plain recursion: in all
// forms, for the ends of random paths, whatever the search has found before.
#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "exhaustive.hpp"
#include "grouped/grouped_data.hpp"
#include "make_search.hpp"
#include "testing.hpp"

using namespace beamtree;

namespace {

constexpr double kForever = 1e9;
constexpr int kLongestPath = 3;

using Rows = std::uint64_t;  ///< a set of rows, as bits

/// How a search holds its rows, and so which costs it leaves out.
enum class Held { kBits, kSorted, kGrouped };

/// The optima that a search has to agree with, in its own costs.
class Oracle {
  public:
    Oracle(const Problem& problem, const Options& options, Held held)
        : problem_(problem), options_(options), held_(held), exhaustive_(problem, options) {
        for (int test = 0; test < problem.columns; ++test) {
            Rows right = 0;
            for (int i = 0; i < problem.rows; ++i)
                if (problem.right(i, test)) right |= Rows{1} << i;
            right_.push_back(right);
            int first = 0;
            while (!same_sides(all(), first, test)) ++first;
            first_.push_back(first);
        }
        std::map<std::vector<bool>, Rows> groups;
        for (int i = 0; i < problem.rows; ++i) {
            std::vector<bool> tests;
            for (const Rows right : right_) tests.push_back((right >> i & 1) != 0);
            groups[tests] |= Rows{1} << i;
        }
        for (const auto& [tests, rows] : groups) left_out_.emplace_back(rows, left_out_of(rows));
    }

    const Problem& problem() const { return problem_; }
    const Options& options() const { return options_; }
    Held held() const { return held_; }
    Rows all() const { return low_bits(static_cast<int>(problem_.rows)); }
    Rows side(Rows rows, int test, bool one) const {
        return rows & (one ? right_[test] : ~right_[test]);
    }
    /// The first test with the same two sides, in all rows.
    int first(int test) const { return first_[test]; }
    bool same_sides(Rows rows, int a, int b) const {
        const Rows differ = rows & (right_[a] ^ right_[b]);
        return differ == 0 || differ == rows;
    }
    /// Whether both sides of a test have enough rows.
    bool splits(Rows rows, int test) const {
        const Rows one = side(rows, test, true), zero = side(rows, test, false);
        const std::int64_t least = options_.min_samples_leaf;
        return one != 0 && zero != 0 && exhaustive_.counted(one) >= least &&
               exhaustive_.counted(zero) >= least;
    }
    /// Whether all weight of some rows is left out.
    bool is_cancelled(Rows rows) const {
        std::int64_t weight = 0;
        for (int i = 0; i < problem_.rows; ++i)
            if (rows >> i & 1) weight += problem_.weight[i];
        const int classes = problem_.classes;
        return held_ == Held::kBits && classes > 1 &&
               left_out(rows) * classes == options_.unit * weight * (classes - 1);
    }
    Cost best(Rows rows, int depth) { return exhaustive_.best(rows, depth) - left_out(rows); }
    /// Of the trees that begin with a test.
    Cost best_with(Rows rows, int depth, int test) {
        return exhaustive_.best_with(rows, depth, test) - left_out(rows);
    }

  private:
    /// The part of the cost of some rows that the search does not count.
    Cost left_out(Rows rows) const {
        Cost cost = 0;
        for (const auto& [group, part] : left_out_)
            if ((group & rows) != 0) cost += part;
        return cost;
    }
    /// The same, of a group of equal rows.
    Cost left_out_of(Rows rows) const {
        if (held_ == Held::kSorted) return 0;
        if (held_ == Held::kBits) {
            if (!options_.ablations.cancel_rows || options_.min_samples_leaf > 1) return 0;
            std::vector<std::int64_t> weight(problem_.classes, 0);
            for (int i = 0; i < problem_.rows; ++i)
                if (rows >> i & 1) weight[problem_.label[i]] += problem_.weight[i];
            const std::int64_t common = *std::min_element(weight.begin(), weight.end());
            return options_.unit * common * (problem_.classes - 1);
        }
        SquaredError objective;
        objective.factor = std::ldexp(1.0, options_.square_exponent);
        Cost squares = 0;
        std::int64_t weight = 0, value = 0;
        for (int i = 0; i < problem_.rows; ++i) {
            if (!(rows >> i & 1)) continue;
            squares += objective.square(problem_.weight[i], problem_.value[i]);
            weight += problem_.weight[i];
            value += problem_.value[i];
        }
        const double scaled = static_cast<double>(value) * objective.factor;
        const double quotient = scaled * scaled / static_cast<double>(weight);
        return squares - std::min(static_cast<Cost>(std::ceil(quotient)), squares);
    }

    const Problem& problem_;
    const Options& options_;
    Held held_;
    testing::Exhaustive exhaustive_;
    std::vector<Rows> right_;  ///< (tests,) rows that go right
    std::vector<int> first_;
    std::vector<std::pair<Rows, Cost>> left_out_;  ///< of each group of equal rows
};

/// The ways in which a node of groups knows a test of a path. See GroupedForm::find_side.
class KnownAs {
  public:
    KnownAs(const Problem& problem, const Options& options) {
        objective_.factor = std::ldexp(1.0, options.square_exponent);
        for (std::int64_t i = 0; i < problem.rows; ++i)
            square_.push_back(objective_.square(problem.weight[i], problem.value[i]));
        Problem squared = problem;
        squared.square = square_.data();
        data_.emplace(squared, objective_);
    }

    enum Way { kItself, kEqual, kEqualFlipped, kOpposite, kOppositeFlipped, kWays };
    Way way(const Oracle& oracle, Rows rows, int test) const {
        int known = 0;  // the first feature with the same sides
        while (!oracle.same_sides(rows, data_->original(known), test)) ++known;
        const int other = data_->original(known);
        if (other == test) return kItself;
        int own = known;
        while (data_->original(own) != test) ++own;
        const bool flips = data_->flipped(known) != data_->flipped(own);
        const bool equal = oracle.side(rows, other, true) == oracle.side(rows, test, true);
        if (equal) return flips ? kEqualFlipped : kEqual;
        return flips ? kOppositeFlipped : kOpposite;
    }

  private:
    SquaredError objective_;
    std::vector<std::int64_t> square_;
    std::optional<GroupedData> data_;
};

struct RandomPath {
    Path steps;
    Rows rows = 0;  ///< at its end
};

/// A random path whose tests leave enough rows on both sides. Of tests that are equal or opposite
/// on all rows, the search knows the first, unless it sorts. Most steps take a test that is
/// equal or opposite to another one on the rows that it splits, if there is such a test.
RandomPath random_path(testing::Random& random, const Oracle& oracle, int levels) {
    RandomPath path{{}, oracle.all()};
    for (int left = std::min(random.below(kLongestPath + 1), levels); left > 0; --left) {
        std::vector<int> tests, copies;
        for (int test = 0; test < oracle.problem().columns; ++test) {
            const bool known = oracle.held() == Held::kSorted || oracle.first(test) == test;
            if (!known || !oracle.splits(path.rows, test)) continue;
            for (const int earlier : tests)
                if (oracle.same_sides(path.rows, earlier, test)) copies.push_back(test);
            tests.push_back(test);
        }
        if (tests.empty()) break;
        const auto& from = !copies.empty() && random.below(4) ? copies : tests;
        const int test = from[random.below(static_cast<int>(from.size()))];
        const bool one = random.below(2) == 1;
        path.steps.push_back({test, one});
        path.rows = oracle.side(path.rows, test, one);
    }
    return path;
}

/// How often something was checked, so that the tests cannot become empty.
struct Counts {
    int length[kLongestPath + 1] = {};
    int unproved = 0;   ///< bounds that the search did not have
    int cancelled = 0;  ///< paths past a test that only separates cancelled rows
    int threads = 0, stopped = 0;
    int way[KnownAs::kWays] = {};
    int shallow = 0, exact = 0, open = 0, closed = 0;  ///< bounds, and tests
};

/// Runs a search to its end, to its first tree, or to a number of nodes.
void run_some(testing::Random& random, Search& search, Counts& counts) {
    const int way = random.below(3);
    if (way == 0) {
        while (!search.done()) search.run();
    } else if (way == 1) {
        search.next();
    } else {
        search.run({kForever, 1 + random.below(60)});
    }
    EXPECT(!search.failure());
    counts.stopped += !search.done();
}

void expect_proofs(testing::Random& random, Search& search, Oracle& oracle, const RandomPath& path,
                   int depth, Counts& counts) {
    const Cost best = oracle.best(path.rows, depth);
    const bool stops = oracle.options().hooks.stop_at_look > 0;
    const Cost known = search.prove(path.steps, 0, kForever);
    EXPECT(0 <= known && known <= best);
    const Cost asked = random.below(2) ? best / 2 : best - std::min<Cost>(best, random.below(3));
    const Cost found = search.prove(path.steps, asked, kForever);
    EXPECT(found <= best && (stops || found >= asked));
    const Cost whole = search.prove(path.steps, best + 1, kForever);
    EXPECT(stops ? whole <= best : whole == best);
    ++counts.length[path.steps.size()];
    counts.unproved += known < best;
}

/// Expects that no tree costs less than the shallow bound, and that it is as good as it says; and
/// that every test is open by which a tree can begin that costs less than was asked.
void expect_shallow(testing::Random& random, Search& search, Oracle& oracle, const RandomPath& path,
                    int depth, bool has_bounds, Counts& counts) {
    const Cost best = oracle.best(path.rows, depth), penalty = oracle.options().penalty;
    const Cost bound = std::max<Cost>(0, best - penalty + random.below(3 * penalty + 3));
    const std::optional<ShallowBound> found = search.shallow_bound(path.steps, bound);
    const bool stops = oracle.options().hooks.stop_at_look > 0;
    EXPECT(stops ? !found || has_bounds : found.has_value() == has_bounds);
    if (!found) return;
    ++counts.shallow;
    counts.exact += found->lower == best;
    EXPECT(found->lower <= best);
    EXPECT(found->lower >= std::min(oracle.best(path.rows, 3), 4 * penalty));
    std::set<int> open;
    for (const auto& [test, zero, one] : found->open) {
        EXPECT(open.insert(test).second);
        EXPECT(zero <= oracle.best(oracle.side(path.rows, test, false), depth - 1));
        EXPECT(one <= oracle.best(oracle.side(path.rows, test, true), depth - 1));
        EXPECT(zero + one + penalty < bound);
    }
    if (found->lower >= bound) return;
    if (open.empty()) {  // there is nothing to split
        EXPECT(found->lower == best);
        return;
    }
    for (int test = 0; test < oracle.problem().columns; ++test) {
        const bool is_open = open.contains(oracle.first(test));
        if (!oracle.splits(path.rows, test)) {
            EXPECT(!is_open);
            continue;
        }
        (is_open ? counts.open : counts.closed) += 1;
        // A test that only separates rows that are cancelled is no test for the search.
        if (oracle.is_cancelled(oracle.side(path.rows, test, true)) ||
            oracle.is_cancelled(oracle.side(path.rows, test, false)))
            continue;
        EXPECT(is_open || oracle.best_with(path.rows, depth, test) >= bound);
    }
}

/// The problem and the options must be those of the search. `deepest` is the depth up to which the
/// trees of the whole problem are compared.
void expect_bounds(testing::Random& random, const Problem& problem, const Options& options,
                   Held held, int deepest, Counts& counts) {
    const auto search = make_search(problem, options, testing::random_rule(random));
    run_some(random, *search, counts);
    Oracle oracle(problem, options, held);
    std::optional<KnownAs> known;
    if (held == Held::kGrouped) known.emplace(problem, options);
    counts.threads += options.threads > 1;
    for (int i = 0; i < 8; ++i) {
        const RandomPath path =
            random_path(random, oracle, options.any_depth ? kLongestPath : deepest);
        const int length = static_cast<int>(path.steps.size());
        const int depth = options.any_depth ? deepest : deepest - length;
        const bool has_bounds = held == Held::kBits && options.penalty > 0 &&
                                (options.any_depth || options.max_depth - length >= 3);
        // The bounds without a search are asked for before or after the others.
        const bool before = random.below(2) == 1;
        if (before) expect_shallow(random, *search, oracle, path, depth, has_bounds, counts);
        expect_proofs(random, *search, oracle, path, depth, counts);
        if (!before) expect_shallow(random, *search, oracle, path, depth, has_bounds, counts);
        Rows rows = oracle.all();
        for (const auto& [test, one] : path.steps) {
            if (known) ++counts.way[known->way(oracle, rows, test)];
            if (rows != oracle.all())
                counts.cancelled += oracle.is_cancelled(oracle.side(rows, test, false)) ||
                                    oracle.is_cancelled(oracle.side(rows, test, true));
            rows = oracle.side(rows, test, one);
        }
    }
}

/// Makes some columns copies or complements of others, or the difference of two others, which is
/// equal or opposite to the one where the other is constant.
void copy_columns(testing::Random& random, testing::OwnedProblem& owned) {
    const int columns = owned.columns, rows = static_cast<int>(owned.label.size());
    for (int j = 1; j < columns; ++j) {
        const int kind = random.below(7), a = random.below(j), b = random.below(j);
        const bool flip = random.below(2) == 1;
        for (int i = 0; i < rows; ++i) {
            std::uint8_t* row = owned.features.data() + static_cast<std::ptrdiff_t>(i) * columns;
            if (kind < 3) row[j] = row[a] ^ row[b];
            if (kind == 3) row[j] = row[a];
            if (kind < 6 && flip) row[j] ^= 1;
        }
    }
}

/// Gives some rows labels without a pattern, so that large trees pay, or a twin of another class,
/// which cancels them.
void mix_labels(testing::Random& random, testing::OwnedProblem& owned) {
    const int rows = static_cast<int>(owned.label.size()), columns = owned.columns;
    const bool any_label = random.below(2) == 1, twins = random.below(2) == 1;
    for (int i = 0; i < rows; ++i) {
        if (any_label) owned.label[i] = random.below(owned.classes);
        if (i == 0 || !twins || random.below(2) > 0) continue;
        const auto row = owned.features.begin() + static_cast<std::ptrdiff_t>(i) * columns;
        std::copy_n(row - columns, columns, row);
        owned.label[i] = (owned.label[i - 1] + 1) % owned.classes;
        owned.weight[i] = owned.weight[i - 1];
    }
}

/// Some searches are stopped at every look at the limits, and some use two threads.
void choose_hooks(testing::Random& random, Options& options) {
    options.max_leaf_nodes = 0;
    options.threads = random.below(4) ? 1 : 2;
    options.hooks.stop_at_look = random.below(5) ? 0 : 1 + random.below(30);
}

void expect_varied(const Counts& counts, int least) {
    for (int i = 0; i <= kLongestPath; ++i)
        EXPECT(counts.length[i] > (i < kLongestPath ? least : least / 2));
    EXPECT(counts.unproved > least / 2 && counts.threads > least / 5 && counts.stopped > least / 5);
}

enum class Depth { kLimited, kPriced, kAny };

/// Over columns of bits, with passes of limited depth or with priced passes.
void bounds_over_bits_hold(Depth depth) {
    Counts counts;
    testing::Trials trials(31 + static_cast<int>(depth), 500);
    for (auto& [random, trial] : trials) {
        const bool any = depth == Depth::kAny;
        auto owned =
            testing::random_problem(random, 2 + random.below(58), 1 + random.below(any ? 8 : 10),
                                    2 + random.below(3), random.below(2) ? 1 : 9);
        copy_columns(random, owned);
        mix_labels(random, owned);
        const Problem problem = owned.view();
        Options options = testing::random_options(random, trial);
        choose_hooks(random, options);
        options.max_depth = 1 + random.below(5);
        options.any_depth = any;
        options.unit = 1 + random.below(8);
        if (depth == Depth::kLimited) {
            options.hooks.price_depth = 1 << 20;
        } else {
            options.penalty = 1 + random.below(6);
            options.probe = true;
            options.hooks.price_depth = 0;
        }
        // No test is of use twice on a path, so no tree needs more levels than there are tests.
        expect_bounds(random, problem, options, Held::kBits,
                      any ? problem.columns : options.max_depth, counts);
    }
    if (!trials.complete()) return;
    expect_varied(counts, 100);
    EXPECT(counts.cancelled > 5);
    EXPECT(counts.shallow > 50 && counts.exact > 20 && counts.exact < counts.shallow);
    EXPECT(counts.open > 100 && counts.closed > 20);
}

/// Rows with numbers. Some have few different numbers, so that many trees cost the same.
std::vector<std::int64_t> random_values(testing::Random& random,
                                        const std::vector<std::int64_t>& weights) {
    const int different = random.below(2) ? 2 + random.below(3) : 1000;
    std::vector<std::int64_t> value;
    for (const std::int64_t weight : weights)
        value.push_back(weight * (random.below(different) - different / 2));
    return value;
}

/// Over sorted columns, for classes or for numbers.
void bounds_over_sorted_columns_hold(bool numbers, bool any) {
    Counts counts;
    testing::Trials trials(34 + 2 * numbers + any, 200);
    for (auto& [random, trial] : trials) {
        auto owned = testing::ranked_problem(random, 2 + random.below(any ? 8 : 22),
                                             1 + random.below(any ? 3 : 4), 2 + random.below(3),
                                             testing::kMaxWeights[trial % 4]);
        if (numbers) owned.value = random_values(random, owned.weight);
        const Problem problem = owned.view();
        Options options = testing::random_options(random, trial);
        choose_hooks(random, options);
        options.max_depth = 1 + random.below(5);
        options.any_depth = any;
        options.penalty *= numbers ? 1 + random.below(2000) : 1;
        if (any && options.penalty == 0) options.penalty = 1 + random.below(6);
        options.square_exponent = numbers ? random.below(12) - 4 : 0;
        options.hooks.form = "sorted";
        if (random.below(2)) options.hooks.coarse_cuts = 1 + random.below(3);
        // No tree has more levels than rows.
        expect_bounds(random, problem, options, Held::kSorted,
                      any ? static_cast<int>(problem.rows) : options.max_depth, counts);
    }
    if (trials.complete()) expect_varied(counts, 50);
}

/// Over groups of equal rows, which are ranks or zeros and ones.
void bounds_over_groups_hold() {
    Counts counts;
    testing::Trials trials(38, 600);
    for (auto& [random, trial] : trials) {
        const bool ranks = random.below(4) == 0;
        const int rows = 2 + random.below(ranks ? 20 : 40), heaviest = random.below(3) ? 1 : 9;
        auto ranked = testing::ranked_problem(random, rows, 1 + random.below(4), 2, heaviest);
        auto binary = testing::random_problem(random, rows, 1 + random.below(12), 2, heaviest);
        copy_columns(random, binary);
        ranked.value = random_values(random, ranked.weight);
        const auto values = random_values(random, binary.weight);
        Problem problem = ranked.view();
        if (!ranks) {
            problem = binary.view();
            problem.label = nullptr;
            problem.classes = 0;
            problem.value = values.data();
        }
        Options options = testing::random_options(random, trial);
        choose_hooks(random, options);
        options.max_depth = 1 + random.below(5);
        options.penalty *= 1 + random.below(2000);
        options.square_exponent = random.below(12) - 4;
        options.leaf_weight = true;  // else weighted rows cannot be held as groups
        options.hooks.form = "grouped";
        expect_bounds(random, problem, options, Held::kGrouped, options.max_depth, counts);
    }
    if (!trials.complete()) return;
    expect_varied(counts, 100);
    for (const int paths : counts.way) EXPECT(paths > 5);
}

/// A path has no more tests than trees have levels, and the search knows all of them.
void wrong_paths_are_refused() {
    testing::OwnedProblem owned;
    owned.features = {0, 0, 0, 0, 0, 1, 1, 1, 0, 1, 1, 1};  // the second column is the first
    owned.label = {0, 1, 1, 0};
    owned.weight = {1, 1, 1, 1};
    owned.columns = 3;
    const std::vector<std::int64_t> value = {4, 1, 3, 0};
    for (const bool numbers : {false, true}) {
        Problem problem = owned.view();
        if (numbers) {
            problem.label = nullptr;
            problem.classes = 0;
            problem.value = value.data();
        }
        Options options;
        options.max_depth = 1;
        const auto search = make_search(problem, options);
        search->run();
        const auto refused = [&](const Path& path, const std::string& what) {
            try {
                search->prove(path, 1, kForever);
            } catch (const std::logic_error& error) {
                return std::string(error.what()).find(what) != std::string::npos;
            }
            return false;
        };
        EXPECT(!refused({{0, false}}, ""));
        EXPECT(refused({{0, false}, {2, false}}, "the path is longer than trees are deep"));
        EXPECT(refused({{1, false}}, numbers ? "dropped" : "does not have"));
    }
}

}  // namespace

int main() {
    for (const Depth depth : {Depth::kLimited, Depth::kPriced, Depth::kAny})
        bounds_over_bits_hold(depth);
    for (const bool numbers : {false, true})
        for (const bool any : {false, true}) bounds_over_sorted_columns_hold(numbers, any);
    bounds_over_groups_hold();
    wrong_paths_are_refused();
    return testing::report();
}
