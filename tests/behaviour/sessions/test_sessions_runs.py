"""TF 1 sessions: options of a run, callables, partial runs, composites, lifetime, threads."""

from __future__ import annotations

import collections
import json
import threading
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import emplace.tensorflow.compat.v1 as tf1
from emplace.graph.session import session as session_module
from emplace.observe.timeline import Timeline

TIMED_OUT = "Graph execution error:\n\nTimed out waiting for notification"


@pytest.fixture(autouse=True)
def graph() -> Iterator[tf1.Graph]:
    """An empty graph that takes the ops of a test."""
    with tf1.Graph().as_default() as graph:
        yield graph


# -- time ------------------------------------------------------------------------------------------


def endless() -> Any:
    return tf1.while_loop(lambda i: i >= 0, lambda i: (i + 1) % 1000, [tf1.constant(0)])


def test_a_run_that_takes_too_long_is_ended():
    loop, quick = endless(), tf1.constant(1.0) + 1.0
    with tf1.Session() as session:
        with pytest.raises(tf1.errors.DeadlineExceededError) as caught:
            session.run(loop, options=tf1.RunOptions(timeout_in_ms=50))
        assert caught.value.message == TIMED_OUT
        assert session.run(quick, options=tf1.RunOptions(timeout_in_ms=60_000)) == 2.0


def test_a_session_can_bound_all_its_runs():
    loop = endless()
    with tf1.Session(config=tf1.ConfigProto(operation_timeout_in_ms=50)) as session:
        with pytest.raises(tf1.errors.DeadlineExceededError):
            session.run(loop)
        assert session.run(tf1.constant(3.0)) == 3.0


# -- traces ----------------------------------------------------------------------------------------


def traced() -> Any:
    """What a run of a product and a sum tells."""
    a = tf1.placeholder(tf1.float32, [1, 1], name="a")
    m = tf1.add(tf1.matmul(a, a, name="m"), a, name="s")
    metadata = tf1.RunMetadata()
    options = tf1.RunOptions(trace_level=tf1.RunOptions.FULL_TRACE)
    with tf1.Session() as session:
        result = session.run(m, {a: [[2.0]]}, options=options, run_metadata=metadata)
        assert result.tolist() == [[6.0]]
        assert session.run(m, {a: [[3.0]]}).tolist() == [[12.0]]
    return metadata.step_stats


@pytest.mark.gpus(1)
def test_a_traced_run_tells_which_operations_ran_where_and_how_long():
    (device,) = traced().dev_stats
    assert device.device == "/job:localhost/replica:0/task:0/device:GPU:0"
    assert [n.node_name for n in device.node_stats] == ["m", "s"]
    assert [n.timeline_label for n in device.node_stats] == ["m = MatMul(a, a)", "s = AddV2(m, a)"]
    assert all(n.op_end_rel_micros > 0 for n in device.node_stats)
    assert [n.memory[0].total_bytes for n in device.node_stats] == [4, 4]


def test_a_trace_has_operations_without_outputs():
    v = tf1.Variable([1.0], name="v")
    metadata = tf1.RunMetadata()
    options = tf1.RunOptions(trace_level=tf1.RunOptions.FULL_TRACE)
    with tf1.Session() as session:
        session.run(v.initializer, options=options, run_metadata=metadata)
    (device,) = metadata.step_stats.dev_stats
    assert [n.node_name for n in device.node_stats] == ["v/Assign"]


@pytest.mark.gpus(0)
def test_a_timeline_is_what_browsers_show():
    events = json.loads(Timeline(traced()).generate_chrome_trace_format(show_memory=True))
    by_kind = collections.defaultdict(list)
    for event in events["traceEvents"]:
        by_kind[event["ph"]].append(event)
    names = [event["args"]["name"] for event in by_kind["M"]]
    cpu = "/job:localhost/replica:0/task:0/device:CPU:0"
    assert names == ["Allocators", f"{cpu} Compute", f"{cpu} Tensors"]
    assert [event["name"] for event in by_kind["X"]] == ["MatMul", "AddV2"]
    assert by_kind["X"][1]["args"] == {"name": "s", "op": "AddV2", "input0": "m", "input1": "a"}
    assert {"N", "O", "D", "C"} <= set(by_kind)


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ({"options": 3}, "'int' object has no attribute 'SerializeToString'"),
        ({"run_metadata": 3}, "'int' object has no attribute 'ParseFromString'"),
    ],
)
def test_options_are_messages(given, text):
    a = tf1.constant(1.0)
    with tf1.Session() as session, pytest.raises(AttributeError, match=text):
        session.run(a, **given)


