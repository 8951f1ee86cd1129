"""Tables of raw values, compared with an enumeration of all thresholds and sides of missing values.

One problem is solved by the classifier and by two searches with random strategies, forms of the
rows, kernels, threads and stops.
"""

import numpy as np
import pytest

from tests.oracle import best, best_of_table
from tests.oracle.raw_tables import class_groups, every_split
from tests.property.raw_checks import hold_table
from tests.property.raw_problems import Column, RawProblem, random_raw_problem
from tests.soak import trials

MISTAKES = [[0, 1], [1, 0]]


@pytest.mark.parametrize("chunk", trials(8, soak=1000))
def test_random_tables(chunk):
    """400 small tables in `make test`, and 50,000 in `make soak`."""
    for seed in range(50):
        rng = np.random.default_rng([70, chunk, seed])
        hold_table(rng, random_raw_problem(rng))


@pytest.mark.parametrize("chunk", trials(2, soak=200))
def test_larger_tables(chunk):
    """20 tables with more rows and thresholds than the kernels of two levels take at once."""
    for seed in range(10):
        rng = np.random.default_rng([71, chunk, seed])
        hold_table(rng, random_raw_problem(rng, depth=2 + seed % 2, times=2), runs=3)


@pytest.mark.parametrize("seed", range(40))
def test_the_oracle_agrees_with_the_one_over_zeros_and_ones(seed):
    """Every split becomes a column of zeros and ones."""
    rng = np.random.default_rng([72, seed])
    problem = random_raw_problem(rng)
    rows = [i for i, weight in enumerate(problem.weights) if weight > 0]
    splits = every_split(problem.questions(), rows)
    table = [[split >> place & 1 for split in [0, *splits]] for place in range(len(rows))]
    labels = [problem.y[i] for i in rows]
    weights = [problem.weights[i] for i in rows]
    size, penalty = int(rng.integers(1, 4)), problem.settings.get("leaf_penalty", 0)
    n_classes = len(problem.classes)
    expected = best(table, labels, weights, n_classes, problem.depth, size, penalty)
    found, by_split = best_of_table(
        problem.questions(),
        problem.y,
        problem.weights,
        [[int(j != k) for k in range(n_classes)] for j in range(n_classes)],
        max_depth=problem.depth,
        min_samples_leaf=size,
        leaf_penalty=penalty,
    )
    assert found == expected
    assert set(by_split) <= set(splits)


def test_the_splits_of_a_column_are_written_out():
    """Each of three values and the missing one may be alone or not; row 0 is on the other side."""
    numbers = ("numbers", [1, 2, None, 3])
    assert sorted(every_split([numbers], range(4))) == [0b0100, 0b1000, 0b1010, 0b1100, 0b1110]
    text = ("categories", ["a", "b", None, "c"])
    assert sorted(every_split([text], range(4))) == [*range(2, 16, 2)]
    cities = ["a", "b", "c", "d", "e", "a"]
    assert class_groups(cities, [0, 1, 1, 0, 1, 1], [1] * 6) == [{"b", "c"}, {"b", "c", "e"}]
    assert class_groups(cities, [0, 1, 1, 0, 1, 1], [1, 1, 1, 1, 0, 1]) == [{"b", "c"}]
    assert len(class_groups(cities, [0, 1, 2, 0, 1, 2], [1] * 6)) == 6
    assert sorted(every_split([numbers, text], [1, 3])) == [0b10]
    assert best_of_table([numbers], [0, 1, 0, 1], [1] * 4, MISTAKES, max_depth=1)[0] == 0
    assert best_of_table([text], [0, 1, 0, 1], [1] * 4, MISTAKES, max_depth=1)[0] == 0


def edge(*columns, y, depth=1, weight=None, container="frame", **settings):
    columns = [Column(kind, values) for kind, values in columns]
    return RawProblem(columns, y, weight, container, {"max_depth": depth} | settings)


def floats(*values):
    return "floats", list(values)


def integers(*values):
    return "integers", list(values)


LARGEST = float(np.finfo(float).max)
NEXT = [1.0]
while len(NEXT) < 6:
    NEXT.append(float(np.nextafter(NEXT[-1], 2.0)))
HALF = [0, 0, 0, 1, 1, 1]
DAYS = [20240101 + day for day in range(31)]

