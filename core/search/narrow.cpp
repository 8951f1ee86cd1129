#include "search/narrow.hpp"

#include <algorithm>

namespace beamtree {

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
