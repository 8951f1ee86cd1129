// The rows of two classes at a time, sorted by each order of a node.
//
// The two leaves of a stump predict two classes, or the stump is no better than a leaf. All rows of
// other classes are misclassified. So the best stump for many classes is the best one of all pairs
// of classes, and for one pair it is that of a problem of two classes, on the rows of the pair.
//
// Lists of rows are made when they are first asked for: most pairs never are, because their other
// classes weigh too much.
#pragma once

#include <cstdint>
#include <vector>

#include "objective/misclassification.hpp"
#include "sorted/sorted_node.hpp"

namespace beamtree {

class ClassPairs {
  public:
    /// Two classes of the node. Class `zero` has a 0 in the given bit of its number, and `one` a 1.
    struct Pair {
        int zero = 0, one = 1;
        int bit = 0;
        int rows = 0;
    };
    /// The rows of a pair by one order, as the kernel reads them.
    struct Rows {
        const Entry* entries = nullptr;
        int count = 0;
    };
    static constexpr int kMostClasses = 16;
    static constexpr std::int64_t kMostBytes = 64'000'000;  ///< of all lists of a node

    /// Prepares a node, whose classes are numbered from 0. Returns false if the lists would take
    /// too much memory or time. `label` has the classes of the rows.
    bool start(const SortedNode<Misclassification>& node, const std::vector<std::uint16_t>& label,
               int classes);
    /// All pairs, those with many rows first.
    const std::vector<Pair>& pairs() const { return pairs_; }
    Rows rows(int order, int pair);
    /// An upper estimate of the bytes of all lists of a node.
    static std::int64_t bytes(std::int64_t rows, std::int64_t orders, int classes);

  private:
    struct List {
        bool made = false;
        std::vector<Entry> entries;
    };
    /// Where the classes are in an order.
    struct Positions {
        bool made = false;
        std::vector<std::uint64_t> bits;   ///< (classes, words) a bit per place
        std::vector<std::uint32_t> block;  ///< (rows,) number of boundaries before a place
    };

    void locate(int order);
    void select(int order, const Pair& pair, std::vector<Entry>& entries);

    const SortedNode<Misclassification>* node_ = nullptr;
    const std::vector<std::uint16_t>* label_ = nullptr;
    int classes_ = 0, words_ = 0;
    std::vector<Pair> pairs_;
    /// (pairs, orders) The first ones are the longest in all nodes, so that memory is reused.
    std::vector<List> lists_;
    std::vector<Positions> positions_;  ///< (orders,)
};

}  // namespace beamtree
