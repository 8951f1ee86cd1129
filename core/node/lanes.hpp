// The widths of lanes. A lane is one integer of a vector; kernels count in lanes of 16, 32 or 64
// bits, the narrowest that hold the sums of the node.
#pragma once

#include <algorithm>
#include <cstdint>
#include <tuple>

#include "node/node.hpp"

namespace beamtree {

/// Bytes of the narrowest lane that holds sums up to `most`, and their differences with a sign.
constexpr int lane_bytes_for(std::int64_t most) {
    return most <= 0x7FFF ? 2 : most <= 0x7FFFFFFF ? 4 : 8;
}

/// Calls `function` with a value of the unsigned type that has `bytes` bytes.
template <class Function>
decltype(auto) with_lane_of(int bytes, Function function) {
    if (bytes == 2) return function(std::uint16_t{});
    if (bytes == 4) return function(std::uint32_t{});
    return function(std::uint64_t{});
}

/// Calls `function` with a value of the lane type in which the node is counted.
template <class Function>
decltype(auto) with_lanes(const Node& node, Function function) {
    return with_lane_of(lane_bytes_for(std::max(node.sums.weight, node.rows)), function);
}

/// One object per width of lanes, of which a node uses one: std::get<Of<T>>(objects).
template <template <class> class Of>
using PerLane = std::tuple<Of<std::uint16_t>, Of<std::uint32_t>, Of<std::uint64_t>>;

}  // namespace beamtree
