"""Which worker a process is, as TF_CONFIG and `torchrun` say. The texts are TensorFlow's."""

from __future__ import annotations

import json
from typing import Any

import pytest

import emplace.tensorflow as tf
from emplace.distribute.workers import strategy as module
from emplace.distribute.workers.processes.meeting import compare
from emplace.distribute.workers.processes.roles import is_chief, role_by_torchrun, role_of

WORKERS = {"worker": ["a:1", "b:2"]}
WITH_CHIEF = {"chief": ["c:1"], "worker": ["a:1", "b:2"], "ps": ["p:1"]}


def refused(cluster: Any, **task: Any) -> str:
    """Why a strategy cannot be made with a TF_CONFIG."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TF_CONFIG", json.dumps({"cluster": cluster, "task": task}))
        with pytest.raises(ValueError) as info:  # what it says is what is asked
            tf.distribute.MultiWorkerMirroredStrategy()
    return str(info.value)


def test_a_chief_is_number_0_and_workers_follow():
    assert role_of(WITH_CHIEF, "chief", 0, "").number == 0
    assert role_of(WITH_CHIEF, "worker", 1, "").number == 2
    assert role_of(WORKERS, "worker", 1, "").number == 1
    names = ("chief 0 (c:1)", "worker 0 (a:1)", "worker 1 (b:2)")
    assert role_of(WITH_CHIEF, "worker", 0, "").names == names


def test_an_evaluator_is_a_cluster_of_its_own():
    assert role_of(WORKERS, "evaluator", 0, "").names == ("evaluator 0",)
    assert is_chief(WORKERS, "evaluator", 0)


def test_without_a_chief_the_first_worker_is_it():
    assert is_chief(WORKERS, "worker", 0)
    assert not is_chief(WORKERS, "worker", 1)
    assert not is_chief(WITH_CHIEF, "worker", 0)
    assert is_chief(WITH_CHIEF, "chief", 0)


def test_a_task_must_have_a_place_in_the_cluster():
    assert refused(WORKERS) == (
        "When `cluster_spec` is given, you must also specify `task_type` and `task_id`."
    )
    assert refused(WORKERS, type="worker", index=3) == (
        "The `task_id` 3 exceeds the maximum id of worker."
    )
    assert refused(WORKERS, type="foo", index=0) == (
        "Unrecognized task_type: foo, valid task types are: "
        "('chief', 'worker', 'evaluator', 'ps', None)"
    )
    assert (
        refused(WORKERS, type="chief", index=0) == "`task_type` 'chief' not found in cluster_spec."
    )
    two = {**WORKERS, "chief": ["c:1", "d:1"]}
    assert refused(two, type="worker", index=0) == "There must be at most one 'chief' job."
    assert refused({**WORKERS, "boss": ["c:1"]}, type="worker", index=0).startswith(
        "Disallowed task type found in cluster spec. Allowed types are "
        "('chief', 'worker', 'evaluator', 'ps', None) and the cluster spec is "
    )
    assert refused(WITH_CHIEF, type="ps", index=0) == "Unexpected `task_type` 'ps'"


def test_what_is_no_json_is_refused(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("TF_CONFIG", "{")
    with pytest.raises(json.JSONDecodeError):
        tf.distribute.MultiWorkerMirroredStrategy()


def test_the_first_address_must_have_a_port():
    assert refused({"worker": ["a", "b"]}, type="worker", index=1) == (
        "The address of the first worker is 'a' and must be host:port, where the workers meet."
    )


def test_arguments_must_be_of_their_kinds():
    with pytest.raises(ValueError, match=r"tf.distribute.experimental.CommunicationOptions"):
        tf.distribute.MultiWorkerMirroredStrategy(communication_options=3)
    with pytest.raises(ValueError, match=r"cluster_resolver must be an instance of tf.distribute"):
        tf.distribute.MultiWorkerMirroredStrategy(cluster_resolver=3)


def test_torchrun_tells_a_number_and_how_many_there_are(monkeypatch: pytest.MonkeyPatch):
    assert role_by_torchrun() is None
    for name, value in (("RANK", "1"), ("WORLD_SIZE", "3"), ("MASTER_ADDR", "h"),
                        ("MASTER_PORT", "1")):  # fmt: skip
        monkeypatch.setenv(name, value)
    role = role_by_torchrun()
    assert role is not None
    assert (role.number, role.name, role.by_environment) == (1, "worker 1", True)
    monkeypatch.setenv("WORLD_SIZE", "1")
    assert role_by_torchrun() is None
    monkeypatch.setenv("RANK", "first")
    with pytest.raises(ValueError, match="RANK='first' and WORLD_SIZE='1' must be integers"):
        role_by_torchrun()


@pytest.mark.gpus(2)
def test_without_a_cluster_there_is_one_worker_with_all_gpus():
    strategy = tf.distribute.MultiWorkerMirroredStrategy()
    assert strategy.num_replicas_in_sync == 2
    assert [name[-5:] for name in strategy.extended.worker_devices] == ["GPU:0", "GPU:1"]
    assert not strategy.extended._in_multi_worker_mode()
    assert strategy.extended.should_checkpoint
    assert isinstance(
        strategy.cluster_resolver, tf.distribute.cluster_resolver.TFConfigClusterResolver
    )
    total = strategy.reduce("SUM", strategy.run(lambda: tf.constant(1.0)), axis=None)
    assert total.numpy() == 2.0


def test_the_old_name_makes_the_same_strategy():
    strategy = tf.distribute.experimental.MultiWorkerMirroredStrategy(
        tf.distribute.experimental.CommunicationImplementation.RING
    )
    assert isinstance(strategy, tf.distribute.MultiWorkerMirroredStrategy)
    new = tf.distribute.MultiWorkerMirroredStrategy()
    assert isinstance(new, tf.distribute.experimental.MultiWorkerMirroredStrategy)


def test_limits_must_be_seconds(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("EMPLACE_WORKERS_STEP_SECONDS", "soon")
    monkeypatch.setenv(
        "TF_CONFIG", json.dumps({"cluster": WORKERS, "task": {"type": "worker", "index": 0}})
    )
    with pytest.raises(
        ValueError, match=r"\[EMPLACE_WORKERS_STEP_SECONDS='soon'\] must be a number of seconds"
    ):
        tf.distribute.MultiWorkerMirroredStrategy()


def test_gpus_of_a_resolver_count():
    spec = tf.train.ClusterSpec({})
    resolver = tf.distribute.cluster_resolver.SimpleClusterResolver(
        spec, num_accelerators={"GPU": 2}
    )
    assert module._local_devices(resolver) == ("/device:GPU:0", "/device:GPU:1")


class StoreThatGoes(dict):
    """The store of a first worker that ends as soon as all others have read what it says."""

    def set(self, key: str, value: str) -> None:
        self[key] = value

    def add(self, key: str, count: int) -> int:
        if count == 0:
            raise RuntimeError("Connection was likely closed.")
        return count


def test_only_the_worker_with_the_store_waits_for_those_who_read_it():
    role = role_of(WORKERS, "worker", 1, "")
    store = StoreThatGoes({"about/0": '{"gpus": 2}'})
    assert compare(store, role, {"gpus": 1}) == [{"gpus": 2}, {"gpus": 1}]
    first = role_of(WORKERS, "worker", 0, "")
    with pytest.raises(RuntimeError, match="closed"):  # it looks whether all have read
        compare(StoreThatGoes({"about/1": '{"gpus": 1}'}), first, {"gpus": 2})
