"""Several worker processes on this machine: `MultiWorkerMirroredStrategy`, and `emplace launch`.

Everything that starts processes is in this file, and each has a time limit.
"""

from __future__ import annotations

import json
import re
import shutil
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import numpy as np
import programs
import pytest
import worker_processes as workers

from emplace.distribute.workers.processes import shared

HERE = Path(__file__).parent
PROGRAM = HERE / "worker_program.py"
KILLER = HERE.parents[2] / "scripts" / "kill_workers.py"


@pytest.fixture(scope="module")
def facts(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    """What three workers with two virtual GPUs each found, and then one process alone."""
    folder = tmp_path_factory.mktemp("workers")
    names = [str(folder / f"{i}.json") for i in range(4)]
    configs = workers.configs(3, workers.free_port())
    environments = [workers.environment(TF_CONFIG=each, EMPLACE_GPUS="2") for each in configs]
    environments.append(workers.environment(EMPLACE_GPUS="0"))
    processes = [
        workers.start(PROGRAM, [name], env, has_keras=True)
        for name, env in zip(names, environments, strict=True)
    ]
    for worker in workers.ended(processes):
        assert worker.code == 0, worker.text
    return [json.loads(Path(name).read_text()) for name in names]


def test_workers_number_their_replicas_one_after_the_other(facts: Any):
    assert [each["replicas"] for each in facts] == [6, 6, 6, 1]
    assert [each["ids"] for each in facts] == [[0, 1], [2, 3], [4, 5], [0]]
    assert [each["values"] for each in facts[:3]] == [[0, 1], [2, 3], [4, 5]]


def test_the_first_worker_is_the_one_that_writes(facts: Any):
    # checkpoints, summaries, several workers
    assert [each["chief"] for each in facts] == [
        [True, True, True], [False, False, True], [False, False, True], [True, True, False],
    ]  # fmt: skip


def test_reductions_go_over_all_replicas_of_all_workers(facts: Any):
    for each in facts[:3]:
        assert each["reduce"] == [6.0, 2.0]
        # the mean of 0; 0 1; 0 1 2; ... weighs elements
        assert each["mean along"] == pytest.approx(sum(i * (i + 1) / 2 for i in range(6)) / 21)
        assert each["gather"] == [j for i in range(6) for j in range(i + 1)]
        assert each["dtypes"] == {
            "float16": "6.0", "bfloat16": "6", "float64": "6.0", "int16": "6", "int32": "6",
            "int64": "6", "uint8": "6", "complex64": "(6+0j)",
        }  # fmt: skip


def test_large_values_are_sent_in_pieces(facts: Any):
    assert [each["large"] for each in facts[:3]] == [[True] * 8] * 3
    memory = Path("/dev/shm")
    has_room = memory.is_dir() and shutil.disk_usage(memory).free > 3 * shared._BOX_BYTES
    first = "SharedMemory" if has_room else "Ring"
    assert [each["ways"] for each in facts[:3]] == [[first, "Ring"]] * 3


def test_slices_stay_slices(facts: Any):
    indices = [0, 0, 1, 0, 1, 2]  # those of the first worker first
    for each in facts[:3]:
        assert each["slices"][0] == indices
        assert np.allclose(each["slices"][1], np.full((6, 2), 1 / 3))


def test_replicas_reduce_and_gather_in_functions(facts: Any):
    whole = [j for i in range(6) for j in range(i)]
    for each in facts[:3]:
        assert each["function"] == [[15.0] * 2, [[15.0, 15.0]] * 2, [whole] * 2]


def test_a_gathered_value_has_a_gradient(facts: Any):
    # y of each of six replicas is the sum of squares
    found = [part for each in facts[:3] for part in each["gradient"]]
    assert found == [[12.0 * i] for i in range(6)]


def test_variables_have_the_chiefs_first_values_and_all_changes(facts: Any):
    for each in facts[:3]:
        assert each["variables"] == [5.0, 1.0 + 15.0, 21]
        assert each["read"] == [10.0, 10.0]


def test_what_cannot_be_gathered_or_reduced_is_refused(facts: Any):
    for each in facts[:3]:
        assert "ValueError: Values of shape () cannot be gathered along axis 0" in each["scalar"]
        assert "Method requires being in cross-replica context" in each["nested"]


def test_training_on_workers_equals_training_in_one_process(facts: Any):
    one = facts[3]
    for each in facts[:3]:
        for name in ("evaluate", "predict", "weights", "loop"):
            for found, wanted in zip(_flat(each[name]), _flat(one[name]), strict=True):
                assert found == pytest.approx(wanted, abs=1e-5), name
        assert each["history"].keys() == one["history"].keys()
        for name, values in one["history"].items():
            assert each["history"][name] == pytest.approx(values, abs=1e-5), name


def _flat(value: Any) -> list[float]:
    return [x for each in value for x in _flat(each)] if isinstance(value, list) else [value]


# -- what goes wrong -------------------------------------------------------------------------------


@pytest.fixture
def small(tmp_path: Path) -> Path:
    """A program that adds ones until somebody is gone."""
    program = tmp_path / "small.py"
    program.write_text(
        """
import os, sys, time
import tensorflow as tf
strategy = tf.distribute.MultiWorkerMirroredStrategy()
me = strategy.cluster_resolver.task_id
for i in range(int(sys.argv[1])):
    total = strategy.reduce("SUM", tf.constant(1.0), axis=None)
    if i == 3 and me == 1 and sys.argv[2] == "killed":
        os.kill(os.getpid(), 9)
    if i == 3 and me == 1 and sys.argv[2] == "fails":
        raise ValueError("this is wrong")
    if i == 3 and me == 1 and sys.argv[2] == "sleeps":
        time.sleep(60)
print("total", float(total), sys.argv[3:])
"""
    )
    return program


def test_the_others_end_when_a_worker_is_killed_and_say_which(small: Path):
    first, killed, third = workers.run(small, 3, ["100000", "killed"])
    assert killed.code == -signal.SIGKILL
    for i, each in ((0, first), (2, third)):
        assert each.code == 1
        said = rf"UnavailableError: worker {i} \S+ cannot go on: worker 1 \(127.0.0.1:1\) has been"
        assert re.search(said + " killed, or its machine does not answer", each.text), each.text


def test_the_others_end_when_the_chief_is_killed(small: Path):
    small.write_text(small.read_text().replace("me == 1", "me == 0"))
    killed, other = workers.run(small, 2, ["100000", "killed"])
    assert killed.code == -signal.SIGKILL
    assert other.code == 1
    assert "UnavailableError: worker 1 (127.0.0.1:1) cannot go on: worker 0 (127.0.0.1:" in (
        other.text
    )


def test_the_others_end_when_a_worker_fails_and_say_why(small: Path):
    first, failed = workers.run(small, 2, ["100000", "fails"])
    assert failed.code == 1
    assert first.code == 1
    why = "has failed with ValueError: this is wrong"
    assert f"worker 1 (127.0.0.1:1) {why}" in first.text


@pytest.mark.slow
def test_a_worker_that_does_something_else_is_waited_for_up_to_a_limit(small: Path):
    port = workers.free_port()
    processes = [
        workers.start(small, ["10", "sleeps"], workers.environment(
            TF_CONFIG=config, EMPLACE_WORKERS_STEP_SECONDS="3"))
        for config in workers.configs(2, port)
    ]  # fmt: skip
    ((code, text),) = workers.ended(processes[:1])
    processes[1].kill()
    assert code == 1
    assert "DeadlineExceededError: worker 0" in text
    assert "has waited 3 seconds in a step for the other workers, which are there" in text
    assert "EMPLACE_WORKERS_STEP_SECONDS is the limit" in text


@pytest.mark.slow
def test_a_start_says_for_whom_it_waits_and_ends_at_a_limit(small: Path):
    config = workers.configs(3, workers.free_port())
    env = workers.environment(TF_CONFIG=config[0], EMPLACE_WORKERS_START_SECONDS="7")
    (alone,) = workers.ended([workers.start(small, ["1", ""], env)])
    assert alone.code == 1
    missing = "worker 1 (127.0.0.1:1) and worker 2 (127.0.0.1:2)"
    assert f"waits for {missing}: 5 of 7 seconds" in alone.text
    assert "DeadlineExceededError: worker 0 (127.0.0.1:" in alone.text
    assert f"has waited 7 seconds for {missing}, which did not come" in alone.text


@pytest.mark.slow
def test_two_processes_cannot_have_one_place(small: Path):
    first, second = workers.configs(2, workers.free_port())
    made = [
        workers.start(
            small, ["1", ""], workers.environment(TF_CONFIG=each, EMPLACE_WORKERS_START_SECONDS="9")
        )
        for each in (first.replace('"127.0.0.1:1"', '"127.0.0.1:1", "127.0.0.1:2"'),)
        + (second.replace('"127.0.0.1:1"', '"127.0.0.1:1", "127.0.0.1:2"'),) * 2
    ]
    ended = workers.ended(made)
    assert sum("is there already: two processes have its place" in each.text for each in ended) == 1


def test_workers_must_have_as_many_replicas(small: Path):
    port = workers.free_port()
    made = [
        workers.start(small, ["1", ""], workers.environment(TF_CONFIG=config, EMPLACE_GPUS=gpus))
        for config, gpus in zip(workers.configs(2, port), "12", strict=True)
    ]
    for each in workers.ended(made):
        assert each.code == 1
        assert "ValueError: Workers must have the same number of replicas. worker 0" in each.text


# -- emplace launch --------------------------------------------------------------------------------


def launched(*arguments: str) -> workers.Ended:
    """What `emplace launch` does; its workers are new interpreters."""
    process = programs.start(["emplace", "launch", *arguments], workers.environment())
    return workers.ended([process])[0]


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="threads' names are Linux's")
def test_no_thread_of_a_connection_outlives_python(tmp_path: Path):
    program = tmp_path / "threads.py"
    program.write_text(
        """
import atexit, glob, pathlib

def threads():
    found = [pathlib.Path(name).read_text().strip() for name in glob.glob("/proc/self/task/*/comm")]
    return sorted(name for name in found if "gloo" in name)

atexit.register(lambda: print("left", threads()))
import tensorflow as tf
strategy = tf.distribute.MultiWorkerMirroredStrategy()
print("total", float(strategy.reduce("SUM", tf.constant(1.0), axis=None)), bool(threads()))
"""
    )
    for worker in workers.run(program, 2):
        assert worker.code == 0, worker.text
        assert "total 2.0 True" in worker.text
        assert "left []" in worker.text


