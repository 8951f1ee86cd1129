// Several rules that prune together: prunes where one of them does, and relaxes all of them. The
// paper proposes Gain with Discrepancy as future work. Its parts are behind one interface, AnyRule,
// which rules written in Python implement, too.
#pragma once

#include <array>
#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

#include "rule/threshold.hpp"

namespace beamtree {

/// A rule whose type is not known at compile time. See rule.hpp for the functions. States are
/// numbers; a rule whose states are of another kind numbers them.
class AnyRule {
  public:
    virtual ~AnyRule() = default;
    virtual double initial_state(const NodeContext& root) = 0;
    virtual double update(double parent, const NodeContext& child) = 0;
    virtual bool prune_split(double child) = 0;
    virtual bool prune_node(double node) = 0;
    virtual bool relax(double step) = 0;
    virtual void note_solved(double) {}

    virtual double threshold() const = 0;
    virtual void admit() = 0;
    virtual bool skipped_any() const = 0;
    virtual bool admits_skipped() = 0;
    virtual void forget_skipped() = 0;
    virtual double reach(double node) = 0;
    virtual bool covers(double explored, double reach) const = 0;
    virtual double skip(double skipped) = 0;
    virtual double need(double node, double value) const = 0;
    virtual double skip_again(double node, double need) = 0;
    virtual double ahead(double state, double units) const = 0;

    /// A copy for another thread of the same pass. By default a rule has no copies, and its passes
    /// run on one thread.
    virtual std::shared_ptr<AnyRule> fork() const { return nullptr; }
    virtual bool can_fork() const { return false; }
    virtual void absorb(const AnyRule&) {}
    virtual void save(Writer&) const { throw std::invalid_argument(kCannotSave); }
    virtual void load(Reader&) { throw std::invalid_argument(kCannotSave); }

  private:
    static constexpr const char* kCannotSave = "a rule of your own cannot be saved";
};

/// A built-in rule behind the interface.
template <class Measure>
class AnyThreshold final : public AnyRule {
  public:
    explicit AnyThreshold(const ThresholdRange& range) : rule_(range) {}
    double initial_state(const NodeContext& root) override { return rule_.initial_state(root); }
    double update(double parent, const NodeContext& child) override {
        return rule_.update(parent, child);
    }
    bool prune_split(double child) override { return rule_.prune_split(child); }
    bool prune_node(double node) override { return rule_.prune_node(node); }
    bool relax(double step) override { return rule_.relax(step); }
    double threshold() const override { return rule_.threshold(); }
    void admit() override { rule_.admit(); }
    bool skipped_any() const override { return rule_.skipped_any(); }
    bool admits_skipped() override { return rule_.admits_skipped(); }
    void forget_skipped() override { rule_.forget_skipped(); }
    double reach(double node) override { return rule_.reach(node)[0]; }
    bool covers(double explored, double reach) const override { return explored >= reach; }
    double skip(double skipped) override { return rule_.skip(skipped)[0]; }
    double need(double node, double value) const override { return rule_.need(node, {value})[0]; }
    double skip_again(double node, double need) override {
        return rule_.skip_again(node, {need})[0];
    }
    double ahead(double state, double units) const override { return rule_.ahead(state, units); }
    std::shared_ptr<AnyRule> fork() const override { return std::make_shared<AnyThreshold>(*this); }
    bool can_fork() const override { return true; }
    void absorb(const AnyRule& fork) override {
        rule_.absorb(static_cast<const AnyThreshold&>(fork).rule_);
    }
    void save(Writer& writer) const override { rule_.save(writer); }
    void load(Reader& reader) override { rule_.load(reader); }

  private:
    Threshold<Measure> rule_;
};

class Combined {
  public:
    using State = std::array<double, kMaxRuleParts>;
    static constexpr bool kPrunes = true;
    static constexpr bool kWholeContext = true;
    static constexpr bool kReadsGain = true;

    /// One to kMaxRuleParts rules.
    explicit Combined(std::vector<std::shared_ptr<AnyRule>> parts) : parts_(std::move(parts)) {}

