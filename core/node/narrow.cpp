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

void narrow(const Node& node, Level& level, int width, Node& few) {
    level.taken.assign(node.features, false);
    level.by_gain.resize(node.features);
    for (int f = 0; f < node.features; ++f) level.by_gain[f] = f;
    level.by_key = level.by_gain;
    const auto take_best = [&](std::vector<int>& features, int count, auto better) {
        count = std::min<int>(count, static_cast<int>(features.size()));
        std::nth_element(features.begin(), features.begin() + count - 1, features.end(), better);
        for (int i = 0; i < count; ++i) level.taken[features[i]] = true;
    };
    take_best(level.by_gain, width / 2, [&](int a, int b) {
        return level.gain[a] != level.gain[b] ? level.gain[a] > level.gain[b] : a < b;
    });
    std::erase_if(level.by_key, [&](int f) { return level.taken[f]; });
    take_best(level.by_key, width - width / 2, [&](int a, int b) {
        return level.key[a] != level.key[b] ? level.key[a] < level.key[b] : a < b;
    });
    few.make_narrow(node, level.taken);
}

}  // namespace beamtree
