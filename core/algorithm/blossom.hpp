// Blossom (Demirovic, Hebrard and Jean, ICML 2023): an anytime search that keeps one tree and
// changes it from below.
//
// A leaf that may still be split is a bud. While there are buds, the one nearest to the root is
// expanded: split by its feature of the largest information gain. So the first complete tree is the
// greedy one. When no bud is left the search goes back to the branch that was expanded last: the
// best subtree so far is kept, and the next feature takes its turn. A branch without a feature left
// is settled. By then the branches below a split are all settled, so that nothing is lost.
//
// A branch is not expanded, and not split again, if its lower bound reaches what it may cost: its
// own best subtree, or what the best subtrees of the branches above leave it beside those of its
// siblings' lower bounds. The authors' bounds are 0 and the errors of settled branches; ours are
// the same with the penalty, and with equal rows of different classes if that option is on.
//
// As in the original there is no cache of covers. Where kernels solve the bottom levels a bud is
// settled at once. The state is one branch for each node of the tree; no call nests with the
// search, so that it stops and goes on anywhere.
#pragma once

#include <cstdint>
#include <deque>
#include <limits>
#include <memory>
#include <vector>

#include "data/tree.hpp"
#include "pass/passes.hpp"

namespace beamtree {

class Blossom final : public Passes {
  public:
    static constexpr const char* kName = "blossom";

    /// Uses the first worker.
    explicit Blossom(Workers& workers) : work_(workers[0]->work), ranking_(workers[0]->ranking) {}

    /// Goes on to the next complete tree that costs less, to the proof, or until it is stopped.
    /// Always of the same root.
    PassEnd run(const Node& root, int depth, const Question& question) override;
    bool skipped_any() const override { return false; }
    bool relax(Schedule&) override { return false; }
    void start_at(double) override {}
    double threshold() const override { return std::numeric_limits<double>::infinity(); }
    bool prunes() const override { return false; }
    std::int64_t steps() const override { return steps_; }
    /// Nothing: a search that was saved begins again, below the cost of its best tree.
    void save(Writer&) const override {}
    void load(Reader&) override {}

  private:
    static constexpr int kNone = -1;

    /// A node of the present tree.
    struct Branch {
        const Node* node = nullptr;
        std::unique_ptr<Node> own;  ///< the same, unless it is the root
        int depth = 0;              ///< levels left
        int parent = kNone;
        std::vector<int> order;  ///< places of the features that can split it, best first
        std::size_t next = 0;    ///< of the features in order that were not tried
        int split = kLeaf;       ///< feature of the dataset: the present one, or that of the kernel
        int child[2] = {kNone, kNone};
        bool settled = false;
        Cost lower = 0;              ///< of all its subtrees
        Cost least = kInfiniteCost;  ///< of the lower bounds of the splits that were tried
        Cost best = kInfiniteCost;   ///< of the subtrees so far, the present one included
        Cost kept = kInfiniteCost;   ///< of the subtree that is kept
        Tree tree;                   ///< that one; empty: a leaf
    };

    // Each does nothing if it is stopped, and is done again.
    void expand();
    void branch();
    void retire();
    bool record(PassEnd& end);

    /// The branch that was expanded last has no split: the next feature's turn.
    bool open() const { return !path_.empty() && at(path_.back()).child[0] == kNone; }
    /// Solves a bud by a kernel, or puts the features of a branch in order. False: it was stopped.
    bool solve_bottom(Branch& bud, Cost goal);
    bool rank(Branch& bud);
    /// A side of a feature of a branch. None: it was stopped.
    std::unique_ptr<Branch> make_side(const Branch& parent, int f, bool one, const CoverHash& hash);
    /// What a leaf is known to cost, and whether it is settled.
    void begin(Branch& leaf) const;
    void settle(Branch& branch) const;
    /// A subtree of the branch is of use only if it costs less.
    Cost goal(int index) const;
    /// Tells the branches above of a better subtree below a split.
    void spread(int index);
    Cost split_lower(const Branch& branch) const;
    /// The lower bound of the root by what is proved of its splits.
    Cost proved() const;
    /// Appends the best subtree of a branch. False: it was stopped.
    bool append(int index, Tree& tree) const;
    int add(std::unique_ptr<Branch> branch);
    void remove(int index);
    Branch& at(int index) { return *branches_[index]; }
    const Branch& at(int index) const { return *branches_[index]; }

    Workspace& work_;
    Ranking& ranking_;
    std::vector<std::unique_ptr<Branch>> branches_;  ///< the first is the root
    std::vector<int> free_;                          ///< places in branches_
    std::deque<int> buds_;                           ///< nearest to the root first
    std::vector<int> path_;                          ///< expanded and not settled, in that order
    Cost bound_ = kInfiniteCost;                     ///< of the root
    std::int64_t steps_ = 0;
    std::size_t bytes_ = 0;
    std::vector<std::int64_t> gain_;
    std::vector<bool> splits_;
};

}  // namespace beamtree
