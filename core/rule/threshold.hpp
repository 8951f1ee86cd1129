// A rule that compares a number with a threshold: the paper's two types (state, rule) and five
// functions, and what the search needs to remember of them.
//
// A measure is one file (see discrepancy.hpp) with
// - kName;
// - kAdds: whether the cost adds up along the path;
// - kClosesNodes: whether a pruned node becomes a leaf, or the split to it is skipped;
// - cost(context): of a node, or of the split that leads to it;
// - round(threshold): down to what costs can be.
// The rule prunes where the (added) cost exceeds the threshold, so that the state of what was
// skipped is also the smallest threshold that admits it.
#pragma once

#include <algorithm>
#include <array>
#include <limits>

#include "data/stream.hpp"
#include "rule/node_context.hpp"

namespace beamtree {

/// How a threshold starts, what a step of the schedule adds, and where it ends.
struct ThresholdRange {
    double start = 0;
    double unit = 1;
    double limit = std::numeric_limits<double>::infinity();
};

inline constexpr int kMaxRuleParts = 4;
/// How far a rule lets the search go below a node, by its parts: what a memo remembers.
using Reach = std::array<double, kMaxRuleParts>;

template <class Measure>
class Threshold {
  public:
    using State = double;
    static constexpr bool kPrunes = true;
    static constexpr bool kWholeContext = Measure::kClosesNodes;

    explicit Threshold(const ThresholdRange& range)
        : range_(range), raw_(range.start), threshold_(Measure::round(range.start)) {}

    State initial_state(const NodeContext& root) const {
        return Measure::kClosesNodes ? Measure::cost(root) : 0;
    }
    State update(State parent, const NodeContext& child) const {
        return (Measure::kAdds ? parent : 0) + Measure::cost(child);
    }
    bool prune_split(State child) const { return !Measure::kClosesNodes && child > threshold_; }
    bool prune_node(State node) const { return Measure::kClosesNodes && node > threshold_; }
    /// One step of the schedule. False: the limit admits nothing of what was skipped.
    bool relax(double step) {
        raw_ = std::min(raw_ + range_.unit * step, range_.limit);
        threshold_ = Measure::round(raw_);
        return skipped_ <= range_.limit;
    }
    State terminal_state(State state) const { return state; }

    double threshold() const { return raw_; }
    /// Makes a relaxed rule admit the least that was skipped, however small its unit.
    void admit() { threshold_ = raw_ = std::max(raw_, std::min(skipped_, range_.limit)); }
    bool skipped_any() const { return skipped_ < kNothing; }
    bool admits_skipped() const { return skipped_ <= threshold_; }
    void forget_skipped() { skipped_ = kNothing; }

    Reach reach(State node) const { return {threshold_ - base(node)}; }
    static bool covers(const Reach& explored, const Reach& reach) {
        return explored[0] >= reach[0];
    }
    /// Notes what was skipped; returns the threshold that would admit it.
    Reach skip(State skipped) {
        skipped_ = std::min(skipped_, skipped);
        return {skipped};
    }
    /// The reach at a node that stands for a threshold.
    Reach need(State node, const Reach& value) const { return {value[0] - base(node)}; }
    /// Notes again what was skipped below a node when it was explored with the same reach.
    Reach skip_again(State node, const Reach& need) { return skip(base(node) + need[0]); }
    /// A state from which more units are left than from the start.
    State ahead(State state, double units) const {
        return Measure::kAdds ? state - units * range_.unit : state;
    }
    /// For another thread of the same pass, and what that skipped.
    static constexpr bool can_fork() { return true; }
    Threshold fork() const { return *this; }
    void absorb(const Threshold& other) { skipped_ = std::min(skipped_, other.skipped_); }
    void save(Writer& writer) const {
        for (const double value : {raw_, threshold_, skipped_}) writer.put(value);
    }
    void load(Reader& reader) {
        for (double* value : {&raw_, &threshold_, &skipped_})
            *value = reader.get_in(0.0, kNothing, "a threshold of");
    }
    static constexpr Reach nothing_needed() { return {kNothing}; }
    static Reach least(const Reach& a, const Reach& b) { return {std::min(a[0], b[0])}; }

  private:
    static constexpr double kNothing = std::numeric_limits<double>::infinity();

    static double base(State state) { return Measure::kAdds ? state : 0; }

    ThresholdRange range_;
    double raw_, threshold_;
    double skipped_ = kNothing;
};

}  // namespace beamtree
