// The passes of a search under one rule. The type of the rule is hidden behind an interface whose
// functions are called once per pass.
#pragma once

#include <algorithm>
#include <exception>
#include <memory>
#include <utility>
#include <vector>

#include "pass/bit_form.hpp"
#include "pass/pass.hpp"
#include "rule/complete.hpp"
#include "schedule/schedule.hpp"

namespace beamtree {

/// The workers of all threads. The first one belongs to the thread that runs the search.
template <class Form>
using WorkersOf = std::vector<std::unique_ptr<typename Form::Worker>>;
using Workers = WorkersOf<BitForm>;

template <class Workers>
std::vector<Meter*> meters_of(Workers& workers) {
    std::vector<Meter*> meters;
    for (auto& worker : workers) meters.push_back(&worker->work.meter);
    return meters;
}

/// The number of threads of a pass. Some only wait for other processes.
template <class Workers>
int threads_of(const Workers& workers, const Options& options, const TaskBoard* board) {
    const auto all = static_cast<int>(workers.size());
    return board != nullptr ? all : std::min(all, options.threads);
}

/// The result of a pass.
struct PassEnd {
    Facts root;             ///< facts of the node where the pass began
    bool finished = false;  ///< it was neither stopped nor paused at an improvement
    bool narrowed = false;  ///< some features of wide nodes were not tried
};

template <class Form>
class Passes {
  public:
    virtual ~Passes() = default;
    /// Runs a pass over the root or over a subtree.
    virtual PassEnd run(const typename Form::Node& node, const TreeSize& size,
                        const Question& question) = 0;
    /// Whether the rule skipped something since it was last relaxed.
    virtual bool skipped_any() const = 0;
    /// Takes steps of the schedule until the rule admits something that it skipped. Returns false
    /// if it cannot.
    virtual bool relax(Schedule& schedule) = 0;
    /// Relaxes the rule by one step, before the first pass.
    virtual void start_at(double step) = 0;
    virtual double threshold() const = 0;
    /// Whether the rule can skip anything.
    virtual bool prunes() const = 0;
    virtual void save(Writer& writer) const = 0;
    virtual void load(Reader& reader) = 0;
};

template <class Form, SearchRule Rule>
class PassesOf final : public Passes<Form> {
  public:
    using Node = typename Form::Node;
    using PassOf = typename Form::template PassOf<Rule>;

    PassesOf(WorkersOf<Form>& workers, Rule rule) : workers_(workers), rule_(std::move(rule)) {}

    PassEnd run(const Node& node, const TreeSize& size, const Question& question) override {
        auto& work = workers_[0]->work;
        SharedPass shared;
        shared.board = question.board;
        if (rule_.can_fork() && size.depth > Form::exact_levels(work))
            shared.threads = threads_of(workers_, work.options, question.board);
        failure_ = nullptr;
        PassEnd end;
        std::vector<Rule> rules;
        for (int i = 1; i < shared.threads; ++i) rules.push_back(rule_.fork());
        {
            const Helpers helpers(
                shared, meters_of(workers_),
                [&](int i) {
                    PassOf(workers_[i]->work, workers_[i]->ranking, rules[i - 1], question, shared)
                        .run(node, size);
                },
                failure_);
            end.root = PassOf(work, workers_[0]->ranking, rule_, question, shared).run(node, size);
        }
        for (const Rule& rule : rules) rule_.absorb(rule);
        if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
        work.meter.flush();
        end.finished = !shared.paused && !work.meter.stopped();
        end.narrowed = shared.narrowed;
        return end;
    }
    bool skipped_any() const override { return rule_.skipped_any(); }
    bool relax(Schedule& schedule) override {
        for (int step = 0; step < kMostSteps; ++step) {
            if (!rule_.relax(schedule.next())) return false;
            if (!rule_.admits_skipped()) continue;
            rule_.forget_skipped();
            return true;
        }
        rule_.admit();
        const bool admitted = rule_.admits_skipped();
        rule_.forget_skipped();
        return admitted;
    }
    void start_at(double step) override { rule_.relax(step); }
    double threshold() const override { return rule_.threshold(); }
    bool prunes() const override { return Rule::kPrunes; }
    void save(Writer& writer) const override { rule_.save(writer); }
    void load(Reader& reader) override { rule_.load(reader); }

  private:
    static constexpr int kMostSteps = 1000;

    WorkersOf<Form>& workers_;
    Rule rule_;
    std::exception_ptr failure_;  ///< what a helper threw, if one did
};

}  // namespace beamtree
