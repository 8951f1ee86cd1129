// Finds the best stumps for both sides of 16 thresholds; stumps.hpp explains the terms.
// This is a part of kernel_of.hpp: nothing here may come from the standard library.
//
// What a row adds to the sums (Steps) and which boundaries are allowed (Minimum) do not depend on
// the objective. Which sums it needs and how it scores a boundary is written in stumps_of_two and
// stumps_of_many, for the misclassified weight (core/objective/objective.hpp).
#pragma once

#include "kernel/kernel.hpp"

namespace beamtree {

/// One number for each lane and side.
template <class I, class T>
struct Sides {
    using Block = typename I::template Block<T>;
    Block left, right;

    static Sides load(const T* from) { return {I::load(from), I::load(from + kBlock)}; }
    void store(T* to) const {
        I::store(to, left);
        I::store(to + kBlock, right);
    }
    static Sides fill(T value) {
        const Block both = I::template fill<T>(value);
        return {both, both};
    }
    friend Sides operator+(const Sides& a, const Sides& b) {
        return {I::add(a.left, b.left), I::add(a.right, b.right)};
    }
    friend Sides operator-(const Sides& a, const Sides& b) {
        return {I::sub(a.left, b.left), I::sub(a.right, b.right)};
    }
    friend Sides operator&(const Sides& a, const Sides& b) {
        return {I::bit_and(a.left, b.left), I::bit_and(a.right, b.right)};
    }
    friend Sides min(const Sides& a, const Sides& b) {
        return {I::min(a.left, b.left), I::min(a.right, b.right)};
    }
    friend Sides max(const Sides& a, const Sides& b) {
        return {I::max(a.left, b.left), I::max(a.right, b.right)};
    }
    friend Sides at_most(const Sides& a, const Sides& b) {
        return {I::at_most(a.left, b.left), I::at_most(a.right, b.right)};
    }
    friend Sides select(const Sides& mask, const Sides& a, const Sides& b) {
        return {I::select(mask.left, a.left, b.left), I::select(mask.right, a.right, b.right)};
    }
};

/// Tables of numbers for each lane_code, side and lane.
template <class I, class T>
struct CodeTables {
    static constexpr int kCodes = 2 * (kBlock + 1);
    struct Table {
        alignas(64) T of[kCodes][2 * kBlock];
    };
    /// A row has the value of its label (of label 0 for three classes and more) on its own side.
    static constexpr Table make(T label0, T label1) {
        Table table{};
        for (int code = 0; code < kCodes; ++code)
            for (int lane = 0; lane < kBlock; ++lane)
                table.of[code][code / 2 <= lane ? lane : kBlock + lane] =
                    code % 2 == 0 ? label0 : label1;
        return table;
    }
    static constexpr Table units = make(1, static_cast<T>(-1));
    static constexpr Table masks = make(static_cast<T>(-1), static_cast<T>(-1));
};

/// What a row adds to the sums of weights, and to the numbers of rows.
template <class I, class T, bool kWeighted>
struct Steps {
    using Both = Sides<I, T>;
    using Tables = CodeTables<I, T>;
    const StumpLanes<T>& in;

    Both weight(std::uint32_t row) const {
        if constexpr (kWeighted)
            return mask(row) & Both::fill(in.step[row]);
        else
            return Both::load(Tables::units.of[in.code[row]]);
    }
    Both rows(std::uint32_t row) const {
        if constexpr (kWeighted)
            return mask(row) & Both::fill(in.rows[row]);
        else
            return Both::load(Tables::units.of[in.code[row] & ~1]);
    }

  private:
    Both mask(std::uint32_t row) const { return Both::load(Tables::masks.of[in.code[row]]); }
};

/// Counts the rows before a boundary, and says where both leaves have at least min_rows. A number x
/// is from `min` to `total - min` if x - min, modulo the lane, is at most total - 2 min.
template <class I, class T, bool kWeighted, bool kMinimum>
struct Minimum {
    using Both = Sides<I, T>;
    Both counted, range;