# -- callables and partial runs --------------------------------------------------------------------


def test_a_callable_takes_values_in_the_order_of_its_feeds():
    a = tf1.placeholder(tf1.float32, name="a")
    with tf1.Session() as session:
        both = session.make_callable([a + 1.0, {"x": a}], [a])
        assert both(1.0) == [2.0, {"x": 1.0}]
        timed = session.make_callable(a * 2.0, [a], accept_options=True)
        metadata = tf1.RunMetadata()
        options = tf1.RunOptions(trace_level=tf1.RunOptions.FULL_TRACE)
        assert timed(3.0, options=options, run_metadata=metadata) == 6.0
        assert len(metadata.step_stats.dev_stats) == 1


def test_a_callable_of_a_closed_session_says_so():
    a = tf1.placeholder(tf1.float32, [])
    b = tf1.constant(1.0)
    session = tf1.Session()
    plain, timed = session.make_callable(b), session.make_callable(b, accept_options=True)
    fed = session.make_callable(a, [a])
    session.close()
    for call in (plain, timed, session.make_callable(b), session.list_devices):
        with pytest.raises(tf1.errors.CancelledError, match="Session has been closed"):
            call()
    for call in (fed, session.make_callable(a, [a])):
        with pytest.raises(RuntimeError, match="Attempted to use a closed Session"):
            call(1.0)


def test_a_callable_without_feeds_takes_no_values():
    with tf1.Session() as session:
        call = session.make_callable(tf1.constant(1.0))
        with pytest.raises(TypeError, match="takes 0 positional arguments but 1 was given"):
            call(1.0)


def test_a_callable_with_feeds_says_what_is_wrong_when_it_is_called():
    a = tf1.constant(1.0)
    with tf1.Session() as session:
        call = session.make_callable("nope:0", [a])
        with pytest.raises(ValueError, match="cannot be interpreted as a Tensor"):
            call(1.0)


def test_a_callable_of_nothing_is_refused_when_it_is_called():
    tf1.constant(1.0)
    with tf1.Session() as session:
        call = session.make_callable([])
        with pytest.raises(tf1.errors.InvalidArgumentError) as caught:
            call()
    assert caught.value.message == "Must specify at least one target to fetch or execute."


@pytest.mark.parametrize("feeds", [[], (), 0, "", False, set(), {}])
def test_whatever_is_empty_feeds_nothing(feeds: Any):
    a = tf1.constant(1.0)
    with tf1.Session() as session:
        assert session.run(a, feeds) == 1.0


def test_a_partial_run_of_nothing_is_refused():
    a = tf1.placeholder(tf1.float32, [])
    with tf1.Session() as session:
        for arguments in ([], [a]), ([], []), ([],):
            with pytest.raises(tf1.errors.InvalidArgumentError) as caught:
                session.partial_run_setup(*arguments)
            assert caught.value.message == (
                "Graph execution error:\n\nMust specify at least one target to fetch or execute."
            )


def test_a_partial_run_of_a_closed_session_says_so():
    a = tf1.placeholder(tf1.float32, [])
    session = tf1.Session()
    handle = session.partial_run_setup([a + 1.0], [a])
    session.close()
    with pytest.raises(RuntimeError, match="Attempted to use a closed Session"):
        session.partial_run(handle, [])


def test_a_partial_run_goes_on_where_it_stopped():
    a, b = tf1.placeholder(tf1.float32, name="a"), tf1.placeholder(tf1.float32, name="b")
    v = tf1.Variable(0.0)
    c = v.assign_add(a).value() + 1.0
    d = c * b
    with tf1.Session() as session:
        session.run(v.initializer)
        handle = session.partial_run_setup([c, d], [a, b])
        assert session.partial_run(handle, c, {a: 1.0}) == 2.0
        assert session.partial_run(handle, d, {b: 3.0}) == 6.0
        assert session.run(v) == 1.0  # the assignment ran once
        with pytest.raises(tf1.errors.InvalidArgumentError) as caught:
            session.partial_run(handle, d, {b: 3.0})
    assert str(caught.value).endswith("Must run 'setup' before performing partial runs!")


