// LGDT (Kiossou 2024): a greedy tree that looks one level further.
//
// Every node takes the first split of its best tree of two levels (ties by index), also where that
// tree is no better than a leaf; the last two levels take it whole. What does not pay is cut back.
#pragma once

#include <limits>

#include "data/tree.hpp"
#include "pass/passes.hpp"

namespace beamtree {

class Lgdt final : public Passes {
  public:
    static constexpr const char* kName = "lgdt";
    static constexpr int kLevels = 2;  ///< of the trees it looks at

    /// Uses the first worker. Kernels must solve two levels.
    explicit Lgdt(Workers& workers) : work_(workers[0]->work), ranking_(workers[0]->ranking) {}

    /// Grows the tree. The limits are looked at between nodes: the rest are leaves then.
    PassEnd run(const Node& root, int depth, const Question& question) override;
    /// All but one tree, for good.
    bool skipped_any() const override { return true; }
    bool relax(Schedule&) override { return false; }
    void start_at(double) override {}
    double threshold() const override { return std::numeric_limits<double>::infinity(); }
    bool prunes() const override { return false; }
    void save(Writer&) const override {}
    void load(Reader&) override {}

  private:
    /// Appends the subtree of a node, and returns its cost.
    Cost grow(const Node& node, int depth, Tree& tree);
    /// The same below a feature.
    Cost split(const Node& node, int depth, int feature, Tree& tree);

    Workspace& work_;
    Ranking& ranking_;
};

}  // namespace beamtree