# The optimum of each edge, and the problem.
EDGES = {
    "neighbouring doubles": (0, edge(floats(*NEXT), y=HALF)),
    "neighbouring doubles below zero": (0, edge(floats(*(-v for v in NEXT)), y=HALF)),
    "the largest doubles": (0, edge(floats(LARGEST, LARGEST, float(np.nextafter(LARGEST, 0))),
                                    y=[1, 1, 0])),
    "differences that overflow": (0, edge(floats(-LARGEST, -1.7e308, 1.7e308, LARGEST),
                                          y=[0, 1, 1, 0], depth=2)),
    "subnormal numbers": (0, edge(floats(5e-324, 1e-323, 0.0, -5e-324), y=[0, 1, 0, 0])),
    "around zero": (0, edge(floats(-5e-324, 0.0, 5e-324, -0.0), y=[0, 1, 0, 1], depth=2)),
    "zeros of both signs are equal": (1, edge(floats(-0.0, 0.0, 0.0, -0.0), y=[0, 1, 1, 1])),
    "account numbers": (0, edge(integers(*(10**17 + i for i in range(6))), y=[0, 0, 1, 1, 0, 0],
                                depth=2)),
    "account numbers, some missing": (0, edge(integers(10**17 + 1, 10**17 + 2, None, 10**17 + 3),
                                              y=[0, 1, 1, 0], depth=2)),
    "the largest unsigned integers": (0, edge(integers(*(2**64 - 1 - i for i in range(6))),
                                              y=HALF)),
    "the smallest and the largest integers": (0, edge(integers(-(2**63), 1 - 2**63, 0, 2**63 - 2,
                                                               2**63 - 1), y=[0, 1, 0, 1, 0],
                                                      depth=3)),
    "integers around 2**53": (0, edge(integers(*(2**53 - 2 + i for i in range(6))),
                                      y=[0, 1, 1, 0, 1, 1], depth=3)),
    "days": (0, edge(integers(*DAYS), y=[int(day >= 20240116) for day in DAYS])),
    "days as floats": (0, edge(floats(*map(float, DAYS)), y=[int(d >= 20240116) for d in DAYS])),
    "missing values go left": (0, edge(floats(1.0, 2.0, 3.0, None, None, 5.0, 6.0, 7.0),
                                       y=[0, 0, 0, 0, 0, 1, 1, 1])),
    "missing values go right": (0, edge(floats(1.0, 2.0, 3.0, None, None, 5.0, 6.0, 7.0),
                                        y=[0, 0, 0, 1, 1, 1, 1, 1])),
    "missing values go left, then alone": (0, edge(floats(1.0, 2.0, 3.0, None, None, 5.0, 6.0),
                                                   y=[0, 0, 0, 2, 2, 1, 1], depth=2)),
    "integers, missing go left": (0, edge(integers(1, 2, 3, None, 5), y=[0, 0, 0, 0, 1])),
    "all missing except one": (0, edge(floats(None, None, 3.0, None), y=[0, 0, 1, 0])),
    "all missing": (1, edge(floats(None, None, None, None), y=[0, 0, 1, 0])),
    "constant beside missing values": (0, edge(floats(2.0, None, 2.0, None), y=[0, 1, 0, 1])),
    "constant integers beside missing values": (0, edge(integers(7, None, 7), y=[0, 1, 0])),
    "constant": (1, edge(floats(2.0, 2.0, 2.0), y=[0, 1, 0])),
    "booleans beside missing values": (0, edge(("booleans", [True, False, None, True]),
                                               y=[0, 1, 1, 0])),
    "missing text is a category of its own": (0, edge(("text", ["a", None, "b", None]),
                                                      y=[0, 1, 0, 1])),
    "two groups of categories": (0, edge(("text", list("abcdefgabcdefg")),
                                         y=[0, 1, 1, 0, 1, 0, 1] * 2)),
    "two groups, missing values go with one": (0, edge(("text", ["a", "b", "c", "d", None, None]),
                                                      y=[0, 1, 1, 0, 1, 1])),
    "an order": (0, edge(("ordered", ["s8", "s7", "s3", "s1", "s0"]), y=[0, 0, 1, 1, 1])),
    "an order, missing values go left": (0, edge(("ordered", ["s8", None, "s3", "s1", None]),
                                                 y=[0, 0, 1, 1, 0])),
    "an order, a middle": (0, edge(("ordered", ["s8", "s7", "s3", "s1", None]),
                                   y=[0, 1, 1, 0, 0], depth=2)),
    "a month of dates": (0, edge(("days", [*range(19_783, 19_814)]), y=[0] * 9 + [1] * 22)),
    "dates in a list": (0, edge(("days", [19_783, None, 19_785]), y=[0, 0, 1], container="lists")),
    "dates, a middle": (0, edge(("days", [1, 2, None, 5, 9]), y=[0, 1, 1, 1, 0], depth=3)),
    "neighbouring nanoseconds": (0, edge(("instants", [10**18 + k for k in (1, 2, 3)]), y=[0, 1, 0],
                                         depth=2)),
    "missing durations go left": (0, edge(("durations", [7, None, 8]), y=[0, 0, 1])),
    "months": (0, edge(("months", [-1, 0, 1, None]), y=[0, 0, 1, 1])),
    "numbers that are categories": (0, edge(("categories", [1, 2, 3, 1]), y=[0, 1, 0, 0])),
    "numbers of both kinds in one list": (0, edge(integers(10**17, 10**17 + 1), floats(0.5, 0.5),
                                                  y=[0, 1], container="lists")),
    "a value that only a row of weight zero has": (0, edge(floats(1.0, 2.0, 3.0, None),
                                                           y=[0, 1, 1, 0],
                                                           weight=[1.0, 0.0, 2.0, 0.0])),
    "leaves of half the weight": (1, edge(floats(1.0, 2.0, 3.0), y=[0, 1, 1], weight=[1, 1, 2],
                                          min_weight_fraction_leaf=0.5)),
    "one row": (0, edge(floats(1.0), integers(3), y=[0])),
}  # fmt: skip


@pytest.mark.parametrize("name", EDGES)
def test_edge(name):
    expected, problem = EDGES[name]
    assert problem.best()[0] == expected
    hold_table(np.random.default_rng(73), problem, runs=12)


def test_as_arrays():
    """The edges of numbers in arrays and lists."""
    for _, problem in EDGES.values():
        kinds = {column.kind for column in problem.columns}
        for container in ("array", "lists") if kinds <= {"floats", "integers"} else ():
            other = RawProblem(
                problem.columns, problem.y, problem.weight, container, problem.settings
            )
            hold_table(np.random.default_rng(74), other)
