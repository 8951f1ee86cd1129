"""Files are written completely or not at all."""

import os
from threading import Thread

import pytest

from beamtree._util.atomic_files import check_folder, replacement, write_whole


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(b"old")
    return path


def only(path):
    """Whether the folder of a file contains nothing else."""
    return [entry.name for entry in path.parent.iterdir()] == [path.name]


def test_a_file_is_replaced(path):
    write_whole(path, b"new")
    assert path.read_bytes() == b"new"
    assert only(path)


def test_the_old_file_stays_until_the_new_one_is_complete(path):
    with replacement(path) as file:
        file.write(b"new")
        file.flush()
        assert path.read_bytes() == b"old"
    assert path.read_bytes() == b"new"


def test_an_error_leaves_the_old_file(path):
    with pytest.raises(TypeError), replacement(path) as file:
        file.write("text")
    assert path.read_bytes() == b"old"
    assert only(path)


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o666])
def test_the_permissions_stay(path, mode):
    path.chmod(mode)
    write_whole(path, b"new")
    assert path.stat().st_mode & 0o777 == mode


def test_a_new_file_has_the_usual_permissions(path):
    usual = path.with_name("usual")
    usual.write_bytes(b"")
    new = path.with_name("new")
    write_whole(new, b"new")
    assert new.stat().st_mode == usual.stat().st_mode


def test_the_target_of_a_link_is_replaced(path):
    link = path.with_name("link")
    link.symlink_to(path)
    write_whole(link, b"new")
    assert link.is_symlink()
    assert path.read_bytes() == b"new"


def test_a_pipe_is_written_to(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    read = []
    reader = Thread(target=lambda: read.append(pipe.read_bytes()))
    reader.start()
    write_whole(pipe, b"new")
    reader.join()
    assert read == [b"new"]


def test_places_where_no_file_can_be(tmp_path):
    with pytest.raises(ValueError, match="--out must be a file, got the folder"):
        check_folder("--out", tmp_path)
    with pytest.raises(ValueError, match="--out must be in a folder that exists, got"):
        check_folder("--out", tmp_path / "none" / "file")
