#include "node/narrow.hpp"

#include <algorithm>
#include <numeric>

namespace beamtree {

void narrow_by_gain(const Node& node, const std::vector<std::int64_t>& gain, int width, Node& few) {
    std::vector<int> best(node.features);
    std::iota(best.begin(), best.end(), 0);
    std::nth_element(best.begin(), best.begin() + width, best.end(),
                     [&](int a, int b) { return gain[a] != gain[b] ? gain[a] > gain[b] : a < b; });
    std::vector<bool> taken(node.features, false);
    for (int i = 0; i < width; ++i) taken[best[i]] = true;
    few.make_narrow(node, taken);
}

void narrow(const Node& node, NodeBuffers& buffers, int width, Node& few) {
    buffers.taken.assign(node.features, false);
    buffers.by_gain.resize(node.features);
    for (int f = 0; f < node.features; ++f) buffers.by_gain[f] = f;
    buffers.by_score = buffers.by_gain;
    const auto take_best = [&](std::vector<int>& features, int count, auto better) {
        count = std::min<int>(count, static_cast<int>(features.size()));
        std::nth_element(features.begin(), features.begin() + count - 1, features.end(), better);
        for (int i = 0; i < count; ++i) buffers.taken[features[i]] = true;
    };
    take_best(buffers.by_gain, width / 2, [&](int a, int b) {
        return buffers.gain[a] != buffers.gain[b] ? buffers.gain[a] > buffers.gain[b] : a < b;
    });
    std::erase_if(buffers.by_score, [&](int f) { return buffers.taken[f]; });
    take_best(buffers.by_score, width - width / 2, [&](int a, int b) {
        return buffers.score[a] != buffers.score[b] ? buffers.score[a] < buffers.score[b] : a < b;
    });
    few.make_narrow(node, buffers.taken);
}

}  // namespace beamtree
