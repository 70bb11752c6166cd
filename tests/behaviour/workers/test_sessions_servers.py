"""TF 1's servers in one process: sessions that share variables, as TensorFlow's own tests run them.
Values and devices are TensorFlow 2.21's answers."""

from __future__ import annotations

import itertools
import threading

import numpy as np
import pytest

import emplace.tensorflow as tf2
from emplace.tensorflow.compat import v1 as tf

PORTS = itertools.count(1)
X = np.random.RandomState(0).randn(32, 2).astype(np.float32)


def a_cluster(servers=2, workers=2):
    counts = {"ps": servers, "worker": workers}
    jobs = {job: [f"session:{next(PORTS)}" for _ in range(n)] for job, n in counts.items()}
    cluster = tf.train.ClusterSpec(jobs)
    made = {
        (job, i): tf.train.Server(cluster, job_name=job, task_index=i)
        for job, n in counts.items() for i in range(n)
    }  # fmt: skip
    return cluster, [made["worker", i].target for i in range(workers)]


class Model:
    """The graph of one worker."""

    def __init__(self, cluster, number):
        self.graph = tf.Graph()
        worker = f"/job:worker/task:{number}"
        setter = tf.train.replica_device_setter(cluster=cluster, worker_device=worker)
        with self.graph.as_default():
            with tf.device(setter):
                self.x = tf.placeholder(tf.float32, [None, 2])
                self.w = tf.get_variable("w", [2, 1], initializer=tf.zeros_initializer())
                bias = tf.Variable(1.0, name="b")
                self.step = tf.train.get_or_create_global_step()
                error = tf.matmul(self.x, self.w) + bias - 3.0 * self.x[:, :1]
                self.loss = tf.reduce_mean(tf.square(error))
                optimizer = tf.train.AdamOptimizer(0.05)
                self.train = optimizer.minimize(self.loss, global_step=self.step)
            local = [tf.GraphKeys.LOCAL_VARIABLES]
            with tf.device(worker):
                self.own = tf.Variable(float(number), name="own", collections=local)
            self.plain = tf.Variable(10.0 + number, name="plain", collections=local)
            self.init = tf.global_variables_initializer()
            self.local_init = tf.local_variables_initializer()
            self.missing = tf.report_uninitialized_variables(tf.global_variables())


def two_workers():
    cluster, targets = a_cluster()
    models = [Model(cluster, i) for i in range(2)]
    sessions = [tf.Session(t, graph=m.graph) for t, m in zip(targets, models, strict=True)]
    return models, sessions, targets


def test_what_an_optimizer_keeps_is_on_the_server_of_its_variable():
    model = Model(a_cluster()[0], 0)
    found = {v.op.name: v.device for v in model.graph.get_collection("variables")}
    ps = "/job:ps/task:{}".format
    assert found == {
        "w": ps(0), "b": ps(1), "global_step": ps(0), "beta1_power": ps(1), "beta2_power": ps(1),
        "w/Adam": ps(0), "w/Adam_1": ps(0), "b/Adam": ps(1), "b/Adam_1": ps(1),
    }  # fmt: skip


