"""How several workers share a dataset: `AutoShardPolicy`, beside TensorFlow's answers."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from typing import Any

import pytest

import emplace.tensorflow as tf
from emplace.distribute.inputs.inputs import DistributedDataset
from emplace.distribute.workers import inputs

ORACLE = Path(__file__).parents[2] / "oracle" / "worker_shares.json"
RECORDER = Path(__file__).parents[3] / "scripts" / "record_oracle" / "worker_shares.py"
spec = importlib.util.spec_from_file_location("worker_shares", RECORDER)
assert spec is not None
assert spec.loader is not None
recorder = importlib.util.module_from_spec(spec)
spec.loader.exec_module(recorder)
CASES = json.loads(ORACLE.read_text())


class Alone:
    """Stands for the other workers, which never have more batches than this one."""

    def sum(self, value: Any, group: str) -> Any:
        return value


@pytest.fixture
def alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inputs, "link", Alone)


class Worker:
    """A strategy, as far as datasets ask for it."""

    def __init__(self, own: int) -> None:
        self.replica_devices = ("/job:localhost/replica:0/task:0/device:CPU:0",) * own


def share(dataset: Any, workers: int, own: int, number: int) -> Any:
    """The parts of a worker's replicas, one after the other, or the error's beginning."""
    try:
        made = inputs.shared_among_workers(dataset, Worker(own), workers, number, None)
        assert isinstance(made, DistributedDataset)
        return [recorder.plain(to_numbers(part)) for each in made for part in each.values]
    except (tf.errors.OpError, IndexError) as error:
        return f"{type(error).__name__}: {str(error).split(':')[0].split('.')[0]}"


def to_numbers(part: Any) -> Any:
    return tf.strings.to_number(part, tf.int64) if part.dtype == tf.string else part


def same(found: Any, wanted: Any) -> bool:
    """Whether a worker has what TensorFlow's has; empty parts at its end are ours alone."""
    return found[: len(wanted)] == wanted and not any(found[len(wanted) :])


@pytest.mark.parametrize(
    "case", CASES, ids=lambda case: f"{case[3]} {case[1]}x{case[2]} {case[0][8:]}"
)
def test_workers_share_a_dataset_as_in_tensorflow(case: Any, alone: None, tmp_path: Path):
    text, workers, own, policy, wanted = case
    options = tf.data.Options()
    kind = tf.data.experimental.AutoShardPolicy[policy]
    options.experimental_distribute.auto_shard_policy = kind
    files = recorder.make_files(str(tmp_path))
    dataset = eval(text, {"tf": tf, "files": files}).with_options(options)
    found = [share(dataset, workers, own, i) for i in range(workers)]
    errors = [each for each in wanted if isinstance(each, str)]
    if errors:  # TF: too few files end the first worker only, the others have none
        assert found == errors[:1] * workers
    else:
        assert all(map(same, found, wanted)), (found, wanted)


def test_a_worker_whose_part_is_over_goes_on_with_empty_batches(monkeypatch: pytest.MonkeyPatch):
    counts = iter([2, 2, 1, 1, 0])  # how many workers still have a batch

    class Others:
        def sum(self, value: Any, group: str) -> Any:
            return value * 0 + next(counts)

    monkeypatch.setattr(inputs, "link", Others)
    dataset = tf.data.Dataset.range(4).batch(2)
    made = inputs.for_worker(dataset, Worker(1), None)
    assert [each.values[0].numpy().tolist() for each in made] == [[0, 1], [2, 3], [], []]


def test_a_worker_without_any_batch_has_empty_ones(monkeypatch: pytest.MonkeyPatch):
    counts = iter([1, 0])

    class Others:
        def sum(self, value: Any, group: str) -> Any:
            return value * 0 + next(counts)

    monkeypatch.setattr(inputs, "link", Others)
    dataset = tf.data.Dataset.from_tensor_slices(tf.zeros([0, 3])).batch(2)
    (only,) = inputs.for_worker(dataset, Worker(2), None)
    assert [part.shape.as_list() for part in only.values] == [[0, 3], [0, 3]]


def test_an_endless_dataset_asks_nobody(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(inputs, "link", None)
    dataset = tf.data.Dataset.range(3).repeat().batch(2)
    made = iter(inputs.for_worker(dataset, Worker(1), None))
    assert [next(made).values[0].numpy().tolist() for _ in range(2)] == [[0, 1], [2, 0]]


def test_what_is_no_dataset_is_refused():
    with pytest.raises(AttributeError, match="has no attribute '_variant_tensor'"):
        inputs.shared_among_workers([1], Worker(1), 2, 0, None)
