// A pool of memory for the memos and scores of a shard of the cache. It gives out blocks whose
// sizes are multiples of 64 bytes, and names them by 32-bit numbers. Blocks come from chunks that
// never move.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "data/pages.hpp"

namespace beamtree {

class Pool {
  public:
    /// The name of a block; 0 means no block.
    using Index = std::uint32_t;
    /// Must be the first member of everything that is stored in a block. Only the pool writes to
    /// it.
    struct Header {
        std::uint32_t units = 0;  ///< size of the block; the bit kFree marks a free block
    };

    explicit Pool(std::size_t limit = static_cast<std::size_t>(-1)) : limit_(limit) {}

    /// Returns a block of at least `bytes` bytes, or 0 if there is no room.
    Index allocate(std::size_t bytes);
    void free(Index block);
    /// Joins adjacent free blocks. Without it, free blocks would only become smaller.
    void join();
    /// Whether a block of `bytes` bytes would fit if all other blocks were freed.
    bool could_hold(std::size_t bytes) const { return bytes <= largest_chunk_; }

    template <class T>
    T* at(Index block) const {
        return reinterpret_cast<T*>(chunks_[(block >> kOffsetBits) - 1].pages.template as<char>() +
                                    kUnit * (block & kOffsetMask));
    }
    std::size_t block_bytes(Index block) const { return kUnit * at<Header>(block)->units; }
    /// Bytes of the blocks in use.
    std::size_t used() const { return kUnit * used_; }
    /// Bytes of all chunks.
    std::size_t bytes() const { return bytes_; }

    static constexpr std::size_t kUnit = 64;

  private:
    static constexpr int kOffsetBits = 20;  ///< low bits of an index: the place in its chunk; the
                                            ///< high bits are the chunk's number + 1
    static constexpr Index kOffsetMask = (Index{1} << kOffsetBits) - 1;
    static constexpr std::size_t kMostChunks = (std::size_t{1} << (32 - kOffsetBits)) - 1;
    static constexpr std::size_t kFirstChunk = 4 << 10, kLastChunk = 1 << 20;
    static constexpr std::uint32_t kFree = std::uint32_t{1} << 31;
    static constexpr std::uint32_t kLarge =
        63;  ///< blocks of this many units or more share one list

    struct FreeBlock {
        Header header;
        Index next;
    };
    struct Chunk {
        Pages pages;
        std::uint32_t units = 0;
        std::uint32_t handed_out = 0;  ///< units that are or were part of a block
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
    Index list_[kLarge + 1] = {};  ///< first free block of each number of units
    std::uint64_t filled_ = 0;     ///< bit i is set if list i is not empty
};

}  // namespace beamtree
