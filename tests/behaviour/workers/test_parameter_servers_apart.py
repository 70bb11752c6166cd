"""Parameter servers, workers and a coordinator in processes of their own, on this machine."""

from __future__ import annotations

import json
import os
import socket

import programs
import pytest

LIMIT_S = 240

START = """
import json, os, sys, time
import numpy as np
import emplace.tensorflow as tf

resolver = tf.distribute.cluster_resolver.TFConfigClusterResolver()
if resolver.task_type in ("ps", "worker"):
    tf.distribute.Server(resolver.cluster_spec(), resolver.task_type, resolver.task_id).join()
    sys.exit()
partitioner = tf.distribute.experimental.partitioners.FixedShardsPartitioner(2)
strategy = tf.distribute.ParameterServerStrategy(resolver, partitioner)
coordinator = tf.distribute.coordinator.ClusterCoordinator(strategy)
schedule, fetch = coordinator.schedule, coordinator.fetch
told = {}
"""

WORK = """
ROWS = tf.reshape(tf.range(10.0), (5, 2))
with strategy.scope():
    total, count = tf.Variable(0.0, name="total"), tf.Variable(0, dtype=tf.int64)
    table = tf.Variable(ROWS, name="table")
told["devices"] = [v.device for v in (total, count, *table.variables)]
told["table"] = table.numpy().tolist()


@tf.function
def add(x):
    total.assign_add(x)
    count.assign_add(1)
    return tf.distribute.coordinator.experimental_get_current_worker_index()


found = fetch([schedule(add, args=(tf.constant(float(i)),)) for i in range(60)])
told["total"], told["count"] = float(total.numpy()), int(count.numpy())
told["workers"] = sorted({int(each) for each in found})
total.assign(3.0)
total.assign_add(1.0)
told["changed here"] = [float(total.numpy()), float(total + 1.0)]
told["rows"] = tf.gather(table, [4, 0]).numpy().tolist()


@tf.function
def learn():
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(tf.nn.embedding_lookup(table, [3, 0, 3]))
    for shard, slices in zip(table.variables, tape.gradient(loss, table.variables)):
        shard.scatter_sub(tf.IndexedSlices(slices.values, slices.indices))
    return loss


told["loss"], told["learnt"] = float(schedule(learn).fetch()), table.numpy().tolist()


def numbers():
    return tf.data.Dataset.range(100).map(lambda x: x * 10)


iterator = iter(coordinator.create_per_worker_dataset(numbers))


@tf.function
def step(iterator):
    return strategy.run(lambda x: x + 1, args=(next(iterator),))


told["first"] = min(int(each) for each in fetch([schedule(step, args=(iterator,)) for _ in "abcd"]))


@tf.function
def loop(n):
    found = tf.constant(0.0)
    for i in tf.range(n):
        if i % 2 == 0:
            found += tf.cast(i, tf.float32) * total
    return {"found": found, "text": tf.strings.join(["a", "b"])}


told["loop"] = {k: str(v) for k, v in schedule(loop, args=(tf.constant(5),)).fetch().items()}
with strategy.scope():
    scale = tf.Variable(2.0)


def failing(wrong):
    with strategy.scope():
        try:
            schedule(wrong)
            coordinator.join()
        except Exception as error:
            return f"{type(error).__name__}: {error}"


@tf.function
def wrong():
    tf.debugging.assert_equal(scale + 0.0, 1.0, message="boom")


local = tf.Variable(1.0)
told["error"] = failing(wrong)
told["local"] = failing(tf.function(lambda: local + 1.0))
path = tf.train.Checkpoint(table=table).save(sys.argv[1] + "/x")
table.assign(tf.zeros((5, 2)))
tf.train.Checkpoint(table=table).restore(path).assert_consumed()
told["restored"] = table.numpy().tolist() == told["learnt"]
print("TOLD", json.dumps(told), flush=True)
"""

