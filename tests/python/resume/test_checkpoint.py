"""Checkpoints: a search is restored as it was saved, and wrong files are refused with a reason."""

import json
import os
import pickle
import re
import shutil
import signal
import stat
import struct
import subprocess
import sys
import textwrap
import traceback
from hashlib import blake2b
from time import perf_counter

import numpy as np
import pytest

from beamtree import CheckpointError, Search
from beamtree._resume.checkpoint_file import DIGEST, MAGIC, VERSION
from beamtree._resume.fingerprint import labels_to_json
from beamtree.datasets import tic_tac_toe
from beamtree.rules import Both, Discrepancy, Gain, HalvingTopK, Purity, TopK
from beamtree.schedules import Exponential, Sequence
from tests.python.rules.own_rules import OwnDiscrepancy

START = len(MAGIC)


@pytest.fixture(scope="module")
def boards():
    X, y, _, _ = tic_tac_toe()
    return X, y


@pytest.fixture
def path(tmp_path):
    return tmp_path / "search.checkpoint"


@pytest.fixture
def saved(boards, path):
    search = Search(*boards, max_depth=5)
    search.run(node_limit=20)
    search.save(path)
    return search


STRATEGIES = [
    {},
    {"rule": None},
    {"rule": "gain", "heuristic": "gini", "schedule": "monotonic"},
    {"rule": Both(Gain(unit=0.02), Discrepancy(limit=np.inf)), "schedule": Exponential()},
    {"rule": Both(TopK(), Both(HalvingTopK(), Purity(0.5))), "schedule": Sequence((0, 2, 3.5))},
    {"rule": TopK(start=np.int64(2)), "schedule": (0, 3), "exact_levels": 2},
    {"min_samples_leaf": 5, "leaf_penalty": 0.004},
]


@pytest.mark.parametrize("strategy", STRATEGIES, ids=str)
def test_a_search_continues_where_it_was_saved(boards, path, strategy):
    whole = Search(*boards, max_depth=4, **strategy).run()
    search = Search(*boards, max_depth=4, **strategy)
    first = search.run(node_limit=5)
    search.save(path)
    twin = Search.load(path, *boards)
    again = twin.result()
    assert (again.objective, again.lower_bound) == (first.objective, first.lower_bound)
    np.testing.assert_array_equal(again.trace, first.trace)
    np.testing.assert_array_equal(again.tree.feature, first.tree.feature)
    assert again.statistics["nodes"] == first.statistics["nodes"]
    result = twin.run()
    assert (result.status, result.objective) == (whole.status, whole.objective)
    assert (np.diff(result.trace["seconds"]) >= 0).all()
    # Saving does not change the search.
    assert search.run(node_limit=10**9).objective == whole.objective


def test_a_finished_search_stays_finished(boards, path):
    search = Search(*boards, max_depth=3)
    search.run()
    search.save(path)
    twin = Search.load(path, *boards)
    assert twin.done
    assert (twin.status, twin.run().objective) == ("optimal", 216)


def test_a_search_is_saved_before_its_first_step(boards, path):
    Search(*boards, max_depth=4).save(path)
    assert Search.load(path, *boards).run().objective == 137


@pytest.mark.parametrize(
    "labels",
    [
        [0, 1],
        [-7, 10**12],
        np.array([3, 200], np.uint8),
        [0.0, 2.0],
        np.array([1.0, 2.0], np.float32),
        [False, True],
        ["ja, é", "no"],
        np.array(["a", "b"], object),
    ],
    ids=repr,
)
def test_labels(boards, path, labels):
    X, y = boards
    names = np.asarray(labels)[y]
    Search(X, names, max_depth=3).save(path)
    twin = Search.load(path, X, names)
    assert twin.classes.tolist() == np.asarray(labels).tolist()
    with pytest.raises(CheckpointError, match="its data have other classes than"):
        Search.load(path, X, np.array(["p", "q"])[y])


def test_labels_of_other_kinds_are_refused():
    days = np.array(["2020-01-01", "2020-01-02"], "datetime64[D]")
    with pytest.raises(ValueError, match="labels must all be numbers, all strings or all booleans"):
        labels_to_json(days)
    with pytest.raises(ValueError, match="labels must all be numbers"):
        labels_to_json(np.array([1, "a"], object))


