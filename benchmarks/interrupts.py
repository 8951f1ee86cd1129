"""Check that nothing is lost by Ctrl-C, exceptions and kill -9 at random moments.

    python benchmarks/interrupts.py --moments 50 --data DIR --out interrupts.json

1. SIGINT during a long ``fit``: the call must return within 0.1 s with a fitted model, and the
   objective must be the recounted cost of its tree (``predict``, and the penalty of the leaves).
2. An exception in a callback at a random improvement: the exception must be raised, and otherwise
   the same must hold.
3. SIGKILL during a search with frequent checkpoints, every second time while a file is being
   written: the checkpoint must load and lead to the same optimum. Files that were cut off, by the
   signal or by this program, must be refused.

Each run has its own process, pinned to one core. Early moments are more frequent than late ones,
because packing, the first tree and the first passes are short.
"""

import signal
import sys
import tempfile
import time
from hashlib import blake2b
from pathlib import Path
from random import Random

import _data
from _control import Child, arguments, ask, conclude, parsed
from _problems import Problem
from _report import Table
from _runner import last_core, stored

SOON = 0.1
"""Seconds within which a search must end."""
DIGEST = 32
"""Bytes of the checksum at the end of a checkpoint."""
QUICK = {"moments": 6, "span": 1.0}
PENALTY = {"leaf_penalty": 0.0005}


def long_fits(options):
    """Return problems that take longer than a minute: narrow, wide, long, and from the folder."""
    data = [_data.correlated(3_000, 100), _data.sequences(3_000, 1_000)]
    data.append(_data.correlated(options.rows, 50))
    if options.data:
        found = _data.from_folder(options.data)
        data.append(max(found, key=lambda one: one.X.size))
    return [Problem(one, options.depth, PENALTY) for one in data]


def faults(run, slack=1e-9):
    """Yield the faults of a fit that was ended early, from the worker's result and the delay."""
    if "failure" in run:
        yield run["failure"]
        return
    if run["delay"] is not None and run["delay"] > SOON:
        yield f"ended {run['delay'] * 1e3:.0f} ms late, {SOON * 1e3:.0f} are allowed"
    if not run["fitted"]:
        yield "is not fitted"
        return
    if abs(run["objective"] - run["recounted"]) > slack * max(run["recounted"], 1.0):
        yield f"claims {run['objective']:.9g}, its tree costs {run['recounted']:.9g}"
    if run["lower"] > run["objective"] * (1 + slack):
        yield f"claims at least {run['lower']:g}, its tree has {run['objective']:g}"


def interrupt(problem, folder, moment, options):
    """Send SIGINT `moment` seconds after the start; return None if ``fit`` had not begun."""
    settings = problem.settings | {"time_limit": None}
    child = Child("interrupted", folder, last_core(options.core), options=settings)
    child.wait_until_ready()
    time.sleep(moment)
    sent = time.monotonic()
    child.process.send_signal(signal.SIGINT)
    run = child.answer()
    if run.get("raised") == "outside":
        return None
    if "failure" not in run:
        run["delay"] = run["ended"] - sent
    return run


def interrupt_faults(run):
    """Yield the faults of a fit that was ended by SIGINT."""
    yield from faults(run)
    if run.get("delay", 0.0) < 0.0:
        yield "was over before the signal: a longer fit is needed"
    if run.get("raised"):
        yield "raised KeyboardInterrupt"
    elif run.get("fitted") and run["status"] not in ("interrupted", "optimal"):
        yield f"has the status {run['status']}"


def failing_faults(run):
    """Yield the faults of a fit whose callback raised."""
    yield from faults(run)
    if "failure" not in run and not run["raised"]:
        yield f"did not raise; its callback was called {run['calls']} times"


def kill(problem, folder, path, moment, options, writing):
    """Kill a search that writes checkpoints.

    Parameters
    ----------
    moment : float
        Seconds after the start of the search.
    writing : float or None
        If given, wait for the next checkpoint and kill the search these seconds after it begins.

    Returns
    -------
    dict or None
        The result of the search, if it was done before it could be killed.
    """
    request = {"path": str(path), "every": options.every, "options": problem.settings}
    child = Child("checkpointed", folder, last_core(options.core), **request)
    child.wait_until_ready()
    end = time.monotonic() + moment
    while time.monotonic() < end and child.process.poll() is None:
        time.sleep(0.001)
    if writing is not None:
        while child.process.poll() is None and not leftovers(path):
            time.sleep(0.0002)
        time.sleep(writing)
    child.process.kill()
    answer = child.answer()
    return None if child.process.returncode == -signal.SIGKILL else answer


def leftovers(path):
    """Return the other files in the checkpoint's folder, which were being written."""
    return [other for other in path.parent.iterdir() if other != path]


def is_whole(path):
    """Return whether a file ends with the checksum of the content before it."""
    content = path.read_bytes()
    digest = blake2b(content[:-DIGEST], digest_size=DIGEST).digest()
    return len(content) > DIGEST and digest == content[-DIGEST:]


def load(folder, path, optimum, rng, options):
    """Load the files that a killed search has left; return the results and the faults."""
    files = [path] if path.exists() else []
    torn = leftovers(path)
    if files:
        content = path.read_bytes()
        cut = path.with_name("cut")
        cut.write_bytes(content[: rng.randrange(len(content))])
        torn.append(cut)
    expected = [True] * len(files) + [is_whole(file) for file in torn]
    request = {"paths": [str(file) for file in files + torn], "limit": options.limit}
    answer = ask("loaded", folder, 10 * options.limit, core=last_core(options.core), **request)
    found = {"checkpoint": bool(files), "torn": len(torn), **answer}
    return found, [*load_faults(answer, expected, optimum)]


