"""Parameter servers and workers in one process. Values, names and texts are TensorFlow 2.21's
answers with servers in one process."""

from __future__ import annotations

import gc
import itertools
import threading
import time

import numpy as np
import pytest

import emplace.tensorflow as tf

partitioners = tf.distribute.experimental.partitioners
PORTS = itertools.count(1)


def resolver_of(jobs, **kwargs):
    cluster = tf.train.ClusterSpec(jobs)
    return tf.distribute.cluster_resolver.SimpleClusterResolver(cluster, rpc_layer="grpc", **kwargs)


def a_strategy(workers=2, servers=2, partitioner=None):
    """A strategy whose servers are in this process."""
    counts = {"worker": workers, "ps": servers}
    cluster = {job: [f"here:{next(PORTS)}" for _ in range(n)] for job, n in counts.items()}
    for job, tasks in cluster.items():
        for number in range(len(tasks)):
            tf.distribute.Server(cluster, job, number)
    return tf.distribute.ParameterServerStrategy(resolver_of(cluster), partitioner)


def a_coordinator(**kwargs):
    return tf.distribute.coordinator.ClusterCoordinator(a_strategy(**kwargs))


# -- servers and strategies ------------------------------------------------------------------------


def test_a_server_tells_its_target_and_task():
    server = tf.distribute.Server({"worker": ["a:1", "b:2"], "ps": ["c:3"]}, "worker", 1)
    assert server.target == "grpc://b:2"
    assert (server.server_def.job_name, server.server_def.task_index) == ("worker", 1)
    assert tf.train.ClusterSpec(server.server_def.cluster).as_dict()["ps"] == ["c:3"]
    assert tf.distribute.Server(server.server_def, start=False).target == "grpc://b:2"
    assert tf.distribute.Server.create_local_server().target.startswith("grpc://localhost:")


@pytest.mark.parametrize(
    ("arguments", "error", "text"),
    [(({"worker": ["a:1"]}, "foo", 0), tf.errors.InternalError, 'Job "foo" was not defined in cl'),
     (({"worker": ["a:1"]}, "worker", 7), tf.errors.InternalError,
      'Task 7 was not defined in job "worker"'),
     (({"worker": ["a:1"], "ps": ["b:1"]},), ValueError, "Must specify an explicit `job_name`."),
     (({"local": ["localhost"]},), tf.errors.InvalidArgumentError, "Could not parse port for"),
     ((5,), TypeError, "Could not convert `server_or_cluster_def` to a `tf.train.ServerDef` or")],
)  # fmt: skip
def test_servers_that_cannot_be_are_refused(arguments, error, text):
    with pytest.raises(error) as refused:
        tf.distribute.Server(*arguments, start=False)
    assert text in str(refused.value)


def test_two_servers_do_not_share_an_address():
    server = tf.distribute.Server({"local": ["a:1"]})
    server.start()
    with pytest.raises(tf.errors.UnknownError, match="another one is at a:1 already"):
        tf.distribute.Server({"local": ["a:1"]})


@pytest.mark.parametrize(
    ("cluster", "text"),
    [({}, "Cluster spec must be non-empty in `tf.distribute.cluster_resolver.ClusterResolver`."),
     ({"worker": ["a:1"]}, "There must be at least one ps."),
     ({"ps": ["a:1"]}, "There must be at least one worker."),
     ({"ps": ["a:1"], "worker": ["b:1"], "foo": ["c:1"]},
      "Disallowed task type found in cluster spec. Allowed types are ('chief', 'worker', "
      "'evaluator', 'ps', None) and the cluster spec is ClusterSpec({'foo': ['c:1'], 'ps': "
      "['a:1'], 'worker': ['b:1']}).")],
)  # fmt: skip
def test_clusters_without_workers_or_servers_are_refused(cluster, text):
    with pytest.raises(ValueError) as refused:
        tf.distribute.ParameterServerStrategy(resolver_of(cluster))
    assert str(refused.value) == text


