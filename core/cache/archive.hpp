// Covers that were bounded lately, to bound similar ones: OPT(S) >= lower(S') - weight(S' \ S) for
// S' of the same remaining depth; where leaves have a minimum size only if S is a subset of S'.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "cache/epochs.hpp"
#include "cache/spin_lock.hpp"
#include "data/cover.hpp"
#include "data/dataset.hpp"
#include "data/stream.hpp"
#include "node/node.hpp"
#include "objective/objective.hpp"

namespace beamtree {

class Archive {
  public:
    /// What a thread looks with.
    struct Scratch {
        Scratch(const Dataset& data, int number) : thread(number), dense(data.words(), 0) {}

        int thread;               ///< its number, from 0
        std::vector<Word> dense;  ///< (data.words(),), all zero before and after
    };

    /// Keeps the latest covers, up to kMostRecords, as far as they fit into `bytes`.
    Archive(const Dataset& data, const Objective& objective, const Kernel& kernel,
            std::size_t bytes, int threads);

    void add(const Node& node, Cost lower);

    /// A lower bound for the node; the search for a better one ends at `target`. No lock is taken.
    Cost bound(const Node& node, Cost target, Scratch& scratch);

    std::size_t bytes() const;
    int records() const;

    /// An archive is loaded while it is empty. Throws std::invalid_argument if a record cannot be
    /// of this dataset; the archive is of no use then.
    void save(Writer& out) const;
    void load(Reader& in);

    static constexpr int kMostRecords = 1024;

    ~Archive();

  private:
    struct Record {
        Cost lower = 0;
        Cost margin = 0;  ///< lower, less the cost of all rows
        std::vector<std::uint32_t> index;
        std::vector<Word> word;

        std::size_t bytes() const {
            return sizeof(Record) + index.capacity() * sizeof(std::uint32_t) +
                   word.capacity() * sizeof(Word);
        }
    };
    /// Most records are out of the question by the two numbers, which are copies.
    struct Slot {
        std::atomic<Cost> lower = 0, margin = 0;
        std::atomic<const Record*> record = nullptr;
    };
    /// Not found any more, but threads may still look at it.
    struct Retired {
        std::unique_ptr<const Record> record;
        std::uint64_t stamp = 0;
    };

    void keep(std::unique_ptr<const Record> record);
    void drop_oldest();
    void free_retired();
    int oldest() const { return (next_ - count_ + slots_) % slots_; }
    static bool contains(const Record& record, const Node& node, const std::vector<Word>& dense);
    std::unique_ptr<const Record> load_record(Reader& in, const std::vector<Word>& valid) const;

    const Dataset& data_;
    const Objective& objective_;
    const Kernel& kernel_;
    std::size_t limit_;
    bool threads_;
    Epochs epochs_;
    // A ring: `count_` records up to `next_`, each where it stays until it is dropped, so that they
    // are looked through in the same order as long as there is room.
    int slots_;
    std::unique_ptr<Slot[]> ring_;
    std::atomic<int> begun_ = 0;  ///< slots that hold or held a record
    // For those who write, under the lock.
    mutable SpinLock lock_;
    int next_ = 0, count_ = 0;
    std::size_t live_ = 0, dead_ = 0;  ///< bytes of the records in the ring, and of the retired
    std::vector<Retired> retired_;
};

}  // namespace beamtree
