#include "python_stream.hpp"

#include <algorithm>
#include <cstring>
#include <stdexcept>

namespace beamtree::python {

void PieceWriter::put(const void* data, std::size_t size) {
    const char* from = static_cast<const char*>(data);
    while (size > 0) {
        const std::size_t part = std::min(size, kPieceBytes - piece_.size());
        piece_.insert(piece_.end(), from, from + part);
        from += part;
        size -= part;
        if (piece_.size() == kPieceBytes) flush();
    }
}

void PieceWriter::flush() {
    if (piece_.empty()) return;
    const nb::gil_scoped_acquire with_gil;
    write_(nb::bytes(piece_.data(), piece_.size()));
    piece_.clear();
}

void PieceReader::get(void* data, std::size_t size) {
    char* to = static_cast<char*>(data);
    while (size > 0) {
        if (at_ == piece_.size() && !next())
            throw std::invalid_argument(
                "the checkpoint is invalid: the state of the search ends too early");
        const std::size_t part = std::min(size, piece_.size() - at_);
        std::memcpy(to, piece_.data() + at_, part);
        at_ += part;
        to += part;
        size -= part;
    }
}

void PieceReader::finish() {
    if (at_ < piece_.size() || next())
        throw std::invalid_argument(
            "the checkpoint is invalid: it has bytes after the state of the search");
}

bool PieceReader::next() {
    const nb::gil_scoped_acquire with_gil;
    const auto piece = nb::cast<nb::bytes>(read_());
    const auto* data = static_cast<const char*>(piece.data());
    piece_.assign(data, data + piece.size());
    at_ = 0;
    return !piece_.empty();
}

}  // namespace beamtree::python