def test_variables_are_on_servers_in_turns():
    strategy = a_strategy()
    with strategy.scope():
        made = [tf.Variable(float(i), name=f"v{i}") for i in range(3)]
        with strategy.extended.colocate_vars_with(made[1]):
            beside = tf.Variable(0.0)
    assert [v.device for v in (*made, beside)] == [
        f"/job:ps/replica:0/task:{i}/device:CPU:0" for i in (0, 1, 0, 1)
    ]
    assert repr(made[0]) == "<tf.Variable 'v0:0' shape=() dtype=float32, numpy=0.0>"
    assert isinstance(made[0], tf.Variable)
    assert all(strategy.extended.variable_created_in_scope(v) for v in made)
    assert tf.Variable(1.0).device.startswith("/job:localhost")
    assert (strategy.num_replicas_in_sync, strategy.extended.worker_devices) == (
        1, ("/device:CPU:0",)
    )  # fmt: skip
    with tf.device(made[1].device):
        assert (made[1] + 2.0).numpy() == 3.0


# -- shards ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("partitioner", "expected"),
    [(partitioners.FixedShardsPartitioner(3), [[3, 1], [2, 1], [1], [3]]),
     (partitioners.MinSizePartitioner(16, max_shards=3), [[3, 1], [1, 1], [1], [3]]),
     (partitioners.MaxSizePartitioner(16), [[3, 1], [1, 1], [1], [25]]),
     (partitioners.MaxSizePartitioner(16, max_shards=3), [[3, 1], [1, 1], [1], [3]])],
)  # fmt: skip
def test_partitioners_tell_the_parts_of_each_axis(partitioner, expected):
    shapes = ([5, 2], [2, 2], [1], [100])
    assert [partitioner(tf.TensorShape(shape), tf.float32) for shape in shapes] == expected


def test_partitioners_count_strings_as_they_are_told():
    partitioner = partitioners.MaxSizePartitioner(16, 3, bytes_per_string=4)
    assert partitioner(tf.TensorShape([5, 2]), tf.string) == [3, 1]
    with pytest.raises(ValueError, match=r"`min_shard_bytes` must be positive. Received: 0"):
        partitioners.MinSizePartitioner(0)
    with pytest.raises(ValueError, match=r"`max_shard_bytes` must be positive. Received 0"):
        partitioners.MaxSizePartitioner(0)


@pytest.mark.parametrize(
    ("parts", "shape", "expected"),
    [([3], [7], [[3], [2], [2]]), ([4, 1], [10, 2], [[3, 2], [3, 2], [2, 2], [2, 2]]),
     ([5], [3], [[1], [1], [1]])],
)  # fmt: skip
def test_rows_are_divided_evenly(parts, shape, expected):
    with a_strategy(partitioner=lambda shape, dtype: parts).scope():
        made = tf.Variable(tf.zeros(shape))
    assert [each.shape.as_list() for each in made.variables] == expected


@pytest.mark.parametrize("parts", [[1, 2], [2, 2], [0], [], None])
def test_only_rows_are_divided(parts):
    text = "variable_partitioner must return a list/tuple whose elements are 1 besides the first "
    strategy = a_strategy(partitioner=lambda shape, dtype: parts)
    with strategy.scope(), pytest.raises(ValueError) as refused:
        tf.Variable(tf.zeros([4, 4]))
    assert str(refused.value) == f"{text}element (non-zero), got: {parts!r}"


def a_sharded_variable(**kwargs):
    strategy = a_strategy(partitioner=partitioners.FixedShardsPartitioner(2))
    with strategy.scope():
        return strategy, tf.Variable(tf.reshape(tf.range(10.0), (5, 2)), name="c", **kwargs)


ROWS = np.arange(10.0, dtype=np.float32).reshape(5, 2)


def test_a_sharded_variable_reads_as_one():
    _, c = a_sharded_variable()
    assert not isinstance(c, tf.Variable)
    assert [(v.name, v.device[-21:-13], v.shape.as_list()) for v in c.variables] == [
        ("c/part_0:0", "0/task:0", [3, 2]), ("c/part_1:0", "0/task:1", [2, 2])
    ]  # fmt: skip
    assert (c.shape, c.dtype, c.name) == (tf.TensorShape([5, 2]), tf.float32, "ShardedVariable")
    np.testing.assert_array_equal(c.numpy(), ROWS)
    np.testing.assert_array_equal(tf.convert_to_tensor(c), ROWS)
    np.testing.assert_array_equal(c[1:4, 0], ROWS[1:4, 0])
    np.testing.assert_array_equal(-c, -ROWS)
    np.testing.assert_array_equal(1.0 + c, ROWS + 1)
    np.testing.assert_array_equal(c @ tf.ones((2, 1)), ROWS @ np.ones((2, 1)))
    np.testing.assert_array_equal(tf.function(lambda x: x * 2.0)(c), ROWS * 2)


