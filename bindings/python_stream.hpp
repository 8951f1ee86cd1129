// Checkpoints in pieces: between the core's streams of bytes and functions in Python.
#pragma once

#include <cstddef>
#include <vector>

#include "bindings.hpp"
#include "data/stream.hpp"

namespace beamtree::python {

/// Hands what the core writes to `write(bytes)`, a piece at a time. Called without the GIL.
class PieceWriter {
  public:
    explicit PieceWriter(nb::callable write) : write_(std::move(write)) {}

    void put(const void* data, std::size_t size);
    /// The last piece, which may be short.
    void flush();

  private:
    static constexpr std::size_t kBetweenLooks = std::size_t{1} << 20;

    nb::callable write_;
    std::vector<char> piece_;
};

/// Fills what the core reads from `read() -> bytes`, which gives a piece, and none at the end.
/// Called without the GIL.
class PieceReader {
  public:
    explicit PieceReader(nb::callable read) : read_(std::move(read)) {}

    void get(void* data, std::size_t size);
    /// Throws if anything is left.
    void finish();

  private:
    bool next();

    nb::callable read_;
    std::vector<char> piece_;
    std::size_t at_ = 0;
};

}  // namespace beamtree::python
