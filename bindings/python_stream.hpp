// Connects the core's streams of bytes with Python functions that write and read a checkpoint in
// pieces.
#pragma once

#include <cstddef>
#include <vector>

#include "bindings.hpp"
#include "data/stream.hpp"

namespace beamtree::python {

/// Passes the bytes that the core writes to the Python function write(bytes), in pieces. Its
/// functions are called without the GIL.
class PieceWriter {
  public:
    explicit PieceWriter(nb::callable write) : write_(std::move(write)) {}

    void put(const void* data, std::size_t size);
    /// Writes the last piece, which may be shorter.
    void flush();

  private:
    static constexpr std::size_t kPieceBytes = std::size_t{1} << 20;

    nb::callable write_;
    std::vector<char> piece_;
};

/// Gives the core the bytes of the Python function read(), which returns a piece, and empty bytes
/// at the end. Its functions are called without the GIL.
class PieceReader {
  public:
    explicit PieceReader(nb::callable read) : read_(std::move(read)) {}

    void get(void* data, std::size_t size);
    /// Throws std::invalid_argument if there are more bytes.
    void finish();

  private:
    bool next();

    nb::callable read_;
    std::vector<char> piece_;
    std::size_t at_ = 0;
};

}  // namespace beamtree::python
