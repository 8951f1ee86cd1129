// Coarse to fine: early trees for a search over all thresholds.
//
// A search over sorted columns can prove what is best among millions of thresholds, but its first
// passes are slow on many rows. A search over a few thresholds of each order, in columns of bits,
// finds good trees in a fraction of the time. So the two take turns: whenever the coarse search
// finds a better tree, that tree is offered to the incumbent. Its last two levels are then solved
// again over all thresholds, unless that has taken too much of the work so far. The coarse search
// proves nothing about all thresholds, so its turns become rarer and end.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "data/problem.hpp"
#include "search/algorithm.hpp"
#include "search/bit_body.hpp"
#include "search/incumbent.hpp"
#include "sorted/sorted_data.hpp"

namespace beamtree {

/// A problem with some of the cuts of another one.
class CoarseProblem {
  public:
    /// Takes at most `cuts` cuts of every order, at quantiles of the rows.
    CoarseProblem(const Problem& problem, const SortedData& data, int cuts);
    CoarseProblem(const CoarseProblem&) = delete;
    CoarseProblem& operator=(const CoarseProblem&) = delete;

    const Problem& problem() const { return problem_; }
    /// Returns a tree of this problem as a tree of the other one.
    Tree fine(Tree tree) const;

  private:
    std::vector<std::uint32_t> rank_;
    Ranks ranks_;
    std::vector<std::int32_t> test_;  ///< (tests,) their numbers in the other problem
    Problem problem_;
};

/// Gives a tree of the coarse search to the incumbent; with `refine`, its last levels are solved
/// again first.
using OfferTree = std::function<void(const Tree& tree, bool refine)>;

class CoarseToFine final : public Algorithm {
  public:
    /// References must outlive this object. `options.memory` is what the coarse search may use
    /// beside its rows.
    CoarseToFine(const Problem& problem, const SortedData& data, const Objective& objective,
                 const Options& options, Limits& limits, Heuristic heuristic,
                 MakeAlgorithm<BitForm> make, std::unique_ptr<Algorithm> fine, OfferTree offer);

    bool advance(std::int64_t work) override;
    Status status() const override { return fine_->status(); }
    void save(Writer& writer) const override;
    void load(Reader& reader) override;

  private:
    /// The coarse search, which has an incumbent of its own.
    struct Coarse {
        explicit Coarse(const CoarseToFine& owner);

        CoarseProblem problem;
        BitBody body;
        Incumbent incumbent;
        std::unique_ptr<Algorithm> algorithm;
    };

    /// Whether the next turn is the coarse search's.
    bool coarse_turn() const;
    bool advance_coarse(std::int64_t work);
    void refine();
    void end_coarse();
    /// Whether the memory limit leaves anything for the coarse search.
    bool has_memory() const { return options_.memory > 0; }

    const Problem& problem_;
    const SortedData& data_;
    const Objective& objective_;
    Options options_;
    Limits& limits_;
    Heuristic heuristic_;
    MakeAlgorithm<BitForm> make_;
    std::unique_ptr<Algorithm> fine_;
    OfferTree offer_;
    std::unique_ptr<Coarse> coarse_;  ///< null before its first turn, and when it has ended
    bool coarse_ended_ = false;
    bool refined_ = true;  ///< whether the last tree of the coarse search was refined
    std::int64_t coarse_work_ = 0, fine_work_ = 0, refine_work_ = 0;
};

}  // namespace beamtree
