// Finds the best second splits below every first split; pair_scores.hpp explains the terms. This is
// a part of kernel_of.hpp: nothing here may come from the standard library.
#pragma once

#include "kernel/kernel.hpp"
#include "kernel/squares_of.hpp"

namespace beamtree {

/// Some lanes of packed sums, at addresses of any alignment, and their conversion to doubles.
template <class I>
struct PackedLanes {
    using D = DoubleLanes<I>;
    using Vector = typename D::Vector;
    typedef double Loose __attribute__((vector_size(I::kRegisterBytes), may_alias, aligned(8)));
    typedef std::int64_t LooseSums
        __attribute__((vector_size(I::kRegisterBytes), may_alias, aligned(8)));
    typedef std::uint64_t Sums __attribute__((vector_size(I::kRegisterBytes), may_alias));

    static constexpr std::uint64_t kTwo52 = 0x4330000000000000;  ///< the bits of 2^52 as a double
    static constexpr double kUnitsOnly = 4503599627370496.0;     ///< 2^52

    static inline __attribute__((always_inline)) Vector load(const double* from) {
        return *reinterpret_cast<const Loose*>(from);
    }
    static inline __attribute__((always_inline)) void store(double* to, Vector value) {
        *reinterpret_cast<Loose*>(to) = value;
    }
    static inline __attribute__((always_inline)) Sums load_sums(const std::int64_t* from) {
        return (Sums)(*reinterpret_cast<const LooseSums*>(from));
    }
    static inline __attribute__((always_inline)) void store_sums(std::int64_t* to, Sums sums) {
        *reinterpret_cast<LooseSums*>(to) = (LooseSums)sums;
    }
    static inline __attribute__((always_inline)) Vector larger(Vector a, Vector b) {
        return a > b ? a : b;
    }
    /// Returns value * value / weight, rounded; 0 if there are no rows. A weight of 1 and more
    /// stays the same if such a small number is added.
    static inline __attribute__((always_inline)) Vector score(Vector value, Vector weight) {
        return D::rounded(value * value / (weight + 1e-300));
    }
};

template <class I>
inline __attribute__((always_inline)) double largest_lane(typename DoubleLanes<I>::Vector lanes) {
    double most = lanes[0];
    for (int i = 1; i < DoubleLanes<I>::kCount; ++i) most = lanes[i] > most ? lanes[i] : most;
    return most;
}

template <class I, bool kWhole, bool kMinimum>
inline __attribute__((always_inline)) void score_all_pairs(const PairScores& in) {
    using D = DoubleLanes<I>;
    using P = PackedLanes<I>;
    using Vector = typename D::Vector;
    using Sums = typename P::Sums;
    const Sums weight_mask = Sums{} + ((std::uint64_t{1} << in.bits) - 1);
    const Sums sign = Sums{} + (std::uint64_t{1} << 63), two52 = Sums{} + P::kTwo52;
    // A value has 2^(63 - bits) added to it, so that it is not negative.
    const double shift = static_cast<double>(std::uint64_t{1} << (63 - in.bits));
    const Vector no_weight = D::fill(P::kUnitsOnly), no_value = D::fill(P::kUnitsOnly + shift);
    const Vector factor = D::fill(in.factor), least = D::fill(in.min_weight);
    for (int g = 0; g < in.features; ++g) {
        const Vector weight_g = D::fill(in.weight[g]), value_g = D::fill(in.value[g]);
        const Vector weight_rest = D::fill(in.all_weight - in.weight[g]);
        const Vector value_rest = D::fill(in.all_value - in.value[g]);
        Vector most_one{}, most_zero{};
        const std::int64_t* row = in.pairs + static_cast<std::size_t>(g) * in.stride;
        const std::int64_t* whole =
            in.whole + (kWhole ? static_cast<std::size_t>(g) * in.stride : 0);
        for (int h = g; h < in.features; h += D::kCount) {
            Sums both = P::load_sums(row + h);
            if constexpr (kWhole) both = P::load_sums(whole + h) - both;
            const Vector n11 = (Vector)((both & weight_mask) | two52) - no_weight;
            const Vector s11 = ((Vector)(((both ^ sign) >> in.bits) | two52) - no_value) * factor;
            const Vector n10 = weight_g - n11, s10 = value_g - s11;
            const Vector n01 = P::load(in.weight + h) - n11, s01 = P::load(in.value + h) - s11;
            const Vector n00 = weight_rest - n01, s00 = value_rest - s01;
            const Vector q11 = P::score(s11, n11), q10 = P::score(s10, n10);
            const Vector q01 = P::score(s01, n01), q00 = P::score(s00, n00);
            Vector by_h_one = q11 + q10, by_h_zero = q01 + q00;
            Vector by_g_one = q11 + q01, by_g_zero = q10 + q00;
            if constexpr (kMinimum) {
                const auto has11 = n11 >= least, has10 = n10 >= least, has01 = n01 >= least,
                           has00 = n00 >= least;
                const Vector none{};
                by_h_one = (has11 & has10) ? by_h_one : none;
                by_h_zero = (has01 & has00) ? by_h_zero : none;
                by_g_one = (has11 & has01) ? by_g_one : none;
                by_g_zero = (has10 & has00) ? by_g_zero : none;
            }
            most_one = P::larger(by_h_one, most_one);
            most_zero = P::larger(by_h_zero, most_zero);
            P::store(in.best_one + h, P::larger(by_g_one, P::load(in.best_one + h)));
            P::store(in.best_zero + h, P::larger(by_g_zero, P::load(in.best_zero + h)));
        }
        const double one = largest_lane<I>(most_one), zero = largest_lane<I>(most_zero);
        if (one > in.best_one[g]) in.best_one[g] = one;
        if (zero > in.best_zero[g]) in.best_zero[g] = zero;
    }
}

template <class I>
void add_up_chains(const int* chain_end, int features, int stride, std::int64_t* pairs) {
    using P = PackedLanes<I>;
    for (int g = features - 2; g >= 0; --g) {
        if (chain_end[g] == g) continue;
        std::int64_t* const row = pairs + static_cast<std::size_t>(g) * stride;
        const std::int64_t* const next = row + stride;
        for (int h = g + 1; h < features; h += DoubleLanes<I>::kCount)
            P::store_sums(row + h, P::load_sums(row + h) + P::load_sums(next + h));
    }
    for (int first = 0; first < features;) {
        const int last = chain_end[first];
        for (int g = 0; last > first && g <= last; ++g) {
            std::int64_t* const row = pairs + static_cast<std::size_t>(g) * stride;
            std::int64_t below = row[last];
            for (int h = last - 1; h >= (first > g ? first : g); --h) row[h] = below += row[h];
        }
        first = last + 1;
    }
}

template <class I>
double score_pairs(const PairScores& in) {
    using D = DoubleLanes<I>;
    using P = PackedLanes<I>;
    using Vector = typename D::Vector;
    for (int h = 0; h < in.stride; h += D::kCount) {
        P::store(in.best_one + h, Vector{});
        P::store(in.best_zero + h, Vector{});
    }
    if (in.min_weight > 1) {
        if (in.whole != nullptr)
            score_all_pairs<I, true, true>(in);
        else
            score_all_pairs<I, false, true>(in);
    } else {
        if (in.whole != nullptr)
            score_all_pairs<I, true, false>(in);
        else
            score_all_pairs<I, false, false>(in);
    }
    const Vector all_weight = D::fill(in.all_weight), all_value = D::fill(in.all_value);
    const Vector penalty = D::fill(in.penalty), least = D::fill(in.min_weight);
    Vector most{};
    for (int h = 0; h < in.features; h += D::kCount) {
        const Vector weight = P::load(in.weight + h), value = P::load(in.value + h);
        const Vector one = P::larger(P::load(in.best_one + h) - penalty, P::score(value, weight));
        const Vector zero = P::larger(P::load(in.best_zero + h) - penalty,
                                      P::score(all_value - value, all_weight - weight));
        P::store(in.best_one + h, one);
        P::store(in.best_zero + h, zero);
        const auto allowed = (weight >= least) & (all_weight - weight >= least);
        most = P::larger(allowed ? one + zero : Vector{}, most);
    }
    return largest_lane<I>(most);
}

}  // namespace beamtree
