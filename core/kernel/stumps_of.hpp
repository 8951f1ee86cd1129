// Finds the best stumps for both sides of 16 thresholds; stumps.hpp explains the terms.
// This is a part of kernel_of.hpp: nothing here may come from the standard library.
//
// What a row adds to the sums (Steps) and which boundaries are allowed (Minimum) do not depend on
// the objective. Which sums it needs and how it scores a boundary is written in stumps_of_two and
// stumps_of_many, for the misclassified weight (core/objective/objective.hpp).
#pragma once

#include "kernel/kernel.hpp"

namespace beamtree {

/// The type of a lane in comparisons. Lanes of 64 bits are signed there, because the instruction
/// sets have no other comparison; their numbers are below 2^63.
template <class T>
struct StumpLane {
    using Type = T;
    static constexpr T kLeast = 0;
};
template <>
struct StumpLane<std::uint64_t> {
    using Type = std::int64_t;
    static constexpr std::uint64_t kLeast = std::uint64_t{1} << 63;
};

/// One number for both sides of some lanes, in one register per side. GCC and Clang translate the
/// operations on vectors to single instructions where the instruction set has them.
template <class I, class T>
struct Sides {
    using Lane = typename StumpLane<T>::Type;
    typedef Lane Vector __attribute__((vector_size(I::kRegisterBytes), may_alias));
    static constexpr int kLanes = I::kRegisterBytes / sizeof(T);
    Vector left, right;

    /// Reads the first lanes of an array (2, 16).
    static inline __attribute__((always_inline)) Sides load(const T* from) {
        return {*reinterpret_cast<const Vector*>(from),
                *reinterpret_cast<const Vector*>(from + kBlock)};
    }
    inline __attribute__((always_inline)) void store(T* to) const {
        *reinterpret_cast<Vector*>(to) = left;
        *reinterpret_cast<Vector*>(to + kBlock) = right;
    }
    static inline __attribute__((always_inline)) Sides fill(T value) {
        const Vector both = Vector{} + static_cast<Lane>(value);
        return {both, both};
    }
    inline __attribute__((always_inline)) Sides operator+(const Sides& b) const {
        return {left + b.left, right + b.right};
    }
    inline __attribute__((always_inline)) Sides operator-(const Sides& b) const {
        return {left - b.left, right - b.right};
    }
    inline __attribute__((always_inline)) Sides operator&(const Sides& b) const {
        return {left & b.left, right & b.right};
    }
    inline __attribute__((always_inline)) Sides min(const Sides& b) const {
        return {left < b.left ? left : b.left, right < b.right ? right : b.right};
    }
    inline __attribute__((always_inline)) Sides max(const Sides& b) const {
        return {left > b.left ? left : b.left, right > b.right ? right : b.right};
    }
    /// `value` in the lanes where this is at most `most`, else `otherwise`.
    inline __attribute__((always_inline)) Sides if_at_most(const Sides& most, const Sides& value,
                                                           const Sides& otherwise) const {
        return {left <= most.left ? value.left : otherwise.left,
                right <= most.right ? value.right : otherwise.right};
    }
};

/// Tables of numbers for each lane_code, side and lane.
template <class I, class T>
struct CodeTables {
    static constexpr int kCodes = 2 * (kBlock + 1);
    struct Table {
        alignas(64) T of[kCodes][2 * kBlock];
    };
    /// A row has the number of its label on its own side of a lane, and 0 on the other side. For
    /// three classes and more, each code is that of label 0.
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

/// What a row adds to the sums of weights and to the numbers of rows, from a first lane on.
template <class I, class T, bool kWeighted>
struct Steps {
    using Both = Sides<I, T>;
    // Copies, so that the compiler knows that no sum is stored over them.
    const std::uint8_t* code;
    const T *step, *row_count, *units, *masks;

    Steps(const StumpLanes<T>& in, int lane)
        : code(in.code),
          step(in.step),
          row_count(in.rows),
          units(CodeTables<I, T>::units.of[0] + lane),
          masks(CodeTables<I, T>::masks.of[0] + lane) {}
    inline __attribute__((always_inline)) Both weight(std::uint32_t row) const {
        if constexpr (kWeighted)
            return of_code(masks, code[row]) & Both::fill(step[row]);
        else
            return of_code(units, code[row]);
    }
    inline __attribute__((always_inline)) Both rows(std::uint32_t row) const {
        if constexpr (kWeighted)
            return of_code(masks, code[row]) & Both::fill(row_count[row]);
        else
            return of_code(units, code[row] & ~1);
    }

  private:
    static inline __attribute__((always_inline)) Both of_code(const T* table, std::size_t at) {
        return Both::load(table + at * 2 * kBlock);
    }
};

/// Counts the rows before a boundary, and says in which lanes both leaves have at least min_rows. A
/// number x is from `min` to `total - min` if x - min, modulo the lane, is at most total - 2 min.
template <class I, class T, bool kWeighted, bool kMinimum>
struct Minimum {
    using Both = Sides<I, T>;
    Both counted, range;

