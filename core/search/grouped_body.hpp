// The rows of a search as groups of equal rows, with the tables and threads for them.
#pragma once

#include <memory>
#include <vector>

#include "grouped/grouped_form.hpp"
#include "search/bit_body.hpp"
#include "search/body.hpp"

namespace beamtree {

/// Whether a search for numbers can hold its rows as groups of equal rows: their sums must be small
/// enough, there must not be too many tests, and rows of any weight must not be counted one by one,
/// nor trees have any depth.
bool can_group(const Targets& targets, int tests, const Options& options);

/// How a search divides the memory that it may use beside its data.
struct GroupedPlan {
    int threads = 1;
    bool fits = true;  ///< whether one thread has enough
    TableBytes tables;
};

class GroupedBody final : public Body {
  public:
    /// All arguments must outlive the body. The problem must have numbers that can be packed.
    GroupedBody(const Problem& problem, const SquaredError& objective, const Options& options,
                Limits& limits, Heuristic heuristic, MakeAlgorithm<GroupedForm> algorithm);

    Cost offset() const override { return data_.offset(); }
    Cost leaf_cost() const override { return objective_.leaf_cost(root_.sums); }
    bool fits() const override { return plan_.fits; }
    std::unique_ptr<Algorithm> make_algorithm(Incumbent& incumbent, TaskBoard* board) override;
    std::unique_ptr<Shrinking> make_shrinking(Incumbent& incumbent) override;
    std::vector<GrownTree> grow_greedy() override;
    Cost grow_offered(const Tree& offered, Tree& tree) override;
    std::vector<Alternative> alternatives(const Incumbent& incumbent, double seconds) override;
    Cost prove(const Path& path, Cost bound) override;
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
    Facts known_of(const CoverHash& hash, const TreeSize& size);

    const Problem& problem_;
    const SquaredError& objective_;
    const Options& options_;
    Limits& limits_;
    Kernel kernel_;
    GroupedData data_;
    GroupedNode root_;
    GroupedPlan plan_;
    GroupedShared shared_;
    WorkersOf<GroupedForm> workers_;
    MakeAlgorithm<GroupedForm> algorithm_;
};

}  // namespace beamtree