def test_workers_train_one_model():
    models, sessions, _ = two_workers()
    one, other = sessions
    assert len(other.run(models[1].missing)) == 9
    one.run(models[0].init)
    assert len(other.run(models[1].missing)) == 0

    def train(i):
        for _ in range(100):
            sessions[i].run(models[i].train, {models[i].x: X})

    threads = [threading.Thread(target=train, args=(i,)) for i in range(2)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert one.run(models[0].step) == other.run(models[1].step) == 200
    assert one.run(models[0].loss, {models[0].x: X}) < 0.5
    np.testing.assert_array_equal(one.run(models[0].w), other.run(models[1].w))


def test_variables_of_workers_are_their_own():
    models, sessions, _ = two_workers()
    for model, session in zip(models, sessions, strict=True):
        session.run(model.local_init)
    found = [s.run([m.own, m.plain]) for m, s in zip(models, sessions, strict=True)]
    assert found == [[0.0, 10.0], [1.0, 11.0]]


def test_values_outlive_sessions():
    models, (one, other), targets = two_workers()
    one.run([models[0].init, models[0].local_init])
    assert one.sess_str == targets[0].encode()
    one.close()
    assert other.run(models[1].step) == 0
    with tf.Session(targets[0], graph=models[0].graph) as again:
        assert again.run([models[0].step, models[0].own]) == [0, 0.0]


def test_queues_of_servers_are_shared():
    _, targets = a_cluster()
    for i, target in enumerate(targets):
        with tf.Graph().as_default():
            with tf.device("/job:ps/task:1"):
                queue = tf.FIFOQueue(3, tf.float32, shared_name="q")
                asked = queue.dequeue() if i else queue.enqueue(5.0)
            found = tf.Session(target).run(asked)
    assert found == 5.0


def test_variables_of_one_name_must_be_alike():
    models, (one, _), targets = two_workers()
    one.run(models[0].init)
    with tf.Graph().as_default(), tf.device("/job:ps/task:1"):
        other = tf.Variable(7, name="b")
        with pytest.raises(tf2.errors.InvalidArgumentError, match="is float32 of shape"):
            tf.Session(targets[0]).run(other.initializer)


def test_monitored_sessions_wait_for_the_chief_and_stop_together():
    cluster, targets = a_cluster()
    steps = []

    def work(i):
        setter = tf.train.replica_device_setter(cluster=cluster)
        with tf.Graph().as_default():
            with tf.device(setter):
                step = tf.train.get_or_create_global_step()
                up = tf.assign_add(step, 1)
            hooks = [tf.train.StopAtStepHook(last_step=40)]
            with tf.train.MonitoredTrainingSession(
                targets[i], is_chief=i == 0, hooks=hooks, max_wait_secs=60
            ) as session:
                while not session.should_stop():
                    steps.append(int(session.run(up)))

    threads = [threading.Thread(target=work, args=(i,)) for i in range(2)]
    for each in threads:
        each.start()
    for each in threads:
        each.join(100)
        assert not each.is_alive()
    assert len(steps) in (40, 41)  # a session that has begun its step ends it
    assert max(steps) == len(steps)


def test_tasks_that_do_not_exist_are_refused():
    _, targets = a_cluster()
    with tf.Graph().as_default():
        with tf.device("/job:ps/task:9"):
            value = tf.constant(1.0)
        with pytest.raises(tf2.errors.InvalidArgumentError, match="Cannot assign a device for op"):
            tf.Session(targets[0]).run(value)


def test_servers_of_other_processes_are_not_reached_by_sessions():
    text = "No server in this process is at grpc://elsewhere:1. A session runs on servers that were"
    with pytest.raises(tf2.errors.NotFoundError, match=text):
        tf.Session("grpc://elsewhere:1")
    cluster = tf.train.ClusterSpec({"ps": ["elsewhere:2"], "worker": [f"session:{next(PORTS)}"]})
    server = tf.train.Server(cluster, job_name="worker", task_index=0)
    with tf.Graph().as_default():
        with tf.device("/job:ps/task:77"):
            v = tf.Variable(1.0)
        with pytest.raises(tf2.errors.InvalidArgumentError, match="Cannot assign a device"):
            tf.Session(server.target).run(v.initializer)


def test_isolated_sessions_have_variables_of_their_own():
    models, (one, _), targets = two_workers()
    one.run(models[0].init)
    config = tf.ConfigProto(isolate_session_state=True)
    with tf.Session(targets[0], graph=models[0].graph, config=config) as isolated:
        assert len(isolated.run(models[0].missing)) == 9


def test_a_setter_leaves_variables_of_other_jobs_where_they_are_asked_for():
    cluster, _ = a_cluster()
    for given in (cluster, cluster.as_cluster_def(), cluster.as_dict()):
        with tf.Graph().as_default(), tf.device(tf.train.replica_device_setter(cluster=given)):
            with tf.device("/job:moon"):
                moon = tf.Variable(0.0)
            made = [tf.Variable(0.0) for _ in range(2)]
        assert moon.device == "/job:moon"
        assert [v.device for v in made] == ["/job:ps/task:0", "/job:ps/task:1"]


def test_a_session_without_a_target_has_no_tasks():
    cluster, _ = a_cluster()
    model = Model(cluster, 0)
    with pytest.raises(tf2.errors.InvalidArgumentError, match="this session has no target"):
        tf.Session(graph=model.graph).run(model.init)
