"""Replicas run, meet, reduce and fail, as TensorFlow 2.21 answered; eager and in functions."""

from __future__ import annotations

import threading
import traceback

import pytest
from replica_numbers import number_of_replica
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

import emplace
import emplace.tensorflow as tf

pytestmark = pytest.mark.gpus(2, memory="64MB")
WAYS = pytest.mark.parametrize("as_function", [False, True], ids=["eager", "function"])


@pytest.fixture
def strategy():
    return tf.distribute.MirroredStrategy()


def context():
    return tf.distribute.get_replica_context()


def place():
    return context().replica_id_in_sync_group


def number():
    return tf.cast(place(), tf.float32) + 1


def run(strategy, fn, as_function, args=()):
    def step(*given):
        return strategy.run(fn, args=given)

    return (tf.function(step) if as_function else step)(*args)


def held(value):
    return [each.numpy().tolist() for each in value.values]


@WAYS
def test_each_replica_runs_on_its_device(strategy, as_function):
    x = tf.constant([[1.0, 2.0]])
    with emplace.watch() as seen:
        found = run(strategy, lambda x: tf.matmul(x, [[number()], [1.0]]), as_function, args=(x,))
    assert held(found) == [[[3.0]], [[4.0]]]
    assert [x.device[-5:] for x in found.values] == ["GPU:0", "GPU:1"]
    rows = seen.report().to_dict()["ops"]
    assert {row["device"] for row in rows if row["op"] == "MatMul"} == {"GPU:0", "GPU:1"}


def test_a_scope_of_the_program_does_not_move_replicas(strategy):
    with tf.device("GPU:0"):
        found = strategy.run(lambda: number() * 2)
    assert [x.device[-5:] for x in found.values] == ["GPU:0", "GPU:1"]


def test_what_is_the_same_object_everywhere_is_itself(strategy):
    c = tf.constant(1.0)
    assert strategy.run(lambda: c) is c
    assert strategy.run(lambda: (6, "x", None)) == (6, "x", None)
    found = strategy.run(lambda: {"a": place(), "b": [1, None]})
    assert type(found["a"]).__name__ == "PerReplica"
    assert found["b"] == [1, None]


def test_per_replica_values_are_shown_by_replica(strategy):
    with tf.device("CPU:0"):
        values = strategy.experimental_distribute_values_from_function(
            lambda c: (c.replica_id_in_sync_group, tf.constant(1.0))
        )
    assert repr(values[0]) == "PerReplica:{\n  0: 0,\n  1: 1\n}"
    assert not tf.is_tensor(values[1])


@WAYS
def test_a_replica_gets_its_own_of_distributed_arguments(strategy, as_function):
    values = strategy.run(number)
    found = run(strategy, lambda x, y: (x + y, y), as_function, (values, tf.constant(10.0)))
    assert held(found[0]) == [11.0, 12.0]


def test_replicas_speak_for_themselves(strategy):
    assert strategy.run(lambda: context().num_replicas_in_sync) == 2
    assert strategy.run(lambda: context().strategy) is strategy
    assert strategy.run(tf.distribute.in_cross_replica_context) is False
    assert strategy.run(tf.distribute.has_strategy) is True
    with strategy.scope():
        assert tf.distribute.get_replica_context() is None
        assert tf.constant(1.0).device.endswith("GPU:0")


@WAYS
@pytest.mark.parametrize(("op", "expected"), [("SUM", 3.0), ("mean", 1.5)])
def test_replicas_reduce_for_all(strategy, op, expected, as_function):
    found = run(
        strategy, lambda: context().all_reduce(op, {"a": number(), "b": [place()]}), as_function
    )
    assert held(found["a"]) == [expected] * 2
    assert held(found["b"][0]) == ([1, 1] if op == "SUM" else [0.5, 0.5])


def test_one_tensor_for_all_is_its_own_sum(strategy):
    c = tf.constant(1.0)  # TensorFlow: a value that is not distributed counts once
    assert held(strategy.run(lambda: context().all_reduce("SUM", c))) == [1.0, 1.0]


