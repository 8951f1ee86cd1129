// Checkpoints as streams of bytes, in the endianness of the machine. A checkpoint may be damaged or
// hostile, so every number must be checked before it is used.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <functional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace beamtree {

/// Takes over bytes that are written.
using Sink = std::function<void(const void*, std::size_t)>;
/// Fills exactly the given number of bytes, or throws.
using Source = std::function<void(void*, std::size_t)>;

/// Types without padding: padding would write bytes that happen to be in memory.
template <class T>
concept Plain = std::is_trivially_copyable_v<T> &&
                (std::has_unique_object_representations_v<T> || std::is_floating_point_v<T>);

/// Returns the value. Throws std::invalid_argument if it is out of range or NaN; `what` names it in
/// the message.
template <class T>
T checked_in(T value, T least, T most, const char* what) {
    if (!(least <= value && value <= most))
        throw std::invalid_argument(std::string("the checkpoint is invalid: it has ") + what + " " +
                                    std::to_string(value) + ", which must be from " +
                                    std::to_string(least) + " to " + std::to_string(most));
    return value;
}

class Writer {
  public:
    explicit Writer(Sink sink) : sink_(std::move(sink)) { buffer_.reserve(kBuffer); }

    template <Plain T>
    void put(const T& value) {
        put_bytes(&value, sizeof(T));
    }
    template <Plain T>
    void put_array(const T* values, std::size_t n) {
        put_bytes(values, n * sizeof(T));
    }
    /// Writes what is left in the buffer. Must be called at the end, because a destructor could not
    /// report a failure.
    void flush() {
        if (!buffer_.empty()) sink_(buffer_.data(), buffer_.size());
        buffer_.clear();
    }

  private:
    static constexpr std::size_t kBuffer = 64 << 10;

    void put_bytes(const void* from, std::size_t bytes) {
        const auto* next = static_cast<const unsigned char*>(from);
        while (bytes > 0) {
            const std::size_t piece = std::min(bytes, kBuffer - buffer_.size());
            buffer_.insert(buffer_.end(), next, next + piece);
            next += piece;
            bytes -= piece;
            if (buffer_.size() == kBuffer) flush();
        }
    }

    Sink sink_;
    std::vector<unsigned char> buffer_;
};

/// Reads exactly the bytes that it is asked for, so that others can go on reading the same source.
class Reader {
  public:
    explicit Reader(Source source) : source_(std::move(source)) {}

    template <Plain T>
    T get() {
        // Copying a bool or an enum that has an invalid value would be undefined behaviour.
        static_assert(!std::is_same_v<T, bool> && !std::is_enum_v<T>);
        T value;
        source_(&value, sizeof(T));
        return value;
    }
    template <Plain T>
    void get_array(T* values, std::size_t n) {
        if (n > 0) source_(values, n * sizeof(T));
    }
    /// Reads a number and checks its range; `what` names it in the message.
    template <Plain T>
    T get_in(T least, T most, const char* what) {
        return checked_in(get<T>(), least, most, what);
    }

  private:
    Source source_;
};

}  // namespace beamtree
