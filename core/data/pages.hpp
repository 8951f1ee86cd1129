// Zeroed memory for tables, taken directly from the operating system. Freed pages leave the process
// at once, so that a limit on memory holds for the process.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>

// BEAMTREE_PORTABLE compiles the code for other systems on any system, so that it can be tested.
#if (defined(__unix__) || defined(__APPLE__)) && !defined(BEAMTREE_PORTABLE)
#define BEAMTREE_MMAP
#include <sys/mman.h>
#include <unistd.h>
#endif
// The thread sanitizer of some compilers does not know mremap, and reports races on moved pages.
#if defined(BEAMTREE_MMAP) && defined(__linux__) && !defined(__SANITIZE_THREAD__)
#define BEAMTREE_MREMAP
#endif
#ifdef BEAMTREE_CHECKED
#include <atomic>
#endif

namespace beamtree {

class Pages {
  public:
    Pages() = default;
    /// Takes at least `bytes` bytes, all zero. Throws std::bad_alloc.
    explicit Pages(std::size_t bytes) {
        if (bytes == 0) return;
        bytes = whole(bytes);
#ifdef BEAMTREE_MMAP
        void* memory =
            mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (memory == MAP_FAILED) throw std::bad_alloc();
#else
        void* memory = std::calloc(bytes, 1);
        if (memory == nullptr) throw std::bad_alloc();
#endif
        take(memory, bytes);
    }
    Pages(Pages&& other) noexcept
        : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
    Pages& operator=(Pages&& other) noexcept {
        std::swap(data_, other.data_);
        std::swap(size_, other.size_);
        return *this;
    }
    ~Pages() { release(); }

    /// Grows to at least `bytes` bytes; the new ones are zero. If it throws, nothing has changed.
    void grow(std::size_t bytes) {
        bytes = whole(bytes);
        if (bytes <= size_) return;
        const std::size_t old = size_;
#ifdef BEAMTREE_MREMAP
        if (data_ != nullptr) {
            void* memory = mremap(data_, size_, bytes, MREMAP_MAYMOVE);
            if (memory == MAP_FAILED) throw std::bad_alloc();
            count(0, size_);
            take(memory, bytes);
            touch(old);
            return;
        }
#endif
        Pages larger(bytes);
        if (data_ != nullptr) std::memcpy(larger.data_, data_, size_);
        *this = std::move(larger);
        touch(old);
    }

    template <class T>
    T* as() const {
        return static_cast<T*>(data_);
    }
    std::size_t size() const { return size_; }

    /// Returns `bytes` rounded up to whole pages.
    static std::size_t whole(std::size_t bytes) {
        const std::size_t page = page_size();
        if (bytes > static_cast<std::size_t>(-1) - page) throw std::bad_alloc();
        return (bytes + page - 1) / page * page;
    }
    /// Returns the most bytes that are held at one time while memory grows from one size to
    /// another.
    static std::size_t peak(std::size_t from, std::size_t to) {
#ifdef BEAMTREE_MREMAP
        return from > to ? from : whole(to);
#else
        return from + whole(to);
#endif
    }
    static std::size_t page_size() {
#ifdef BEAMTREE_MMAP
        static const auto size = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
        return size;
#else
        return 4096;
#endif
    }

#ifdef BEAMTREE_CHECKED
    /// For tests: the bytes that the process holds in Pages now, and the most that it ever held.
    static inline std::atomic<std::size_t> held = 0, most = 0;
#endif

  private:
    void take(void* memory, std::size_t bytes) {
        data_ = memory;
        size_ = bytes;
        count(bytes, 0);
    }
    /// Asks the system for the pages from offset `from` on. Otherwise a table that is read before
    /// it is written causes two page faults per page. It may fail, which costs only time.
    void touch([[maybe_unused]] std::size_t from) const {
#if defined(BEAMTREE_MMAP) && defined(MADV_POPULATE_WRITE)
        madvise(static_cast<char*>(data_) + from, size_ - from, MADV_POPULATE_WRITE);
#endif
    }
    void release() {
        if (data_ == nullptr) return;
#ifdef BEAMTREE_MMAP
        munmap(data_, size_);
#else
        std::free(data_);
#endif
        count(0, size_);
    }
    static void count([[maybe_unused]] std::size_t more, [[maybe_unused]] std::size_t less) {
#ifdef BEAMTREE_CHECKED
        const std::size_t now = held.fetch_add(more - less) + more - less;
        std::size_t before = most.load();
        while (now > before && !most.compare_exchange_weak(before, now)) {
        }
#endif
    }

    void* data_ = nullptr;
    std::size_t size_ = 0;
};

}  // namespace beamtree
