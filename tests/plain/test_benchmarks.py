"""The benchmarks' own rules: budgets, reports, and rows that are described and written."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from benchmarks import (
    __main__ as command,
    copies,
    eager,
    keras,
    memory,
    networks,
    peers,
    report,
    strategies,
)
from benchmarks.budgets import Budget, MeanBudget, as_time

FOLDER = Path(eager.__file__).parent
MEDIANS = {"add": {"emplace": 2.0, "torch": 1.0, "tensorflow": 18.0}}


def rows_of(program: str) -> set[str]:
    """The rows of a program, without importing the library it is written for."""
    for node in ast.parse((FOLDER / program).read_text()).body:
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "ROWS":
            return set(ast.literal_eval(node.value))
    raise AssertionError(f"{program} has no ROWS")


def test_every_described_row_is_written_for_tensorflow() -> None:
    assert rows_of("tf_program.py") | set(eager.STARTS) == set(eager.ROWS)


@pytest.mark.parametrize("program", ["torch_program.py", "jax_program.py"])
def test_a_program_has_no_row_that_nobody_described(program: str) -> None:
    assert rows_of(program) <= set(eager.ROWS)


@pytest.mark.parametrize("suite", [eager, keras, networks, strategies])
def test_a_budget_is_about_rows_that_exist(suite) -> None:
    for budget in suite.BUDGETS:
        assert set(budget.rows) <= set(suite.ROWS), budget


@pytest.mark.parametrize("suite", [copies, memory])
def test_a_suite_about_gpus_has_its_rows_for_every_peer(suite) -> None:
    """Their rows are made by comprehensions, so the programs have them if they have the ways."""
    folder = Path(suite.__file__).parent
    for program in ("tf_program.py", "torch_program.py"):
        text = (folder / program).read_text()
        for row in suite.ROWS:
            assert row in text or row.rsplit(" ", 2)[0] in text, (program, row)


def test_rows_that_move_bytes_tell_how_many_in_a_second() -> None:
    samples = {"to the GPU 1 MiB": {"emplace": [100.0, 100.0]}, "other": {"emplace": [1.0, 1.0]}}
    moved = {"to the GPU 1 MiB": 1 << 20}
    result = report.to_dict(samples, [], {}, moved, versions={"emplace": ""}, suite="copies")
    assert result["rows"]["to the GPU 1 MiB"]["gb_per_s"] == {"emplace": 10.5}
    assert "gb_per_s" not in result["rows"]["other"]
    assert list(report.rates_table(result).columns[1].cells) == ["10.5", "-"]


@pytest.mark.parametrize(
    ("device", "gpus", "expected"),
    [
        ("cpu", 1, None), ("cuda", 1, None), ("cuda", 2, "2"), ("virtual", 1, "1"),
        ("strict", 2, "2:strict"),
    ],
)  # fmt: skip
def test_a_peer_is_told_where_to_compute(
    device: str, gpus: int, expected: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(peers, "DEVICE", device)
    env = peers.PEERS[0].options(spreads=True, gpus=gpus)["env"]
    assert env["BENCH_DEVICE"] == device
    assert env.get("EMPLACE_GPUS") == expected
    assert ("CUDA_VISIBLE_DEVICES" in env) is (device != "cuda")


def test_rows_beside_other_work_run_on_all_cores_with_the_threads_of_each_library(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert set(networks.BUSY) < set(networks.ALL_CORES) < set(networks.ROWS)
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    peer = peers.PEERS[0]
    assert peer.options(spreads=False)["env"]["OMP_NUM_THREADS"] == "1"
    free = peer.options(spreads=True, threads=True)
    assert not [name for name in free["env"] if name.startswith(("OMP_", "TF_NUM_"))]
    assert "preexec_fn" not in free


def test_a_budget_of_means_compares_with_the_fastest_peer_of_each_row() -> None:
    medians = {
        "a": {"emplace": 2.0, "torch": 1.0, "jax": 4.0},
        "b": {"emplace": 2.0, "torch": 9.0, "jax": 4.0},
    }
    budget = MeanBudget(("a", "b"), 1.2, of=("torch", "jax"))
    assert str(budget) == "mean of 2 rows: emplace <= 1.2 x the fastest"
    found = budget.to_dict(medians)
    assert (found["taken"], found["limit"], found["met"]) == (1.0, 1.2, True)
    assert budget.to_dict({"a": medians["a"]})["met"] is None
    table = report.budgets_table({"budgets": [found]})
    assert list(table.columns[1].cells) == ["1"]


def test_a_budget_is_told_in_one_line() -> None:
    assert str(Budget("add", factor=1 / 6, of="tensorflow")) == "add: emplace <= 1/6 x tensorflow"
    later = Budget("first op", of="torch", of_row="import", plus_us=0.3e6)
    assert str(later) == "first op: emplace <= torch import + 300 ms"


def test_a_budget_compares_with_another_peer_of_the_same_run() -> None:
    assert Budget("add", factor=2, of="torch").to_dict(MEDIANS)["met"] is True
    found = Budget("add", factor=0.1, of="tensorflow").to_dict(MEDIANS)
    assert (found["taken_us"], found["limit_us"], found["met"]) == (2.0, 1.8, False)


def test_a_budget_is_unknown_where_a_peer_is_missing() -> None:
    assert Budget("add", factor=2, of="jax").to_dict(MEDIANS)["met"] is None
    assert Budget("add", "watched", plus_us=8).to_dict(MEDIANS)["met"] is None


def test_a_result_holds_medians_and_ratios() -> None:
    samples = {"add": {"emplace": [2.0, 1.0, 9.0], "torch": [1.0, 1.0, 1.0]}}
    result = report.to_dict(samples, [], {"add": "a + b"}, suite="eager", rounds=3)
    row = result["rows"]["add"]
    assert row["what"] == "a + b"
    assert row["median_us"] == {"emplace": 2.0, "torch": 1.0}
    assert row["emplace_over"] == {"torch": 2.0}


@pytest.mark.parametrize(
    ("microseconds", "text"),
    [(1.234, "1.23 us"), (2500.0, "2.5 ms"), (1.1e6, "1.1 s"), (None, "-")],
)
def test_times_are_told_in_three_digits(microseconds: float | None, text: str) -> None:
    assert as_time(microseconds) == text


def test_rows_in_fresh_processes_are_measured_without_others(monkeypatch, tmp_path) -> None:
    """Who can be started is known from workers, which no other row has needed."""

    class Idle:
        version = "1"

        def __init__(self, name: str) -> None:
            self.name = name

        def close(self) -> None:
            """Nothing runs."""

    measured = []
    monkeypatch.setattr(command, "_start", lambda peers, *_: [Idle(each.name) for each in peers])
    monkeypatch.setattr(command, "measure", lambda who, rows, *_: measured.append((len(who), rows)))
    command.main(
        suite="eager", rows="import", peers="emplace,torch", launches=1, rounds=1, seconds=0.1,
        starts=1, compare=None, output=tmp_path / "result.json",
    )  # fmt: skip
    assert measured == [(2, ["import"])]
