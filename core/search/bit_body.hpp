// The rows of a search as columns of bits, one per test, with the tables and threads for them.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "data/dataset.hpp"
#include "data/problem.hpp"
#include "kernel/kernel.hpp"
#include "pass/passes.hpp"
#include "price/price_pass.hpp"
#include "search/body.hpp"
#include "search/memory_plan.hpp"

namespace beamtree {

/// Makes an algorithm from the parts of a search.
template <class Form>
using MakeAlgorithm = std::function<std::unique_ptr<Algorithm>(const PartsOf<Form>&)>;

class BitBody final : public Body {
  public:
    /// All arguments must outlive the body. `show_rows`: rules see the number of rows of a node.
    BitBody(const Problem& problem, const Misclassification& objective, const Options& options,
            Limits& limits, Heuristic heuristic, bool show_rows, MakeAlgorithm<BitForm> algorithm);

    Cost offset() const override { return data_.offset(); }
    Cost leaf_cost() const override { return objective_.leaf_cost(root_.sums); }
    bool fits() const override { return plan_.fits; }
    std::unique_ptr<Algorithm> make_algorithm(Incumbent& incumbent, TaskBoard* board) override;
    std::unique_ptr<Shrinking> make_shrinking(Incumbent& incumbent) override;
    std::vector<GrownTree> grow_greedy() override;
    Cost grow_offered(const Tree& offered, Tree& tree) override;
    std::vector<Alternative> alternatives(const Incumbent& incumbent, double seconds) override;
    Cost prove(const Path& path, Cost bound) override;
    std::optional<ShallowBound> shallow_bound(const Path& path, Cost bound) override;
    Facts solve(const Task& task, Tree& tree) override;
    void take_learned(Learned& all) override {
        log_of(workers_, all);
        log_of(shared_.cells, all);
    }
    void merge_learned(const Learned& learned) override {
        merge(learned, shared_.cache);
        merge(learned, shared_.cells);
    }
    Statistics statistics() const override;
    void set_statistics(const Statistics& statistics) override;
    std::size_t bytes() const override { return shared_.cache.bytes(); }
    void save(Writer& writer) const override;
    void load(Reader& reader) override;

  private:
    const Problem& problem_;
    const Misclassification& objective_;
    const Options& options_;
    Limits& limits_;
    Kernel kernel_;
    Dataset data_;
    Node root_;
    MemoryPlan plan_;
    Shared shared_;
    Workers workers_;
    PriceLevels price_levels_;  ///< for proofs at a price per leaf
    MakeAlgorithm<BitForm> algorithm_;
};

}  // namespace beamtree
