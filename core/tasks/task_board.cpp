#include "tasks/task_board.hpp"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <utility>

namespace beamtree {

namespace {

constexpr std::chrono::milliseconds kBetweenIdles(5);

}  // namespace

/// Puts a task on the list, behind those that are as far from the root.
void TaskBoard::post(Entry& entry) {
    entry.taken = false;
    const auto steps = entry.task.path.size();
    const auto nearer = [&](std::int64_t id) {
        return entries_.at(key_of_.at(id)).task.path.size() < steps;
    };
    open_.insert(std::find_if(open_.begin(), open_.end(), nearer), entry.id);
    posted_.notify_one();
}

std::optional<Answer> TaskBoard::ask(const Task& task, const CoverKey& key, int depth_key,
                                     const Idle& idle) {
    const Key name{key.high, key.low, depth_key};
    std::unique_lock lock(mutex_);
    Entry& entry = entries_[name];
    if (entry.id == 0) {
        entry.id = ++last_id_;
        entry.task = task;
        key_of_[entry.id] = name;
        post(entry);
    } else if (entry.waiting == 0 || entry.task.bound < task.bound) {
        entry.task = task;  // what is under way may still be enough
        if (entry.answer && !is_enough(*entry.answer, task.bound)) {
            entry.answer.reset();
            post(entry);
        }
    }
    ++entry.waiting;
    using Clock = std::chrono::steady_clock;
    for (auto last = Clock::now(); !entry.answer;) {
        answered_.wait_for(lock, kBetweenIdles);
        if (entry.answer || Clock::now() < last + kBetweenIdles) continue;
        last = Clock::now();
        lock.unlock();
        const bool leaves = idle();
        lock.lock();
        if (!leaves) continue;
        if (--entry.waiting == 0 && !entry.taken && !entry.answer) {
            open_.remove(entry.id);
            key_of_.erase(entry.id);
            entries_.erase(name);
        }
        return {};
    }
    Answer answer = *entry.answer;
    if (--entry.waiting == 0) {
        key_of_.erase(entry.id);
        entries_.erase(name);
    }
    return answer;
}

bool TaskBoard::is_enough(const Answer& answer, Cost bound) {
    return answer.end == AnswerEnd::kSolved ||
           (answer.end == AnswerEnd::kReached && answer.lower >= bound);
}

bool TaskBoard::worth(std::size_t steps) const {
    const std::scoped_lock lock(mutex_);
    const Measured& measured = measured_[std::min(steps, kMostSteps)];
    return measured.count < kFewAnswers ||
           measured.seconds >= least_seconds_ * static_cast<double>(measured.count);
}

auto TaskBoard::take(std::size_t most, double seconds) -> std::vector<Posted> {
    std::unique_lock lock(mutex_);
    posted_.wait_for(lock, std::chrono::duration<double>(seconds),
                     [this] { return !open_.empty(); });
    std::vector<Posted> tasks;
    for (; tasks.size() < most && !open_.empty(); open_.pop_front()) {
        Entry& entry = entries_.at(key_of_.at(open_.front()));
        entry.taken = true;
        tasks.push_back({entry.id, entry.task});
    }
    return tasks;
}

void TaskBoard::answer(std::int64_t id, Answer answer) {
    const std::scoped_lock lock(mutex_);
    const auto place = key_of_.find(id);
    if (place == key_of_.end()) return;
    Entry& entry = entries_.at(place->second);
    if (!entry.taken || entry.answer) return;
    if (answer.end != AnswerEnd::kGivenUp) {
        Measured& measured = measured_[std::min(entry.task.path.size(), kMostSteps)];
        ++measured.count;
        measured.seconds += answer.seconds;
    }
    // A thread may have asked for more than the task did when it was taken.
    if (answer.end == AnswerEnd::kTimeOut || is_enough(answer, entry.task.bound)) {
        entry.taken = false;
        entry.answer = std::move(answer);
        answered_.notify_all();
    } else if (entry.waiting > 0) {
        post(entry);
    } else {
        entries_.erase(place->second);
        key_of_.erase(place);
    }
}

void TaskBoard::clean() {
    const std::scoped_lock lock(mutex_);
    for (auto at = entries_.begin(); at != entries_.end();) {
        const auto next = std::next(at);
        if (at->second.waiting == 0 && at->second.answer) {
            key_of_.erase(at->second.id);
            entries_.erase(at);
        }
        at = next;
    }
}

}  // namespace beamtree
