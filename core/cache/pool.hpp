// Memory for what a shard of the cache remembers beside the facts: blocks of 64-byte multiples,
// named by numbers of 32 bits, from chunks that never move.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "data/pages.hpp"

namespace beamtree {

class Pool {
  public:
    /// Names a block; 0 is none.
    using Index = std::uint32_t;
    /// The first member of whatever is kept in a block; the pool's own.
    struct Header {
        std::uint32_t units = 0;  ///< size of the block, and kFree
    };

    explicit Pool(std::size_t limit = static_cast<std::size_t>(-1)) : limit_(limit) {}

    /// A block of at least so many bytes, or 0 if there is no room.
    Index allocate(std::size_t bytes);
    void free(Index block);
    /// Joins free blocks that lie side by side. Without it, blocks would only become smaller.
    void join();
    /// Whether a block of so many bytes could exist if all others were freed.
    bool could_hold(std::size_t bytes) const { return bytes <= largest_chunk_; }

    template <class T>
    T* at(Index block) const {
        return reinterpret_cast<T*>(chunks_[(block >> kOffsetBits) - 1].pages.template as<char>() +
                                    kUnit * (block & kOffsetMask));
    }
    std::size_t block_bytes(Index block) const { return kUnit * at<Header>(block)->units; }
    /// Of the blocks in use, and of all memory.
    std::size_t used() const { return kUnit * used_; }
    std::size_t bytes() const { return bytes_; }

    static constexpr std::size_t kUnit = 64;

  private:
    static constexpr int kOffsetBits = 20;  ///< of an index; the others are the chunk's number + 1
    static constexpr Index kOffsetMask = (Index{1} << kOffsetBits) - 1;
    static constexpr std::size_t kMostChunks = (std::size_t{1} << (32 - kOffsetBits)) - 1;
    static constexpr std::size_t kFirstChunk = 4 << 10, kLastChunk = 1 << 20;
    static constexpr std::uint32_t kFree = std::uint32_t{1} << 31;
    static constexpr std::uint32_t kLarge = 63;  ///< units; list of the blocks of as many or more

    struct FreeBlock {
        Header header;
        Index next;
    };
    struct Chunk {
        Pages pages;
        std::uint32_t units = 0;
        std::uint32_t handed_out = 0;  ///< units that are, or were, part of a block
    };

    Index take_free(std::uint32_t units);
    Index take_fresh(std::uint32_t units);
    bool add_chunk(std::uint32_t units);
    void put_free(Index block, std::uint32_t units);
    static std::uint32_t list_of(std::uint32_t units) { return units < kLarge ? units : kLarge; }
    Index index_in(std::size_t chunk, std::uint32_t unit) const {
        return static_cast<Index>((chunk + 1) << kOffsetBits) | unit;
    }

    std::size_t limit_;
    std::size_t bytes_ = 0, used_ = 0, largest_chunk_ = 0;
    std::vector<Chunk> chunks_;
    Index list_[kLarge + 1] = {};  ///< free blocks by units
    std::uint64_t filled_ = 0;     ///< bit i: list i is not empty
};

}  // namespace beamtree
