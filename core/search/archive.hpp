// Covers that were bounded lately, to bound similar ones: OPT(S) >= lower(S') - weight(S' \ S) for
// S' of the same remaining depth; where leaves have a minimum size only if S is a subset of S'.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "data/cover.hpp"
#include "data/dataset.hpp"
#include "objective/objective.hpp"
#include "search/node.hpp"

namespace beamtree {

class Archive {
  public:
    /// Keeps up to 1,024 covers, as far as they fit into `bytes`.
    Archive(const Dataset& data, const Objective& objective, int bytes)
        : data_(data),
          objective_(objective),
          capacity_(std::clamp(bytes / (12 * std::max(data.words(), 1) + 64), 16, 1024)),
          dense_(data.words(), 0) {}

    void add(const Node& node, Cost lower) {
        if (lower <= 0) return;
        if (static_cast<int>(records_.size()) < capacity_) records_.emplace_back();
        Record& record = records_[next_];
        next_ = (next_ + 1) % capacity_;
        const auto size = node.cover.size;
        record.index.assign(node.cover.index.begin(), node.cover.index.begin() + size);
        record.word.assign(node.cover.word.begin(), node.cover.word.begin() + size);
        record.weight = node.weight;
        record.lower = lower;
    }

    /// A lower bound for the node; the search for a better one ends at `target`.
    Cost bound(const Node& node, Cost target) {
        Cost best = 0;
        for (int i = 0; i < node.cover.size; ++i) dense_[node.cover.index[i]] = node.cover.word[i];
        for (const Record& record : records_) {
            // The distance must stay below this to help.
            const std::int64_t slack =
                (record.lower - std::max(target - 1, best) + objective_.unit - 1) / objective_.unit;
            if (slack <= 0 || record.weight - node.weight >= slack) continue;
            const std::int64_t distance = distance_to(record, slack);
            if (distance >= slack) continue;
            if (objective_.min_rows > 1 && !contains(record, node)) continue;
            best = std::max(best, record.lower - objective_.unit * distance);
            if (best >= target) break;
        }
        for (int i = 0; i < node.cover.size; ++i) dense_[node.cover.index[i]] = 0;
        return best;
    }

  private:
    struct Record {
        std::vector<std::uint32_t> index;
        std::vector<Word> word;
        std::int64_t weight = 0;
        Cost lower = 0;
    };

    /// Weight of the record's rows outside the dense cover, or `enough` if it is at least that.
    std::int64_t distance_to(const Record& record, std::int64_t enough) const {
        std::int64_t distance = 0;
        for (std::size_t i = 0; i < record.index.size() && distance < enough; ++i) {
            const std::uint32_t at = record.index[i];
            distance += popcount(record.word[i] & ~dense_[at]) * data_.class_weight_of_word()[at];
        }
        return std::min(distance, enough);
    }
    bool contains(const Record& record, const Node& node) const {
        int common = 0;
        for (std::size_t i = 0; i < record.index.size(); ++i)
            common += popcount(record.word[i] & dense_[record.index[i]]);
        return common == node.cover_rows;
    }

    const Dataset& data_;
    const Objective& objective_;
    int capacity_;
    int next_ = 0;
    std::vector<Record> records_;
    std::vector<Word> dense_;
};

}  // namespace beamtree
