#include "pass/gains.hpp"

#include "heuristic/error.hpp"
#include "heuristic/gain_ratio.hpp"
#include "heuristic/gini.hpp"
#include "heuristic/information_gain.hpp"
#include "node/class_weights.hpp"

namespace beamtree {

void Gains::list_admissible(const Node& node, NodeBuffers& buffers) {
    std::vector<CoverHash>& hash_one = buffers.child.hash_one;
    hash_one.resize(node.features);
    buffers.ranked.order.clear();
    for (int f = 0; f < node.features; ++f) {
        if (work_.meter.stopped()) return;
        work_.meter.spend(node.cover.size * work::kHashedWord);
        hash_one[f] =
            node.cover.hash_of_side(work_.data.hasher(), work_.data.column(node.feature[f]));
        if (work_.exact.admissible(node, buffers.counts, f)) buffers.ranked.order.push_back(f);
    }
    measure(node, buffers.ranked);
}

void Gains::measure(const Node& node, RankedFeatures& ranked) {
    ClassWeights weights(work_.data, work_.kernel, node);
    ranked.gain.assign(node.features, 0);
    const auto measure_all = [&](auto gain) {
        for (const int f : ranked.order) {
            if (work_.meter.stopped()) return;  // the caller stops, too
            work_.meter.spend(node.words * work::kWord + work::kGain);
            ranked.gain[f] = whole_gain(gain(weights.split(f)));
        }
    };
    switch (heuristic_) {
        case Heuristic::kAuto:
        case Heuristic::kLookahead:
        case Heuristic::kInformationGain:
            measure_all(&InformationGain::gain);
            break;
        case Heuristic::kGainRatio:
            measure_all(&GainRatio::gain);
            break;
        case Heuristic::kGini:
            measure_all(&Gini::gain);
            break;
        case Heuristic::kError:
            measure_all(&Error::gain);
            break;
        case Heuristic::kGiven:
            for (const int f : ranked.order)
                ranked.gain[f] = whole_gain(-work_.data.original(node.feature[f]));
            break;
    }
    ranked.best_gain = 0;
    for (const int f : ranked.order)
        if (f == ranked.order[0] || ranked.gain[f] > ranked.best_gain)
            ranked.best_gain = ranked.gain[f];
}

}  // namespace beamtree
