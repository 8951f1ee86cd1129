#include "cache/pool.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace beamtree {

Pool::Index Pool::allocate(std::size_t bytes) {
    if (bytes > kUnit * kOffsetMask) return 0;
    const auto units = static_cast<std::uint32_t>((bytes + kUnit - 1) / kUnit);
    Index block = take_free(units);
    if (block == 0) block = take_fresh(units);
    if (block == 0) return 0;
    at<Header>(block)->units = units;
    used_ += units;
    return block;
}

void Pool::free(Index block) {
    const std::uint32_t units = at<Header>(block)->units;
    used_ -= units;
    put_free(block, units);
}

void Pool::put_free(Index block, std::uint32_t units) {
    const std::uint32_t list = list_of(units);
    *at<FreeBlock>(block) = {{units | kFree}, list_[list]};
    list_[list] = block;
    filled_ |= std::uint64_t{1} << list;
}

/// Takes the smallest free block that is large enough; of the blocks in the last list, the first.
Pool::Index Pool::take_free(std::uint32_t units) {
    const std::uint64_t fitting = filled_ & (~std::uint64_t{0} << list_of(units));
    if (fitting == 0) return 0;
    const int list = std::countr_zero(fitting);
    Index* link = &list_[list];
    while (*link != 0 && (at<Header>(*link)->units & ~kFree) < units)
        link = &at<FreeBlock>(*link)->next;
    const Index block = *link;
    if (block == 0) return 0;
    *link = at<FreeBlock>(block)->next;
    if (list_[list] == 0) filled_ &= ~(std::uint64_t{1} << list);
    const std::uint32_t rest = (at<Header>(block)->units & ~kFree) - units;
    if (rest > 0) put_free(block + units, rest);
    return block;
}

Pool::Index Pool::take_fresh(std::uint32_t units) {
    const auto room = [&] {
        return chunks_.empty() ? 0 : chunks_.back().units - chunks_.back().handed_out;
    };
    if (room() < units && !add_chunk(units)) return 0;
    Chunk& chunk = chunks_.back();
    const Index block = index_in(chunks_.size() - 1, chunk.handed_out);
    chunk.handed_out += units;
    return block;
}

/// Every chunk has twice the size of the one before, so that small caches stay small. Under a
/// limit, the last chunk takes the rest.
bool Pool::add_chunk(std::uint32_t units) {
    if (chunks_.size() == kMostChunks) return false;
    const std::size_t left = (limit_ - bytes_) / Pages::page_size() * Pages::page_size();
    const std::size_t doubled = kFirstChunk << std::min<std::size_t>(chunks_.size(), 16);
    const std::size_t usual = Pages::whole(std::min(doubled, kLastChunk));
    const std::size_t size = std::min(std::max(usual, Pages::whole(kUnit * units)), left);
    if (size < kUnit * units) return false;
    Chunk chunk;
    chunk.pages = Pages(size);
    chunk.units = static_cast<std::uint32_t>(std::min(size / kUnit, std::size_t{kOffsetMask}));
    chunks_.push_back(std::move(chunk));
    bytes_ += size;
    largest_chunk_ = std::max(largest_chunk_, kUnit * chunks_.back().units);
    if (chunks_.size() == 1) return true;
    Chunk& last = chunks_[chunks_.size() - 2];  // its rest is too small for this block
    const std::uint32_t rest = last.units - last.handed_out;
    const Index block = index_in(chunks_.size() - 2, last.handed_out);
    last.handed_out = last.units;
    if (rest > 0) put_free(block, rest);
    return true;
}

void Pool::join() {
    std::fill(std::begin(list_), std::end(list_), 0);
    filled_ = 0;
    for (std::size_t c = 0; c < chunks_.size(); ++c) {
        Chunk& chunk = chunks_[c];
        std::uint32_t run = 0;  // number of free units just before `unit`
        std::uint32_t unit = 0;
        while (unit < chunk.handed_out) {
            const std::uint32_t header = at<Header>(index_in(c, unit))->units;
            const std::uint32_t units = header & ~kFree;
            if (header & kFree) {
                run += units;
            } else if (run > 0) {
                put_free(index_in(c, unit - run), run);
                run = 0;
            }
            unit += units;
        }
        if (run > 0) put_free(index_in(c, unit - run), run);
    }
}

}  // namespace beamtree