def test_launch_starts_workers_and_puts_their_numbers_before_their_lines(small: Path):
    made = launched("--workers", "2", str(small), "2", "", "--more", "x")
    assert made.code == 0, made.text
    lines = sorted(line for line in made.text.splitlines() if "total" in line)
    assert lines == [f"[worker {i}] total 2.0 ['--more', 'x']" for i in range(2)]


def test_lines_of_workers_are_handed_on_while_they_run(tmp_path: Path):
    script = tmp_path / "waits.py"
    script.write_text("import time\nprint('here')\ntime.sleep(120)\n")
    env = workers.environment()
    env.pop("PYTHONUNBUFFERED", None)
    command = [sys.executable, "-m", "emplace", "launch", "--workers", "1", str(script)]
    with subprocess.Popen(command, env=env, stdout=subprocess.PIPE, text=True) as process:
        killer = threading.Timer(60, process.terminate)
        killer.start()
        assert process.stdout is not None
        line = process.stdout.readline()
        was_running = killer.is_alive()
        killer.cancel()
        process.terminate()
    assert line == "[worker 0] here\n"
    assert was_running


@pytest.mark.slow
def test_launch_stops_all_and_returns_the_exit_code_of_the_first_that_failed(small: Path):
    made = launched("--workers", "2", str(small), "100000", "killed")
    assert made.code == 128 + signal.SIGKILL
    assert (
        "[emplace launch] worker 1 was killed by SIGKILL. Stopping all 2 workers. "
        "`--restarts N` would start all of them again."
    ) in made.text


def test_launch_says_what_is_wrong_with_its_arguments(tmp_path: Path):
    assert "there is no file 'nothing.py'" in launched("nothing.py").text
    assert launched("nothing.py").code == 2
    wrong = launched("--gpus", "many", __file__)
    assert wrong.code == 2
    assert "--gpus: " in wrong.text


@pytest.mark.slow
def test_workers_that_are_killed_go_on_from_what_was_saved_bit_for_bit():
    command = [sys.executable, str(KILLER), "--times", "1", "--workers", "2", "--gpus", "1",
               "--save", "backup", "--by", "launch", "--seed", "5"]  # fmt: skip
    made = subprocess.run(
        command, env=workers.environment(), capture_output=True, text=True, timeout=300, check=False
    )
    assert made.returncode == 0, made.stdout + made.stderr
    assert "same bits" in made.stdout
