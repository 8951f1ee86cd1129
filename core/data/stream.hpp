// Checkpoints as bytes, in the order and the endianness of the machine. What is read may be of
// hostile origin: whoever reads checks every number before using it.
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

using Sink = std::function<void(const void*, std::size_t)>;
/// Fills exactly so many bytes, or throws.
using Source = std::function<void(void*, std::size_t)>;

/// Of which every byte is part of the value: padding would write what happens to be in memory.
template <class T>
concept Plain = std::is_trivially_copyable_v<T> &&
                (std::has_unique_object_representations_v<T> || std::is_floating_point_v<T>);

/// The value. Throws std::invalid_argument if it is out of range, or not a number.
template <class T>
T checked_in(T value, T least, T most, const char* what) {
    if (!(least <= value && value <= most))
        throw std::invalid_argument(std::string("the checkpoint has ") + what + " " +
                                    std::to_string(value) + "; it must be from " +
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
    /// Must be called at the end: the destructor could not report a failure.
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

/// Reads no further than it is asked to, so that others can read on from the same source.
class Reader {
  public:
    explicit Reader(Source source) : source_(std::move(source)) {}

    template <Plain T>
    T get() {
        // A bool of another value than 0 or 1 must not even be copied.
        static_assert(!std::is_same_v<T, bool> && !std::is_enum_v<T>);
        T value;
        source_(&value, sizeof(T));
        return value;
    }
    template <Plain T>
    void get_array(T* values, std::size_t n) {
        if (n > 0) source_(values, n * sizeof(T));
    }
    /// A number, which `what` names in the message if it is out of range.
    template <Plain T>
    T get_in(T least, T most, const char* what) {
        return checked_in(get<T>(), least, most, what);
    }

  private:
    Source source_;
};

}  // namespace beamtree