@WAYS
def test_slices_stay_slices_when_they_are_reduced(strategy, as_function):
    def step():
        mine = tf.IndexedSlices(tf.reshape(number(), [1, 1]), tf.reshape(place(), [1]), [3, 1])
        found = context().all_reduce("SUM", [mine, number()])
        assert isinstance(found[0], tf.IndexedSlices)
        return tf.convert_to_tensor(found[0]), found[1]

    found = run(strategy, step, as_function)
    assert held(found[0]) == [[[1.0], [2.0], [0.0]]] * 2
    assert held(found[1]) == [3.0, 3.0]


@WAYS
def test_a_reduction_has_a_gradient(strategy, as_function):
    def step():
        with tf.GradientTape() as tape:
            x = number()
            tape.watch(x)
            y = context().all_reduce("SUM", x * x) * number()
        return y, tape.gradient(y, x)

    y, gradient = run(strategy, step, as_function)
    assert held(y) == [5.0, 10.0]
    assert held(gradient) == [6.0, 12.0]


@WAYS
def test_what_replicas_gather_has_a_gradient(strategy, as_function):
    def step():
        with tf.GradientTape() as tape:
            x = tf.fill([place() + 1, 1], number())
            tape.watch(x)
            y = tf.reduce_sum(context().all_gather(x, 0) * [[1.0], [10.0], [100.0]])
        return y, tape.gradient(y, x)

    y, gradient = run(strategy, step, as_function)
    assert held(y) == [221.0, 221.0]
    assert held(gradient) == [[[2.0]], [[20.0], [200.0]]]


@WAYS
def test_replicas_meet_once_for_all_of_them(strategy, as_function):
    calls = []

    def together(s, values, k):
        calls.append((s is strategy, tf.distribute.in_cross_replica_context(), k))
        return s.reduce("SUM", values, axis=None)

    found = run(
        strategy, lambda: context().merge_call(together, args=(number(),), kwargs={"k": 3}) + 0.0,
        as_function,
    )  # fmt: skip
    assert held(found) == [3.0, 3.0]
    assert calls == [(True, True, 3)]


def test_replicas_run_in_order_one_at_a_time(strategy):
    order = []

    def step():
        order.append(("before", int(place())))
        context().merge_call(lambda s: order.append("together"))
        order.append(("after", int(place())))

    strategy.run(step)
    assert order == [("before", 0), ("before", 1), "together", ("after", 0), ("after", 1)]


@WAYS
@pytest.mark.parametrize("comes", [0, 1])
def test_a_replica_that_does_not_come_is_noticed(strategy, comes, as_function):
    def step():
        if number_of_replica() == comes:
            context().merge_call(lambda s: None)
        return number()

    text = r"Some replicas made a different number of replica_context\(\).merge_call\(\) calls."
    with pytest.raises(RuntimeError, match=text):
        run(strategy, step, as_function)
    assert held(strategy.run(number)) == [1.0, 2.0]
    assert not [each for each in threading.enumerate() if each.name.startswith("replica")]


@WAYS
def test_an_error_names_its_replica_and_leaves_all_as_it_was(strategy, as_function):
    closed = []

    def step():
        try:
            context().all_reduce("SUM", number())
            if number_of_replica() == 1:
                raise KeyError("oops")
            context().all_reduce("SUM", number())
        finally:
            closed.append(number_of_replica())

    with pytest.raises(KeyError, match="oops") as caught:
        run(strategy, tf.autograph.experimental.do_not_convert(step), as_function)
    told = "".join(traceback.format_exception(caught.value))
    assert "In replica 1 of 2, on /job:localhost/replica:0/task:0/device:GPU:1." in told
    assert sorted(closed) == [0, 1]
    assert not tf.distribute.has_strategy()
    assert held(run(strategy, number, as_function)) == [1.0, 2.0]
    assert not [each for each in threading.enumerate() if each.name.startswith("replica")]


def test_an_error_where_all_meet_ends_the_step(strategy):
    def together(s, value):
        raise KeyError("together")

    with pytest.raises(KeyError, match="together"):
        strategy.run(lambda: context().merge_call(together, args=(1,)))
    assert held(strategy.run(number)) == [1.0, 2.0]


