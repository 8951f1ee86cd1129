#include "node/selection.hpp"

#include "testing.hpp"

using namespace beamtree;

namespace {

/// The compress of every kernel is compared with an obvious loop, over two segments.
void compress_packs_the_selected_rows() {
    for (const Kernel& kernel : available_kernels()) {
        for (auto& [random, trial] : testing::Trials(2, 300)) {
            const int rows[2] = {random.below(200), 1 + random.below(150)};
            const int start[2] = {0, words_for(rows[0])};
            std::vector<Word> split(start[1] + words_for(rows[1]) + 1), column(split.size());
            for (Word& word : split) word = random.next() & (trial % 3 ? ~Word{0} : random.next());
            for (Word& word : column) word = random.next();
            const bool one = trial % 2;
            Selection selection;
            selection.clear(kernel.needs_compress_steps);
            std::vector<int> expected;
            for (int s = 0; s < 2; ++s) {
                int kept = 0;
                for (int r = 0; r < rows[s]; ++r) {
                    const int w = start[s] + r / 64;
                    if ((split[w] >> (r % 64) & 1) != Word{one}) continue;
                    expected.push_back(column[w] >> (r % 64) & 1);
                    ++kept;
                }
                while (expected.size() % 64 != 0) expected.push_back(0);
                EXPECT(selection.add_segment(split.data(), start[s], rows[s], one) == kept);
            }
            EXPECT(selection.words() * 64 == static_cast<int>(expected.size()));
            const int stride = 1 + random.below(3);
            std::vector<Word> out(selection.words() * stride + 1, 0);
            selection.compress(kernel, column.data(), out.data(), stride);
            for (std::size_t i = 0; i < expected.size(); ++i)
                EXPECT(static_cast<int>(out[i / 64 * stride] >> (i % 64) & 1) == expected[i]);
        }
    }
}

}  // namespace

int main() {
    compress_packs_the_selected_rows();
    return testing::report();
}
