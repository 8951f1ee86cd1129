// The interface between a search and its algorithm. The search owns the data, the tables, the
// limits and the incumbent; the algorithm improves the incumbent. The estimator uses the restarts
// and the search at a price per leaf of this folder. Two others, for comparison, are in algorithm/.
#pragma once

#include "data/stream.hpp"
#include "limits/limits.hpp"
#include "node/node.hpp"
#include "pass/passes.hpp"
#include "search/incumbent.hpp"
#include "search/outcome.hpp"

namespace beamtree {

/// The parts of a search that its algorithm works with.
template <class Form>
struct PartsOf {
    const typename Form::Node& root;
    WorkersOf<Form>& workers;  ///< the first is the thread that runs the search
    Limits& limits;
    Incumbent& incumbent;
    int widest;  ///< width of the widest passes that fit into memory, see PassMode
    /// Passes of limited depth prove nothing above this cost if trees may have any depth.
    Cost most_lower = kInfiniteCost;
    bool alone = true;  ///< whether no other part of the search proves the optimum
    /// Where the proof is left to other processes; null if the search does all itself.
    TaskBoard* board = nullptr;
};
using SearchParts = PartsOf<BitForm>;

class Algorithm {
  public:
    virtual ~Algorithm() = default;
    /// Works until the incumbent improves, the limits stop it, a slice of its work is over, or
    /// nothing is left to do. A slice has at most about `work`, for algorithms that can pause. The
    /// next call goes on from there. Returns whether it has learned anything that the next call
    /// need not learn again.
    virtual bool advance(std::int64_t work) = 0;
    /// kRunning, or why it has come to its end without a proof.
    virtual Status status() const = 0;
    /// What it needs to go on in another process, besides the incumbent and the cache.
    virtual void save(Writer& writer) const = 0;
    virtual void load(Reader& reader) = 0;
};

}  // namespace beamtree