def test_replicas_do_not_meet_in_a_function_of_their_own(strategy):
    inner = tf.function(lambda x: context().all_reduce("SUM", x))
    with pytest.raises(
        RuntimeError, match="`merge_call` called while defining a new graph or a tf"
    ):
        strategy.run(lambda: inner(number()))
    assert held(strategy.run(number)) == [1.0, 2.0]


def test_a_function_that_is_run_is_one_function_for_all_replicas(strategy):
    traces = []

    @tf.function
    def step(x):
        traces.append(number_of_replica())
        if x > 0:  # converted, too
            x = x + number()
        return context().all_reduce("SUM", x)

    values = strategy.run(number)
    for _ in range(3):
        assert held(strategy.run(step, args=(values,))) == [6.0, 6.0]
    assert traces == [0, 1]


def test_a_function_called_in_replicas_is_traced_for_each(strategy):
    with strategy.scope():
        v = tf.Variable(1.0)
    strategy.run(lambda: v.assign(number()))
    read = tf.function(lambda x: v * x)
    x = tf.constant(10.0)
    for _ in range(2):
        assert held(strategy.run(lambda: read(x))) == [10.0, 20.0]
    assert read(x).numpy() == 10.0


def test_conditions_in_replicas_are_converted(strategy):
    @tf.function
    def step(values):
        def replica(x):
            if x > 1.5:
                return x * 10.0
            return x

        return strategy.run(replica, args=(values,))

    assert held(step(strategy.run(number))) == [1.0, 20.0]


@WAYS
def test_gradients_of_replicas_are_their_own(strategy, as_function):
    with strategy.scope():
        v = tf.Variable(3.0)

    def step():
        with tf.GradientTape() as tape:
            loss = v * v * number()
        assert tape.watched_variables() == (v,) or tape.watched_variables()[0] is v
        gradient = tape.gradient(loss, v)
        total = context().all_reduce("SUM", gradient)
        context().merge_call(
            lambda s, g: s.extended.update(v, lambda a, b: a.assign_sub(0.1 * b), args=(g,)),
            args=(total,),
        )
        return gradient

    assert held(run(strategy, step, as_function)) == [6.0, 12.0]
    assert [each.numpy() for each in v.values] == pytest.approx([1.2, 1.2])


def test_a_traced_step_starts_no_thread(strategy, monkeypatch):
    step = tf.function(lambda: strategy.run(lambda: context().all_reduce("SUM", number())))
    step()
    monkeypatch.setattr(threading.Thread, "start", lambda self: pytest.fail("a thread started"))
    assert held(step()) == [3.0, 3.0]


# -- reductions ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("op", "axis", "expected"),
    [("SUM", 0, 3.0), ("MEAN", 0, 0.75), ("MEAN", -1, 0.75), ("sum", (0,), 3.0)],
)
def test_a_mean_weighs_elements_not_replicas(strategy, op, axis, expected):
    values = strategy.run(lambda: tf.range(tf.cast(place() * 2 + 1, tf.float32)))
    assert strategy.reduce(op, values, axis=axis).numpy() == expected


def test_values_are_reduced_over_replicas(strategy):
    values = strategy.run(number)
    assert strategy.reduce("SUM", values, axis=None).numpy() == 3.0
    assert strategy.reduce(tf.distribute.ReduceOp.MEAN, values, axis=None).numpy() == 1.5
    assert strategy.reduce("SUM", values, axis=None).device.endswith("CPU:0")
    found = strategy.reduce("SUM", {"a": values, "b": (values,)}, axis=None)
    assert (found["a"].numpy(), found["b"][0].numpy()) == (3.0, 3.0)
    integers = strategy.run(lambda: tf.range(3))
    found = strategy.reduce("MEAN", integers, axis=0)
    assert (found.dtype, found.numpy()) == (tf.float64, 1.0)


