#include "kernel/stumps.hpp"

#include <algorithm>
#include <vector>

#include "kernel/kernel.hpp"
#include "objective/objective.hpp"

namespace beamtree {
namespace {

/// The sums of one leaf of a stump.
struct Leaf {
    std::vector<std::int64_t> class_weight;
    std::int64_t rows = 0;

    explicit Leaf(int classes) : class_weight(classes) {}
    void add(int label, std::int64_t weight, std::int64_t count) {
        class_weight[label] += weight;
        rows += count;
    }
    std::int64_t error() const {
        LeafSums sums;
        for (const std::int64_t weight : class_weight) sums.add_class(weight);
        return sums.error();
    }
};

}  // namespace

template <class T>
Stump find_stump(const StumpLanes<T>& lanes, const Entry* entries, int count, int lane,
                 bool right) {
    Leaf before(lanes.classes), after(lanes.classes);
    const auto visit = [&](std::uint32_t row, auto action) {
        const int code = lanes.code[row];
        if ((code / 2 > lane) != right) return;
        const int label = lanes.classes == 2 ? code % 2 : lanes.label[row];
        T weight = lanes.step != nullptr ? lanes.step[row] : T{1};
        if (lanes.step != nullptr && lanes.classes == 2 && label == 1)
            weight = static_cast<T>(-weight);
        action(label, static_cast<std::int64_t>(weight),
               static_cast<std::int64_t>(lanes.rows != nullptr ? lanes.rows[row] : T{1}));
    };
    for (int i = 0; i < count; ++i)
        visit(row_of(entries[i]), [&](int label, std::int64_t weight, std::int64_t rows) {
            after.add(label, weight, rows);
        });
    const auto least = std::max<std::int64_t>(1, static_cast<std::int64_t>(lanes.min_rows));
    Stump best{-1, after.error()};
    for (int i = 0; i < count; ++i) {
        visit(row_of(entries[i]), [&](int label, std::int64_t weight, std::int64_t rows) {
            before.add(label, weight, rows);
            after.add(label, -weight, -rows);
        });
        if (!has_boundary(entries[i]) || before.rows < least || after.rows < least) continue;
        const std::int64_t error = before.error() + after.error();
        if (best.position < 0 || error < best.error) best = {i, error};
    }
    return best;
}
template Stump find_stump(const StumpLanes<std::uint16_t>&, const Entry*, int, int, bool);
template Stump find_stump(const StumpLanes<std::uint32_t>&, const Entry*, int, int, bool);
template Stump find_stump(const StumpLanes<std::uint64_t>&, const Entry*, int, int, bool);

std::size_t stumps_scratch(int classes) {
    constexpr std::size_t kNumber = 64;  // of both sides, in registers of at most 32 bytes
    return (2 * static_cast<std::size_t>(classes) + 2 * kStumpChunk) * kNumber;
}

}  // namespace beamtree
