"""Measure the cost of being anytime: the time to the proof with restarts and with one pass.

    python benchmarks/restarts.py --depths 5 6 --data DIR [--probing]

The default and ``rule=None`` run on the same engine. Problems that take either of them less than 50
ms are left out of the means. ``--probing`` adds the default without probing (passes with a small
target that only raise the lower bound): a value above 1 means that probing shortened the proof.
"""

from _report import FAST, Table, environment, geometric_mean, ratio, ratio_cell, seconds, write_json
from _runner import Job, Runner
from proof_time import arguments, chosen_data, data_arguments

DEFAULT = Job("default", solver="engine", options={"rule": "auto"})
SINGLE_PASS = Job("one pass", solver="engine", options={"rule": None})
UNPROBED = Job("no probing", solver="engine", options={"rule": "auto", "probe": False})


def slow(first, second, least=FAST):
    """Return whether both took long enough for their ratio to be meaningful."""
    return bool(first.runs and second.runs) and min(first.seconds, second.seconds) >= least


def compared(measured, over, under):
    """Return the ratio of one solver's seconds to another's, or None if it has no meaning.

    A run that the limit ended counts with its seconds until then, so that the ratio is a bound.
    """
    first, second = measured[over.name], measured[under.name]
    return ratio(second, first) if slow(first, second) else None


def mean_line(title, values):
    """Return a line with the geometric mean and the largest of the known ratios."""
    values = [(value, where) for value, where in values if value is not None]
    if not values:
        return f"{title}: no problem took {FAST * 1000:.0f} ms or more and was proved"
    largest, where = max(values)
    return (
        f"{title}: {geometric_mean([value for value, _ in values]):.2f} times "
        f"(geometric mean of {len(values)} problems; largest {largest:.2f}, {where})"
    )


def main(argv=None):
    parser = arguments(__doc__.splitlines()[0], depths=[5, 6])
    data_arguments(parser)
    parser.add_argument("--probing", action="store_true", help="add the default without probing")
    options = parser.parse_args(argv)
    datasets = chosen_data(options)
    jobs = [DEFAULT, SINGLE_PASS, *([UNPROBED] if options.probing else [])]
    pairs = {"default / one pass": (DEFAULT, SINGLE_PASS)}
    if options.probing:
        pairs["no probing / default"] = (UNPROBED, DEFAULT)
    runner = Runner(options.limit, options.repeats, options.core)
    table = Table(
        "dataset", "depth", *(f"{job.name} s" for job in jobs), *pairs,
        widest=max(len(data.name) for data in datasets),
    )  # fmt: skip
    rows = []
    for depth in options.depths:
        for data in datasets:
            found = runner.compare(jobs, data, depth)
            ratios = {title: compared(found, *pair) for title, pair in pairs.items()}
            cells = [
                ratio_cell(found[under.name], found[over.name], 2) if ratios[title] else "-"
                for title, (over, under) in pairs.items()
            ]
            table.row(data.name, depth, *map(seconds, found.values()), *cells)
            about = {"dataset": data.name, "depth": depth, **data.shape}
            solvers = {name: m.as_json() for name, m in found.items()}
            rows.append(about | {"ratios": ratios, "solvers": solvers})
            write_json(options.json, {"problems": rows})
    lines = [
        mean_line(title, [(r["ratios"][title], f"{r['dataset']} {r['depth']}") for r in rows])
        for title in pairs
    ]
    print("", *lines, sep="\n")
    content = {"environment": environment(["engine"]), "limit": options.limit}
    write_json(options.json, content | {"problems": rows, "summaries": lines})


if __name__ == "__main__":
    main()
