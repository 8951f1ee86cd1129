// The part of a search that depends on the form in which it holds its rows: the rows themselves,
// the tables and threads that work on them, the first trees, and the algorithm.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "check/grown_tree.hpp"
#include "data/stream.hpp"
#include "data/tree.hpp"
#include "options/statistics.hpp"
#include "price/price_pass.hpp"
#include "search/algorithm.hpp"
#include "search/incumbent.hpp"
#include "search/outcome.hpp"
#include "search/prove.hpp"
#include "search/smallest.hpp"
#include "tasks/fact_log.hpp"
#include "tasks/task_board.hpp"

namespace beamtree {

class Body {
  public:
    virtual ~Body() = default;
    /// The cost of cancelled rows, which is part of the cost of every tree.
    virtual Cost offset() const = 0;
    /// The cost of a single leaf.
    virtual Cost leaf_cost() const = 0;
    /// Whether the memory limit leaves room for a search.
    virtual bool fits() const = 0;
    /// Makes the algorithm, which refers to this object and to the incumbent. `board` is null if
    /// the search does all its work itself.
    virtual std::unique_ptr<Algorithm> make_algorithm(Incumbent& incumbent, TaskBoard* board) = 0;
    /// Makes the search for smaller trees of least cost.
    virtual std::unique_ptr<Shrinking> make_shrinking(Incumbent& incumbent) = 0;
    /// Grows the greedy trees.
    virtual std::vector<GrownTree> grow_greedy() = 0;
    /// Writes a tree that the caller offers, without splits that are not allowed or do not lower
    /// the cost, and returns its cost.
    virtual Cost grow_offered(const Tree& offered, Tree& tree) = 0;
    /// What is known of the trees that begin with each test; spends at most `seconds` on it.
    virtual std::vector<Alternative> alternatives(const Incumbent& incumbent, double seconds) = 0;
    /// See prove.hpp.
    virtual Cost prove(const Path& path, Cost bound) = 0;
    /// Solves a task of another process, and sets the tree of the answer if there is one that is
    /// better than a leaf.
    virtual Facts solve(const Task& task, Tree& tree) = 0;
    /// Moves what was learned since the last call to the end of `all`.
    virtual void take_learned(Learned& all) = 0;
    /// Takes over what another search has learned. From any thread, if there are several.
    virtual void merge_learned(const Learned& learned) = 0;
    /// See ShallowBound. Nothing if this form has no such bounds, or if the search was stopped.
    virtual std::optional<ShallowBound> shallow_bound(const Path&, Cost) { return {}; }
    /// The counters of all threads, and of the tables.
    virtual Statistics statistics() const = 0;
    virtual void set_statistics(const Statistics& statistics) = 0;
    /// Size of the cache.
    virtual std::size_t bytes() const = 0;
    virtual void save(Writer& writer) const = 0;
    virtual void load(Reader& reader) = 0;
};

}  // namespace beamtree
