// The search at a price per leaf, for trees of any depth or of a depth that hardly matters.
//
// Priced passes (price/price_pass.hpp) prove the optimum, and take turns with the restarts under
// the rule, which find good trees of limited depth early. The first priced passes ask for the proof
// at once, which ends most searches. Later ones are probes with a growing target, so that the lower
// bound rises.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "price/price_pass.hpp"
#include "search/algorithm.hpp"
#include "search/probing.hpp"
#include "search/restarts.hpp"

namespace beamtree {

class PriceSearch final : public Algorithm {
  public:
    /// `restarts` may be null.
    PriceSearch(const SearchParts& parts, std::unique_ptr<Restarts<BitForm>> restarts);

    bool advance(std::int64_t work) override;
    Status status() const override { return status_; }
    void save(Writer& writer) const override;
    void load(Reader& reader) override;

  private:
    bool restarts_turn() const;
    void probe();
    PassEnd run(const Node& node, int depth, int level, const Question& question);
    Facts repair(const Node& node, int depth, int level, Cost upper);
    void learn(const PassEnd& end);

    const Node& root_;
    Workers& workers_;
    Workspace& work_;
    Limits& limits_;
    Incumbent& incumbent_;
    std::unique_ptr<Restarts<BitForm>> restarts_;
    TaskBoard* board_;                 ///< if there is one, all turns are priced passes
    int depth_;                        ///< limit of depth, or kAnyDepth if it does not matter
    std::vector<PriceLevels> levels_;  ///< by thread
    Probing probing_;
    std::int64_t price_work_ = 0, restart_work_ = 0;
    int lost_trees_ = 0;  ///< found, but evicted before they were put together
    bool restarts_ended_ = false;
    Status status_ = Status::kRunning;
};

}  // namespace beamtree
