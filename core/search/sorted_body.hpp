// The rows of a search as sorted columns, with the tables and threads for them.
#pragma once

#include <memory>
#include <vector>

#include "search/body.hpp"
#include "search/coarse_to_fine.hpp"
#include "sorted/sorted_form.hpp"

namespace beamtree {

/// How a search divides the memory that it may use beside its data.
struct SortedPlan {
    int threads = 1;
    /// For the cache and the coarse search; negative if not even one thread has enough.
    std::int64_t bytes_left = 0;
};

template <SearchObjective O>
class SortedBody final : public Body {
  public:
    /// All arguments must outlive the body. The problem must have ranks. `coarse` is used only by
    /// objectives that have a coarse search.
    SortedBody(const Problem& problem, const O& objective, const Options& options, Limits& limits,
               Heuristic heuristic, bool reads_gain, MakeAlgorithm<SortedForm<O>> algorithm,
               MakeAlgorithm<CoarseForm<O>> coarse);

    Cost offset() const override { return 0; }
    Cost leaf_cost() const override { return objective_.leaf_cost(root_.sums); }
    bool fits() const override { return plan_.bytes_left >= 0; }
    std::unique_ptr<Algorithm> make_algorithm(Incumbent& incumbent, TaskBoard* board) override;
    std::unique_ptr<Shrinking> make_shrinking(Incumbent& incumbent) override;
    std::vector<GrownTree> grow_greedy() override;
    Cost grow_offered(const Tree& offered, Tree& tree) override;
    std::vector<Alternative> alternatives(const Incumbent& incumbent, double seconds) override;
    Cost prove(const Path& path, Cost bound) override;
    Facts solve(const Task& task, Tree& tree) override;
    void take_learned(Learned& all) override { log_of(workers_, all); }
    void merge_learned(const Learned& learned) override { merge(learned, shared_.cache); }
    Statistics statistics() const override;
    void set_statistics(const Statistics& statistics) override;
    std::size_t bytes() const override { return shared_.cache.bytes(); }
    void save(Writer& writer) const override;
    void load(Reader& reader) override;

  private:
    Cost grow(const SortedNode<O>& node, int depth, const Tree& offered, int from, bool refine,
              Tree& tree);
    Cost grow_refined(const Tree& offered, Tree& tree);
    bool starts_coarse() const;
    std::unique_ptr<Algorithm> start_coarse(std::unique_ptr<Algorithm> fine, Incumbent& incumbent)
        requires CoarseObjective<O>;
    std::vector<OrderScore> root_scores(double seconds);

    const Problem& problem_;
    const O& objective_;
    const Options& options_;
    Limits& limits_;
    Kernel kernel_;
    SortedData data_;
    SortedNode<O> root_;
    SortedPlan plan_;
    SortedShared<O> shared_;
    WorkersOf<SortedForm<O>> workers_;
    Heuristic heuristic_;
    MakeAlgorithm<SortedForm<O>> algorithm_;
    MakeAlgorithm<CoarseForm<O>> coarse_;
};

}  // namespace beamtree
