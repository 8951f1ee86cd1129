// Scratch memory that is aligned to cache lines. It grows on demand, without keeping its contents.
#pragma once

#include <cstddef>
#include <memory>
#include <new>

namespace beamtree {

class AlignedBuffer {
  public:
    /// Returns at least `bytes` bytes. If the buffer has to grow, its contents are lost.
    void* get(std::size_t bytes) {
        if (bytes > size_) {
            memory_.reset();
            size_ = 0;
            memory_.reset(::operator new(bytes, kAlignment));
            size_ = bytes;
        }
        return memory_.get();
    }
    template <class T>
    T* get(std::size_t count) {
        return static_cast<T*>(get(count * sizeof(T)));
    }
    /// Returns the memory that `get` returned last.
    template <class T>
    const T* data() const {
        return static_cast<const T*>(memory_.get());
    }

  private:
    static constexpr std::align_val_t kAlignment{64};
    struct Free {
        void operator()(void* memory) const { ::operator delete(memory, kAlignment); }
    };
    std::unique_ptr<void, Free> memory_;
    std::size_t size_ = 0;
};

}  // namespace beamtree
