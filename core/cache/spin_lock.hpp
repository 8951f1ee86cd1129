// A lock for a few instructions at a time, of one byte; and a guard that costs nothing where there
// is only one thread.
#pragma once

#include <atomic>
#include <thread>

namespace beamtree {

class SpinLock {
  public:
    void lock() {
        while (taken_.exchange(true, std::memory_order_acquire)) {
            // Others hold it for less than a microsecond, unless they lost their core or move a
            // table: then the core is better left to them.
            for (int spins = 0; taken_.load(std::memory_order_relaxed); ++spins)
                if (spins >= kSpins) std::this_thread::yield();
        }
    }
    void unlock() { taken_.store(false, std::memory_order_release); }

  private:
    static constexpr int kSpins = 100;
    std::atomic<bool> taken_ = false;
};

/// Holds a lock of a table that was made for threads; does nothing for one thread.
class SpinGuard {
  public:
    SpinGuard(SpinLock& lock, bool threads) : lock_(threads ? &lock : nullptr) {
        if (lock_ != nullptr) lock_->lock();
    }
    ~SpinGuard() {
        if (lock_ != nullptr) lock_->unlock();
    }
    SpinGuard(const SpinGuard&) = delete;
    SpinGuard& operator=(const SpinGuard&) = delete;

  private:
    SpinLock* lock_;
};

}  // namespace beamtree