@pytest.mark.parametrize(
    ("feed", "fetch", "text"),
    [
        ("a", "d", "The fetch d:0 was not specified in partial_run_setup."),
        ("b", "c", "The feed b:0 was not specified in partial_run_setup."),
        (None, "c", "Fetch c:0 can't be computed from the feeds that have been fed so far."),
    ],
)
def test_a_partial_run_does_only_what_was_announced(feed, fetch, text):
    a = tf1.placeholder(tf1.float32, name="a")
    tf1.placeholder(tf1.float32, name="b")
    c = tf1.add(a, 1.0, name="c")
    tf1.add(c, 1.0, name="d")
    with tf1.Session() as session:
        handle = session.partial_run_setup([c], [a])
        feeds = {} if feed is None else {f"{feed}:0": 1.0}
        with pytest.raises(tf1.errors.InvalidArgumentError, match=text.replace("(", r"\(")):
            session.partial_run(handle, f"{fetch}:0", feeds)


def test_a_partial_run_takes_and_gives_everything_once():
    a = tf1.placeholder(tf1.float32, name="a")
    c, e = tf1.add(a, 1.0, name="c"), tf1.add(a, 2.0, name="e")
    with tf1.Session() as session:
        handle = session.partial_run_setup([c, e], [a])
        assert session.partial_run(handle, c, {a: 1.0}) == 2.0
        error = tf1.errors.InvalidArgumentError
        with pytest.raises(error, match=r"The feed a:0 has already been fed\.$"):
            session.partial_run(handle, e, {a: 1.0})
        with pytest.raises(error, match=r"The fetch c:0 has already been fetched\.$"):
            session.partial_run(handle, c)


# -- composites and structures ---------------------------------------------------------------------


def test_composites_come_back_as_values():
    sparse = tf1.SparseTensor([[0, 1]], [2.0], [1, 3])
    ragged = tf1.ragged.constant([[1, 2], [3]])
    slices = tf1.IndexedSlices(tf1.constant([[1.0]]), tf1.constant([0]))
    with tf1.Session() as session:
        found = session.run([sparse, ragged, slices])
    assert isinstance(found[0], tf1.SparseTensorValue)
    assert found[0].dense_shape.tolist() == [1, 3]
    assert found[1].to_list() == [[1, 2], [3]]
    assert found[1].row_splits.tolist() == [0, 2, 3]
    assert found[2].values.tolist() == [[1.0]]
    assert found[2].dense_shape is None


def test_sparse_placeholders_take_values():
    x = tf1.sparse_placeholder(tf1.float32, name="x")
    total = tf1.reduce_sum(x.values)
    value = tf1.SparseTensorValue([[0, 1]], [2.0], [1, 3])
    with tf1.Session() as session:
        assert session.run(total, {x: value}) == 2.0
        assert session.run(total, {x: tuple(value)}) == 2.0


def test_a_structure_keeps_its_types():
    pair = collections.namedtuple("pair", "a b")
    a = tf1.constant(1.0, name="a")
    ordered = collections.OrderedDict(z=a, y="a:0")
    fetched = [pair(a, [a]), ordered, {}, [], (), "a", collections.defaultdict(list, q=a)]
    with tf1.Session() as session:
        found = session.run(fetched)
    assert found == [pair(1.0, [1.0]), {"z": 1.0, "y": 1.0}, {}, [], (), None, {"q": 1.0}]
    assert [type(each) for each in found[:2]] == [pair, collections.OrderedDict]


# -- lifetime --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "error", "text"),
    [
        ({"target": 3}, TypeError, 'Argument `target` must be a string, but got "int"'),
        ({"graph": 3}, TypeError, 'Argument `graph` must be a tf.Graph, but got "int"'),
        ({"config": 3}, TypeError, 'Argument `config` must be a tf.ConfigProto, but got "int"'),
        ({"target": "foo"}, tf1.errors.NotFoundError, "No session factory registered for the"),
    ],
)
def test_arguments_that_make_no_session_are_refused(given, error, text):
    with pytest.raises(error, match=text):
        tf1.Session(**given)


