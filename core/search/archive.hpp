// Covers that were bounded lately, to bound similar ones: OPT(S) >= lower(S') - weight(S' \ S) for
// S' of the same remaining depth; where leaves have a minimum size only if S is a subset of S'.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <shared_mutex>
#include <vector>

#include "data/cover.hpp"
#include "data/dataset.hpp"
#include "data/stream.hpp"
#include "objective/objective.hpp"
#include "search/node.hpp"

namespace beamtree {

class Archive {
  public:
    /// Keeps the latest covers, up to kMostRecords, as far as they fit into `bytes`. For one thread
    /// or several.
    Archive(const Dataset& data, const Objective& objective, std::size_t bytes, bool threads)
        : data_(data), objective_(objective), limit_(bytes), threads_(threads) {}

    void add(const Node& node, Cost lower);

    /// A lower bound for the node; the search for a better one ends at `target`. `dense` is scratch
    /// of the calling thread, (data.words(),), all zero before and after.
    Cost bound(const Node& node, Cost target, std::vector<Word>& dense) const;

    /// Of the records.
    std::size_t bytes() const;
    int records() const;

    /// An archive is loaded while it is empty. Throws std::invalid_argument if a record cannot be
    /// of this dataset; the archive is of no use then.
    void save(Writer& out) const;
    void load(Reader& in);

    static constexpr int kMostRecords = 1024;

  private:
    /// Apart from the rows: most records are out of the question by these two.
    struct Head {
        Cost lower = 0;   ///< 0: dropped
        Cost margin = 0;  ///< lower, less the cost of all rows
    };
    struct Rows {
        std::vector<std::uint32_t> index;
        std::vector<Word> word;

        std::size_t bytes() const {
            return sizeof(Head) + sizeof(Rows) + index.capacity() * sizeof(std::uint32_t) +
                   word.capacity() * sizeof(Word);
        }
    };

    std::unique_lock<std::shared_mutex> write_lock() const {
        return threads_ ? std::unique_lock(mutex_) : std::unique_lock<std::shared_mutex>();
    }
    std::shared_lock<std::shared_mutex> read_lock() const {
        return threads_ ? std::shared_lock(mutex_) : std::shared_lock<std::shared_mutex>();
    }
    void keep(const Head& head, Rows rows);
    void drop_oldest();
    std::int64_t distance_to(const Rows& rows, std::int64_t enough,
                             const std::vector<Word>& dense) const;
    static bool contains(const Rows& rows, const Node& node, const std::vector<Word>& dense);
    Head load_record(Reader& in, const std::vector<Word>& valid, Rows& rows) const;

    const Dataset& data_;
    const Objective& objective_;
    std::size_t limit_;
    bool threads_;
    mutable std::shared_mutex mutex_;
    // A ring: `count_` records up to `next_`, each where it stays until it is dropped, so that they
    // are looked through in the same order as long as there is room.
    std::vector<Head> heads_;
    std::vector<Rows> rows_;
    int next_ = 0, count_ = 0;
    std::size_t bytes_ = 0;
};

}  // namespace beamtree
