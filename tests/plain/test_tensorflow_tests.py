"""The lists of TensorFlow's own tests that fail: what counts, and that they only shrink."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from scripts.tensorflow_tests import __main__ as command, lists, page

FILE = "python/eager/some_test.py"


@pytest.fixture
def kept_lists(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(lists, "LISTS", tmp_path / "lists")
    monkeypatch.setattr(page, "PAGE", tmp_path / "page.md")
    return tmp_path / "lists"


def results(folder: Path, statuses: dict[str, str], there: dict[str, str] | None = None) -> Path:
    """A folder of results of one file: test -> status or error."""
    for side, tests in (("em", statuses), ("tf", there or {})):
        (folder / side).mkdir(parents=True, exist_ok=True)
        rows = [
            {"e": "end", "id": test, "status": "ok"}
            if status == "ok"
            else {
                "e": "end",
                "id": test,
                "status": "fail",
                "kind": "AssertionError",
                "error": status,
            }
            for test, status in tests.items()
        ]
        path = folder / side / (FILE.replace("/", "__") + ".jsonl")
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return folder


def run(monkeypatch: pytest.MonkeyPatch, *arguments: object) -> int:
    monkeypatch.setattr("sys.argv", ["tensorflow_tests", *map(str, arguments)])
    return command.main()


def test_what_fails_on_tensorflow_or_is_private_does_not_count(tmp_path: Path) -> None:
    folder = results(
        tmp_path,
        {"T.a": "ok", "T.b": "ValueError not raised", "T.c": "x", "T.d": "NotPublic: ops._thing"},
        {"T.b": "ok", "T.c": "x"},
    )
    found = lists.read_results(folder)[FILE]
    assert found.passed == {"T.a"}
    assert found.failed == {"T.b": "AssertionError: ValueError not raised"}
    assert found.excluded == {"T.c", "T.d"}


def test_a_new_failure_is_named_and_nothing_is_written(
    tmp_path: Path,
    kept_lists: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    folder = results(tmp_path / "one", {"T.a": "ok", "T.b": "ValueError not raised"})
    assert run(monkeypatch, folder, "--write") == 0
    before = (kept_lists / "eager.json").read_text()
    kept = json.loads(before)
    assert kept["files"] == {FILE: {"counts": 2, "passes": 1}}
    assert kept["causes"]["no error"]["tests"] == {FILE: ["T.b"]}
    worse = results(tmp_path / "two", {"T.a": "values differ", "T.b": "ok"})
    assert run(monkeypatch, worse, "--write") == 1
    assert f"new failure: {FILE} T.a" in capsys.readouterr().out
    assert (kept_lists / "eager.json").read_text() == before


def test_a_list_shrinks_and_keeps_causes_given_by_hand(
    tmp_path: Path, kept_lists: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run(monkeypatch, results(tmp_path / "one", {"T.a": "x", "T.b": "x", "T.c": "ok"}), "--write")
    path = kept_lists / "eager.json"
    text = path.read_text().replace(lists.UNKNOWN, "loops")
    path.write_text(text)
    assert run(monkeypatch, results(tmp_path / "two", {"T.a": "ok", "T.c": "ok"}), "--write") == 0
    kept = json.loads(path.read_text())
    assert kept["causes"]["loops"]["tests"] == {FILE: ["T.b"]}  # not reached: it stays
    assert kept["files"] == {FILE: {"counts": 3, "passes": 2}}


def test_lists_agree_with_their_page() -> None:
    for path in lists.LISTS.glob("*.json"):
        listed = lists.read_list(path.stem)
        failing: dict[str, int] = {}
        for file, _ in listed.failures():
            failing[file] = failing.get(file, 0) + 1
        for file, numbers in listed.files.items():
            assert numbers["counts"] - numbers["passes"] == failing.pop(file, 0), file
            assert lists.group_of(file) == path.stem
        assert not failing, "failures of files that are not listed"
        tests = [
            (f, t) for c in listed.causes.values() for f, found in c.tests.items() for t in found
        ]
        assert len(tests) == len(set(tests)), "a test with two causes"
        assert all(cause.means for cause in listed.causes.values())
    assert page.PAGE.read_text().endswith(page.table())
