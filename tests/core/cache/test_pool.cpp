#include "cache/pool.hpp"

#include <algorithm>
#include <cstring>
#include <map>

#include "testing.hpp"

using namespace beamtree;

namespace {

struct Block {
    Pool::Header header;
    std::uint32_t owner;
};

/// Blocks keep their contents while other blocks are allocated and freed.
void blocks_do_not_overlap(testing::Random& random, std::size_t limit) {
    Pool pool(limit);
    std::map<Pool::Index, std::pair<std::size_t, unsigned char>> blocks;
    const auto content = [&](Pool::Index block) {
        return pool.at<unsigned char>(block) + sizeof(Pool::Header);
    };
    int refused = 0;
    for (int step = 0; step < 30'000; ++step) {
        if (blocks.size() > 200 || (random.below(5) < 2 && !blocks.empty())) {
            auto victim = blocks.begin();
            std::advance(victim, random.below(static_cast<int>(blocks.size())));
            const auto [size, mark] = victim->second;
            EXPECT(std::all_of(content(victim->first), content(victim->first) + size,
                               [&](auto byte) { return byte == mark; }));
            pool.free(victim->first);
            blocks.erase(victim);
        } else {
            const std::size_t size = random.below(random.below(10) == 0 ? 9000 : 300);
            const Pool::Index block = pool.allocate(sizeof(Pool::Header) + size);
            refused += block == 0;
            if (block == 0) continue;
            EXPECT(blocks.count(block) == 0);
            EXPECT(pool.block_bytes(block) >= sizeof(Pool::Header) + size);
            const auto mark = static_cast<unsigned char>(random.below(256));
            std::memset(content(block), mark, size);
            blocks[block] = {size, mark};
        }
        if (step % 1000 == 0) pool.join();
        EXPECT(pool.bytes() <= limit && pool.used() <= pool.bytes());
    }
    EXPECT((refused > 0) == (limit < (1 << 20)));
    for (const auto& [block, what] : blocks) pool.free(block);
    EXPECT(pool.used() == 0);
}

/// After a join, the memory of small free blocks can be used for large blocks, and the other way
/// round.
void memory_is_used_again() {
    constexpr std::size_t kLimit = 128 << 10;
    Pool pool(kLimit);
    std::size_t first = 0;
    for (int round = 0; round < 20; ++round) {
        const std::size_t size = round % 2 == 0 ? 64 : 1000;
        std::vector<Pool::Index> blocks;
        while (const Pool::Index block = pool.allocate(size)) blocks.push_back(block);
        if (round == 0) first = blocks.size();
        EXPECT(blocks.size() * size > kLimit * 3 / 4);
        if (size == 64) EXPECT(blocks.size() == first);
        for (const Pool::Index block : blocks) pool.free(block);
        pool.join();
    }
    EXPECT(!pool.could_hold(kLimit));
    EXPECT(pool.allocate(kLimit) == 0);
}

void without_a_limit_large_blocks_fit() {
    Pool pool;
    for (const std::size_t size : {std::size_t{100}, std::size_t{5} << 20, std::size_t{100}}) {
        const Pool::Index block = pool.allocate(size);
        EXPECT(block != 0);
        pool.at<unsigned char>(block)[size - 1] = 1;
    }
    EXPECT(pool.allocate(std::size_t{1} << 40) == 0);
}

}  // namespace

int main() {
    for (auto& [random, trial] : testing::Trials(3, 1)) {
        blocks_do_not_overlap(random, 64 << 10);
        blocks_do_not_overlap(random, std::size_t{1} << 30);
    }
    memory_is_used_again();
    without_a_limit_large_blocks_fit();
    return testing::report();
}