def test_weights_and_frames(boards, path):
    X, y = boards
    weight = np.random.default_rng(0).random(len(y))
    Search(X, y, weight, max_depth=3).save(path)
    twin = Search.load(path, X.astype(bool), y.tolist(), weight.tolist())
    assert twin.run().status in ("optimal", "gap_reached")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda X, y: (X[:-1], y[:-1]), "its data have 958 rows, and these have 957"),
        (lambda X, y: (X[:, 1:], y), "its data have 27 features, and these have 26"),
        (lambda X, y: (X[::-1], y[::-1]), "it belongs to other data: X differs"),
        (lambda X, y: (X, 1 - y), "it belongs to other data: y differs"),
        (lambda X, y: (X, y, y + 1.0), "it belongs to other data: sample_weight differs"),
        (lambda X, y: (X, y + 1), "its data have other classes than [1, 2]"),
    ],
)
def test_other_data_are_refused(boards, saved, path, change, message):
    full = f"the checkpoint {str(path)!r} cannot be loaded: {message}"
    with pytest.raises(CheckpointError, match=f"^{re.escape(full)}$"):
        Search.load(path, *change(*boards))
    assert Search.load(path, *boards, np.ones(958)).result().objective == saved.result().objective


def lengths(data):
    """Return where the parts of a checkpoint end: magic, version, length, header, state, digest."""
    header = struct.unpack("<Q", data[START + 4 : START + 12])[0]
    return [START, START + 4, START + 12, START + 12 + header, len(data) - DIGEST, len(data)]


@pytest.mark.usefixtures("saved")
def test_every_cut_is_noticed(boards, path):
    data = path.read_bytes()
    ends = lengths(data)
    cuts = {0, 1, 5, len(data) - 1, len(data) - DIGEST - 4}
    cuts |= {end + step for end in ends[:-1] for step in (-1, 0, 1)}
    cuts |= set(np.random.default_rng(0).integers(0, len(data), 20).tolist())
    for cut in sorted(cuts):
        path.write_bytes(data[:cut])
        words = "it is not a checkpoint" if cut == 0 else "the file is truncated"
        with pytest.raises(CheckpointError, match=words):
            Search.load(path, *boards)


@pytest.mark.usefixtures("saved")
def test_every_altered_byte_is_noticed(boards, path):
    data = path.read_bytes()
    places = [end + step for end in lengths(data)[:-1] for step in (-1, 0, 1)]
    places += np.random.default_rng(1).integers(0, len(data), 40).tolist()
    for at in (0, len(data) - 1, *places):
        changed = bytearray(data)
        changed[at] ^= 1 << at % 8
        path.write_bytes(changed)
        with pytest.raises(CheckpointError, match="cannot be loaded: "):
            Search.load(path, *boards)
    path.write_bytes(data + b"x")
    with pytest.raises(CheckpointError, match="there is more data after its end"):
        Search.load(path, *boards)


def test_foreign_files_are_refused(boards, path):
    for foreign in (b"", b"\x80\x04}\x94.", b"PK\x03\x04" * 100, b"x" * 10**6, os.urandom(1000)):
        path.write_bytes(foreign)
        with pytest.raises(CheckpointError, match="it is not a checkpoint of beamtree"):
            Search.load(path, *boards)
    with pytest.raises(FileNotFoundError):
        Search.load(path.with_name("nowhere"), *boards)


def forge(data, version=VERSION, edit=None, payload=None):
    """Write a file with a correct checksum, as an attacker would."""
    ends = lengths(data)
    header = json.loads(data[ends[2] : ends[3]])
    if edit is not None:
        header = edit(header)
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    state = data[ends[3] : -DIGEST]
    if payload is not None:
        state = struct.pack("<I", len(payload)) + payload + bytes(4) if payload else bytes(4)
    body = MAGIC + struct.pack("<IQ", version, len(text)) + text + state
    return body + blake2b(body, digest_size=DIGEST).digest()


