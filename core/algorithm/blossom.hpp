// Blossom (Demirovic, Hebrard and Jean, ICML 2023): an anytime search that keeps one tree and
// changes it from below.
//
// A leaf that may still be split is a bud. While there are buds, the one nearest to the root is
// expanded, that is, split by its feature of the largest information gain. So the first complete
// tree is the greedy one. When no bud is left, the search returns to the branch that was expanded
// last: it keeps the best subtree so far and splits by the next feature. A branch that has no
// feature left is settled. By then all branches below it are settled, so nothing is lost.
//
// A branch is not expanded, and not split again, if its lower bound reaches the cost that a subtree
// must stay below to be of use: the cost of its own best subtree, and of the best subtrees of the
// branches above less the lower bounds of the siblings on the way. The authors' bounds are 0 and
// the errors of settled branches. Ours add the penalty, and the rows that are equal but of
// different classes if that option is on.
//
// As in the original there is no cache of covers. Kernels may solve the bottom levels; such a bud
// is settled at once. The state is one branch per node of the present tree. No function recurses
// with the search, so it can stop and go on anywhere.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "data/tree.hpp"
#include "search/algorithm.hpp"

namespace beamtree {

class Blossom final : public Algorithm {
  public:
    static constexpr const char* kName = "blossom";

    explicit Blossom(const SearchParts& parts);

    /// Goes on to the next complete tree that costs less than the incumbent, or to the proof.
    bool advance(std::int64_t work) override;
    Status status() const override { return Status::kRunning; }  ///< it always ends with a proof
    /// Nothing: a search that was saved begins again, below the cost of its best tree.
    void save(Writer&) const override {}
    void load(Reader&) override {}

  private:
    static constexpr int kNone = -1;

    /// A node of the present tree.
    struct Branch {
        const Node* node = nullptr;
        std::unique_ptr<Node> own;  ///< owns `node`, unless it is the root
        int depth = 0;              ///< levels of splits that are left
        int parent = kNone;
        /// Places in the node of the features that can split it, best first.
        std::vector<int> order;
        std::size_t next = 0;  ///< index in `order` of the next feature to try
        int split = kLeaf;  ///< present split, a feature of the dataset; a kernel may have found it
        int child[2] = {kNone, kNone};
        bool settled = false;
        Cost lower = 0;              ///< lower bound of all subtrees
        Cost least = kInfiniteCost;  ///< smallest lower bound of the splits that were tried
        Cost best = kInfiniteCost;   ///< cost of the best subtree so far
        Cost kept = kInfiniteCost;   ///< cost of the subtree that is kept
        Tree tree;                   ///< the subtree that is kept; empty for a leaf
    };

    // The steps of the search. A step that is stopped has no effect and is repeated later.
    void expand();
    void branch();
    void retire();
    bool record(Tree& found);

    /// Whether the branch that was expanded last has no split at present.
    bool open() const { return !path_.empty() && at(path_.back()).child[0] == kNone; }
    /// Solves a bud by a kernel, or sorts the features of a branch. Returns false if stopped.
    bool solve_bottom(Branch& bud, Cost goal);
    bool rank(Branch& bud);
    /// Makes one side of feature `f` of a branch. The side must not be used if the search was
    /// stopped.
    std::unique_ptr<Branch> make_side(const Branch& parent, int f, bool one, const CoverHash& hash);
    /// Sets the costs and the bound of a new leaf, and settles it if it cannot be split.
    void begin(Branch& leaf) const;
    void settle(Branch& branch) const;
    /// The cost below which a subtree of the branch is of use.
    Cost goal(int index) const;
    /// Updates the best costs of a branch and of those above after a subtree has improved.
    void spread(int index);
    Cost split_lower(const Branch& branch) const;
    /// The lower bound of the root that follows from the splits that were tried.
    Cost proved() const;
    /// Appends the best subtree of a branch. Returns false if stopped.
    bool append(int index, Tree& tree) const;
    int add(std::unique_ptr<Branch> branch);
    void remove(int index);
    Branch& at(int index) { return *branches_[index]; }
    const Branch& at(int index) const { return *branches_[index]; }

    const Node& root_;
    Workspace& work_;
    Ranking& ranking_;
    Limits& limits_;
    Incumbent& incumbent_;
    std::vector<std::unique_ptr<Branch>> branches_;  ///< the first is the root
    std::vector<int> free_;                          ///< unused places in branches_
    std::deque<int> buds_;                           ///< nearest to the root first
    std::vector<int> path_;                          ///< expanded and not settled, in that order
    Cost bound_ = kInfiniteCost;                     ///< cost of the incumbent
    std::int64_t steps_ = 0;                         ///< number of steps that took effect
    std::size_t bytes_ = 0;
    std::vector<std::int64_t> gain_;
    std::vector<bool> splits_;
};

}  // namespace beamtree
