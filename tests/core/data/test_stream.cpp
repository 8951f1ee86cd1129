#include "data/stream.hpp"

#include <cmath>
#include <limits>
#include <string>

#include "streams.hpp"

using namespace beamtree;

namespace {

struct Numbers {
    std::int32_t small = 0;
    double real = 0;
    std::vector<std::uint64_t> many;

    void save(Writer& out) const {
        out.put(small);
        out.put(real);
        out.put(static_cast<std::uint64_t>(many.size()));
        out.put_array(many.data(), many.size());
    }
};

void what_is_read_is_what_was_written() {
    testing::Random random(1);
    Numbers numbers{-7, 0.1, std::vector<std::uint64_t>(50'000)};  // several buffers
    for (auto& number : numbers.many) number = random.next();
    const testing::Bytes bytes = testing::saved(numbers);
    EXPECT(bytes.size() == 4 + 8 + 8 + 8 * numbers.many.size());
    Reader in(testing::source_of(bytes));
    EXPECT(in.get<std::int32_t>() == -7);
    EXPECT(in.get<double>() == 0.1);
    std::vector<std::uint64_t> many(in.get<std::uint64_t>());
    in.get_array(many.data(), many.size());
    EXPECT(many == numbers.many);
    bool ended = false;
    try {
        in.get<char>();
    } catch (const std::runtime_error&) {
        ended = true;
    }
    EXPECT(ended);
}

void a_number_out_of_range_is_named() {
    const testing::Bytes bytes = testing::saved(Numbers{99, std::nan(""), {}});
    Reader in(testing::source_of(bytes));
    const auto message = [](auto read) -> std::string {
        try {
            read();
        } catch (const std::invalid_argument& error) {
            return error.what();
        }
        return "";
    };
    EXPECT(message([&] { in.get_in<std::int32_t>(0, 5, "a depth of"); }) ==
           "the checkpoint is invalid: it has a depth of 99, which must be from 0 to 5");
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    EXPECT(!message([&] { in.get_in(-kInfinity, kInfinity, "a reach of"); }).empty());
    EXPECT(message([&] { in.get_in<std::uint64_t>(0, 0, "a size of"); }).empty());
}

}  // namespace

int main() {
    what_is_read_is_what_was_written();
    a_number_out_of_range_is_named();
    return testing::report();
}