def test_what_is_not_distributed_counts_once_for_each_replica(strategy):
    x = tf.constant([1.0, 2.0])
    assert strategy.reduce("SUM", x, axis=0).numpy() == 6.0
    assert strategy.reduce("MEAN", x, axis=0).numpy() == 1.5


@pytest.mark.parametrize("as_function", [False, True])
def test_a_list_is_reduced_along_an_axis_as_the_tensor_that_each_replica_makes_of_it(
    strategy, as_function
):
    def reduce(op, axis):
        one = strategy.run(lambda: tf.stack([number(), number() + 1.0]))
        other = strategy.run(lambda: tf.stack([10.0 * number(), 20.0]))
        return strategy.reduce(op, [one, other], axis=axis)

    call = tf.function(reduce) if as_function else reduce
    assert call("SUM", 0).numpy().tolist() == [33.0, 45.0]
    assert call("SUM", 1).numpy().tolist() == [8.0, 70.0]
    assert call("MEAN", 0).numpy().tolist() == [8.25, 11.25]


@pytest.mark.parametrize(
    ("reduce", "kind", "text"),
    [
        (lambda s, v: s.reduce("SUM", 1.0, axis=None), ValueError, "A non-DistributedValues value "
         "1.0 cannot be reduced with the given reduce op ReduceOp.SUM."),
        (lambda s, v: s.reduce("MAX", v, axis=None), ValueError, "'MAX' is not a valid ReduceOp"),
        (lambda s, v: s.reduce(1, v, axis=None), AssertionError, "1 is no tf.d"),
        (lambda s, v: s.reduce("SUM", v), TypeError, "missing 1 required positional argument"),
        (lambda s, v: s.run(lambda: s.reduce("SUM", v, axis=None)), RuntimeError, "Method requires "
         "being in cross-replica context, use get_replica_context"),
        (lambda s, v: tf.add(v, 1.0), ValueError, "It looks like you are using a PerReplica obj"),
        (lambda s, v: tf.cast(v, "int32"), ValueError, "It looks like you are using a PerReplica"),
        (lambda s, v: tf.shape(v), ValueError, "while not inside a replica context, which is not"),
        (lambda s, v: v + 1, TypeError, "unsupported operand type"),
        (lambda s, v: s.run(lambda: s.scope().__enter__()), RuntimeError, "Method requires being "),
        (lambda s, v: s.run(lambda: s.run(lambda: 1)), RuntimeError, "Method requires being in cr"),
    ],
)  # fmt: skip
def test_what_cannot_be_reduced_or_run_is_refused(strategy, reduce, kind, text):
    with pytest.raises(kind, match=text):
        reduce(strategy, strategy.run(number))


def test_a_mean_of_one_value_is_that_value(strategy):
    assert strategy.reduce("MEAN", 2.0, axis=None) == 2.0


def test_shapes_that_differ_have_no_sum(strategy):
    values = strategy.run(lambda: tf.range(tf.cast(place() * 2 + 1, tf.float32)))
    with pytest.raises(tf.errors.InvalidArgumentError, match="AddN"):
        strategy.reduce("SUM", values, axis=None)


def test_values_are_gathered(strategy):
    values = strategy.run(lambda: tf.range(place() + 1))
    assert strategy.gather(values, axis=0).numpy().tolist() == [0, 0, 1]
    found = strategy.run(lambda: context().all_gather(tf.range(place() + 1), 0))
    assert held(found) == [[0, 0, 1]] * 2
    with pytest.raises(
        RuntimeError, match="requires cross-replica context, use get_replica_context"
    ):
        strategy.run(lambda: strategy.gather(values, 0))


def test_local_results_are_a_tuple(strategy):
    values = strategy.run(number)
    assert [x.numpy() for x in strategy.experimental_local_results(values)] == [1.0, 2.0]
    assert strategy.experimental_local_results(3) == (3,)
    found = strategy.experimental_local_results([values, values])
    assert [[x.numpy() for x in each] for each in found] == [[1.0, 1.0], [2.0, 2.0]]