def test_configurations_are_protobuf_messages():
    with pytest.raises(ValueError, match='Protocol message ConfigProto has no "bogus" field'):
        tf1.ConfigProto(bogus=1)
    config = tf1.ConfigProto(gpu_options=tf1.GPUOptions(allow_growth=True))
    assert tf1.ConfigProto.FromString(config.SerializeToString()).gpu_options.allow_growth


def test_a_session_of_another_graph_is_refused():
    a = tf1.constant(1.0)
    other = tf1.Session(graph=tf1.Graph())
    with pytest.raises(ValueError, match="Cannot use the given session to evaluate tensor: the "):
        a.eval(session=other)
    wanted = r"Cannot use the default session .* Pass an explicit session to `eval\(session=sess\)`"
    with other.as_default(), pytest.raises(ValueError, match=wanted):
        a.eval()


def test_a_pruned_graph_is_placed_without_what_it_leaves_out():
    a = tf1.constant(1.0, name="a")
    with tf1.device("/gpu:9"):
        tf1.add(a, 1.0, name="b")
    config = tf1.ConfigProto(graph_options=tf1.GraphOptions(place_pruned_graph=True))
    with tf1.Session(config=config) as session:
        assert session.run(a) == 1.0
        with pytest.raises(tf1.errors.InvalidArgumentError, match="device for operation b"):
            session.run("b:0")


def test_the_second_run_places_and_plans_nothing(monkeypatch):
    x = tf1.placeholder(tf1.float32, [2])
    y = x * 2.0 + 1.0
    made = []
    for name in ("place_graph", "build_foreseen"):
        real = getattr(session_module, name)
        monkeypatch.setattr(
            session_module, name, lambda *a, real=real, **k: made.append(real) or real(*a, **k)
        )
    with tf1.Session() as session:
        np.testing.assert_array_equal(session.run(y, {x: [1.0, 2.0]}), [3.0, 5.0])
        assert len(made) == 2
        np.testing.assert_array_equal(session.run(y, {x: [3.0, 4.0]}), [7.0, 9.0])
        assert len(made) == 2


@pytest.mark.gpus(0)
def test_places_are_told_once_and_again_after_the_graph_grew(capsys):
    a = tf1.placeholder_with_default(1.0, [], name="a")
    b = tf1.add(a, 1.0, name="b")
    with tf1.Session(config=tf1.ConfigProto(log_device_placement=True)) as session:
        for _ in range(2):
            session.run(b)
        once = capsys.readouterr()
        c = tf1.add(b, 1.0, name="c")
        session.run(c)
        again = capsys.readouterr()
    cpu = "/job:localhost/replica:0/task:0/device:CPU:0"
    assert once.out.count(f"b: (AddV2): {cpu}\n") == 1
    assert f"] b: (AddV2): {cpu}\n" in once.err
    assert f"b: (AddV2): {cpu}\nc: (AddV2): {cpu}\n" in again.out


def test_threads_share_a_session():
    x = tf1.placeholder(tf1.float32, [None], name="x")
    y = tf1.reduce_sum(x * 2.0)
    wrong: list[Any] = []
    with tf1.Session() as session:

        def work(i: int) -> None:
            for size in range(1, 30):
                found = session.run(y, {x: np.full(size, i)})
                if found != 2.0 * i * size:
                    wrong.append(found)

        threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert wrong == []


def test_an_error_on_time_is_the_operations_own():
    x = tf1.placeholder(tf1.float32, name="x")
    with tf1.Session() as session, pytest.raises(tf1.errors.InvalidArgumentError, match="'x'"):
        session.run(x + 1.0, options=tf1.RunOptions(timeout_in_ms=60_000))


def test_a_run_that_waits_for_a_queue_is_ended():
    queue = tf1.FIFOQueue(1, [tf1.float32])
    taken = queue.dequeue()
    with tf1.Session() as session, pytest.raises(tf1.errors.DeadlineExceededError) as caught:
        session.run(taken, options=tf1.RunOptions(timeout_in_ms=50))
    assert caught.value.message == TIMED_OUT


def test_a_function_without_arguments_may_have_several_results():
    x, y = tf1.numpy_function(lambda: [np.ones((2, 1)), np.ones(2)], [], [tf1.float64] * 2)
    x.set_shape([None, 1])
    with tf1.Session() as session:
        assert session.run(tf1.squeeze(x, 1) + y).tolist() == [2.0, 2.0]


