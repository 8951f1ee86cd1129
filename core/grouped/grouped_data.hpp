// The rows of a regression problem for the form of groups: rows with equal features are one
// *group*, which has the sums of its rows. The squared error within a group is the same in every
// tree, so it becomes an offset of the cost.
//
// The features lie in *chains*: the rows of each feature of a chain are a subset of the rows of the
// feature before. A group lists only the last feature of each chain that is 1, so that sums over
// pairs of features need few additions; see GroupedNode.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "data/cover.hpp"
#include "data/problem.hpp"
#include "objective/squared_error.hpp"

namespace beamtree {

/// Sums over groups. They are additive.
struct GroupSums {
    Wide hash = 0;            ///< sum of random numbers: the key of a cover
    std::int64_t packed = 0;  ///< weight and value, see kernel/pair_scores.hpp
    std::int64_t square = 0;

    GroupSums& operator+=(const GroupSums& other) {
        hash += other.hash;
        packed += other.packed;
        square += other.square;
        return *this;
    }
    friend GroupSums operator-(const GroupSums& a, const GroupSums& b) {
        return {a.hash - b.hash, a.packed - b.packed, a.square - b.square};
    }
    CoverHash cover_hash() const {
        return {0, static_cast<Word>(hash), static_cast<Word>(hash >> 64)};
    }
};

/// Packs a weight and a value into one integer.
struct Packing {
    int bits = 12;  ///< of the weight

    std::int64_t pack(std::int64_t weight, std::int64_t value) const {
        return static_cast<std::int64_t>(static_cast<std::uint64_t>(value) << bits) + weight;
    }
    std::int64_t weight(std::int64_t packed) const {
        return packed & ((std::int64_t{1} << bits) - 1);
    }
    std::int64_t value(std::int64_t packed) const { return packed >> bits; }
    ValueSums sums(const GroupSums& of) const {
        return {weight(of.packed), value(of.packed), of.square};
    }
};

/// Returns how the sums of rows are packed, or nothing if they do not fit.
std::optional<Packing> choose_packing(const Targets& targets);

class GroupedData {
  public:
    /// The problem must have numbers that can be packed.
    GroupedData(const Problem& problem, const SquaredError& objective);

    int groups() const { return static_cast<int>(group_.size()); }
    int features() const { return static_cast<int>(original_.size()); }
    const Packing& packing() const { return packing_; }
    const GroupSums& group(std::uint32_t i) const { return group_[i]; }
    /// A row of the problem that belongs to a group.
    std::int64_t row(std::uint32_t i) const { return row_[i]; }
    /// The column of the problem that a feature is.
    int original(int feature) const { return original_[feature]; }
    /// Whether a feature is 1 where its column is 0.
    bool flipped(int feature) const { return flipped_[feature]; }
    /// The last feature of the chain of a feature.
    int chain_end(int feature) const { return chain_end_[feature]; }
    bool is_one(std::uint32_t i, int feature) const {
        return (columns_[feature][i / 64] >> (i % 64) & 1) != 0;
    }
    Cost offset() const { return offset_; }
    const ValueSums& total() const { return total_; }
    const SquaredError& objective() const { return objective_; }

  private:
    using Column = std::vector<Word>;

    void merge_rows(const Problem& problem, std::vector<Column>& columns);
    void sort_by_mean(std::vector<Cost>& squares);
    void make_chains(std::vector<Column>& columns);

    const SquaredError& objective_;
    Packing packing_;
    std::vector<GroupSums> group_;
    std::vector<std::int64_t> row_;
    std::vector<Column> columns_;  ///< (features, words) of bits, one bit per group
    std::vector<int> original_, chain_end_;
    std::vector<bool> flipped_;
    Cost offset_ = 0;
    ValueSums total_;  ///< of all groups
};

}  // namespace beamtree
