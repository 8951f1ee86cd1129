// A wide node with a few of its features only: early passes find good trees there.
#pragma once

#include "node/node.hpp"
#include "node/node_buffers.hpp"

namespace beamtree {

/// Makes `few` the node with the `width` features of the largest gain in `gain`.
void narrow_by_gain(const Node& node, const std::vector<std::int64_t>& gain, int width, Node& few);

/// Makes `few` the node with `width` of its features: half of them by buffers.gain, half by
/// buffers.score. few.position gives their places in the node.
void narrow(const Node& node, NodeBuffers& buffers, int width, Node& few);

}  // namespace beamtree