def test_small_variables_and_scalars_are_not_divided():
    with a_strategy(partitioner=partitioners.FixedShardsPartitioner(2)).scope():
        assert tf.Variable(1.0, name="a").name == "a:0"
        assert tf.Variable(lambda: tf.ones((1, 3)), name="e").name == "e:0"


def test_a_sharded_variable_is_assigned_to_as_one():
    _, c = a_sharded_variable()
    assert c.assign_add(tf.ones((5, 2))) is c
    c.assign_sub(tf.ones((5, 2)) * 3)
    np.testing.assert_array_equal(c.numpy(), ROWS - 2)
    c.assign(tf.ones((5, 2)))
    np.testing.assert_array_equal(c.numpy(), np.ones((5, 2)))
    with pytest.raises(ValueError, match="the shapes must be equal"):
        c.assign(tf.ones((4, 2)))
    np.testing.assert_array_equal(c.numpy(), np.ones((5, 2)))


@pytest.mark.parametrize("ids", [[4, 0, 3], [[4, 0], [3, 1]], [], [2, 2, 2], [3, 4]])
@pytest.mark.parametrize("dtype", [tf.int32, tf.int64])
def test_rows_of_a_sharded_variable_are_looked_up(ids, dtype):
    _, c = a_sharded_variable()
    expected = ROWS[np.array(ids, np.int64)]
    ids = tf.constant(ids, dtype)
    np.testing.assert_array_equal(tf.gather(c, ids), expected)
    np.testing.assert_array_equal(tf.nn.embedding_lookup(c, ids), expected)
    np.testing.assert_array_equal(tf.function(lambda x: tf.gather(c, x))(ids), expected)
    unknown = tf.function(lambda x: tf.gather(c, x), input_signature=[tf.TensorSpec(None, dtype)])
    np.testing.assert_array_equal(unknown(ids), expected)


@pytest.mark.parametrize("row", [-1, 5])
def test_rows_that_a_sharded_variable_has_not_are_refused(row):
    _, c = a_sharded_variable()
    with pytest.raises(tf.errors.InvalidArgumentError, match="is not in"):
        tf.gather(c, [0, row])


@pytest.mark.parametrize("wrap", [lambda f: f, tf.function])
def test_gradients_of_looked_up_rows_are_slices_of_the_shards(wrap):
    _, c = a_sharded_variable()

    @wrap
    def gradients():
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.nn.embedding_lookup(c, [3, 0, 3]) * 2.0)
        return tape.gradient(loss, c.variables)

    found = gradients()
    assert all(isinstance(each, tf.IndexedSlices) for each in found)
    dense = np.concatenate([tf.convert_to_tensor(each).numpy() for each in found])
    np.testing.assert_array_equal(dense, [[2, 2], [0, 0], [0, 0], [4, 4], [0, 0]])


def test_gradients_of_the_whole_flow_to_all_shards():
    _, c = a_sharded_variable()
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(c * c)
    np.testing.assert_array_equal(np.concatenate(tape.gradient(loss, c.variables)), 2 * ROWS)


def test_rows_of_a_sharded_variable_are_changed():
    _, c = a_sharded_variable()
    c.scatter_add(tf.IndexedSlices(tf.ones((3, 2)), tf.constant([0, 4, 4])))
    c.scatter_update(tf.IndexedSlices(tf.zeros((2, 2)), tf.constant([1, 3])))
    expected = ROWS.copy()
    expected[0] += 1
    expected[4] += 2
    expected[[1, 3]] = 0
    np.testing.assert_array_equal(c.numpy(), expected)


