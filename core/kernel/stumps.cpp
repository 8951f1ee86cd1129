#include "kernel/stumps.hpp"

namespace beamtree {

std::size_t stumps_scratch(int classes) {
    constexpr std::size_t kNumber = 64;  // of both sides, in registers of at most 32 bytes
    return (2 * static_cast<std::size_t>(classes) + 2 * kStumpChunk) * kNumber;
}

}  // namespace beamtree