LOSS = """
import threading
with strategy.scope():
    count = tf.Variable(0)


def slow():
    time.sleep(0.01)
    return os.getpid()


@tf.function
def add():
    pid = tf.py_function(slow, [], tf.int64)
    count.assign_add(1)
    return pid, tf.distribute.coordinator.experimental_get_current_worker_index()


pids = {}
while len(pids) < 2:
    for pid, worker in fetch([schedule(add) for _ in range(8)]):
        pids[int(worker)] = int(pid)
count.assign(0)
waiting = [schedule(add) for _ in range(100)]
waiting[10].fetch()
os.kill(pids[0], 9)
coordinator.join()
told["count"] = int(count.numpy())
told["after"] = sorted({int(worker) for _, worker in fetch([schedule(add) for _ in range(8)])})
waiting = [schedule(add) for _ in range(100)]
os.kill(pids[1], 9)
try:
    coordinator.join()
except Exception as error:
    told["error"] = f"{type(error).__name__}: {error}"
print("TOLD", json.dumps(told), flush=True)
"""


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def run(tmp_path, program, counts, wait_s=LIMIT_S / 2, only=None):
    """What the coordinator of a cluster tells, and how its processes end."""
    path = tmp_path / "program.py"
    path.write_text(START + program)
    cluster = {job: [f"localhost:{free_port()}" for _ in range(n)] for job, n in counts.items()}
    processes = []
    try:
        for job, tasks in cluster.items():
            for number in range(len(tasks)):
                if only in (None, job):
                    config = {"cluster": cluster, "task": {"type": job, "index": number}}
                    processes.append(start(path, tmp_path, config, wait_s))
        codes = [each.wait(LIMIT_S) for each in reversed(processes)][::-1]
        said = processes[-1].written()[0]
    finally:
        for each in processes:
            each.kill()
    return said, codes


def start(path, tmp_path, config, wait_s):
    env = os.environ | {
        "TF_CONFIG": json.dumps(config), "EMPLACE_WORKERS_START_SECONDS": str(wait_s),
        "OMP_NUM_THREADS": "1",
    }  # fmt: skip
    return programs.start(["python", path, tmp_path], env)


def backed_ints_of(said):
    lines = [line for line in said.splitlines() if line.startswith("TOLD ")]
    assert lines, said[-3000:]
    return json.loads(lines[-1].removeprefix("TOLD "))


@pytest.mark.timeout(2 * LIMIT_S)
def test_a_cluster_of_processes_does_what_one_process_does(tmp_path):
    said, codes = run(tmp_path, WORK, {"ps": 2, "worker": 2, "chief": 1})
    told = backed_ints_of(said)
    ps = "/job:ps/replica:0/task:{}/device:CPU:0".format
    assert told["devices"] == [ps(0), ps(1), ps(0), ps(1)]
    rows = [[2.0 * i, 2.0 * i + 1] for i in range(5)]
    assert told["table"] == rows
    assert (told["total"], told["count"]) == (1770.0, 60)
    assert set(told["workers"]) <= {0, 1}
    assert told["changed here"] == [4.0, 5.0]
    assert told["rows"] == [rows[4], rows[0]]
    assert (told["loss"], told["first"]) == (6 + 7 + 1 + 6 + 7, 1)
    assert told["learnt"] == [[-1, 0], rows[1], rows[2], [4, 5], rows[4]]
    assert told["loop"] == {"found": "24.0", "text": "b'ab'"}
    assert told["error"].startswith("InvalidArgumentError")
    assert "boom" in told["error"]
    assert "cannot be sent to another process" in told["local"]
    assert "use tensors, variables of the strategy" in told["local"]
    assert told["restored"]
    assert codes == [0] * 5


@pytest.mark.timeout(2 * LIMIT_S)
@pytest.mark.slow
def test_what_a_lost_worker_had_begun_is_run_by_another(tmp_path):
    told = backed_ints_of(run(tmp_path, LOSS, {"ps": 1, "worker": 2, "chief": 1})[0])
    assert 100 <= told["count"] <= 101  # what had begun may have been done, too
    assert told["after"] == [1]
    assert told["error"].startswith("UnavailableError: All workers have been lost.")


@pytest.mark.timeout(2 * LIMIT_S)
@pytest.mark.slow
def test_a_task_that_does_not_come_is_named(tmp_path):
    counts = {"ps": 1, "worker": 1, "chief": 1}
    said, codes = run(tmp_path, "", counts, wait_s=2, only="chief")
    assert codes == [1]
    assert "The cluster did not meet within 2 s: /job:ps/task:0 did not come." in said