def test_an_initial_value_may_be_made_for_each_shard():
    told = []

    def initial(shard_info=None):
        told.append(shard_info)
        return tf.ones(shard_info.shape)

    strategy = a_strategy(partitioner=partitioners.FixedShardsPartitioner(2))
    with strategy.scope():
        made = tf.Variable(initial, shape=(5, 2), dtype=tf.float32)
    assert [(each.shape.as_list(), each.offset) for each in told] == [
        ([3, 2], (0, 0)), ([2, 2], (3, 0))
    ]  # fmt: skip
    np.testing.assert_array_equal(made.numpy(), np.ones((5, 2)))


def test_an_initial_value_is_computed_once_for_all_shards():
    calls = []
    with a_strategy(partitioner=partitioners.FixedShardsPartitioner(2)).scope():
        for options in ({}, {"shape": (5, 2), "dtype": tf.float32}):
            made = tf.Variable(lambda: calls.append(1) or tf.constant(ROWS), **options)
            np.testing.assert_array_equal(made.numpy(), ROWS)
    assert len(calls) == 2


def test_a_checkpoint_holds_a_sharded_variable_as_one(tmp_path):
    _, c = a_sharded_variable()
    path = tf.train.Checkpoint(c=c).save(str(tmp_path / "x"))
    assert ("c/.ATTRIBUTES/VARIABLE_VALUE", [5, 2]) in tf.train.list_variables(path)
    c.assign(tf.zeros((5, 2)))
    tf.train.Checkpoint(c=c).restore(path).assert_consumed()
    np.testing.assert_array_equal(c.numpy(), ROWS)
    plain = tf.Variable(tf.zeros((5, 2)))
    tf.train.Checkpoint(c=plain).restore(path).expect_partial()
    np.testing.assert_array_equal(plain.numpy(), ROWS)
    with a_strategy(partitioner=partitioners.FixedShardsPartitioner(3)).scope():
        other = tf.Variable(tf.zeros((5, 2)))
    plain_path = tf.train.Checkpoint(c=plain).save(str(tmp_path / "y"))
    tf.train.Checkpoint(c=other).restore(plain_path).expect_partial()
    np.testing.assert_array_equal(other.numpy(), ROWS)


def test_a_module_has_the_shards_of_its_sharded_variables():
    class Model(tf.Module):
        def __init__(self):
            super().__init__()
            self.w = tf.Variable(tf.ones((4, 2)), name="w")
            self.b = tf.Variable(0.0, name="b")

    with a_strategy(partitioner=partitioners.FixedShardsPartitioner(2)).scope():
        model = Model()
    assert [v.name for v in model.trainable_variables] == ["b:0", "w/part_0:0", "w/part_1:0"]


# -- the coordinator -------------------------------------------------------------------------------


def test_there_is_one_coordinator_for_a_strategy():
    coordinator = a_coordinator()
    again = tf.distribute.coordinator.ClusterCoordinator(coordinator.strategy)
    assert again is coordinator
    assert tf.distribute.experimental.coordinator.ClusterCoordinator is type(coordinator)
    with pytest.raises(ValueError, match="ParameterServerStrategy"):
        tf.distribute.coordinator.ClusterCoordinator(tf.distribute.get_strategy())


def test_scheduled_functions_run_once_each_and_lose_no_change():
    coordinator = a_coordinator(workers=3)
    with coordinator.strategy.scope():
        total, count = tf.Variable(0.0), tf.Variable(0, dtype=tf.int64)

    @tf.function
    def add(x):
        total.assign_add(x)
        count.assign_add(1)
        return x * 2.0

    assert coordinator.done()
    results = [coordinator.schedule(add, args=(tf.constant(float(i)),)) for i in range(200)]
    coordinator.join()
    assert coordinator.done()
    assert (total.numpy(), count.numpy()) == (19900.0, 200)
    assert coordinator.fetch(results) == [2.0 * i for i in range(200)]
    assert coordinator.fetch({"a": results[1], "b": (results[2], 5)}) == {"a": 2.0, "b": (4.0, 5)}
    assert isinstance(results[3].fetch(), np.float32)
    assert isinstance(results[3].get(), tf.Tensor)
    assert isinstance(results[3], tf.distribute.coordinator.RemoteValue)