    State initial_state(const NodeContext& root) {
        return each([&](AnyRule& part, int) { return part.initial_state(root); });
    }
    State update(const State& parent, const NodeContext& child) {
        return each([&](AnyRule& part, int i) { return part.update(parent[i], child); });
    }
    bool prune_split(const State& child) {
        return any([&](AnyRule& part, int i) { return part.prune_split(child[i]); });
    }
    bool prune_node(const State& node) {
        return any([&](AnyRule& part, int i) { return part.prune_node(node[i]); });
    }
    /// Returns false if no part that skipped something can be relaxed.
    bool relax(double step) {
        bool relaxed = false;
        for (auto& part : parts_) {
            const bool pruned = part->skipped_any();
            relaxed = (part->relax(step) && pruned) || relaxed;
        }
        return relaxed;
    }
    void note_solved(const State& node) {
        for (int i = 0; i < size(); ++i) parts_[i]->note_solved(node[i]);
    }

    double threshold() const { return parts_[0]->threshold(); }
    void admit() {
        for (auto& part : parts_)
            if (part->skipped_any()) part->admit();
    }
    bool skipped_any() const {
        for (const auto& part : parts_)
            if (part->skipped_any()) return true;
        return false;
    }
    bool admits_skipped() {
        return any([](AnyRule& part, int) { return part.skipped_any() && part.admits_skipped(); });
    }
    void forget_skipped() {
        for (auto& part : parts_) part->forget_skipped();
    }

    Reach reach(const State& node) {
        return each([&](AnyRule& part, int i) { return part.reach(node[i]); });
    }
    bool covers(const Reach& explored, const Reach& reach) const {
        for (int i = 0; i < size(); ++i)
            if (!parts_[i]->covers(explored[i], reach[i])) return false;
        return true;
    }
    Reach skip(const State& skipped) {
        return each([&](AnyRule& part, int i) {
            const bool pruned = part.prune_split(skipped[i]) || part.prune_node(skipped[i]);
            return pruned ? part.skip(skipped[i]) : nothing_needed()[i];
        });
    }
    Reach need(const State& node, const Reach& value) {
        return each([&](AnyRule& part, int i) { return part.need(node[i], value[i]); });
    }
    Reach skip_again(const State& node, const Reach& need) {
        return each([&](AnyRule& part, int i) {
            return need[i] < nothing_needed()[i] ? part.skip_again(node[i], need[i]) : need[i];
        });
    }
    State ahead(const State& state, double units) {
        return each([&](AnyRule& part, int i) { return part.ahead(state[i], units); });
    }
    bool can_fork() const {
        for (const auto& part : parts_)
            if (!part->can_fork()) return false;
        return true;
    }
    Combined fork() const {
        std::vector<std::shared_ptr<AnyRule>> parts;
        for (const auto& part : parts_) parts.push_back(part->fork());
        return Combined(std::move(parts));
    }
    void absorb(const Combined& fork) {
        for (int i = 0; i < size(); ++i) parts_[i]->absorb(*fork.parts_[i]);
    }
    void save(Writer& writer) const {
        for (const auto& part : parts_) part->save(writer);
    }
    void load(Reader& reader) {
        for (auto& part : parts_) part->load(reader);
    }
    static constexpr Reach nothing_needed() {
        Reach none{};
        none.fill(std::numeric_limits<double>::infinity());
        return none;
    }
    static Reach least(const Reach& a, const Reach& b) {
        Reach out{};
        for (int i = 0; i < kMaxRuleParts; ++i) out[i] = std::min(a[i], b[i]);
        return out;
    }

  private:
    int size() const { return static_cast<int>(parts_.size()); }
    template <class Function>
    State each(Function function) {
        State out{};
        for (int i = 0; i < size(); ++i) out[i] = function(*parts_[i], i);
        return out;
    }
    template <class Function>
    bool any(Function function) {
        bool found = false;
        for (int i = 0; i < size(); ++i) found = function(*parts_[i], i) || found;
        return found;
    }

    std::vector<std::shared_ptr<AnyRule>> parts_;
};

}  // namespace beamtree
