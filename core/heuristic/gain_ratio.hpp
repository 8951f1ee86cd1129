// Gain ratio (Quinlan 1993): the information gain divided by the entropy of the split itself, which
// favours balanced splits less.
#pragma once

#include "heuristic/information_gain.hpp"

namespace beamtree {

struct GainRatio {
    static constexpr const char* kName = "gain_ratio";

    static double gain(const SplitWeights& split) {
        std::int64_t sides[2] = {0, 0};
        for (int k = 0; k < split.classes; ++k) {
            sides[0] += split.zero[k];
            sides[1] += split.one[k];
        }
        const double entropy = InformationGain::weighted_entropy(sides, 2) / sum_of(sides, 2);
        return entropy > 0 ? InformationGain::gain(split) / entropy : 0;
    }
};

}  // namespace beamtree
