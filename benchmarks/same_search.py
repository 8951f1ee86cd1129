"""Check that two builds of beamtree do the same searches: write one line per search, and compare.

    old/bin/python benchmarks/same_search.py --out before.txt
    new/bin/python benchmarks/same_search.py --against before.txt

Each search ends with its proof or at a number of nodes, never by the clock, and has one thread. So
two builds that do the same write the same lines: status, nodes, objective, lower bound, a hash of
the tree, and the trace without its seconds. The default settings are used on every dataset at every
depth, every other variant on a few of them. Lines that differ are printed; the exit code is then 1.

Without ``--data`` the datasets are generated or ship with scikit-learn. Only public names of the
package are used, so that the script runs on any build. Run it with an interpreter that has the
build installed.
"""

import argparse
import hashlib
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
from sklearn.datasets import load_digits
from sklearn.exceptions import ConvergenceWarning

from beamtree import OptimalTreeClassifier, Search, datasets, heuristics, rules, schedules

warnings.simplefilter("ignore", ConvergenceWarning)  # limits are part of the benchmark

DEPTHS = (3, 4, 5, 6, 7)
DATASETS_OF_A_VARIANT = 8
WORK = 1e9
"""The work of a search, see `Problem.node_limit`: usually half a second."""
MEMORY = "4GB"
"""Much more than needed; the default, a share of the free memory, would differ between runs."""


