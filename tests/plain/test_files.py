"""Files are written whole or not at all."""

from __future__ import annotations

import os
import stat
import threading
from pathlib import Path

import pytest

from emplace.base.files import write_bytes, write_text


def test_a_file_is_written(tmp_path: Path) -> None:
    write_text(str(tmp_path / "report.txt"), "äö\n")
    assert (tmp_path / "report.txt").read_bytes() == "äö\n".encode()
    assert [each.name for each in tmp_path.iterdir()] == ["report.txt"]


def test_a_file_is_replaced(tmp_path: Path) -> None:
    path = tmp_path / "report.txt"
    path.write_text("old")
    write_text(str(path), "new")
    assert path.read_text() == "new"


def test_a_file_survives_a_failure_and_nothing_is_left_beside_it(tmp_path: Path) -> None:
    path = tmp_path / "report.txt"
    path.write_text("old")
    with pytest.raises(TypeError):
        write_text(str(path), b"no text")  # type: ignore[arg-type]
    assert path.read_text() == "old"
    assert [each.name for each in tmp_path.iterdir()] == ["report.txt"]


def test_a_missing_folder_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        write_text(str(tmp_path / "missing" / "report.txt"), "text")


def test_a_folder_is_no_file(tmp_path: Path) -> None:
    with pytest.raises(IsADirectoryError):
        write_text(str(tmp_path), "text")


def test_the_mode_is_the_one_new_files_have(tmp_path: Path) -> None:
    (tmp_path / "plain").write_text("")
    write_text(str(tmp_path / "report.txt"), "text")
    modes = {stat.S_IMODE(each.stat().st_mode) for each in tmp_path.iterdir()}
    assert len(modes) == 1


def test_of_a_link_the_file_it_points_to_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "real.txt").write_text("old")
    (tmp_path / "link.txt").symlink_to("real.txt")
    write_text(str(tmp_path / "link.txt"), "new")
    assert (tmp_path / "link.txt").is_symlink()
    assert (tmp_path / "real.txt").read_text() == "new"


def test_a_pipe_is_written_to_and_stays_a_pipe(tmp_path: Path) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    read: list[str] = []
    reader = threading.Thread(target=lambda: read.append(path.read_text()))
    reader.start()
    write_text(str(path), "text")
    reader.join()
    assert read == ["text"]
    assert stat.S_ISFIFO(path.stat().st_mode)


def test_what_is_no_text_in_utf8_is_written_escaped(tmp_path: Path) -> None:
    write_text(str(tmp_path / "report.txt"), "a name \udcff")
    assert (tmp_path / "report.txt").read_text() == "a name \\udcff"


def test_bytes_survive_a_failure_while_they_are_written(tmp_path: Path) -> None:
    path = tmp_path / "data"
    path.write_bytes(b"old")
    with pytest.raises(TypeError):
        write_bytes(str(path), "no bytes")  # type: ignore[arg-type]
    assert path.read_bytes() == b"old"
    assert [each.name for each in tmp_path.iterdir()] == ["data"]
