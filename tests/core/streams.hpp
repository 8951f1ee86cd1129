// Streams of bytes in memory.
#pragma once

#include <cstring>
#include <exception>
#include <new>
#include <stdexcept>
#include <vector>

#include "data/stream.hpp"
#include "testing.hpp"

namespace testing {

using Bytes = std::vector<unsigned char>;

inline beamtree::Sink sink_to(Bytes& bytes) {
    return [&](const void* from, std::size_t size) {
        const auto* first = static_cast<const unsigned char*>(from);
        bytes.insert(bytes.end(), first, first + size);
    };
}

template <class Table>
Bytes saved(const Table& table) {
    Bytes bytes;
    beamtree::Writer out(sink_to(bytes));
    table.save(out);
    out.flush();
    return bytes;
}

/// The source throws std::runtime_error at the end of the bytes.
inline beamtree::Source source_of(const Bytes& bytes) {
    return [&bytes, at = std::size_t{0}](void* to, std::size_t size) mutable {
        if (size > bytes.size() - at) throw std::runtime_error("the checkpoint is cut off");
        std::memcpy(to, bytes.data() + at, size);
        at += size;
    };
}

/// Calls load(source) with sources that are cut off or have changed bytes. It must load them, or
/// refuse them by throwing std::invalid_argument; at least `least` of them are refused.
template <class Load>
void expect_refusals(std::uint64_t test, int count, int least, const Bytes& bytes, Load load) {
    int refused = 0;
    Trials trials(test, count);
    for (auto& [random, trial] : trials) {
        Bytes hostile = bytes;
        const auto place = [&] { return random.next() % hostile.size(); };
        if (trial % 3 == 0)
            hostile.resize(place());
        else
            for (int i = 0; i <= trial % 4; ++i)
                hostile[place()] = static_cast<unsigned char>(random.below(256));
        if (trial % 3 == 1) {  // a whole number becomes very large
            const std::uint64_t wild = ~std::uint64_t{0} >> random.below(64);
            if (hostile.size() >= sizeof wild)
                std::memcpy(hostile.data() + random.next() % (hostile.size() - sizeof wild + 1),
                            &wild, sizeof wild);
        }
        try {
            load(source_of(hostile));
        } catch (const std::invalid_argument&) {
            ++refused;
        } catch (const std::runtime_error&) {
            ++refused;
        }
    }
    if (trials.complete()) EXPECT(refused >= least);
}

}  // namespace testing
