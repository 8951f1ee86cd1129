// Bytes out and in, for checkpoints.
#pragma once

#include <cstddef>
#include <functional>

namespace beamtree {

/// Takes so many bytes.
using Sink = std::function<void(const void*, std::size_t)>;
/// Fills exactly so many bytes, or throws.
using Source = std::function<void(void*, std::size_t)>;

}  // namespace beamtree