def test_whole_random_numbers_have_ends_that_a_graph_computes():
    x = tf1.placeholder(tf1.float32, [None])
    fixed = tf1.random_uniform([50], 2, 5, tf1.int32)
    fed = tf1.random_uniform([50], 0, tf1.shape(x)[0], tf1.int32)
    with tf1.Session() as session:
        assert set(session.run(fixed).tolist()) == {2, 3, 4}
        assert set(session.run(fed, {x: [0.0] * 3}).tolist()) == {0, 1, 2}
        with pytest.raises(tf1.errors.InvalidArgumentError, match="Need minval < maxval, got 0 >="):
            session.run(fed, {x: []})


def test_pictures_are_cut_out_at_random_in_graphs():
    cut = tf1.random_crop(np.arange(16).reshape(4, 4), [2, 4])
    with tf1.Session() as session:
        tops = {int(session.run(cut)[0, 0]) for _ in range(40)}
    assert tops == {0, 4, 8}


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (ValueError, tf1.errors.InvalidArgumentError),
        (TypeError, tf1.errors.InvalidArgumentError),
        (StopIteration, tf1.errors.OutOfRangeError),
        (NotImplementedError, tf1.errors.UnimplementedError),
        (MemoryError, tf1.errors.ResourceExhaustedError),
        (KeyError, tf1.errors.UnknownError),
    ],
)
def test_errors_of_python_functions_have_tensorflows_classes(error, kind):
    def fail() -> None:
        raise error("mine")

    with tf1.Session() as session, pytest.raises(kind, match="mine") as caught:
        session.run(tf1.py_func(fail, [], tf1.float32))
    assert type(caught.value) is kind


@pytest.mark.gpus(0)
def test_the_trace_of_a_run_that_computes_nothing_names_its_device() -> None:
    with tf1.Graph().as_default(), tf1.Session() as session:
        metadata = tf1.RunMetadata()
        options = tf1.RunOptions(trace_level=tf1.RunOptions.FULL_TRACE)
        session.run(tf1.constant(1.0), options=options, run_metadata=metadata)
        (stats,) = metadata.step_stats.dev_stats
        assert stats.device == "/job:localhost/replica:0/task:0/device:CPU:0"


def test_an_error_holds_the_programs_own_operation():
    x = tf1.placeholder(tf1.float32)
    y = tf1.linalg.inv(x)
    with tf1.Session() as session:
        with pytest.raises(tf1.errors.InvalidArgumentError) as error:
            session.run(x)
        assert error.value.op is x.op
        for _ in range(2):
            with pytest.raises(tf1.errors.InvalidArgumentError) as error:
                session.run(y, {x: np.zeros((2, 2))})
            assert error.value.op is y.op
            assert error.value.node_def.name == y.op.name


@pytest.mark.parametrize("of_unknown_size", [False, True])
def test_a_branch_that_waits_for_an_effect_runs_when_its_operation_is_asked_for(of_unknown_size):
    v = tf1.Variable(0)
    n = tf1.placeholder(tf1.int32, [])
    numbers = tf1.range(n) if of_unknown_size else tf1.stack([n])

    def add():
        with tf1.control_dependencies([v.assign_add(tf1.size(numbers))]):
            return tf1.constant(True)

    branch = tf1.cond(tf1.equal(n % 2, 1), add, lambda: tf1.constant(False))
    with tf1.Session() as session:
        session.run(v.initializer)
        found = []
        for i in range(4):
            session.run(branch.op, {n: i})
            found.append(int(session.run(v)))
        assert found == ([0, 1, 1, 4] if of_unknown_size else [0, 1, 1, 2])


@pytest.mark.parametrize(
    ("result", "kind", "expected"),
    [("text", tf1.string, b"text"), (2.5, tf1.float32, 2.5), (np.array([1, 2]), tf1.int64, [1, 2])],
)
def test_python_functions_return_python_values_inside_of_their_graph(
    result: Any, kind: Any, expected: Any
) -> None:
    with tf1.Graph().as_default(), tf1.Session() as session:
        made = session.run(tf1.py_function(lambda: result, [], kind))
    assert np.asarray(made).tolist() == expected
