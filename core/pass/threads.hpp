// How the threads of a pass share its work. All of them run the same pass from its root. A thread
// claims the subproblem that it searches. A split whose child another thread has claimed is
// deferred: in the end either the other thread has settled it, or both search the child together
// and share its splits in the same way. Threads exchange what they find only through the cache. Its
// facts are always true, so that a proof needs no other bookkeeping.
#pragma once

#include <atomic>
#include <chrono>
#include <exception>
#include <functional>
#include <mutex>
#include <new>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "cache/cache.hpp"
#include "limits/limits.hpp"
#include "tasks/task_board.hpp"

namespace beamtree {

/// What the threads of one pass share beside the cache.
struct SharedPass {
    int threads = 1;
    std::atomic<bool> over = false;      ///< the pass has ended, or must end
    std::atomic<bool> paused = false;    ///< it ended because its root improved
    std::atomic<bool> narrowed = false;  ///< some features of wide nodes were not tried
    TaskBoard* board = nullptr;          ///< where tasks are posted, if other processes help
};

/// Runs the other threads of a pass, until this object goes out of scope.
class Helpers {
  public:
    /// Calls help(i) in a thread of its own for every meter but the first, which belongs to the
    /// thread that runs the search. Keeps the last exception in `failure`.
    Helpers(SharedPass& shared, std::vector<Meter*> meters, std::function<void(int)> help,
            std::exception_ptr& failure)
        : shared_(shared), meters_(std::move(meters)), help_(std::move(help)), failure_(failure) {
        if (shared.threads <= 1) return;
        threads_.reserve(shared.threads);
        for (Meter* meter : meters_) meter->watch(&shared.over);
        try {
            for (int i = 1; i < shared.threads; ++i) threads_.emplace_back([this, i] { run(i); });
        } catch (const std::system_error&) {  // no more threads: fewer are enough
        } catch (const std::bad_alloc&) {
        }
    }
    ~Helpers() {
        shared_.over = true;
        for (std::thread& thread : threads_) thread.join();
        for (Meter* meter : meters_) meter->watch(nullptr);
    }
    Helpers(const Helpers&) = delete;
    Helpers& operator=(const Helpers&) = delete;

  private:
    void run(int i) {
        try {
            help_(i);
            meters_[i]->flush();
        } catch (...) {
            const std::lock_guard lock(mutex_);
            failure_ = std::current_exception();
            shared_.over = true;
        }
    }

    SharedPass& shared_;
    std::vector<Meter*> meters_;
    std::function<void(int)> help_;
    std::exception_ptr& failure_;
    std::mutex mutex_;
    std::vector<std::thread> threads_;
};

/// Claims a subproblem for a thread that searches it, until the claim goes out of scope.
class Claim {
  public:
    /// `cache` is null if the thread is alone: every claim is granted then. `join` allows a
    /// subproblem that another thread has claimed.
    Claim(Cache* cache, const CoverKey& key, int depth, bool join)
        : cache_(cache), key_(key), depth_(depth) {
        if (cache != nullptr) grant_ = cache->claim(key, depth, join);
    }
    ~Claim() {
        if (grant_ == Cache::Grant::kCounted) cache_->release(key_, depth_);
    }
    Claim(const Claim&) = delete;
    Claim& operator=(const Claim&) = delete;
    explicit operator bool() const { return grant_ != Cache::Grant::kRefused; }

  private:
    Cache* cache_;
    CoverKey key_;
    int depth_;
    Cache::Grant grant_ = Cache::Grant::kUncounted;
};

/// One of the threads of a pass.
class PassThread {
  public:
    PassThread(Cache& cache, Meter& meter, SharedPass& shared)
        : cache_(shared.threads > 1 ? &cache : nullptr), meter_(meter), shared_(shared) {}

    bool alone() const { return cache_ == nullptr; }
    /// The cache for claims, or null if the thread is alone.
    Cache* cache() { return cache_; }