def load_faults(answer, whole, optimum):
    """Yield the faults of loading files; `whole` says which of them are complete."""
    if "failure" in answer:
        yield answer["failure"]
        return
    for one, complete in zip(answer["answers"], whole, strict=True):
        if not complete and "refused" not in one:
            yield "a file that was cut off is loaded"
        elif complete and "refused" in one:
            yield f"a complete file is refused: {one['refused']}"
        elif complete and (one["status"], one["objective"]) != ("optimal", optimum):
            yield f"goes on to {one['status']} {one['objective']:g}, the optimum is {optimum:g}"


def interrupts(options, rng):
    """Measure SIGINT; yield one row per problem."""
    for problem, count in shares(options):
        with stored(problem.data) as folder:
            runs = []
            while len(runs) < count:
                moment = options.span * rng.random() ** 3
                if run := interrupt(problem, folder, moment, options):
                    runs.append(run | {"moment": moment})
        yield "SIGINT", problem, runs, [(r["moment"], [*interrupt_faults(r)]) for r in runs]


def exceptions(options, rng):
    """Measure exceptions in a callback; yield one row per problem."""
    core = last_core(options.core)
    for problem, count in shares(options):
        with stored(problem.data) as folder:
            settings = problem.settings | {"time_limit": options.span}
            counted = ask("failing", folder, core=core, at=0, options=settings)
            runs, settings = [], settings | {"time_limit": 30 * options.span}
            for _ in range(count):
                at = rng.randint(1, max(1, counted.get("calls", 1)))
                run = ask("failing", folder, 120, core=core, at=at, options=settings)
                runs.append(run | {"moment": at})
        yield "exception", problem, runs, [(r["moment"], [*failing_faults(r)]) for r in runs]


def kills(options, rng):
    """Measure SIGKILL around checkpoints, on a problem that is proved in a second or two."""
    problem = Problem(_data.correlated(*options.proof[:2]), options.proof[2])
    with stored(problem.data) as folder:
        core = last_core(options.core)
        request = {"options": problem.settings, "core": core, "limit": options.limit}
        whole = ask("whole", folder, 2 * options.limit, **request)
        if whole.get("status") != "optimal":
            yield "SIGKILL", problem, [], [(0, [f"one run: {whole}"])]
            return
        runs, said = [], []
        while len(runs) < options.moments:
            moment = whole["seconds"] * rng.random()
            writing = options.every * rng.random() if len(runs) % 2 else None
            with tempfile.TemporaryDirectory() as place:
                path = Path(place, "search.checkpoint")
                ended = kill(problem, folder, path, moment, options, writing)
                if ended is not None and "failure" not in ended:
                    continue  # it was faster this time
                found, faulty = load(folder, path, whole["objective"], rng, options)
            faulty += [ended["failure"]] if ended else []
            runs.append(found | {"moment": moment, "writing": writing})
            said.append((moment, faulty))
    if not any(run["checkpoint"] for run in runs):
        said.append((0, ["no search left a checkpoint"]))
    yield "SIGKILL", problem, runs, said


def shares(options):
    """Return the fits, and the number of moments for each of them."""
    each, rest = divmod(options.moments, len(options.fits))
    counts = [each + (n < rest) for n in range(len(options.fits))]
    return [pair for pair in zip(options.fits, counts, strict=True) if pair[1]]


def main(argv=None):
    parser = arguments(__doc__.splitlines()[0])
    parser.add_argument("--moments", type=int, default=50, help="number of moments of each kind")
    parser.add_argument("--span", type=float, default=5.0, help="seconds in which signals are sent")
    parser.add_argument("--depth", type=int, default=8, help="depth of the long fits")
    parser.add_argument("--rows", type=int, default=200_000, help="rows of the long data")
    parser.add_argument(
        "--proof", type=int, nargs=3, default=[2000, 60, 5], metavar=("ROWS", "FEATURES", "DEPTH"),
        help="the problem whose search is killed",
    )  # fmt: skip
    parser.add_argument("--every", type=float, default=0.02, help="seconds between checkpoints")
    parser.add_argument("--limit", type=float, default=60.0, help="seconds for a proof")
    parser.add_argument("--kinds", nargs="+", choices=KINDS, default=[*KINDS])
    parser.add_argument("--seed", type=int, default=1)
    options = parsed(parser, argv, QUICK)
    options.fits = long_fits(options)
    table = Table("problem", "what", "runs", "longest delay ms", "loaded", "violations", widest=30)
    rows, said, longest = [], [], {}
    for kind in options.kinds:
        rng = Random(f"{options.seed} {kind}")
        for what, problem, runs, faulty in KINDS[kind](options, rng):
            where = f"{what}, {problem.name}"
            lines = [f"{where}, at {at:.4g}: {fault}" for at, all_ in faulty for fault in all_]
            delays = [run["delay"] for run in runs if run.get("delay") is not None]
            loaded = sum(run.get("checkpoint", False) for run in runs)
            table.row(
                problem.name, what, len(runs), f"{max(delays) * 1e3:.1f}" if delays else "-",
                loaded if kind == "kill" else "-", len(lines),
            )  # fmt: skip
            longest.update({max(delays): where} if delays else {})
            rows.append({"what": what, "problem": problem.name, **problem.data.shape, "runs": runs})
            said += lines
    lines = []
    if longest:
        late, where = max(longest.items())
        lines = [f"longest delay: {late * 1e3:.1f} ms, {late / SOON:.2f} of the allowed ({where})"]
    return conclude(options, {"rows": rows, "seed": options.seed}, lines, said)


KINDS = {"interrupt": interrupts, "exception": exceptions, "kill": kills}


if __name__ == "__main__":
    sys.exit(main())
