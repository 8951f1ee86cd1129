"""Downloads of the paper's datasets, from a server of this test."""

import threading
from collections import Counter
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import numpy as np
import pytest

from beamtree.datasets import FetchError, fetch_cp4im, load, tic_tac_toe
from beamtree.datasets._transactions import SHAPES, parsed

X, Y, _, _ = tic_tac_toe()
# The format of CP4IM: the numbers of the features that are 1, then the class.
BOARDS = "".join(
    " ".join(map(str, [*np.flatnonzero(row), label])) + "\n"
    for row, label in zip(X, Y, strict=True)
).encode()
YEAST = b"@ a remark\n0 2 1\n1 2 0\n"
PAGE = b"<!DOCTYPE html>\n<html><body>moved</body></html>\n"


@pytest.fixture(autouse=True)
def no_proxy(monkeypatch):
    monkeypatch.setenv("no_proxy", "127.0.0.1")


@pytest.fixture
def server():
    """Return a server; its `files` are bytes, or functions that answer the request."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            asked[self.path] += 1
            answer = server.files.get(self.path)
            if callable(answer):
                answer(self)
                return
            self.send_response(404 if answer is None else 200)
            self.send_header("Content-Length", str(len(answer or b"")))
            self.end_headers()
            self.wfile.write(answer or b"")

        def log_message(self, *_):
            pass

    asked = Counter()
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.files, server.asked = {}, asked
        server.address = f"http://127.0.0.1:{server.server_port}/CP4IM/datasets"
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield server
        server.shutdown()
        thread.join()


PATH = "/CP4IM/datasets/data/tic-tac-toe.txt"
OTHER = "/CP4IM/datasets/data/yeast.txt"


def boards(tmp_path, **options):
    return fetch_cp4im(tmp_path, names=["tic-tac-toe"], **options)["tic-tac-toe"]


def test_a_file_is_downloaded_once(server, tmp_path):
    server.files[PATH] = BOARDS
    for _ in range(2):
        data = boards(tmp_path, address=server.address + "/")
        np.testing.assert_array_equal(data.X, X)
        np.testing.assert_array_equal(data.y, Y)
        assert data.class_names == ["0", "1"]
    assert server.asked == {PATH: 1}
    np.testing.assert_array_equal(boards(tmp_path, download=False).X, X)
    np.testing.assert_array_equal(load("cp4im/tic-tac-toe", data_home=tmp_path).X, X)
    kept = sorted(path.name for path in (tmp_path / "beamtree" / "cp4im").iterdir())
    assert kept == ["tic-tac-toe.txt", "tic-tac-toe.txt.sha256"]


@pytest.mark.parametrize("change", [lambda old: old[:-9], lambda old: old.replace(b"0 5", b"1 5")])
def test_truncated_or_altered_files_are_downloaded_again(server, tmp_path, change):
    server.files[PATH] = BOARDS
    boards(tmp_path, address=server.address)
    path = tmp_path / "beamtree" / "cp4im" / "tic-tac-toe.txt"
    assert change(BOARDS) != BOARDS
    path.write_bytes(change(BOARDS))
    with pytest.raises(FetchError, match="the folder is rejected: the file was altered"):
        boards(tmp_path, download=False)
    np.testing.assert_array_equal(boards(tmp_path, address=server.address).X, X)
    assert server.asked[PATH] == 2
    assert path.read_bytes() == BOARDS


def test_files_that_the_user_put_there(tmp_path):
    folder = tmp_path / "beamtree" / "cp4im"
    folder.mkdir(parents=True)
    path = folder / "tic-tac-toe.txt"
    lines = (" ".join(map(str, [label, *row])) for row, label in zip(X, Y, strict=True))
    path.write_text("\n".join(lines))  # the other of the two formats
    np.testing.assert_array_equal(boards(tmp_path, download=False).X, X)
    path.write_text(path.read_text().replace("1 1", "1 0", 1))  # its checksum is known by now
    with pytest.raises(FetchError, match="is rejected: the file was altered"):
        boards(tmp_path, download=False)


def test_a_wrong_file_of_the_user_is_refused_with_the_reason(tmp_path):
    folder = tmp_path / "beamtree" / "cp4im"
    folder.mkdir(parents=True)
    (folder / "tic-tac-toe.txt").write_bytes(YEAST)
    with pytest.raises(FetchError, match=r"the file must have 958 rows, .* got 2 rows"):
        boards(tmp_path, download=False)


def cut_off(handler):
    handler.send_response(200)
    handler.send_header("Content-Length", str(len(BOARDS)))
    handler.end_headers()
    handler.wfile.write(BOARDS[:1000])


def silent(handler):
    handler.send_response(200)
    handler.send_header("Content-Length", str(len(BOARDS)))
    handler.end_headers()
    handler.rfile.read(1)  # Wait until the client closes the connection.


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (None, "404 Not Found"),
        (cut_off, f"the download was cut off after 1000 of {len(BOARDS)} bytes"),
        (silent, "timed out"),
        (PAGE, r"line 1 must have numbers of features and a class, got '<!DOCTYPE'"),
        (b"", "the file must have the classes 0 and 1, got no rows"),
        (b"0 1\n", "the file must have the classes 0 and 1, got 1"),
        (b"0 3 3 1\n", "line 1 must have different numbers of features and a class, 0 or 1"),
        (b"0 3 2\n", r"a class, 0 or 1, got '0 3 2'"),
        (b"0 1\n999999999 0\n", "at most 100000 features, got 1000000000"),
        (BOARDS[: BOARDS.rindex(b"\n", 0, -1) + 1], "must have 958 rows, 27 features and 626"),
        (BOARDS + b"27 1\n", "got 959 rows, 28 features and 627 rows of class 1"),
        (b"\xff\xfe", "the file must be text in UTF-8"),
    ],
    ids=range(12),
)
def test_wrong_answers_are_reported_and_not_kept(server, tmp_path, answer, message):
    server.files[PATH] = answer
    with pytest.raises(FetchError, match=message) as error:
        boards(tmp_path, address=server.address, timeout=0.2 if answer is silent else 10.0)
    assert "'tic-tac-toe'" in str(error.value)
    assert server.address + "/data/tic-tac-toe.txt" in str(error.value)
    assert f"put tic-tac-toe.txt into '{tmp_path / 'beamtree' / 'cp4im'}'" in str(error.value)
    assert not (tmp_path / "beamtree").exists()


def test_the_other_files_are_kept_if_one_is_missing(server, tmp_path):
    server.files[OTHER] = YEAST
    names = ["tic-tac-toe", "yeast", "anneal"]
    with pytest.raises(FetchError, match=r"'tic-tac-toe' .* 404 .*; .*'anneal' .* 404 "):
        fetch_cp4im(tmp_path, names=names, address=server.address)
    assert fetch_cp4im(tmp_path, names=["yeast"], download=False)["yeast"].X.shape == (2, 3)


def test_without_a_network(tmp_path):
    with ThreadingHTTPServer(("127.0.0.1", 0), BaseHTTPRequestHandler) as gone:
        address = f"http://127.0.0.1:{gone.server_port}"
    with pytest.raises(FetchError, match="Connection refused; try again with a network") as error:
        fetch_cp4im(tmp_path, address=address)
    assert str(error.value).count("refused") == 1  # The other 23 are not tried.


def test_wrong_calls(tmp_path):
    with pytest.raises(ValueError, match=r"names must be some of anneal, .*, got 'iris'"):
        fetch_cp4im(tmp_path, names=["iris"])
    with pytest.raises(ValueError, match="names must be a list of names, got the text 'anneal'"):
        fetch_cp4im(tmp_path, names="anneal")
    with pytest.raises(ValueError, match="timeout must be a finite number above 0, got 0"):
        fetch_cp4im(tmp_path, timeout=0)
    with pytest.raises(ValueError, match="address must begin with http:// or https://, got 'file"):
        fetch_cp4im(tmp_path, names=["yeast"], address="file:///etc")


def test_features_that_are_0_in_all_rows_are_kept():
    """The last features of a dataset may be 0 in all rows of its file."""
    rows = 101 - 41
    content = b"0 1\n" * 41 + b"1 0\n" * rows
    assert parsed(content, "zoo-1").X.shape == (101, 36)


def test_the_shapes_are_those_of_the_paper():
    assert len(SHAPES) == 24
    assert sum(shape is not None for shape in SHAPES.values()) == 17
