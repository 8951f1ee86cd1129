// No rule: the first pass is complete.
#pragma once

#include <limits>

#include "rule/rule.hpp"

namespace beamtree {

struct Complete {
    struct State {};
    static constexpr bool kPrunes = false;
    static constexpr bool kWholeContext = false;
    static constexpr bool kReadsGain = false;

    State initial_state(const NodeContext&) const { return {}; }
    State update(State, const NodeContext&) const { return {}; }
    bool prune_split(State) const { return false; }
    bool prune_node(State) const { return false; }
    bool relax(double) const { return false; }
    void note_solved(State) const {}

    double threshold() const { return std::numeric_limits<double>::infinity(); }
    void admit() const {}
    bool skipped_any() const { return false; }
    bool admits_skipped() const { return true; }
    void forget_skipped() const {}
    Reach reach(State) const { return nothing_needed(); }
    static bool covers(const Reach& explored, const Reach& reach) {
        return explored[0] >= reach[0];
    }
    Reach skip(State) const { return {}; }
    Reach need(State, const Reach& value) const { return value; }
    Reach skip_again(State, const Reach& need) const { return need; }
    State ahead(State state, double) const { return state; }
    static constexpr bool can_fork() { return true; }
    Complete fork() const { return *this; }
    void absorb(const Complete&) const {}
    void save(Writer&) const {}
    void load(Reader&) const {}
    static constexpr Reach nothing_needed() {
        Reach all{};
        all.fill(std::numeric_limits<double>::infinity());
        return all;
    }
    static Reach least(const Reach& a, const Reach&) { return a; }
};

}  // namespace beamtree