    Minimum(const StumpLanes<T>& in, int lane) {
        if constexpr (kMinimum) {
            alignas(64) T first[2 * kBlock], last[2 * kBlock];
            constexpr T kLeast = StumpLane<T>::kLeast;
            for (int i = 0; i < 2 * kBlock; ++i) {
                const T total = in.side_rows[i], min_rows = in.min_rows;
                const bool can_split = total >= min_rows && total - min_rows >= min_rows;
                // If no split is allowed, the count starts at 1 and is never at most 0.
                first[i] = static_cast<T>(kLeast + (can_split ? -min_rows : T{1}));
                last[i] = static_cast<T>(kLeast + (can_split ? total - 2 * min_rows : T{0}));
            }
            counted = Both::load(first + lane);
            range = Both::load(last + lane);
        }
    }
    inline __attribute__((always_inline)) void add(const Steps<I, T, kWeighted>& steps,
                                                   std::uint32_t row) {
        if constexpr (kMinimum) counted = counted + steps.rows(row);
    }
    /// `value` in the lanes where a split is allowed, else `otherwise`.
    inline __attribute__((always_inline)) Both allowed(const Both& value,
                                                       const Both& otherwise) const {
        if constexpr (kMinimum)
            return counted.if_at_most(range, value, otherwise);
        else
            return value;
    }
};

/// Two classes. The sum starts at the weight of class 1; rows of class 0 are added, and those of
/// class 1 subtracted. So it is the error of the stump that predicts 1 before the boundary and 0
/// after it; the opposite stump misclassifies the rest of the weight. The sums and the extremes of
/// one register per side are all that the processor can hold, so wider lanes need several passes.
template <class I, class T, bool kWeighted, bool kMinimum>
void stumps_of_two(const StumpLanes<T>& in, const Entry* entries, int count, T* error) {
    using Both = Sides<I, T>;
    const Entry* end = entries + count;
    while (end != entries && (end[-1] & 1) == 0) --end;
    for (int lane = 0; lane < kBlock; lane += Both::kLanes) {
        const Steps<I, T, kWeighted> steps(in, lane);
        Minimum<I, T, kWeighted, kMinimum> minimum(in, lane);
        const Both class0 = Both::load(in.class_weight + lane);
        const Both class1 = Both::load(in.class_weight + 2 * kBlock + lane);
        Both sum = class1, least = sum, most = sum;
        for (const Entry* next = entries; next != end;) {
            Entry entry;
            do {
                entry = *next++;
                sum = sum + steps.weight(entry >> 1);
                minimum.add(steps, entry >> 1);
            } while ((entry & 1) == 0);  // the last entry has a boundary
            least = minimum.allowed(least.min(sum), least);
            most = minimum.allowed(most.max(sum), most);
        }
        least.min(class0 + class1 - most).store(error + lane);
    }
}

/// Any number of classes. A stump is correct in the heaviest class before the boundary and in the
/// heaviest class after it. Both grow with the number of rows, so that only the sum of a row's own
/// class can raise them. Each chunk of entries is swept forwards, which stores the heaviest class
/// before each boundary, and then backwards, which adds the heaviest class after it. A sum that was
/// just stored is slow to load again, so the next chunk is swept forwards at the same time.
template <class I, class T, bool kWeighted, bool kMinimum>
void stumps_of_many(const StumpLanes<T>& in, const Entry* entries, int count, T* error) {
    using Both = Sides<I, T>;
    auto* before = static_cast<Both*>(in.scratch);  // sums of each class
    Both* after = before + in.classes;
    const std::uint16_t* const label = in.label;
    Both* heaviest = after + in.classes;  // before the boundaries of two chunks; 0 if not allowed
    for (int lane = 0; lane < kBlock; lane += Both::kLanes) {
        const Steps<I, T, kWeighted> steps(in, lane);
        Minimum<I, T, kWeighted, kMinimum> minimum(in, lane);
        const T* totals = in.class_weight + lane;
        const Both zero = Both::fill(0);
        Both weight = zero, best = zero, most_before = zero, most_after = zero;
        for (int c = 0; c < in.classes; ++c) {
            const Both total = Both::load(totals + c * 2 * kBlock);
            before[c] = zero;
            weight = weight + total;
            best = best.max(total);  // of a leaf
        }
        const auto forwards = [&](int i) __attribute__((always_inline)) {
            const std::uint32_t row = entries[i] >> 1;
            Both& sum = before[label[row]];
            sum = sum + steps.weight(row);
            most_before = most_before.max(sum);
            minimum.add(steps, row);
            if (entries[i] & 1)
                heaviest[static_cast<unsigned>(i) % (2 * kStumpChunk)] =
                    minimum.allowed(most_before, zero);
        };
        const auto backwards = [&](int i) __attribute__((always_inline)) {
            if (entries[i] & 1)
                best =
                    best.max(heaviest[static_cast<unsigned>(i) % (2 * kStumpChunk)] + most_after);
            const std::uint32_t row = entries[i] >> 1;
            Both& sum = after[label[row]];
            sum = sum + steps.weight(row);
            most_after = most_after.max(sum);
        };
        int done = 0, ahead = kStumpChunk < count ? kStumpChunk : count;
        for (int i = 0; i < ahead; ++i) forwards(i);
        while (done < count) {
            most_after = zero;
            for (int c = 0; c < in.classes; ++c) {
                after[c] = Both::load(totals + c * 2 * kBlock) - before[c];
                most_after = most_after.max(after[c]);
            }
            int i = ahead;
            const int last = ahead + kStumpChunk < count ? ahead + kStumpChunk : count;
            int j = ahead - 1;
            for (; i < last; ++i, --j) {
                forwards(i);
                backwards(j);
            }
            for (; j >= done; --j) backwards(j);
            done = ahead;
            ahead = last;
        }
        (weight - best).store(error + lane);
    }
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
