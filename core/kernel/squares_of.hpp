// Finds the stumps of the largest score for both sides of 16 thresholds; squares.hpp explains the
// terms. This is a part of kernel_of.hpp: nothing here may come from the standard library.
#pragma once

#include "kernel/kernel.hpp"

namespace beamtree {

/// Some lanes of one number. GCC and Clang translate the operations to single instructions.
template <class I>
struct DoubleLanes {
    typedef double Vector __attribute__((vector_size(I::kRegisterBytes), may_alias));
    typedef std::int64_t Mask __attribute__((vector_size(I::kRegisterBytes)));
    static constexpr int kCount = I::kRegisterBytes / sizeof(double);
    static constexpr int kRegisters = kBlock / kCount;

    static inline __attribute__((always_inline)) Vector load(const double* from) {
        return *reinterpret_cast<const Vector*>(from);
    }
    static inline __attribute__((always_inline)) Vector fill(double value) {
        return Vector{} + value;
    }
    static inline __attribute__((always_inline)) bool any(Mask mask) {
        Word words[I::kRegisterBytes / sizeof(Word)], any = 0;
        __builtin_memcpy(words, &mask, sizeof words);
        for (const Word word : words) any |= word;
        return any != 0;
    }
    /// See `rounded` in objective/squared_error.hpp.
    static inline __attribute__((always_inline)) Vector rounded(Vector number) {
        const Vector units_only = fill(4503599627370496.0);
        return (number + units_only) - units_only;
    }
};

/// For each bucket, 1 in the lanes that have its rows on their left side.
struct LeftTable {
    alignas(64) double of[kBlock + 1][kBlock];
    static constexpr LeftTable make() {
        LeftTable table{};
        for (int bucket = 0; bucket <= kBlock; ++bucket)
            for (int lane = 0; lane < kBlock; ++lane)
                table.of[bucket][lane] = bucket <= lane ? 1.0 : 0.0;
        return table;
    }
};
template <class I>
inline constexpr LeftTable kLeftTable = LeftTable::make();

/// What is known of one side of some lanes at a boundary.
template <class I>
struct SquareSide {
    using D = DoubleLanes<I>;
    using Vector = typename D::Vector;
    Vector weight, value;  ///< of the rows before the boundary
    Vector all_weight, all_value;

    /// Raises the largest score so far, where the stump that splits here has a larger one.
    /// `allowed` says in which lanes the leaves are large enough.
    inline __attribute__((always_inline)) void raise(Vector& most, typename D::Mask allowed) const {
        const Vector rest_weight = all_weight - weight, rest_value = all_value - value;
        // First without a division. The score is above `most` only if the quotient of these two
        // is above most - 1; the rest is for what doubles round. Without rows on one side, both
        // are zero.
        const Vector squares = value * value * rest_weight + rest_value * rest_value * weight;
        const Vector weights = weight * rest_weight;
        const typename D::Mask larger = (squares > (most - 4.0) * weights) & allowed;
        if (!D::any(larger)) return;
        const Vector score =
            D::rounded(value * value / (weight < 1.0 ? D::fill(1.0) : weight)) +
            D::rounded(rest_value * rest_value / (rest_weight < 1.0 ? D::fill(1.0) : rest_weight));
        most = ((score > most) & larger) ? score : most;
    }
};

template <class I, bool kMinimum>
inline __attribute__((always_inline)) void raise_lanes(const SquareLanes& in, const Entry* entries,
                                                       int count, int lane, double* score) {
    using D = DoubleLanes<I>;
    using Vector = typename D::Vector;
    using Mask = typename D::Mask;
    SquareSide<I> left, right;
    left.all_weight = D::load(in.side_weight + lane);
    left.all_value = D::load(in.side_value + lane);
    right.all_weight = D::load(in.side_weight + kBlock + lane);
    right.all_value = D::load(in.side_value + kBlock + lane);
    left.weight = left.value = right.weight = right.value = Vector{};
    Vector left_count{}, right_count{};
    Vector most_left = D::load(score + lane), most_right = D::load(score + kBlock + lane);
    // The score of no stump is known better than by the boundaries, so the loop has one step per
    // row.
    for (int i = 0; i + 1 < count; ++i) {
        const std::uint32_t row = row_of(entries[i]);
        const Vector on_left = D::load(kLeftTable<I>.of[in.bucket[row]] + lane);
        const Vector weight = D::fill(in.weight[row]), value = D::fill(in.value[row]);
        left.weight += on_left * weight;
        left.value += on_left * value;
        const Vector on_right = 1.0 - on_left;
        right.weight += on_right * weight;
        right.value += on_right * value;
        Mask left_allowed = Mask{} - 1, right_allowed = Mask{} - 1;
        if constexpr (kMinimum) {
            const Vector rows = D::fill(in.count[row]), least = D::fill(in.min_count);
            left_count += on_left * rows;
            right_count += on_right * rows;
            left_allowed =
                (left_count >= least) & (D::load(in.side_count + lane) - left_count >= least);
            right_allowed = (right_count >= least) &
                            (D::load(in.side_count + kBlock + lane) - right_count >= least);
        }
        if (!has_boundary(entries[i])) continue;
        left.raise(most_left, left_allowed);
        right.raise(most_right, right_allowed);
    }
    *reinterpret_cast<Vector*>(score + lane) = most_left;
    *reinterpret_cast<Vector*>(score + kBlock + lane) = most_right;
}

template <class I>
void raise_to_stumps(const SquareLanes& in, const Entry* entries, int count, double* score) {
    for (int lane = 0; lane < kBlock; lane += DoubleLanes<I>::kCount) {
        if (in.count == nullptr)
            raise_lanes<I, false>(in, entries, count, lane, score);
        else
            raise_lanes<I, true>(in, entries, count, lane, score);
    }
}

}  // namespace beamtree
