// Finds the best stumps for both sides of 16 thresholds; stumps.hpp explains the terms.
// This is a part of kernel_of.hpp: nothing here may come from the standard library.
//
// The parts are kept apart. Steps know what a row adds to the sums, Minimum knows which boundaries
// are allowed. An objective (TwoClasses, ManyClasses: the misclassified weight, as defined in
// core/objective/misclassification.hpp) decides which sums it needs and how it scores a boundary.
// The sweeps only walk over the entries.
#pragma once

#include "kernel/kernel.hpp"

namespace beamtree {

/// The type as which lanes are compared, and its least number. Wide lanes are compared with a sign,
/// because not every instruction set has another comparison.
template <class T>
struct Compared {
    using Type = T;
    static constexpr T kLeast = 0;
};
template <>
struct Compared<std::uint32_t> {
    using Type = std::int32_t;
    static constexpr std::uint32_t kLeast = std::uint32_t{1} << 31;
};
template <>
struct Compared<std::uint64_t> {
    using Type = std::int64_t;
    static constexpr std::uint64_t kLeast = std::uint64_t{1} << 63;
};

/// One number for both sides of some lanes, in one register per side. GCC and Clang translate the
/// operations on vectors to single instructions where the instruction set has them.
template <class I, class T>
struct Sides {
    using Lane = typename Compared<T>::Type;
    typedef Lane Vector __attribute__((vector_size(I::kRegisterBytes), may_alias));
    typedef T Modular __attribute__((vector_size(I::kRegisterBytes)));  // sums may wrap around
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
        return {(Vector)((Modular)left + (Modular)b.left),
                (Vector)((Modular)right + (Modular)b.right)};
    }
    inline __attribute__((always_inline)) Sides operator-(const Sides& b) const {
        return {(Vector)((Modular)left - (Modular)b.left),
                (Vector)((Modular)right - (Modular)b.right)};
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
    /// Whether this is larger in any lane.
    inline __attribute__((always_inline)) bool any_above(const Sides& b) const {
        const Vector above = (Vector)(left > b.left) | (Vector)(right > b.right);
        Word words[I::kRegisterBytes / sizeof(Word)], any = 0;
        __builtin_memcpy(words, &above, sizeof words);
        for (const Word word : words) any |= word;
        return any != 0;
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
            const Both total = Both::load(in.side_rows + lane), min_rows = Both::fill(in.min_rows);
            const Both rest = total - min_rows, none = Both::fill(0), one = Both::fill(1);
            const auto if_can_split = [&](const Both& value, const Both& otherwise) {
                return min_rows.if_at_most(total, min_rows.if_at_most(rest, value, otherwise),
                                           otherwise);
            };
            // If no split is allowed, the count starts at 1 and is never at most 0.
            const Both least = Both::fill(Compared<T>::kLeast);
            counted = least + if_can_split(none - min_rows, one);
            range = least + if_can_split(rest - min_rows, none);
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
/// after it; the opposite stump misclassifies the rest of the weight.
template <class I, class T, bool kWeighted, bool kMinimum>
struct TwoClasses {
    using Both = Sides<I, T>;
    const Steps<I, T, kWeighted> steps;
    Minimum<I, T, kWeighted, kMinimum> minimum;
    const Both class0, class1;
    Both sum = class1, least, most = class1;

    TwoClasses(const StumpLanes<T>& in, int lane, const Both& known)
        : steps(in, lane),
          minimum(in, lane),
          class0(Both::load(in.class_weight + lane)),
          class1(Both::load(in.class_weight + 2 * kBlock + lane)),
          least(known) {}
    inline __attribute__((always_inline)) void add(std::uint32_t row) {
        sum = sum + steps.weight(row);
        minimum.add(steps, row);
    }
    inline __attribute__((always_inline)) void score() {
        least = minimum.allowed(least.min(sum), least);
        most = minimum.allowed(most.max(sum), most);
    }
    Both error() const { return least.min(class0 + class1 - most); }
};

/// For objectives that score a boundary by the sums of the rows before it.
template <class Objective, class T>
void sweep_once(const StumpLanes<T>& in, const Entry* entries, int count, T* error) {
    const Entry* end = entries + count;
    while (end != entries && (end[-1] & 1) == 0) --end;
    for (int lane = 0; lane < kBlock; lane += Objective::Both::kLanes) {
        Objective objective(in, lane, Objective::Both::load(error + lane));
        for (const Entry* next = entries; next != end;) {
            Entry entry;
            do {
                entry = *next++;
                objective.add(entry >> 1);
            } while ((entry & 1) == 0);  // the last entry has a boundary
            objective.score();
        }
        objective.error().store(error + lane);
    }
}

/// Any number of classes. A stump is correct in the heaviest class before the boundary and in the
/// heaviest class after it. Both can only grow with further rows, and only by the row's own class.
template <class I, class T, bool kWeighted, bool kMinimum>
struct ManyClasses {
    using Both = Sides<I, T>;
    const Steps<I, T, kWeighted> steps;
    Minimum<I, T, kWeighted, kMinimum> minimum;
    const int classes;
    const std::uint16_t* const label;
    const T* const totals;             // of each class
    Both *const before, *const after;  // sums of each class
    Both* const heaviest;  // before each boundary, or 0 if it is not allowed; for two chunks
    Both most_before, most_after, most_at_turn, best, weight;

    ManyClasses(const StumpLanes<T>& in, int lane, const Both& known)
        : steps(in, lane),
          minimum(in, lane),
          classes(in.classes),
          label(in.label),
          totals(in.class_weight + lane),
          before(static_cast<Both*>(in.scratch)),
          after(before + classes),
          heaviest(after + classes) {
        most_before = most_after = most_at_turn = weight = Both::fill(0);
        for (int c = 0; c < classes; ++c) {
            before[c] = Both::fill(0);
            weight = weight + total(c);
            most_at_turn = most_at_turn.max(total(c));
        }
        best = weight - known;
    }
    inline __attribute__((always_inline)) void forwards(Entry entry, int i) {
        add(before, entry >> 1, most_before);
        minimum.add(steps, entry >> 1);
        if (entry & 1) at(i) = minimum.allowed(most_before, Both::fill(0));
    }
    /// Starts the way back from the place that forwards() has reached. Returns false if no boundary
    /// of the chunk can be better than the best one.
    bool turn() {
        const bool promising = most_before.any_above(best - most_at_turn);
        most_after = Both::fill(0);
        for (int c = 0; c < classes; ++c) {
            after[c] = total(c) - before[c];
            most_after = most_after.max(after[c]);
        }
        most_at_turn = most_after;
        return promising;
    }
    inline __attribute__((always_inline)) void backwards(Entry entry, int i) {
        if (entry & 1) best = best.max(at(i) + most_after);
        add(after, entry >> 1, most_after);
    }
    Both error() const { return weight - best; }

  private:
    Both total(int c) const { return Both::load(totals + c * 2 * kBlock); }
    Both& at(int i) const { return heaviest[static_cast<unsigned>(i) % (2 * kStumpChunk)]; }
    inline __attribute__((always_inline)) void add(Both* sums, std::uint32_t row, Both& most) {
        Both& sum = sums[label[row]];
        sum = sum + steps.weight(row);
        most = most.max(sum);
    }
};

/// For objectives that need a sweep in each direction. Each chunk of entries is swept forwards and,
/// if it can lower an error, backwards. Sums that were just stored are slow to load again, so the
/// next chunk is swept forwards at the same time.
template <class Objective, class T>
void sweep_both_ways(const StumpLanes<T>& in, const Entry* entries, int count, T* error) {
    const auto chunk_end = [=](int begin) {
        return begin + kStumpChunk < count ? begin + kStumpChunk : count;
    };
    for (int lane = 0; lane < kBlock; lane += Objective::Both::kLanes) {
        Objective objective(in, lane, Objective::Both::load(error + lane));
        int begin = 0, end = chunk_end(0);
        for (int i = 0; i < end; ++i) objective.forwards(entries[i], i);
        while (begin < end) {
            const int next_end = chunk_end(end);
            if (objective.turn()) {
                int back = end - 1;
                for (int i = end; i < next_end; ++i, --back) {
                    objective.forwards(entries[i], i);
                    objective.backwards(entries[back], back);
                }
                for (; back >= begin; --back) objective.backwards(entries[back], back);
            } else {
                for (int i = end; i < next_end; ++i) objective.forwards(entries[i], i);
            }
            begin = end;
            end = next_end;
        }
        objective.error().store(error + lane);
    }
}

template <class I, class T, bool kWeighted, bool kMinimum>
void lower_by_classes(const StumpLanes<T>& in, const Entry* entries, int count, T* error) {
    if (in.classes == 2)
        sweep_once<TwoClasses<I, T, kWeighted, kMinimum>>(in, entries, count, error);
    else
        sweep_both_ways<ManyClasses<I, T, kWeighted, kMinimum>>(in, entries, count, error);
}

template <class I, class T>
void lower_to_stumps(const StumpLanes<T>& in, const Entry* entries, int count, T* error) {
    const bool weighted = in.step != nullptr, minimum = in.min_rows > 1;
    if (weighted && minimum)
        lower_by_classes<I, T, true, true>(in, entries, count, error);
    else if (weighted)
        lower_by_classes<I, T, true, false>(in, entries, count, error);
    else if (minimum)
        lower_by_classes<I, T, false, true>(in, entries, count, error);
    else
        lower_by_classes<I, T, false, false>(in, entries, count, error);
}

}  // namespace beamtree
