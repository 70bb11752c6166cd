"""Files: `tf.io.read_file` and its kin, and `tf.io.gfile`, as TensorFlow was seen to behave."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import emplace.tensorflow as tf

gfile = tf.io.gfile


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty current folder."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(path: str, text: str) -> None:
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    Path(path).write_bytes(text.encode())


# Ops


def test_a_written_file_is_read(place: Path) -> None:
    tf.io.write_file("a/b/c.txt", b"\x00\xff")
    assert tf.io.read_file("a/b/c.txt").numpy() == b"\x00\xff"


def test_write_file_replaces_and_leaves_nothing_beside(place: Path) -> None:
    tf.io.write_file("a.txt", "long text")
    tf.io.write_file("a.txt", "b")
    assert tf.io.read_file("a.txt").numpy() == b"b"
    assert os.listdir() == ["a.txt"]


@pytest.mark.gpus(1)
def test_files_are_read_on_the_cpu_though_a_gpu_is_there(place: Path) -> None:
    write("a.txt", "b")
    with tf.device("/GPU:0"):
        assert tf.io.read_file("a.txt").device.endswith("CPU:0")


def test_matching_files_are_in_order_and_hidden_ones_too(place: Path) -> None:
    for name in ("m2.txt", "m1.txt", ".m3.txt", "s/t/u.txt"):
        write(name, "")
    found = tf.io.matching_files(["*m?.txt", "s/*/*"]).numpy().tolist()
    assert found == [b"./.m3.txt", b"./m1.txt", b"./m2.txt", b"s/t/u.txt"]


def test_a_file_that_changed_is_read_again(place: Path) -> None:
    write("a.txt", "old")
    tf.io.read_file("a.txt")
    write("a.txt", "new")
    assert tf.io.read_file("a.txt").numpy() == b"new"


# GFile


def test_text_is_utf_8_and_counted_in_bytes(place: Path) -> None:
    with gfile.GFile("a.txt", "w") as file:
        file.write("héllo\nworld\nlast")
    assert gfile.GFile("a.txt").read() == "héllo\nworld\nlast"
    assert gfile.GFile("a.txt").read(3) == "hé"
    assert gfile.GFile("a.txt", "rb").read(3) == b"h\xc3\xa9"
    assert gfile.GFile("a.txt").size() == 17


def test_a_file_gives_its_lines(place: Path) -> None:
    write("a.txt", "a\n\nb")
    assert gfile.GFile("a.txt").readlines() == ["a\n", "\n", "b"]
    assert list(gfile.GFile("a.txt", "rb")) == [b"a\n", b"\n", b"b"]
    file = gfile.GFile("a.txt")
    assert [file.readline(), file.next(), next(file), file.readline()] == ["a\n", "\n", "b", ""]


def test_lines_have_no_carriage_returns_and_read_has(place: Path) -> None:
    write("a.txt", "a\r\nb\r\n")
    assert gfile.GFile("a.txt").readlines() == ["a\n", "b\n"]
    assert gfile.GFile("a.txt").read() == "a\r\nb\r\n"


def test_tell_and_seek(place: Path) -> None:
    write("a.txt", "0123456789")
    file = gfile.GFile("a.txt", "rb")
    assert (file.tell(), file.read(2), file.tell()) == (0, b"01", 2)
    file.seek(5)
    assert file.read(1) == b"5"
    file.seek(2, 1)
    assert file.tell() == 8
    file.seek(-2, 2)
    assert (file.read(), file.read()) == (b"89", b"")
    file.seek(position=1)
    assert file.read(1) == b"1"


@pytest.mark.parametrize(
    ("arguments", "error", "text"),
    [
        ({}, TypeError, "offset argument required"),
        ({"offset": 1, "position": 2}, TypeError, "may not be set simultaneously"),
        ({"offset": 1, "whence": 5}, tf.errors.InvalidArgumentError, "Invalid whence argument: 5"),
        ({"offset": -1}, tf.errors.InvalidArgumentError, "negative position: -1"),
        ({"offset": 9}, tf.errors.OutOfRangeError, "reached end of file"),
    ],
)
def test_seek_refuses(place: Path, arguments: Any, error: Any, text: str) -> None:
    write("a.txt", "123")
    with pytest.raises(error, match=text):
        gfile.GFile("a.txt").seek(**arguments)


def test_a_file_is_opened_when_it_is_used(place: Path) -> None:
    file = gfile.GFile("missing.txt")
    with pytest.raises(tf.errors.NotFoundError, match=r"missing.txt; No such file or directory"):
        file.read()
    gfile.GFile("new.txt", "w").close()
    assert not gfile.exists("new.txt")
    gfile.GFile("new.txt", "w").write("")
    assert gfile.exists("new.txt")


def test_a_closed_file_opens_again(place: Path) -> None:
    write("a.txt", "text")
    file = gfile.GFile("a.txt")
    file.read()
    file.close()
    file.close()
    assert file.read() == "text"


def test_what_is_flushed_is_read_by_others(place: Path) -> None:
    file = gfile.GFile("a.txt", "w")
    file.write("ab")
    file.flush()
    file.write(b"cd")
    assert (Path("a.txt").read_text(), file.size(), file.tell()) == ("ab", 2, 4)
    file.close()
    assert Path("a.txt").read_text() == "abcd"


def test_a_file_is_appended_to(place: Path) -> None:
    write("a.txt", "abcd")
    with gfile.GFile("a.txt", "a") as file:
        assert file.tell() == 4
        file.write("x")
        assert file.tell() == 5
    assert Path("a.txt").read_text() == "abcdx"


@pytest.mark.parametrize(
    ("mode", "after"), [("r+", "XY"), ("w+", "XY"), ("a+", "helloXY"), ("rb+", "XY")]
)
def test_with_a_plus_a_file_is_read_until_it_is_written(place: Path, mode: str, after: str) -> None:
    write("a.txt", "hello")
    file = gfile.GFile("a.txt", mode)
    assert file.read(2) in ("he", b"he")
    file.write("XY")
    file.seek(0)
    assert file.read() in (after, after.encode())


def fail_while_writing(path: str) -> None:
    with gfile.GFile(path, "w") as file:
        file.write("a")
        raise KeyError


def test_an_error_in_the_block_closes_the_file(place: Path) -> None:
    with pytest.raises(KeyError):
        fail_while_writing("a.txt")
    assert Path("a.txt").read_text() == "a"


@pytest.mark.parametrize("mode", ["x", "z", "", "rt", "U", "b"])
def test_other_modes_are_refused(mode: str) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="mode is not 'r' or 'w'"):
        gfile.GFile("a.txt", mode)


def test_a_file_is_only_used_as_its_mode_says(place: Path) -> None:
    write("a.txt", "text")
    with pytest.raises(tf.errors.PermissionDeniedError, match="File isn't open for writing"):
        gfile.GFile("a.txt").write("a")
    with pytest.raises(tf.errors.PermissionDeniedError, match="File isn't open for reading"):
        gfile.GFile("a.txt", "w").read()
    with pytest.raises(TypeError, match="Expected binary or unicode string, got 3"):
        gfile.GFile("a.txt", "w").write(3)
    with pytest.raises(tf.errors.InvalidArgumentError, match="negative number of bytes: -5"):
        gfile.GFile("a.txt").read(-5)
    with pytest.raises(tf.errors.FailedPreconditionError, match="Is a directory"):
        gfile.GFile(".").read()


def test_a_file_knows_its_name_and_mode(place: Path) -> None:
    file = gfile.GFile(place / "a.txt", "rb")
    assert (file.name, file.mode, file.seekable()) == (place / "a.txt", "rb", True)


# Folders and names


def test_exists_and_isdir(place: Path) -> None:
    write("a.txt", "")
    assert [gfile.exists(p) for p in ("a.txt", b"a.txt", ".", "no", "")] == [True] * 3 + [False] * 2
    assert [gfile.isdir(p) for p in (".", "a.txt", "no", "")] == [True, False, False, False]
    assert gfile.exists(f"file://{place}/a.txt")


def test_folders_are_made_once(place: Path) -> None:
    gfile.mkdir("d")
    gfile.mkdir("d")
    gfile.makedirs("e/f/g")
    gfile.makedirs("e/f/g")
    gfile.makedirs("")
    assert gfile.listdir(".") == ["d", "e"]
    assert gfile.isdir("e/f/g")


def test_folders_that_cannot_be_made_are_refused(place: Path) -> None:
    write("a.txt", "")
    with pytest.raises(tf.errors.NotFoundError, match="x/y; No such file or directory"):
        gfile.mkdir("x/y")
    for path in ("a.txt", "a.txt/b"):
        with pytest.raises(tf.errors.FailedPreconditionError, match=r"a\.txt"):
            gfile.makedirs(path)


def test_listdir_wants_a_folder(place: Path) -> None:
    write("a.txt", "")
    for path in ("no", "a.txt", ""):
        with pytest.raises(tf.errors.NotFoundError, match=f"Could not find directory {path}"):
            gfile.listdir(path)


@pytest.mark.parametrize(
    ("pattern", "found"),
    [
        ("e/*", ["e/.hid", "e/1.txt", "e/f"]),
        ("e/?.txt", ["e/1.txt"]),
        ("e/[0-9].txt", ["e/1.txt"]),
        ("e/[!0-9]*", ["e/.hid", "e/f"]),
        ("e/[^0-9]*", ["e/.hid", "e/f"]),
        ("e/**/*.txt", ["e/f/2.txt"]),
        ("*/*.txt", ["./e/1.txt"]),
        ("./e/*.txt", ["./e/1.txt"]),
        ("a.txt", ["a.txt"]),
        ("no*", []),
        ("no", []),
        ("", []),
        (["e/*.txt", "a.txt"], ["e/1.txt", "a.txt"]),
        ([], []),
    ],
)
def test_glob(place: Path, pattern: Any, found: list[str]) -> None:
    for name in ("a.txt", "e/1.txt", "e/.hid", "e/f/2.txt"):
        write(name, "")
    assert gfile.glob(pattern) == found


def test_glob_keeps_the_scheme(place: Path) -> None:
    write("a.txt", "")
    assert gfile.glob(f"file://{place}/*") == [f"file://{place}/a.txt"]


def test_walk_goes_down_or_up(place: Path) -> None:
    write("e/1.txt", "")
    write("e/f/2.txt", "")
    down = [("e", ["f"], ["1.txt"]), ("e/f", [], ["2.txt"])]
    assert list(gfile.walk("e")) == down
    assert list(gfile.walk("e", topdown=False)) == down[::-1]


def test_walk_tells_of_what_it_cannot_read(place: Path) -> None:
    told: list[Exception] = []
    assert list(gfile.walk("no", onerror=told.append)) == []
    assert [type(each) for each in told] == [tf.errors.NotFoundError]
    assert list(gfile.walk("no")) == []


def test_stat(place: Path) -> None:
    write("a.txt", "123")
    found = gfile.stat("a.txt")
    assert (found.length, found.is_directory) == (3, False)
    assert found.mtime_nsec == os.stat("a.txt").st_mtime_ns
    assert gfile.stat(".").is_directory


def test_copy_replaces_only_if_told(place: Path) -> None:
    write("a.txt", "a")
    write("b.txt", "b")
    with pytest.raises(tf.errors.AlreadyExistsError, match="file already exists"):
        gfile.copy("a.txt", "b.txt")
    gfile.copy("a.txt", "b.txt", overwrite=True)
    gfile.copy("a.txt", "c.txt")
    assert Path("b.txt").read_text() == Path("c.txt").read_text() == "a"


def test_a_file_copied_onto_itself_stays(place: Path) -> None:
    write("a.txt", "a")
    gfile.copy("a.txt", "./a.txt", overwrite=True)
    assert Path("a.txt").read_text() == "a"


def test_rename_replaces_only_if_told(place: Path) -> None:
    write("a.txt", "a")
    write("b.txt", "b")
    with pytest.raises(tf.errors.AlreadyExistsError, match="file already exists"):
        gfile.rename("a.txt", "b.txt")
    gfile.rename("a.txt", "b.txt", overwrite=True)
    assert Path("b.txt").read_text() == "a"
    assert not gfile.exists("a.txt")


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda: gfile.copy("no", "x"), tf.errors.NotFoundError, "no; No such file"),
        (lambda: gfile.copy("a.txt", "no/x"), tf.errors.NotFoundError, "no/x; No such file"),
        (lambda: gfile.copy("d", "x"), tf.errors.InvalidArgumentError, "d; a folder"),
        (lambda: gfile.copy("a.txt", "d", True), tf.errors.FailedPreconditionError, "directory"),
        (lambda: gfile.rename("no", "x"), tf.errors.NotFoundError, "no; No such file"),
        (lambda: gfile.rename("a.txt", "d", True), tf.errors.FailedPreconditionError, "directory"),
        (lambda: gfile.rename("e", "d", True), tf.errors.FailedPreconditionError, "not empty"),
        (lambda: gfile.remove("no"), tf.errors.NotFoundError, "no; No such file"),
        (lambda: gfile.remove("d"), tf.errors.FailedPreconditionError, "d; Is a directory"),
        (lambda: gfile.rmtree("no"), tf.errors.NotFoundError, "no not found"),
        (lambda: gfile.stat("no"), tf.errors.NotFoundError, "no; No such file"),
        (lambda: gfile.exists(3), TypeError, "Expected binary or unicode string, got 3"),
        (lambda: gfile.exists("gs://a"), tf.errors.UnimplementedError, "scheme 'gs' not impl"),
        (lambda: gfile.mkdir("zz://a"), tf.errors.UnimplementedError, "scheme 'zz' not impl"),
    ],
)
def test_an_error_has_tensorflows_class(
    place: Path, call: Callable[[], None], error: Any, text: str
) -> None:
    write("a.txt", "a")
    write("d/b.txt", "b")
    write("e/c.txt", "c")
    with pytest.raises(error, match=text):
        call()


def test_rmtree_removes_folders_and_files(place: Path) -> None:
    write("e/f/2.txt", "")
    write("a.txt", "")
    gfile.rmtree("e")
    gfile.rmtree("a.txt")
    assert os.listdir() == []


def test_rmtree_of_a_link_leaves_what_is_behind_it(place: Path) -> None:
    write("d/x.txt", "")
    os.symlink("d", "link")
    gfile.rmtree("link")
    assert os.listdir() == ["d"]
    assert os.listdir("d") == ["x.txt"]


@pytest.mark.parametrize(
    ("parts", "path"),
    [(("a", "b"), "a/b"), (("a", "/b"), "/b"), (("a/", "b", ""), "a/b/"), (("a",), "a"),
     (("gs://a", "b"), "gs://a/b"), ((b"a", b"b"), b"a/b"), ((Path("a"), "b"), "a/b")],
)  # fmt: skip
def test_join(parts: Any, path: Any) -> None:
    assert gfile.join(*parts) == path


def test_the_schemes_of_this_system_are_known() -> None:
    assert set(gfile.get_registered_schemes()) == {"", "file"}