    /// Notes a node whose splits this thread tries, until the visit goes out of scope.
    class Visit {
      public:
        Visit(PassThread& thread, const CoverKey& key, int depth, Cost bound) : thread_(thread) {
            if (!thread.alone()) thread.path_.push_back({key, depth, bound});
        }
        ~Visit() {
            if (!thread_.alone()) thread_.path_.pop_back();
        }
        Visit(const Visit&) = delete;
        Visit& operator=(const Visit&) = delete;

      private:
        PassThread& thread_;
    };

    /// Whether other threads have settled a node on the path to here, so that nothing below it
    /// matters. If so, the thread is leaving until it has returned to that node.
    bool settled_by_others() {
        if (alone()) return false;
        for (std::size_t i = 0; i < path_.size(); ++i) {
            seen_ = cache_->find(path_[i].key, path_[i].depth);
            if (!seen_.settled(path_[i].bound)) continue;
            leave_for_ = i;
            leaving_ = true;
            return true;
        }
        return false;
    }
    bool leaving() const { return leaving_; }
    /// If the thread leaves for the node whose visit has just ended, adds the facts that settled
    /// it.
    void arrive(Facts& facts) {
        if (!leaving_ || leave_for_ != path_.size()) return;
        leaving_ = false;
        facts.improve(seen_.upper, seen_.split);
        facts.raise(seen_.lower);
    }

    /// Whether a subproblem at this distance from the root is left to other processes.
    bool asks_others(std::size_t steps) const {
        return shared_.board != nullptr && shared_.board->worth(steps);
    }
    /// Waits for what another process finds out about a subproblem. Returns nothing if the pass is
    /// over, or if it does not matter any more.
    std::optional<Answer> ask(const Task& task, const CoverKey& key, int depth_key) {
        auto answer = shared_.board->ask(task, key, depth_key, [this] {
            meter_.waited(kBetweenLooks);
            return meter_.stopped() || shared_.over || settled_by_others();
        });
        if (answer) meter_.add_nodes(answer->nodes);
        return answer;
    }

    /// Waits a moment for other threads.
    void wait() {
        if (shared_.board != nullptr) {  // they wait for other processes
            std::this_thread::sleep_for(std::chrono::nanoseconds(kBetweenLooks));
            meter_.waited(kBetweenLooks);
            return;
        }
        meter_.flush();
        if (++waits_ % kYields != 0)
            std::this_thread::yield();
        else
            std::this_thread::sleep_for(std::chrono::microseconds(20));
    }
    /// Lets only one thread at a time rank the features of a node. The others wait, and then find
    /// its scores in the cache.
    class RankingTurn {
      public:
        RankingTurn(PassThread& thread, const CoverKey& key, int depth)
            : cache_(thread.cache()), key_(key), depth_(depth) {
            if (thread.alone()) return;
            while (!(ranks_ = cache_->start_ranking(key, depth))) {
                if (thread.meter_.stopped() || thread.shared_.over) return;
                thread.wait();
            }
        }
        ~RankingTurn() {
            if (ranks_) cache_->end_ranking(key_, depth_);
        }
        RankingTurn(const RankingTurn&) = delete;
        RankingTurn& operator=(const RankingTurn&) = delete;

      private:
        Cache* cache_;
        CoverKey key_;
        int depth_;
        bool ranks_ = false;
    };

  private:
    static constexpr int kYields = 64;
    static constexpr std::int64_t kBetweenLooks = 5'000'000;  ///< nanoseconds

    struct Place {
        CoverKey key;
        int depth;
        Cost bound;
    };

    Cache* cache_;
    Meter& meter_;
    SharedPass& shared_;
    std::vector<Place> path_;
    bool leaving_ = false;
    std::size_t leave_for_ = 0;  ///< place on the path of the node for which the thread leaves
    Facts seen_;                 ///< facts of that node
    unsigned waits_ = 0;
};

}  // namespace beamtree
