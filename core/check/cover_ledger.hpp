// Checked builds make sure that no two covers have the same key.
#pragma once

#include <map>
#include <mutex>
#include <stdexcept>
#include <utility>
#include <vector>

#include "data/cover.hpp"

namespace beamtree {

class CoverLedger {
  public:
    /// Throws std::logic_error if another cover was checked with the same key.
    void check(const CoverKey& key, const Cover& cover) {
        std::vector<std::pair<std::uint32_t, Word>> words;
        for (int i = 0; i < cover.size; ++i) words.emplace_back(cover.index[i], cover.word[i]);
        const std::lock_guard lock(mutex_);
        const auto [entry, fresh] = covers_.try_emplace({key.high, key.low}, words);
        if (!fresh && entry->second != words)
            throw std::logic_error("two covers have the same key");
    }

  private:
    std::mutex mutex_;
    std::map<std::pair<Word, Word>, std::vector<std::pair<std::uint32_t, Word>>> covers_;
};

}  // namespace beamtree
