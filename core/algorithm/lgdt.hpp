// LGDT (Kiossou 2024): a greedy tree that looks one level further.
//
// Every node takes the first split of its best tree of two levels (of equal ones the first), even
// if that tree is no better than a leaf. The last two levels take the whole tree. Splits that do
// not lower the cost are removed.
#pragma once

#include "data/tree.hpp"
#include "search/algorithm.hpp"

namespace beamtree {

class Lgdt final : public Algorithm {
  public:
    static constexpr const char* kName = "lgdt";
    static constexpr int kLevels = 2;  ///< levels of the trees that choose a split

    /// Kernels must solve two levels.
    explicit Lgdt(const SearchParts& parts)
        : root_(parts.root),
          work_(parts.workers[0]->work),
          ranking_(parts.workers[0]->ranking),
          limits_(parts.limits),
          incumbent_(parts.incumbent) {}

    /// Grows the tree. The limits are looked at between nodes; if they stop it, the remaining nodes
    /// become leaves, and the next call grows the tree anew.
    bool advance(std::int64_t work) override;
    /// kRuleLimit once the tree has grown: the algorithm looks at no other.
    Status status() const override { return status_; }
    void save(Writer&) const override {}
    void load(Reader&) override {}

  private:
    /// Appends the subtree of a node, and returns its cost.
    Cost grow(const Node& node, int depth, Tree& tree);
    /// Appends a split by a feature of the dataset and its two sides, and returns their cost.
    Cost split(const Node& node, int depth, int feature, Tree& tree);

    const Node& root_;
    Workspace& work_;
    Ranking& ranking_;
    Limits& limits_;
    Incumbent& incumbent_;
    Status status_ = Status::kRunning;
};

}  // namespace beamtree
