"""Of several workers the chief alone writes, and whole folders at a time."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import emplace.tensorflow as tf
from emplace.distribute.workers import callbacks
from emplace.distribute.workers.processes import link
from emplace.distribute.workers.writing import mend_folder, whole_folder


class Place:
    """Stands for the connection of a worker with a number."""

    def __init__(self, number: int, notes: set[str]) -> None:
        self.number = number
        self.note = notes.add
        self.has_note = notes.__contains__


@pytest.fixture
def workers(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Lets the process be one worker after the other."""
    notes: set[str] = set()

    def become(number: int) -> None:
        monkeypatch.setattr(link, "_LINKS", [Place(number, notes)])

    return become


def save(folder: Path, value: float) -> tuple[Any, Any]:
    v = tf.Variable(value)
    manager = tf.train.CheckpointManager(tf.train.Checkpoint(v=v), str(folder), max_to_keep=1)
    return manager, manager.save()


def test_a_checkpoint_manager_writes_in_the_chief_alone(workers: Any, tmp_path: Path):
    folder = tmp_path / "shared"
    workers(0)
    _, path = save(folder, 1.0)
    written = {each.name: each.read_bytes() for each in folder.iterdir()}
    workers(1)
    manager, same = save(folder, 2.0)
    assert same == path == manager.latest_checkpoint == str(folder / "ckpt-1")
    assert {each.name: each.read_bytes() for each in folder.iterdir()} == written


def test_a_worker_with_a_folder_of_its_own_writes_there(workers: Any, tmp_path: Path):
    workers(0)
    save(tmp_path / "chief", 1.0)
    workers(1)
    _, path = save(tmp_path / "own", 2.0)
    assert [each for each in (tmp_path / "own").iterdir() if each.name.startswith("ckpt-1")]
    assert tf.train.latest_checkpoint(str(tmp_path / "own")) == path


def test_files_of_models_have_their_names_when_they_are_complete(workers: Any, tmp_path: Path):
    target = tmp_path / "model.keras"
    seen: list[str] = []

    class Model:
        def save(self, path: str, overwrite: bool) -> None:
            seen.append(path)
            assert not target.exists()
            Path(path).write_text("all")

    workers(0)
    callbacks._Saved(Model()).save(target, overwrite=True)
    assert target.read_text() == "all"
    assert [each.name for each in tmp_path.iterdir()] == ["model.keras"]
    target.unlink()
    workers(2)
    callbacks._Saved(Model()).save(target, overwrite=True)
    assert not list(tmp_path.iterdir())
    assert seen[1].endswith("model.keras")
    assert not Path(seen[1]).exists()


def files(folder: Path) -> list[str]:
    return sorted(each.read_text() for each in folder.iterdir())


@pytest.mark.parametrize("moment", range(5))
def test_a_folder_is_the_old_or_the_new_one_whenever_it_ends(tmp_path: Path, moment: int):
    """The moments: the new one is begun, it is complete, the old one is away, all but swept."""
    folder, new, old = tmp_path / "f", tmp_path / "f.new", tmp_path / "f.old"
    for place, there in ((folder, moment != 3), (new, moment in (1, 2, 3)), (old, moment > 2)):
        if there:
            place.mkdir()
            (place / "a").write_text(place.name)
    mend_folder(str(folder))
    assert files(folder) == (["f.new"] if moment == 3 else ["f"])
    assert not new.exists()
    assert not old.exists()


def test_a_folder_takes_the_place_of_another_one(tmp_path: Path):
    folder = tmp_path / "f"
    for text in ("first", "second"):
        with whole_folder(str(folder)) as new:
            Path(new, "a").write_text(text)
        assert files(folder) == [text]
    assert [each.name for each in tmp_path.iterdir()] == ["f"]


def test_a_folder_that_is_not_finished_changes_nothing(tmp_path: Path):
    folder = tmp_path / "f"
    with whole_folder(str(folder)) as new:
        Path(new, "a").write_text("first")

    def fail() -> None:
        with whole_folder(str(folder)) as new:
            Path(new, "a").write_text("half")
            raise OSError("full")

    with pytest.raises(OSError, match="full"):
        fail()
    mend_folder(str(folder))
    assert files(folder) == ["first"]