def test_values_are_reduced_to_where_they_are_wanted(strategy):
    values = strategy.run(number)
    with strategy.scope():
        v = tf.Variable(0.0)
    found = strategy.extended.reduce_to("SUM", values, v)
    assert type(found).__name__ == "Mirrored"
    assert [x.device[-5:] for x in found.values] == ["GPU:0", "GPU:1"]
    assert float(found + 1.0) == 4.0
    one = strategy.extended.reduce_to("MEAN", values, "GPU:1")
    assert (one.device[-5:], one.numpy()) == ("GPU:1", 1.5)
    found = strategy.extended.batch_reduce_to("SUM", [(values, v), (values, v)])
    assert [held(each) for each in found] == [[3.0, 3.0]] * 2


@pytest.mark.parametrize("inside", [False, True], ids=["plain", "function"])
@WAYS
def test_replicas_draw_numbers_of_their_own(as_function, inside):
    # TensorFlow 2.21's: a generator that is made under a strategy has another key per replica.
    strategy = tf.distribute.MirroredStrategy(["GPU:0", "GPU:1"])
    with strategy.scope():
        shared = tf.random.Generator.from_seed(1)

    def draw():
        return shared.normal([2])

    found = held(run(strategy, tf.function(draw) if inside else draw, as_function))
    assert found[0] == pytest.approx([-0.8793044686317444, 1.468078851699829])
    assert found[1] == pytest.approx([0.020661573857069016, 1.9473345279693604])
    assert shared.state.numpy().tolist() == [513, 0, 0]
    outside = tf.random.Generator.from_seed(1)
    found = held(strategy.run(lambda: outside.normal([2])))
    assert [row[0] for row in found] == pytest.approx([0.4384227395057678, 1.6307176351547241])


@WAYS
def test_the_first_replica_alone_writes_summaries_for_the_writer_around_it(
    strategy, as_function, tmp_path
):
    def step():
        return tf.summary.scalar("a", number(), step=7)

    writer = tf.summary.create_file_writer(str(tmp_path))
    with writer.as_default():
        written = run(strategy, step, as_function)
    writer.close()
    assert held(written) == [True, False]
    events = EventAccumulator(str(tmp_path))
    events.Reload()
    found = [(each.step, float(tf.make_ndarray(each.tensor_proto))) for each in events.Tensors("a")]
    assert found == [(7, 1.0)]


def test_what_all_replicas_have_is_printed_as_it_is_shown(strategy, capfd):
    value = strategy.run(lambda: number())
    tf.print(value)
    tf.print((value, 3))
    shown = capfd.readouterr().err
    assert shown.startswith(f"{value!r}\n({value!r}")
    assert shown.endswith(",\n 3)\n")


@WAYS
def test_values_in_lists_are_reduced_one_by_one(strategy, as_function):
    def merge(strategy, values):
        return strategy.extended.reduce_to("MEAN", values, strategy.extended.worker_devices[0])

    def step():
        which = number()
        values = {"a": 1 + which, "b": (2 + 4 * which, 3.0)}
        return tf.distribute.get_replica_context().merge_call(merge, (values,))

    found = tf.nest.map_structure(float, run(strategy, step, as_function))
    # The last is no tensor, and the same in all replicas.
    assert found == {"a": 2.5, "b": (8.0, 3.0)}


@WAYS
def test_replicas_that_share_a_generator_draw_as_those_with_one_each(as_function):
    # TF: its state is counted up once for all replicas, of which each has a key of its own.
    first = [[-501376537, -839581276], [-544000158, 587216725]]
    second = [[-110162079, 1129923434], [-1392838891, -650728179]]
    for strategy in (
        tf.distribute.experimental.CentralStorageStrategy(["GPU:0", "GPU:1"], "CPU:0"),
        tf.distribute.MirroredStrategy(),
    ):
        with strategy.scope():
            generator = tf.random.Generator.from_seed(1)

        def drawn(generator=generator):
            return generator.uniform_full_int([2], dtype=tf.int32)

        step = tf.function(drawn) if as_function else drawn
        for wanted in (first, second):
            found = strategy.experimental_local_results(strategy.run(step))
            assert [each.numpy().tolist() for each in found] == wanted