@dataclass(frozen=True)
class Problem:
    """The features, classes and weights of a search."""

    name: str
    X: np.ndarray
    y: np.ndarray
    sample_weight: np.ndarray | None = None

    @property
    def rng(self):
        """A random generator whose seed is the name of the dataset."""
        seed = hashlib.sha256(self.name.encode()).digest()[:4]
        return np.random.default_rng(int.from_bytes(seed, "little"))

    @property
    def classes(self):
        return len(np.unique(self.y))

    @property
    def node_limit(self):
        """Nodes that take about the same time on every dataset.

        A node counts all pairs of tests, for each class, in words of 64 rows.
        """
        tests = sum(max(len(set(column)) - 1, 1) for column in self.X.T.tolist())
        words = -(-len(self.y) // 64)
        return int(np.clip(WORK / (tests**2 * words * self.classes), 100, 20_000))


# --- datasets -----------------------------------------------------------------------------------


def packaged():
    """Return 17 problems that need no download, six of them with three classes or more."""
    digits = load_digits().target
    fine, coarse = (datasets.load_binarized("digits", cuts) for cuts in (4, 1))
    return [
        *(_problem(f"monks-{number}", datasets.monks(number)) for number in (1, 2, 3)),
        _problem("balance-scale", datasets.balance_scale()),
        _problem("tic-tac-toe", datasets.tic_tac_toe()),
        _problem("multiplexer", datasets.multiplexer(3)),
        _problem("parity", datasets.parity(4, 5)),
        _problem("iris", datasets.load_binarized("iris", 8)),
        _problem("wine", datasets.load_binarized("wine", 3)),
        *(
            _problem(f"breast-cancer-{cuts}", datasets.load_binarized("breast_cancer", cuts))
            for cuts in (1, 2, 4)
        ),
        _problem("digits", coarse),
        _problem("digits-even", coarse._replace(y=digits % 2)),
        _problem("digits-thirds", coarse._replace(y=digits % 3)),
        _problem("digits-wide", fine),
        noisy(),
    ]


def _problem(name, data):
    return Problem(name, np.ascontiguousarray(data.X, np.uint8), np.asarray(data.y))


def noisy(rows=400, features=30):
    """Generate labels from a rule of four features, and flip a quarter of them."""
    rng = np.random.default_rng(7)
    X = rng.integers(0, 2, (rows, features), dtype=np.uint8)
    label = (X[:, 0] & X[:, 1]) | (X[:, 2] ^ X[:, 3])
    return Problem("noisy", X, (label ^ (rng.random(rows) < 0.25)).astype(np.int64))


def from_folder(folder):
    """Load all files ``*.txt`` and ``*.txt.gz``: the class first, then features of 0 and 1."""
    files = [p for p in Path(folder).iterdir() if p.name.endswith((".txt", ".txt.gz"))]
    if not files:
        sys.exit(f"no *.txt or *.txt.gz in {folder}")
    problems = []
    for path in sorted(files):
        table = np.loadtxt(path, dtype=np.int64, ndmin=2)
        X = np.ascontiguousarray(table[:, 1:], np.uint8)
        problems.append(Problem(path.name.split(".txt")[0], X, table[:, 0]))
    return problems


# --- how variants change a dataset --------------------------------------------------------------


def integer_weights(problem):
    """Add integer weights from 0 to 9."""
    weight = problem.rng.integers(0, 10, len(problem.y))
    return replace(problem, sample_weight=weight.astype(np.float64))


def real_weights(problem):
    """Add weights that are not multiples of a common unit."""
    return replace(problem, sample_weight=problem.rng.gamma(2.0, size=len(problem.y)))


def more_classes(problem):
    """Double the number of classes, to at least four, and name them by text."""
    second = problem.X[:, -1] ^ (problem.rng.random(len(problem.y)) < 0.2)
    names = [f"{label}{'ab'[part]}" for label, part in zip(problem.y, second, strict=True)]
    return replace(problem, y=np.array(names))


def wide(problem, features=150):
    """Add differences of two features, if needed to have more than 128 features."""
    X = problem.X
    if X.shape[1] > 128:
        return problem
    pairs = np.column_stack(np.triu_indices(X.shape[1], 1))
    first, second = problem.rng.permutation(pairs)[: features - X.shape[1]].T
    return replace(problem, X=np.column_stack([X, X[:, first] ^ X[:, second]]))


def numbers(problem, columns=6):
    """Replace the features by a few weighted sums of them, which have many thresholds."""
    mixing = problem.rng.integers(-9, 10, (problem.X.shape[1], columns))
    return replace(problem, X=(problem.X.astype(np.int64) @ mixing).astype(np.float64))


def mixed(problem):
    """Make a table of text, numbers and missing values from the features."""
    texts = problem.X[:, :6].astype(np.int64)
    table = numbers(problem, columns=3).X.astype(object)
    table[problem.rng.random(table.shape) < 0.1] = np.nan
    names = ["ink", "oak", "pen", "sky"]
    words = [
        np.array([names[2 * a + b] for a, b in zip(*pair, strict=True)], dtype=object)
        for pair in zip(texts.T[::2], texts.T[1::2], strict=False)
    ]
    return replace(problem, X=np.column_stack([table, *words]))


# --- how variants search ------------------------------------------------------------------------


def search(problem, depth, settings):
    """Run a search to its end."""
    return make(problem, depth, settings).run()


def make(problem, depth, settings):
    settings = limits(problem) | settings
    return Search(problem.X, problem.y, problem.sample_weight, max_depth=depth, **settings)


def limits(problem):
    return {"node_limit": problem.node_limit, "memory_limit": MEMORY, "n_jobs": 1}


@dataclass(frozen=True)
class Fitted:
    """A fitted classifier, with the names of a result."""

    model: OptimalTreeClassifier

    def __getattr__(self, name):
        return getattr(self.model, f"{name}_")


def classifier(problem, depth, settings):
    """Run the search through the classifier."""
    settings = limits(problem) | settings
    model = OptimalTreeClassifier(max_depth=depth, time_limit=None, **settings)
    return Fitted(model.fit(problem.X, problem.y, problem.sample_weight))


def stepwise(problem, depth, settings):
    """Run the search as a loop over its improvements."""
    steps = make(problem, depth, settings)
    for _ in steps:
        pass
    return steps.result()


def saved(problem, depth, settings):
    """Save the search after half of its nodes, and continue it from the file."""
    first = make(problem, depth, settings)
    first.run(node_limit=problem.node_limit // 2)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "search")
        first.save(path)
        rows = (problem.X, problem.y, problem.sample_weight)
        return Search.load(path, *rows, **limits(problem)).run()


def offered(problem, depth, settings):
    """Start the search from the best tree of a smaller depth."""
    small = search(problem, depth - 1, {})
    return search(problem, depth, settings | {"init": small.tree})


def unequal_costs(problem, depth, settings):
    """Search with different costs for different mistakes, some of them not integers."""
    costs = problem.rng.integers(1, 6, (problem.classes, problem.classes)).astype(float)
    costs[0] *= 1.25
    np.fill_diagonal(costs, 0.0)
    return search(problem, depth, settings | {"cost_matrix": costs})


def unequal_classes(problem, depth, settings):
    """Search with different weights for the classes."""
    weights = {label: 1 + place / 2 for place, label in enumerate(np.unique(problem.y).tolist())}
    return search(problem, depth, settings | {"class_weight": weights})


class Share(rules.Rule):
    """A rule in Python, which allows the splits that have a given share of the best gain."""

    def __init__(self):
        self.share = 1.0

    def initial_state(self, ctx):  # noqa: ARG002
        return 1.0

    def update(self, state, ctx):  # noqa: ARG002
        return ctx.gain / ctx.best_gain if ctx.best_gain > 0 else 1.0

    def prune(self, state):
        return state < self.share

    def relax(self, step):
        self.share -= 0.1 * step
        return True


# --- the variants -------------------------------------------------------------------------------


@dataclass(frozen=True)
class Variant:
    """How a search differs from the default: its settings, its data, or how it is run."""

    name: str
    settings: dict = field(default_factory=dict)
    change: Callable = lambda problem: problem
    run: Callable = search


DEFAULT = Variant("default")


def variants():
    """Return all variants except the default."""
    return [
        Variant("rule none", {"rule": None}),
        *(Variant(f"rule {name}", {"rule": rule}) for name, rule in some_rules().items()),
        *(
            Variant(f"schedule {name}", {"schedule": schedule})
            for name, schedule in some_schedules().items()
        ),
        Variant("schedule of rule gain", {"rule": "gain", "schedule": "exponential"}),
        *(
            Variant(f"heuristic {kind.name}", {"heuristic": kind()})
            for kind in (
                heuristics.Auto,
                heuristics.InformationGain,
                heuristics.GainRatio,
                heuristics.Gini,
                heuristics.Error,
                heuristics.Lookahead,
                heuristics.Given,
            )
        ),
        *(Variant(f"exact levels {levels}", {"exact_levels": levels}) for levels in range(4)),
        *(
            Variant(f"rule none, exact levels {levels}", {"rule": None, "exact_levels": levels})
            for levels in range(3)
        ),
        Variant("integer weights", change=integer_weights),
        Variant("real weights", change=real_weights),
        Variant("real weights, rule none", {"rule": None}, real_weights),
        Variant("balanced classes", {"class_weight": "balanced"}),
        Variant("class weights", run=unequal_classes),
        Variant("more classes", change=more_classes),
        Variant("more classes, rule none", {"rule": None}, more_classes),
        Variant("leaf penalty", {"leaf_penalty": 0.01}),
        Variant("leaf penalty, real weights", {"leaf_penalty": 0.003}, real_weights),
        Variant("leaf penalty, exact levels 0", {"leaf_penalty": 0.005, "exact_levels": 0}),
        Variant("leaf size", {"min_samples_leaf": 5}),
        Variant("leaf size as a share", {"min_samples_leaf": 0.04}),
        Variant("leaf weight", {"min_weight_fraction_leaf": 0.03}, integer_weights),
        Variant("costs", run=unequal_costs),
        Variant("costs, integer weights", change=integer_weights, run=unequal_costs),
        Variant("gap", {"gap_limit": 0.3}),
        Variant("wide", change=wide),
        Variant("wide, leaf penalty", {"leaf_penalty": 0.01}, wide),
        Variant("many thresholds", {"max_thresholds": None}, numbers),
        Variant("some thresholds", {"max_thresholds": 10}, numbers),
        Variant("mixed table", change=mixed),
        Variant("classifier", run=classifier),
        Variant("stepwise", run=stepwise),
        Variant("saved", run=saved),
        Variant("offered", run=offered),
    ]


def some_rules():
    return {
        "discrepancy": "discrepancy",
        "gain": "gain",
        "top-k": "top-k",
        "top-k-star": "top-k-star",
        "purity": "purity",
        "both": rules.Both(rules.Gain(), rules.Discrepancy(unit=2)),
        "with a limit": rules.Discrepancy(limit=2),
        "in python": Share(),
    }


def some_schedules():
    return {
        "luby": schedules.Luby(),
        "monotonic": schedules.Monotonic(),
        "exponential": schedules.Exponential(),
        "sequence": schedules.Sequence((0, 1, 3, 10)),
    }


def plan(problems, depths):
    """Return all searches, as dataset, depth and variant, in the order of the output.

    Each variant except the default has eight datasets with two depths each, so that all depths
    occur. The next variant continues with the datasets that follow.
    """
    chosen = [(problem, depth, DEFAULT) for problem in problems for depth in depths]
    for number, variant in enumerate(variants()):
        for turn in range(DATASETS_OF_A_VARIANT):
            place = number * DATASETS_OF_A_VARIANT + turn
            problem = problems[place % len(problems)]
            chosen += [(problem, depths[(turn + s) % len(depths)], variant) for s in (0, 2)]
    by_key = {(problem.name, depth, variant.name): (problem, depth, variant)
              for problem, depth, variant in chosen}  # fmt: skip
    return [by_key[key] for key in sorted(by_key)]


# --- the lines ----------------------------------------------------------------------------------


def line_of(problem, depth, variant):
    """Run one search, and return its line: dataset, depth, variant and results."""
    try:
        result = variant.run(variant.change(problem), depth, variant.settings)
        found = [
            result.status,
            f"nodes={int(result.statistics['nodes'])}",
            f"objective={float(result.objective)!r}",
            f"lower_bound={float(result.lower_bound)!r}",
            f"tree={tree_hash(result.tree)}",
            f"trace={trace_text(result.trace)}",
        ]
    except Exception as error:  # an error is a result too, and the other searches go on
        found = [f"raised {type(error).__name__}: {error}".replace("\n", " ")]
    return "\t".join([problem.name, str(depth), variant.name, *found])


def data_line(problem):
    """Return a line that describes the dataset, so that a change of the data is noticed."""
    content = digest(problem.X.tobytes(), np.unique(problem.y, return_inverse=True)[1].tobytes())
    rows, features = problem.X.shape
    shape = f"{rows} rows, {features} features, {problem.classes} classes"
    return "\t".join([problem.name, "0", "data", shape, content])


def tree_hash(tree):
    """Return a short hash of the arrays of a tree."""
    whole = (tree.children_left, tree.children_right, tree.feature, tree.prediction)
    counts = (tree.n_node_samples,)
    reals = (tree.threshold, tree.impurity, tree.weighted_n_node_samples, tree.value)
    arrays = [np.ascontiguousarray(array, "<i8").tobytes() for array in (*whole, *counts)]
    return digest(*arrays, *(np.ascontiguousarray(array, "<f8").tobytes() for array in reals))


def trace_text(trace):
    """Return objective, lower bound, nodes, restart and threshold of all improvements."""
    fields = ("objective", "lower_bound", "nodes", "restart", "threshold")
    return ";".join(",".join(repr(row[name].item()) for name in fields) for row in trace)


def digest(*parts):
    return hashlib.sha256(b"".join(parts)).hexdigest()[:16]


def key_of(line):
    """Return the dataset, the depth and the variant of a line."""
    name, depth, variant, *_ = line.split("\t")
    return name, int(depth), variant


def last_line(lines):
    content = "".join(f"{line}\n" for line in lines)
    searches = sum(key_of(line)[2] != "data" for line in lines)
    return f"{searches} searches, sha256 {hashlib.sha256(content.encode()).hexdigest()}"


def read(path):
    """Return the lines of an earlier output, by dataset, depth and variant."""
    lines = Path(path).read_text().splitlines()
    return {key_of(line): line for line in lines if "\t" in line}


def compare(earlier, lines):
    """Print the lines that differ, the earlier one first; return their number."""
    now = {key_of(line): line for line in lines}
    differing = [
        key for key in sorted({*earlier, *now}) if earlier.get(key, "") != now.get(key, "")
    ]
    for key in differing:
        print(f"- {earlier.get(key, 'no such line')}\n+ {now.get(key, 'no such line')}")
    return len(differing)


def main(argv=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", metavar="DIR", help="*.txt.gz: class, then 0/1 features")
    parser.add_argument("--only", nargs="+", metavar="NAME", help="only these datasets")
    parser.add_argument("--variants", nargs="+", metavar="NAME", help="only these variants")
    parser.add_argument("--depths", type=int, nargs="+", metavar="DEPTH", help="only these depths")
    parser.add_argument("--out", metavar="FILE", help="file to write; default: standard output")
    parser.add_argument("--against", metavar="FILE", help="an earlier output to compare with")
    options = parser.parse_args(argv)
    earlier = read(options.against) if options.against else None  # so that a wrong path fails early

    def wanted(key):
        name, depth, variant = key
        return (
            (not options.only or name in options.only)
            and (not options.depths or depth in (0, *options.depths))
            and (not options.variants or variant in ("data", *options.variants))
        )

    problems = from_folder(options.data) if options.data else packaged()
    begin = time.perf_counter()
    lines = [data_line(problem) for problem in problems if wanted((problem.name, 0, "data"))]
    for problem, depth, variant in plan(problems, DEPTHS):
        if wanted((problem.name, depth, variant.name)):
            lines.append(line_of(problem, depth, variant))
    lines.sort(key=key_of)
    seconds = time.perf_counter() - begin

    output = "".join(f"{line}\n" for line in [*lines, last_line(lines)])
    if options.out:
        Path(options.out).write_text(output)
    elif earlier is None:
        sys.stdout.write(output)
    print(f"{last_line(lines)}, {seconds:.0f} s", file=sys.stderr)
    if earlier is None:
        return 0
    differing = compare({key: line for key, line in earlier.items() if wanted(key)}, lines)
    print(f"{differing} of {len(lines)} lines differ" if differing else "no line differs")
    return int(differing > 0)


if __name__ == "__main__":
    sys.exit(main())
