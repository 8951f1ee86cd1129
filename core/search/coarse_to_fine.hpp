// Coarse to fine: early trees for a search over all thresholds.
//
// A search over sorted columns can prove what is best among millions of thresholds, but its first
// passes are slow on many rows. A search over a few thresholds of each order finds good trees in a
// fraction of the time. It holds its rows as columns of bits or, if numbers are predicted, as
// groups of equal rows. So the two take turns: whenever the coarse search finds a better tree, that
// tree is offered to the incumbent. It is then refined over all thresholds, unless that has taken
// too much of the work so far.
//
// The coarse search runs in *coarse rounds*, which differ in their thresholds. A round that finds
// nothing new for a while makes room for the next one. Every second round is *fresh*: it searches
// all rows, and knows no tree. The others search the incumbent's tree again, or one of its subtrees
// over the rows that reach it; they have the thresholds of that tree among theirs, and start from
// it.
//
// The coarse search proves nothing about all thresholds, so its turns become rarer and end.
#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <memory>
#include <type_traits>
#include <vector>

#include "data/problem.hpp"
#include "search/algorithm.hpp"
#include "search/bit_body.hpp"
#include "search/coarse_problem.hpp"
#include "search/grouped_body.hpp"
#include "search/incumbent.hpp"
#include "sorted/sorted_data.hpp"

namespace beamtree {

/// Gives a tree to the incumbent; with `refine`, it is improved over all thresholds first.
using OfferTree = std::function<void(const Tree& tree, bool refine)>;

/// Objectives that have a coarse search.
template <class O>
concept CoarseObjective = std::same_as<O, Misclassification> || std::same_as<O, SquaredError>;

/// The form of the coarse search, and its body.
template <SearchObjective O>
using CoarseForm = std::conditional_t<std::same_as<O, SquaredError>, GroupedForm, BitForm>;
template <SearchObjective O>
using CoarseBody = std::conditional_t<std::same_as<O, SquaredError>, GroupedBody, BitBody>;

template <CoarseObjective O>
class CoarseToFine final : public Algorithm {
  public:
    /// References must outlive this object. `options.memory` is what the coarse search may use
    /// beside its rows. `incumbent` is the one that gets the offered trees.
    CoarseToFine(const Problem& problem, const SortedData& data, const O& objective,
                 const Options& options, Limits& limits, Heuristic heuristic,
                 MakeAlgorithm<CoarseForm<O>> make, std::unique_ptr<Algorithm> fine,
                 OfferTree offer, const Incumbent& incumbent);

    bool advance(std::int64_t work) override;
    Status status() const override { return fine_->status(); }
    void save(Writer& writer) const override;
    void load(Reader& reader) override;

  private:
    /// What a round searches, and how it goes.
    struct Round {
        std::int64_t number = -1;
        Tree tree;          ///< the incumbent's tree when the round began
        int at = 0;         ///< the node of this tree whose subtree is searched
        bool fresh = true;  ///< whether the round knows no tree
        /// The coarse search's work when the round began, and when the incumbent last improved.
        std::int64_t began = 0, improved = 0;
        bool refined = true;  ///< whether the last tree of the round was refined
    };
    /// The search of a round, which has an incumbent of its own.
    struct Coarse {
        Coarse(const CoarseToFine& owner, const std::vector<int>& rows, const CutsOfOrders& cuts,
               int levels);

        Options options;
        CoarseProblem problem;
        CoarseBody<O> body;
        Incumbent incumbent;
        std::unique_ptr<Algorithm> algorithm;
    };

    /// Whether the next turn is the coarse search's.
    bool coarse_turn() const;
    bool advance_coarse(std::int64_t work);
    /// Whether the round has found nothing for so long that the next one should begin.
    bool out_of_patience() const;

    void start_round();
    /// Finds the next subtree of the round's tree that is worth a round. Returns false if there is
    /// none.
    bool choose_subtree();
    /// Makes the search of the round.
    void make_coarse();
    void take_first_trees();
    /// The most tests that a search over this number of rows may have.
    std::int64_t most_tests(std::int64_t rows) const;
    std::vector<int> rows_of_round() const;
    /// The number of levels that a node of the round's tree leaves below it.
    int levels_below(int at) const;
    /// (rows,) By these weights of the rows the cuts of the round are chosen.
    std::vector<double> cut_weights(const std::vector<int>& rows) const;
    void offer(bool refine);
    void end_coarse();
    /// Whether the memory limit leaves anything for the coarse search.
    bool has_memory() const { return options_.memory > 0; }

    const Problem& problem_;
    const SortedData& data_;
    const O& objective_;
    Options options_;
    Limits& limits_;
    Heuristic heuristic_;
    MakeAlgorithm<CoarseForm<O>> make_;
    std::unique_ptr<Algorithm> fine_;
    OfferTree offer_;
    const Incumbent& incumbent_;
    bool many_rounds_;  ///< whether there is more than one
    Round round_;
    std::unique_ptr<Coarse> coarse_;  ///< null before its first turn, and when it has ended
    bool coarse_ended_ = false;
    bool solved_ = false;           ///< whether the last fresh round found its own optimum
    std::int64_t subtrees_ = 0;     ///< how many rounds have searched subtrees
    std::int64_t improved_at_ = 0;  ///< all work when the incumbent last improved
    std::int64_t coarse_work_ = 0, fine_work_ = 0, refine_work_ = 0;
};

}  // namespace beamtree
