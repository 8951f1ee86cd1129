#include "cache/archive.hpp"

#include "kernel/kernel.hpp"
#include "node/selection.hpp"
#include "streams.hpp"

using namespace beamtree;

namespace {

/// A dataset and some of its nodes.
struct Nodes {
    explicit Nodes(std::int64_t min_rows, Cost unit = 3)
        : objective{unit, 0, min_rows, false},
          owned(testing::random_problem(random, 300, 10, 3, 9)),
          data(owned.view(), objective, {}) {
        root.make_root(data);
        for (int f = 0; f < root.features; ++f)
            for (const bool one : {false, true}) {
                all.push_back(child(root, f, one));
                for (int g = 0; g < 4; ++g) all.push_back(child(all[all.size() - 1 - g], g, one));
            }
    }
    Node child(const Node& parent, int f, bool one) const {
        const CoverHash side =
            parent.cover.hash_of_side(data.hasher(), data.column(parent.feature[f]));
        Node node;
        Selection selection;
        node.make_child(data, parent, f, one, one ? side : parent.hash - side, selection, kernel,
                        [](int) { return true; });
        return node;
    }
    /// Returns the weight of the rows of `node` that are not in `other`.
    std::int64_t outside(const Node& node, const Node& other) const {
        std::vector<Word> dense(data.words(), 0);
        for (int i = 0; i < other.cover.size; ++i)
            dense[other.cover.index[i]] = other.cover.word[i];
        std::int64_t weight = 0;
        for (int i = 0; i < node.cover.size; ++i)
            weight += popcount(node.cover.word[i] & ~dense[node.cover.index[i]]) *
                      data.class_weight_of_word()[node.cover.index[i]];
        return weight;
    }

    testing::Random random{4};
    Kernel kernel = select_kernel("portable");
    Misclassification objective;
    testing::OwnedProblem owned;
    Dataset data;
    Node root;
    std::vector<Node> all;
};

/// Fills an archive with random bounds of the nodes, and returns the bounds.
std::vector<Cost> fill(Archive& archive, Nodes& nodes) {
    std::vector<Cost> lower;
    for (const Node& node : nodes.all) {
        const auto most = static_cast<int>(nodes.objective.removal(node.sums.weight));
        lower.push_back(1 + nodes.random.below(std::max(1, most)));
        if (lower.back() <= most) archive.add(node, lower.back());
    }
    return lower;
}

void bounds_are_by_similarity() {
    for (const std::int64_t min_rows : {1, 3}) {
        Nodes nodes(min_rows);
        Archive archive(nodes.data, nodes.objective, nodes.kernel, 1 << 20, min_rows == 1 ? 2 : 1);
        const std::vector<Cost> lower = fill(archive, nodes);
        Archive::Scratch scratch(nodes.data, 0);
        int helped = 0;
        for (const Node& node : nodes.all) {
            Cost best = 0;
            for (std::size_t i = 0; i < nodes.all.size(); ++i) {
                const Node& other = nodes.all[i];
                if (lower[i] > nodes.objective.removal(other.sums.weight)) continue;
                // If leaves have a minimum size, only covers that contain the node bound it.
                if (min_rows > 1 && nodes.outside(node, other) > 0) continue;
                best =
                    std::max(best, lower[i] - nodes.objective.removal(nodes.outside(other, node)));
            }
            const Cost bound = archive.bound(node, kInfiniteCost / 2, scratch);
            EXPECT(bound == 0);  // no record reaches the target
            const Cost target = std::max<Cost>(1, best);
            const Cost reached = archive.bound(node, target, scratch);
            EXPECT(best == 0 ? reached == 0 : reached >= target && reached <= best);
            helped += reached > 0;
        }
        EXPECT(helped > 10);
        EXPECT(std::all_of(scratch.dense.begin(), scratch.dense.end(),
                           [](Word word) { return word == 0; }));
    }
}

void the_oldest_give_way() {
    Nodes nodes(1);
    Archive::Scratch scratch(nodes.data, 0);
    Archive few(nodes.data, nodes.objective, nodes.kernel, 2000, 1);
    for (int i = 0; i < 3000; ++i) {
        const Node& node = nodes.all[i % nodes.all.size()];
        few.add(node, nodes.objective.removal(node.sums.weight));
        EXPECT(few.bytes() <= 2000);
        if (node.sums.weight > 0)
            EXPECT(few.bound(node, 1, scratch) > 0);  // the latest record is kept
    }
    EXPECT(few.records() > 2 && few.records() < 50);
    Archive none(nodes.data, nodes.objective, nodes.kernel, 50, 1);
    none.add(nodes.root, 5);
    EXPECT(none.records() == 0 && none.bound(nodes.root, 1, scratch) == 0);
    Archive many(nodes.data, nodes.objective, nodes.kernel, 64 << 20, 1);
    for (int i = 0; i < 3000; ++i) many.add(nodes.root, 1 + i);
    EXPECT(many.records() == Archive::kMostRecords);
    EXPECT(many.bound(nodes.root, 3000, scratch) == 3000);
}

void checkpoints_are_checked() {
    Nodes nodes(1);
    Archive archive(nodes.data, nodes.objective, nodes.kernel, 1 << 20, 1);
    fill(archive, nodes);
    const testing::Bytes bytes = testing::saved(archive);
    {
        Archive copy(nodes.data, nodes.objective, nodes.kernel, 1 << 20, 1);
        Reader in(testing::source_of(bytes));
        copy.load(in);
        EXPECT(copy.records() == archive.records() && copy.bytes() == archive.bytes());
        EXPECT(testing::saved(copy) == bytes);
        Archive::Scratch scratch(nodes.data, 0);
        for (const Node& node : nodes.all)
            EXPECT(copy.bound(node, 20, scratch) == archive.bound(node, 20, scratch));
    }
    testing::expect_refusals(77, 1000, 400, bytes, [&](const Source& source) {
        Reader in(source);
        Archive copy(nodes.data, nodes.objective, nodes.kernel, 1 << 20, 1);
        Archive::Scratch scratch(nodes.data, 0);
        copy.load(in);
        copy.bound(nodes.root, 100, scratch);
    });
}

}  // namespace

int main() {
    bounds_are_by_similarity();
    the_oldest_give_way();
    checkpoints_are_checked();
    return testing::report();
}