@pytest.mark.usefixtures("saved")
@pytest.mark.parametrize("version", [VERSION - 1, VERSION + 1])
def test_other_versions_are_refused(boards, path, version):
    path.write_bytes(forge(path.read_bytes(), version=version))
    message = f"its format version is {version}, and this version of beamtree reads"
    with pytest.raises(CheckpointError, match=message):
        Search.load(path, *boards)


def test_the_error_has_its_public_name_and_can_be_pickled():
    error = pickle.loads(pickle.dumps(CheckpointError("the reason")))
    assert type(error) is CheckpointError
    assert str(error) == "the reason"
    assert traceback.format_exception_only(error) == ["beamtree.CheckpointError: the reason\n"]


def with_settings(**changes):
    return lambda header: header | {"settings": header["settings"] | changes}


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        (lambda _: b"{", "its header is not JSON"),
        (lambda _: b"[" * 100_000, "its header is not JSON"),
        (lambda _: b"[]", "its header is not an object"),
        (lambda _: {}, "the settings in its header are not"),
        (lambda header: header | {"data": 3}, "its header has no fingerprint"),
        (lambda header: header | {"preparation": "1"}, "must be a number of seconds, got '1'"),
        (
            lambda header: header | {"preparation": float("nan")},
            "must be a number of seconds, got nan",
        ),
        (lambda header: header | {"preparation": -1.0}, "must be a number of seconds, got -1.0"),
        (with_settings(max_depth=99), "max_depth must be None or an integer from 0 to 20"),
        (
            with_settings(max_depth=True),
            "from 0 to 20, got True",
        ),
        (with_settings(more=1), "the settings in its header are not"),
        (with_settings(rule={"kind": "Rule"}), "no built-in object with the name 'Rule'"),
        (with_settings(rule={"kind": "os.system"}), "no built-in object with the name 'os.system'"),
        (with_settings(rule={"kind": "TopK", "x": 1}), "TopK does not have the parameters x"),
        (with_settings(rule={"kind": "TopK", "start": -1}), "TopK.start must be an integer"),
        (with_settings(rule={"kind": "Luby"}), "rule must be None, 'auto'"),
    ],
)
@pytest.mark.usefixtures("saved")
def test_hostile_headers_are_refused(boards, path, edit, message):
    path.write_bytes(forge(path.read_bytes(), edit=edit))
    with pytest.raises(CheckpointError, match=re.escape(message)):
        Search.load(path, *boards)


