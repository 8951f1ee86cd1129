// A lock of one byte that is held for a few instructions only, and a guard that costs nothing if
// there is only one thread.
#pragma once

#include <atomic>
#include <thread>

namespace beamtree {

class SpinLock {
  public:
    void lock() {
        while (taken_.exchange(true, std::memory_order_acquire)) {
            // Other threads hold the lock for less than a microsecond, unless they lost their core
            // or grow a table. In that case it is better to leave this core to them.
            for (int spins = 0; taken_.load(std::memory_order_relaxed); ++spins)
                if (spins >= kSpins) std::this_thread::yield();
        }
    }
    void unlock() { taken_.store(false, std::memory_order_release); }

  private:
    static constexpr int kSpins = 100;
    std::atomic<bool> taken_ = false;
};

/// Holds the lock while it exists if `threads` is set; else it does nothing.
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
