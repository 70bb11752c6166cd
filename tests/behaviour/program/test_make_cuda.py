"""`make cuda` where there is no card: what it says, and what it would do."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from scripts import cuda

ROOT = Path(__file__).resolve().parents[3]


def stage(name: str) -> cuda.Stage:
    return next(each for each in cuda.STAGES if each.name == name)


def run(monkeypatch: pytest.MonkeyPatch, *args: str) -> int:
    monkeypatch.setattr("sys.argv", ["cuda", *args])
    return cuda.main()


def test_without_a_card_it_says_what_is_missing_in_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(cuda, "no_card", lambda: "torch was built without CUDA. Install one.")
    assert run(monkeypatch) == 2
    told = capsys.readouterr()
    assert told.err == "[make cuda] torch was built without CUDA. Install one.\n"
    assert told.out == ""


def test_a_package_that_all_stages_need_is_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(cuda, "_has", lambda module: module != "malt")
    assert run(monkeypatch, "--dry", "strict") == 2
    assert "not installed: diastatic-malt. Install" in capsys.readouterr().err


def test_a_stage_without_its_packages_is_skipped_with_the_reason(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(cuda, "_has", lambda module: module not in ("keras", "h5py"))
    assert cuda.why_skipped(stage("keras"), "") == "keras, h5py are not installed"
    assert cuda.run(stage("keras-sample"), "")["outcome"] == "skipped"
    assert cuda.why_skipped(stage("oracle"), "") == ""


def test_what_a_stage_says_is_kept_and_counted(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(cuda, "LOGS", tmp_path)
    monkeypatch.setattr(cuda, "_short", lambda path: path.name)
    fine = cuda.Stage("fine", "one that passes", ["-c", "print('3 passed, 2 skipped in 1 s')"])
    broken = cuda.Stage("broken", "one that fails", ["-c", "print('1 failed in 1 s'); exit(1)"])
    assert cuda.run_all([fine, broken], "virtual") == 1
    found = json.loads((tmp_path / "checks-dry.json").read_text())
    assert found["stages"]["fine"]["passed"] == 3
    assert found["stages"]["broken"]["why"] == "exit 1, see broken.log"
    assert "virtual GPUs in host memory" in found["device"]
    told = capsys.readouterr().out
    assert "passed (" in told
    assert told.endswith("checks-dry.json: failed: broken\n")


def test_a_dry_run_is_the_same_chain_in_small() -> None:
    oracle = cuda.command_of(stage("oracle"), "strict")
    assert "--strict-gpus" in oracle
    assert "--cards" not in oracle
    assert oracle[-2:] == ["-k", "GPU and bitwise"]
    assert oracle.count("-k") == 1
    copies = cuda.command_of(stage("copies"), "virtual")
    assert copies[copies.index("--output") + 1].endswith("reports/cuda/copies-dry.json")


def test_it_runs_on_what_it_says(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EMPLACE_GPUS", "4")
    env = cuda.environment("strict")
    assert (env["BENCH_DEVICE"], "EMPLACE_GPUS" in env) == ("strict", False)
    assert cuda.environment("")["BENCH_DEVICE"] == "cuda"


def test_a_stage_that_nobody_knows_is_refused(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        run(monkeypatch, "--only", "copies,sparkles")
    assert "there is no stage sparkles; --list names them" in capsys.readouterr().err


def test_the_stages_run_files_that_exist() -> None:
    for each in cuda.STAGES:
        for word in each.command:
            if re.match(r"tests/", word):
                assert (ROOT / word).exists(), word
    assert "$(BIN)/python" in (ROOT / "Makefile").read_text().split("\ncuda:")[1]