    explicit Minimum(const StumpLanes<T>& in) {
        if constexpr (kMinimum) {
            alignas(64) T first[2 * kBlock], last[2 * kBlock];
            for (int i = 0; i < 2 * kBlock; ++i) {
                const T total = in.side_rows[i], least = in.min_rows;
                const bool can_split = total >= least && total - least >= least;
                // Otherwise the count starts at 1, and never is at most 0.
                first[i] = can_split ? static_cast<T>(-least) : T{1};
                last[i] = can_split ? static_cast<T>(total - 2 * least) : T{0};
            }
            counted = Both::load(first);
            range = Both::load(last);
        }
    }
    void add(const Steps<I, T, kWeighted>& steps, std::uint32_t row) {
        if constexpr (kMinimum) counted = counted + steps.rows(row);
    }
    /// `value` where a split is allowed, else `otherwise`.
    Both allowed(const Both& value, const Both& otherwise) const {
        if constexpr (kMinimum)
            return select(at_most(counted, range), value, otherwise);
        else
            return value;
    }
};

/// Two classes. The sum starts at the weight of class 1; rows of class 0 are added, and those of
/// class 1 subtracted. So it is the error of the stump that predicts 1 on the left and 0 on the
/// right; the opposite stump misclassifies the rest of the weight.
template <class I, class T, bool kWeighted, bool kMinimum>
void stumps_of_two(const StumpLanes<T>& in, const Entry* entries, int count, T* error) {
    using Both = Sides<I, T>;
    const Steps<I, T, kWeighted> steps{in};
    Minimum<I, T, kWeighted, kMinimum> minimum(in);
    const Both class0 = Both::load(in.class_weight);
    const Both class1 = Both::load(in.class_weight + 2 * kBlock);
    Both sum = class1, least = sum, most = sum;
    for (int i = 0; i < count; ++i) {
        const Entry entry = entries[i];
        const std::uint32_t row = entry >> 1;
        sum = sum + steps.weight(row);
        minimum.add(steps, row);
        if (entry & 1) {
            const Both seen = minimum.allowed(sum, class1);
            least = min(least, seen);
            most = max(most, seen);
        }
    }
    min(least, class0 + class1 - most).store(error);
}

/// Any number of classes. A stump is correct in the heaviest class before the boundary and in the
/// heaviest class after it. Both grow with the number of rows, so that the sum of the row's own
/// class is all that can raise them. A chunk of entries is swept forwards, which stores the
/// heaviest class before each boundary, and then backwards, which adds the heaviest class after it.
template <class I, class T, bool kWeighted, bool kMinimum>
void stumps_of_many(const StumpLanes<T>& in, const Entry* entries, int count, T* error) {
    using Both = Sides<I, T>;
    constexpr int kChunk = kStumpChunkBytes / sizeof(Both);
    const Steps<I, T, kWeighted> steps{in};
    Minimum<I, T, kWeighted, kMinimum> minimum(in);
    auto* before = static_cast<Both*>(in.scratch);  // sums of each class
    Both* after = before + in.classes;
    Both* heaviest = after + in.classes;  // before each boundary of the chunk; 0 if not allowed

    const Both zero = Both::fill(0);
    Both weight = zero, best = zero, most_before = zero;
    for (int c = 0; c < in.classes; ++c) {
        const Both total = Both::load(in.class_weight + c * 2 * kBlock);
        before[c] = zero;
        weight = weight + total;
        best = max(best, total);  // of a leaf
    }
    for (int begin = 0; begin < count; begin += kChunk) {
        const int end = begin + kChunk < count ? begin + kChunk : count;
        for (int i = begin; i < end; ++i) {
            const std::uint32_t row = entries[i] >> 1;
            Both& sum = before[in.label[row]];
            sum = sum + steps.weight(row);
            most_before = max(most_before, sum);
            minimum.add(steps, row);
            if (entries[i] & 1) heaviest[i - begin] = minimum.allowed(most_before, zero);
        }
        Both most_after = zero;
        for (int c = 0; c < in.classes; ++c) {
            after[c] = Both::load(in.class_weight + c * 2 * kBlock) - before[c];
            most_after = max(most_after, after[c]);
        }
        for (int i = end - 1; i >= begin; --i) {
            if (entries[i] & 1) best = max(best, heaviest[i - begin] + most_after);
            const std::uint32_t row = entries[i] >> 1;
            Both& sum = after[in.label[row]];
            sum = sum + steps.weight(row);
            most_after = max(most_after, sum);
        }
    }
    (weight - best).store(error);
}

template <class I, class T, bool kWeighted, bool kMinimum>
void stumps_by_classes(const StumpLanes<T>& in, const Entry* entries, int count, T* error) {
    if (in.classes == 2)
        stumps_of_two<I, T, kWeighted, kMinimum>(in, entries, count, error);
    else
        stumps_of_many<I, T, kWeighted, kMinimum>(in, entries, count, error);
}

template <class I, class T>
void stumps(const StumpLanes<T>& in, const Entry* entries, int count, T* error) {
    const bool weighted = in.step != nullptr, minimum = in.min_rows > 1;
    if (weighted && minimum)
        stumps_by_classes<I, T, true, true>(in, entries, count, error);
    else if (weighted)
        stumps_by_classes<I, T, true, false>(in, entries, count, error);
    else if (minimum)
        stumps_by_classes<I, T, false, true>(in, entries, count, error);
    else
        stumps_by_classes<I, T, false, false>(in, entries, count, error);
}

}  // namespace beamtree