def test_arguments_are_those_of_the_function():
    coordinator = a_coordinator()
    add = tf.function(lambda x, y=1.0: {"sum": x + y})
    assert coordinator.schedule(add, args=[tf.constant(1.0)]).fetch() == {"sum": 2.0}
    assert coordinator.schedule(add, kwargs={"x": tf.constant(1.0), "y": 3.0}).fetch()["sum"] == 4
    concrete = add.get_concrete_function(tf.TensorSpec([], tf.float32))
    assert coordinator.schedule(concrete, args=(tf.constant(4.0),)).fetch() == {"sum": 5.0}
    variable = tf.Variable(3.0)
    assert coordinator.schedule(add, args=(variable,)).fetch() == {"sum": 4.0}


def test_only_traced_functions_are_scheduled():
    coordinator = a_coordinator()
    for each in (lambda: 5, 5):
        with pytest.raises(TypeError, match=r"`\.?.*schedule` only accepts a `tf.function` or a"):
            coordinator.schedule(each)
    one = coordinator.schedule(tf.function(lambda: tf.constant(1.0)))
    with pytest.raises(ValueError, match="used as an input to scheduled function is not yet supp"):
        coordinator.schedule(tf.function(lambda x: x), args=(one,))


def a_failing_function(message="boom"):
    one = tf.Variable(1.0)

    @tf.function
    def fail():
        tf.debugging.assert_equal(one + 0.0, 2.0, message=message)
        return 1

    return fail


def test_the_first_error_comes_out_of_join_once_and_work_goes_on():
    coordinator = a_coordinator()
    result = coordinator.schedule(a_failing_function())
    with pytest.raises(tf.errors.InvalidArgumentError, match="boom"):
        coordinator.join()
    coordinator.join()
    assert coordinator.done()
    with pytest.raises(tf.errors.InvalidArgumentError, match="boom"):
        result.fetch()
    assert coordinator.schedule(tf.function(lambda: tf.constant(2.0))).fetch() == 2.0


@pytest.mark.parametrize("ask", ["done", "schedule"])
def test_the_first_error_comes_out_of_whatever_is_asked_next(ask):
    coordinator = a_coordinator()
    result = coordinator.schedule(a_failing_function())
    with pytest.raises(tf.errors.InvalidArgumentError):
        result.get()
    two = tf.function(lambda: tf.constant(2.0))
    asked = {"done": coordinator.done, "schedule": lambda: coordinator.schedule(two)}
    with pytest.raises(tf.errors.InvalidArgumentError, match="boom"):
        asked[ask]()
    coordinator.join()


def test_an_error_cancels_what_has_not_begun():
    coordinator = a_coordinator(workers=1)
    going = threading.Event()

    @tf.function
    def wait():
        return tf.py_function(lambda: going.wait(20) and 1.0, [], tf.float32)

    waiting = coordinator.schedule(wait)
    failing = coordinator.schedule(a_failing_function())
    behind = [coordinator.schedule(tf.function(lambda: tf.constant(1.0))) for _ in range(3)]
    going.set()
    with pytest.raises(tf.errors.InvalidArgumentError, match="boom"):
        coordinator.join()
    assert waiting.fetch() == 1.0
    with pytest.raises(tf.errors.InvalidArgumentError):
        failing.fetch()
    for each in behind:
        with pytest.raises(tf.errors.CancelledError) as cancelled:
            each.fetch()
        text = "The corresponding function is cancelled. Please reschedule the function."
        assert str(cancelled.value) == text


def test_a_function_that_cannot_be_traced_is_refused_at_once():
    coordinator = a_coordinator()

    @tf.function
    def wrong():
        raise RuntimeError("while tracing")

    with pytest.raises(RuntimeError, match="while tracing"):
        coordinator.schedule(wrong)
    coordinator.join()


def test_functions_are_traced_in_the_scope_of_the_strategy():
    coordinator = a_coordinator()
    strategy, seen = coordinator.strategy, []

    @tf.function
    def look():
        seen.append((tf.distribute.get_strategy(), tf.distribute.in_cross_replica_context()))
        context = tf.distribute.get_replica_context
        return strategy.run(lambda: context().replica_id_in_sync_group)

    assert coordinator.schedule(look).fetch() == 0
    assert seen == [(strategy, True)]


