// An archive of covers whose lower bounds were found lately. They bound the optima of similar
// covers of the same remaining depth: optimum(S) >= lower(S') - weight(S' \ S). If leaves have a
// minimum size, this holds only if S is a subset of S'.
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
#include "objective/misclassification.hpp"

namespace beamtree {

class Archive {
  public:
    /// The memory with which one thread looks for bounds.
    struct Scratch {
        Scratch(const Dataset& data, int number) : thread(number), dense(data.words(), 0) {}

        int thread;               ///< number of the thread, from 0
        std::vector<Word> dense;  ///< (data.words(),) all zero before and after a call
    };

    /// The archive keeps the latest covers: at most kMostRecords, and at most `bytes` bytes.
    Archive(const Dataset& data, const Misclassification& objective, const Kernel& kernel,
            std::size_t bytes, int threads);

    void add(const Node& node, Cost lower);

    /// Returns a lower bound for the node, or 0. It stops looking for a better one as soon as the
    /// bound reaches `target`, and ignores records that cannot reach it. It takes no lock.
    Cost bound(const Node& node, Cost target, Scratch& scratch);

    std::size_t bytes() const;
    int records() const;

    /// `load` expects an empty archive. It throws std::invalid_argument if a record does not fit
    /// the dataset; the archive must not be used after that.
    void save(Writer& out) const;
    void load(Reader& in);

    static constexpr int kMostRecords = 1024;

    ~Archive();

  private:
    struct Record {
        Cost lower = 0;
        Cost margin = 0;  ///< lower minus the cost of all rows
        std::vector<std::uint32_t> index;
        std::vector<Word> word;

        std::size_t bytes() const {
            return sizeof(Record) + index.capacity() * sizeof(std::uint32_t) +
                   word.capacity() * sizeof(Word);
        }
    };
    /// The two numbers are copies of those of the record: most records are ruled out by them alone.
    struct Slot {
        std::atomic<Cost> lower = 0, margin = 0;
        std::atomic<const Record*> record = nullptr;
    };
    /// A record that is not in the ring any more, but that threads may still read.
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
    const Misclassification& objective_;
    const Kernel& kernel_;
    std::size_t limit_;
    bool threads_;
    Epochs epochs_;
    // The ring holds the `count_` records before `next_`. A record keeps its place until it is
    // dropped, so that records are always read in the same order.
    int slots_;
    std::unique_ptr<Slot[]> ring_;
    std::atomic<int> begun_ = 0;  ///< number of slots that hold or held a record
    // The following members are only used under the lock.
    mutable SpinLock lock_;
    int next_ = 0, count_ = 0;
    std::size_t live_ = 0, dead_ = 0;  ///< bytes of the records in the ring, and of retired records
    std::vector<Retired> retired_;
};

}  // namespace beamtree
