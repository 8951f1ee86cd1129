// A rule that compares a number, its state, with a threshold. All built-in rules are of this kind;
// they differ in the measure of the number. See rule.hpp for the contract of a rule.
//
// A measure is one file (see discrepancy.hpp) with
// - kName: the name of the rule in options, in Python and in the documentation;
// - kUsualRange: the range of thresholds that the Python class has by default;
// - kAdds: whether the costs of the splits on a path are added up;
// - kReadsGain: whether the cost depends on the gain of a split;
// - kClosesNodes: whether a pruned node becomes a leaf; otherwise the split to it is skipped;
// - cost(context): the cost of a node, or of the split that leads to it;
// - round(threshold): the largest cost that a threshold admits.
// The rule prunes where the (added) cost exceeds the threshold. So the state of what was skipped is
// also the smallest threshold that admits it.
#pragma once

#include <algorithm>
#include <limits>

#include "rule/rule.hpp"

namespace beamtree {

/// The first threshold, what one step of the schedule adds to it, and the largest threshold.
struct ThresholdRange {
    double start = 0;
    double unit = 1;
    double limit = std::numeric_limits<double>::infinity();
};

template <class Measure>
class Threshold {
  public:
    using State = double;
    static constexpr bool kPrunes = true;
    static constexpr bool kWholeContext = Measure::kClosesNodes;
    static constexpr bool kReadsGain = Measure::kReadsGain;

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
    /// Adds one step of the schedule. Returns false if the limit admits nothing that was skipped.
    bool relax(double step) {
        raw_ = std::min(raw_ + range_.unit * step, range_.limit);
        threshold_ = Measure::round(raw_);
        return skipped_ <= range_.limit;
    }
    void note_solved(State) const {}

    double threshold() const { return raw_; }
    void admit() { threshold_ = raw_ = std::max(raw_, std::min(skipped_, range_.limit)); }
    bool skipped_any() const { return skipped_ < kNothing; }
    bool admits_skipped() const { return skipped_ <= threshold_; }
    void forget_skipped() { skipped_ = kNothing; }

    Reach reach(State node) const { return {threshold_ - base(node)}; }
    static bool covers(const Reach& explored, const Reach& reach) {
        return explored[0] >= reach[0];
    }
    Reach skip(State skipped) {
        skipped_ = std::min(skipped_, skipped);
        return {skipped};
    }
    Reach need(State node, const Reach& value) const { return {value[0] - base(node)}; }
    Reach skip_again(State node, const Reach& need) { return skip(base(node) + need[0]); }
    State ahead(State state, double units) const {
        return Measure::kAdds ? state - units * range_.unit : state;
    }
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

    /// What the path to a node has used up of the threshold.
    static double base(State state) { return Measure::kAdds ? state : 0; }

    ThresholdRange range_;
    double raw_, threshold_;     ///< before and after rounding
    double skipped_ = kNothing;  ///< the smallest state that was skipped
};

}  // namespace beamtree