def test_a_variable_made_in_a_scheduled_function_is_on_a_server():
    coordinator = a_coordinator()
    made = []

    @tf.function
    def read():
        if not made:
            made.append(tf.Variable(1.0))
        return made[0] + 1.0

    assert coordinator.schedule(read).fetch() == 2.0
    assert made[0].device.startswith("/job:ps/")


def test_each_worker_has_a_dataset_of_its_own():
    coordinator = a_coordinator(workers=2)
    index = tf.distribute.coordinator.experimental_get_current_worker_index
    dataset = coordinator.create_per_worker_dataset(lambda: tf.data.Dataset.range(1000))
    assert dataset.element_spec == tf.TensorSpec([], tf.int64)
    iterator = iter(dataset)

    @tf.function
    def step(iterator):
        return next(iterator), index()

    found = coordinator.fetch([coordinator.schedule(step, args=(iterator,)) for _ in range(60)])
    for worker in range(2):
        mine = sorted(int(value) for value, where in found if where == worker)
        assert mine == list(range(len(mine)))
    with pytest.raises(NotImplementedError, match="is not supported right now"):
        next(iterator)
    with pytest.raises(RuntimeError, match="can only be called in a function that"):
        index()


def test_the_end_of_a_workers_dataset_is_an_error():
    coordinator = a_coordinator(workers=1)
    iterator = iter(coordinator.create_per_worker_dataset(tf.data.Dataset.range(2)))
    step = tf.function(lambda it: next(it))
    results = [coordinator.schedule(step, args=(iterator,)) for _ in range(3)]
    with pytest.raises(tf.errors.OutOfRangeError, match="End of sequence"):
        coordinator.join()
    assert {result.fetch() for result in results[:2]} == {0, 1}


def test_dataset_functions_are_called_in_the_scope_of_the_strategy():
    coordinator = a_coordinator()
    strategy = coordinator.strategy

    def make():
        return strategy.distribute_datasets_from_function(
            lambda context: tf.data.Dataset.from_tensors(
                [context.num_input_pipelines, context.input_pipeline_id]
            )
        )

    iterator = iter(coordinator.create_per_worker_dataset(make))
    found = coordinator.schedule(tf.function(lambda it: next(it)), args=(iterator,)).fetch()
    assert found.tolist() == [1, 0]
    with pytest.raises(ValueError, match="Unexpected dataset type!"):
        coordinator.create_per_worker_dataset(5)
    with pytest.raises(TypeError, match="must return a dataset, got int"):
        coordinator.create_per_worker_dataset(lambda: 5)


def test_a_linear_model_is_trained_by_workers():
    coordinator = a_coordinator(partitioner=partitioners.FixedShardsPartitioner(2))
    truth = np.array([[1.0], [-2.0], [0.5], [3.0]], np.float32)
    with coordinator.strategy.scope():
        weights = tf.Variable(tf.zeros((4, 1)))

    def make():
        rng = np.random.default_rng(0)
        x = rng.normal(size=(256, 4)).astype(np.float32)
        return tf.data.Dataset.from_tensor_slices((x, x @ truth)).batch(32).repeat()

    @tf.function
    def step(iterator):
        x, y = next(iterator)
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((x @ tf.convert_to_tensor(weights) - y) ** 2)
        for v, gradient in zip(
            weights.variables, tape.gradient(loss, weights.variables), strict=True
        ):
            v.assign_sub(0.1 * gradient)
        return loss

    iterator = iter(coordinator.create_per_worker_dataset(make))
    for _ in range(120):
        coordinator.schedule(step, args=(iterator,))
    coordinator.join()
    np.testing.assert_allclose(weights.numpy(), truth, atol=1e-3)


def test_threads_end_with_their_coordinator():
    coordinator = a_coordinator(workers=3)
    coordinator.schedule(tf.function(lambda: tf.constant(1.0))).fetch()
    queue = coordinator._queue
    mine = [each for each in threading.enumerate() if getattr(each, "queue", None) is queue]
    assert len(mine) == 3
    del coordinator, queue
    end = time.monotonic() + 60
    while any(each.is_alive() for each in mine) and time.monotonic() < end:
        gc.collect()  # a thread may hold what it has just run, which holds the coordinator
        mine[0].join(0.1)
    assert not any(each.is_alive() for each in mine)
