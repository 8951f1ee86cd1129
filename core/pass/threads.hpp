// How the threads of a pass share its work. All of them run the same pass from its root. A thread
// claims the subproblem that it searches; a split whose child another has claimed is put off, and
// in the end either settled by the other or searched together, by the same means one level further
// down. What threads find they tell each other through the cache, whose facts are always true, so
// that the proof needs no other bookkeeping.
#pragma once

#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include "cache/cache.hpp"
#include "limits/limits.hpp"

namespace beamtree {

/// What the threads of one pass share besides the cache.
struct SharedPass {
    int threads = 1;
    std::atomic<bool> over = false;    ///< the pass has ended, or must
    std::atomic<bool> paused = false;  ///< it ended because its root improved
    std::atomic<bool> narrowed = false;
};

/// A subproblem that a thread searches, until it goes out of scope.
class Claim {
  public:
    /// Without a cache: alone, every claim is granted.
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
    /// For claims: none if alone.
    Cache* cache() { return cache_; }

    /// A node whose splits this thread tries, until it goes out of scope.
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

    /// Whether others have settled a node on the path to here, so that nothing below it matters.
    /// Then the thread is leaving until it arrives there.
    bool settled_by_others() {
        if (alone()) return false;
        for (const Place& place : path_) {
            seen_ = cache_->find(place.key, place.depth);
            if (!seen_.settled(place.bound)) continue;
            leave_for_ = place.depth;
            return true;
        }
        return false;
    }
    bool leaving() const { return leave_for_ > 0; }
    /// Adds what settled the node to its facts, if it was this one.
    void arrive(int depth, Facts& facts) {
        if (leave_for_ != depth || leave_for_ == 0) return;
        leave_for_ = 0;
        facts.improve(seen_.upper, seen_.split);
        facts.raise(seen_.lower);
    }

    /// Waits a moment for others.
    void wait() {
        meter_.flush();
        if (++waits_ % kYields != 0)
            std::this_thread::yield();
        else
            std::this_thread::sleep_for(std::chrono::microseconds(20));
    }
    /// Only one thread ranks the features of a node; the others wait, and find its scores.
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

    struct Place {
        CoverKey key;
        int depth;
        Cost bound;
    };

    Cache* cache_;
    Meter& meter_;
    SharedPass& shared_;
    std::vector<Place> path_;
    int leave_for_ = 0;
    Facts seen_;  ///< of the node that it leaves for
    unsigned waits_ = 0;
};

}  // namespace beamtree