@pytest.mark.usefixtures("saved")
def test_hostile_states_are_refused(boards, path):
    """A correct checksum proves nothing: the state is checked by itself."""
    data = path.read_bytes()
    ends = lengths(data)
    pieces, at = b"", ends[3]
    while size := struct.unpack("<I", data[at : at + 4])[0]:
        pieces += data[at + 4 : at + 4 + size]
        at += 4 + size
    for state in (b"", b"x", pieces[:-1], pieces[: len(pieces) // 2], b"\xff" * 1000):
        path.write_bytes(forge(data, payload=state))
        with pytest.raises(CheckpointError, match="cannot be loaded: "):
            Search.load(path, *boards)
    path.write_bytes(forge(data, payload=pieces + b"x"))
    with pytest.raises(CheckpointError, match="bytes after the state of the search"):
        Search.load(path, *boards)


def test_own_rules_cannot_be_saved(boards, path):
    message = "a search with a rule of your own, OwnDiscrepancy, cannot be saved"
    for rule in (OwnDiscrepancy(), Both(Gain(), OwnDiscrepancy())):
        search = Search(*boards, max_depth=3, rule=rule)
        with pytest.raises(CheckpointError, match=message):
            search.save(path)
        # The error comes before the search, not when it is saved for the first time.
        with pytest.raises(CheckpointError, match=message):
            Search(*boards, rule=rule, checkpoint=path)
    assert list(path.parent.iterdir()) == []


def test_parameters(boards, path):
    for value in (0, -1, "60", True, np.inf):
        message = f"checkpoint_every must be None or a finite number above 0, got {value!r}"
        with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
            Search(*boards, checkpoint=path, checkpoint_every=value)
    with pytest.raises(ValueError, match=r"^checkpoint must be None or the path of a file, got 3$"):
        Search(*boards, checkpoint=3)
    with pytest.raises(ValueError, match="checkpoint must be a file in a folder that exists, got"):
        Search(*boards, checkpoint=path / "below")
    Search(*boards).save(path)
    for name in ("max_depth", "init", "colour"):
        with pytest.raises(TypeError, match=f"takes no parameter '{name}'"):
            Search.load(path, *boards, **{name: 3})
    with pytest.raises(ValueError, match="node_limit must be None or an integer of at least 1"):
        Search.load(path, *boards, node_limit=0)


def test_a_run_ends_with_a_save(boards, path):
    search = Search(*boards, max_depth=5, node_limit=10, checkpoint=str(path))
    result = search.run()
    twin = Search.load(path, *boards)
    assert twin.result().statistics["nodes"] == result.statistics["nodes"] == 10
    for _ in search:
        break
    assert Search.load(path, *boards).run().objective == 63
    assert [entry.name for entry in path.parent.iterdir()] == [path.name]


def test_a_search_is_saved_while_it_runs(path):
    """Also within a step that takes longer than the time between two saves."""
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 2, (3000, 60)), rng.integers(0, 2, 3000)
    search = Search(X, y, max_depth=6, checkpoint=path, checkpoint_every=0.02)
    saves = []
    save, search.save = search.save, lambda path: (saves.append(path), save(path))
    result = search.run(time_limit=0.5)
    assert result.status == "time_limit"
    assert len(saves) >= 3
    assert Search.load(path, X, y).result().objective == result.objective


def test_the_time_of_saving_does_not_count(boards, path, monkeypatch):
    late = 0.0

    def save(_path):
        nonlocal late
        late += 100.0

    for module in ("_resume.saver", "_engine.engine"):
        monkeypatch.setattr(f"beamtree.{module}.perf_counter", lambda: perf_counter() + late)
    search = Search(*boards, max_depth=5, checkpoint=path, checkpoint_every=0.01)
    search.save = save
    result = search.run(time_limit=50)
    assert (result.status, result.objective) == ("optimal", 63)
    assert search._engine.saver.spent >= 100


def test_hardly_any_time_between_saves(boards, path):
    search = Search(*boards, max_depth=5, checkpoint=path, checkpoint_every=1e-9)
    assert search.run().objective == 63


def test_an_error_while_saving_keeps_the_old_file(saved, path, monkeypatch):
    before = path.read_bytes()

    def fail(_handle):
        raise OSError("disk full")

    monkeypatch.setattr("os.fsync", fail)
    with pytest.raises(OSError, match="disk full"):
        saved.save(path)
    assert path.read_bytes() == before
    assert [entry.name for entry in path.parent.iterdir()] == [path.name]


def test_a_link_stays_a_link(boards, saved, path):
    link = path.with_name("link")
    link.symlink_to(path)
    path.write_bytes(b"old")
    saved.save(link)
    assert link.is_symlink()
    assert Search.load(link, *boards).run().objective == 63


def test_pipes_and_folders_are_refused(boards, saved, path):
    """Otherwise a new file would replace the pipe, or even a device."""
    os.mkfifo(pipe := path.with_name("pipe"))
    (folder := path.with_name("folder")).mkdir()
    (link := path.with_name("link")).symlink_to(pipe)
    for place in (pipe, folder, link):
        before = place.stat()
        for use in (
            lambda place=place: saved.save(place),
            lambda place=place: Search(*boards, checkpoint=place),
            lambda place=place: Search.load(path, *boards, checkpoint=place),
            lambda place=place: Search.load(place, *boards),
        ):
            with pytest.raises(CheckpointError, match="the path is not that of a regular file"):
                use()
        assert place.stat().st_mode == before.st_mode
    names = {entry.name for entry in path.parent.iterdir()}
    assert names == {path.name, "pipe", "folder", "link"}


def test_a_folder_without_access_is_known_at_once(boards, path, monkeypatch):
    def refuse(*_):
        raise PermissionError("not yours")

    monkeypatch.setattr("beamtree._util.atomic_files.os.open", refuse)
    with pytest.raises(CheckpointError, match=r"cannot be written: not yours$"):
        Search(*boards, checkpoint=path)


def failing(boards, path, **parameters):
    """Return a search whose checkpoint folder was deleted."""
    folder = path.with_name("folder")
    folder.mkdir()
    search = Search(*boards, max_depth=5, checkpoint=folder / "saved", **parameters)
    shutil.rmtree(folder)
    return search


def test_a_save_that_fails_at_the_end_raises_after_the_run(boards, path):
    search = failing(boards, path, checkpoint_every=None)
    with pytest.raises(FileNotFoundError):
        search.run()
    assert (search.status, search.result().objective) == ("optimal", 63)


def test_saves_that_fail_during_a_run_warn_once(boards, path):
    search = failing(boards, path, checkpoint_every=1e-9)
    with (
        pytest.warns(RuntimeWarning, match="could not be saved, and continues") as told,
        pytest.raises(FileNotFoundError),
    ):
        search.run()
    assert len(told) == 1
    assert (search.status, search.result().objective) == ("optimal", 63)


def test_a_save_that_fails_hides_no_other_error(boards, path):
    def fail(_):
        raise KeyError("mine")

    search = failing(boards, path, checkpoint_every=None, callback=fail)
    with pytest.warns(RuntimeWarning, match="could not be saved"), pytest.raises(KeyError):
        search.run()
    steps = iter(search)
    next(steps)
    with pytest.warns(RuntimeWarning, match="could not be saved"):
        steps.close()


def test_permissions_stay_or_are_the_usual(saved, path):
    def mode(path):
        return stat.S_IMODE(path.stat().st_mode)

    (usual := path.with_name("usual")).touch()
    assert mode(path) == mode(usual)
    for own in (0o600, 0o664):
        path.chmod(own)
        saved.save(path)
        assert mode(path) == own


def test_paths_are_checked(boards, saved):
    for value in (None, 3):
        message = f"^path must be the path of a file, got {value}$"
        with pytest.raises(ValueError, match=message):
            saved.save(value)
        with pytest.raises(ValueError, match=message):
            Search.load(value, *boards)


@pytest.mark.usefixtures("saved")
@pytest.mark.parametrize("error", [RuntimeError, IndexError, OverflowError])
def test_errors_of_the_core_become_checkpoint_errors(boards, path, monkeypatch, error):
    def fail(*_):
        raise error("no such state")

    monkeypatch.setattr("beamtree._engine.engine.Engine.restore", fail)
    with pytest.raises(CheckpointError, match="cannot be loaded: no such state"):
        Search.load(path, *boards)


def test_parameters_are_those_of_the_file(boards, saved, path):
    assert saved.parameters["max_depth"] == 5
    assert Search.load(path, *boards).parameters == saved.parameters


KILLED = """
    import os, signal, sys
    from beamtree import Search
    from beamtree._resume import checkpoint_file as checkpoint
    from beamtree.datasets import tic_tac_toe

    X, y, _, _ = tic_tac_toe()
    search = Search(X, y, max_depth=5)
    search.run(node_limit=20)
    write, count = checkpoint._Digested.write, 0

    def killed(self, data):
        global count
        self._file.flush()
        if (count := count + 1) == moment:
            os.kill(os.getpid(), signal.SIGKILL)
        write(self, data)

    checkpoint._Digested.write = killed
    for moment, path in enumerate(sys.argv[1:]):
        child = os.fork()
        if child == 0:
            if moment == 0:
                checkpoint.os.fsync = lambda handle: os.kill(os.getpid(), signal.SIGKILL)
            search.save(path)
            os._exit(0)
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


def test_killing_the_process_while_it_saves_keeps_the_old_file(boards, saved, path):
    saved.save(path)
    before = path.read_bytes()
    paths = [path.with_name(f"killed {moment}") for moment in range(5)]
    for each in paths:
        each.write_bytes(before)
    program = [sys.executable, "-c", textwrap.dedent(KILLED), *map(str, paths)]
    done = subprocess.run(program, check=True, timeout=120, capture_output=True, text=True)
    assert done.stdout.split() == [str(-signal.SIGKILL)] * 5
    for each in paths:
        assert each.read_bytes() == before
    assert Search.load(paths[0], *boards).run().objective == 63
