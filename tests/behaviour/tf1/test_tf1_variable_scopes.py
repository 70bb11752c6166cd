"""TF 1: variable scopes: what custom getters get, and what scopes hand on."""

from __future__ import annotations

import inspect
import threading
from collections.abc import Iterator
from contextlib import nullcontext
from typing import Any

import pytest

import emplace.tensorflow as tf
import emplace.tensorflow.compat.v1 as tf1
from emplace.tensorflow import variable_creator_scope


@pytest.fixture
def graph() -> Iterator[tf1.Graph]:
    """An empty graph that takes the ops of a test."""
    with tf1.Graph().as_default() as graph:
        yield graph


def test_what_a_custom_getter_makes_stands_outside_of_the_scopes_names(graph: Any) -> None:
    def named(getter: Any, *args: Any, **kwargs: Any) -> Any:
        name = "reused" if kwargs["reuse"] else "not_reused"
        return tf1.identity(getter(*args, **kwargs), name=name)

    def summed(getter: Any, name: Any, *args: Any, **kwargs: Any) -> Any:
        one, other = (getter(f"{name}/{i}", *args, **kwargs) for i in (0, 1))
        with tf1.name_scope("custom_getter"):
            return one + other

    with tf1.variable_scope("scope", custom_getter=named) as scope:
        assert tf1.get_variable("v", [1]).name == "not_reused:0"
    with tf1.variable_scope(scope, reuse=True):
        assert tf1.get_variable("v", [1]).name == "reused:0"
    with tf1.variable_scope("sum", custom_getter=summed):
        assert tf1.get_variable("v", [1]).name == "custom_getter/add:0"
    names = [each.name for each in tf1.trainable_variables()]
    assert names == ["scope/v:0", "sum/v/0:0", "sum/v/1:0"]


def test_a_custom_getter_is_told_what_holds_where_nothing_was_asked_for(graph: Any) -> None:
    seen: list[Any] = []

    def noting(getter: Any, *args: Any, **kwargs: Any) -> Any:
        assert not args
        seen.append(kwargs)
        return getter(*args, **kwargs)

    on_read, mean = tf1.VariableSynchronization.ON_READ, tf1.VariableAggregation.MEAN
    with tf1.variable_scope("scope", custom_getter=noting):
        tf1.get_variable("v", [1])
        tf1.get_variable("w", [1], synchronization=on_read, aggregation=mean)
    keys = ("name", "trainable", "synchronization", "aggregation")
    assert [[each[key] for key in keys] for each in seen] == [
        ["scope/v", True, tf1.VariableSynchronization.AUTO, tf1.VariableAggregation.NONE],
        ["scope/w", False, on_read, mean],
    ]


def test_scopes_that_are_left_in_a_wrong_order_are_refused(graph: Any) -> None:
    with tf1.variable_scope("aa"):
        scope = tf1.variable_scope("bb")
        scope.__enter__()
        with (
            tf1.variable_scope("cc"),
            pytest.raises(RuntimeError, match=r"^Improper nesting of variable_scope\.$"),
        ):
            scope.__exit__(None, None, None)
        assert tf1.get_variable("v", []).name == "aa/bb/v:0"
        scope.__exit__(None, None, None)
        assert tf1.get_variable("v", []).name == "aa/v:0"


def test_a_scope_that_shares_cannot_be_told_not_to(graph: Any) -> None:
    with tf1.variable_scope("jump", reuse=True) as shares:
        pass
    with tf1.variable_scope("jump") as fresh:
        pass
    auto = tf1.AUTO_REUSE
    for scope, wishes in ((shares, (True, True, True, auto)), (fresh, (False, True, False, auto))):
        for asked, wanted in zip((None, True, False, auto), wishes, strict=True):
            with tf1.variable_scope(scope, reuse=asked) as opened:
                assert opened.reuse is wanted


@pytest.mark.parametrize("in_graph", [False, True])
def test_losses_of_regularizers_are_kept_in_every_mode(in_graph: bool) -> None:
    def losses() -> Any:
        return tf1.get_collection(tf1.GraphKeys.REGULARIZATION_LOSSES)

    def loss(variable: Any) -> Any:
        return tf1.reduce_mean(variable) + 0.1

    def check() -> None:
        before = len(losses())
        with tf1.variable_scope("tower", regularizer=loss):
            tf1.get_variable("v", [], initializer=tf1.zeros_initializer())
            tf1.get_variable("w", [], regularizer=tf1.no_regularizer)
        assert len(losses()) == before + 1
        if not in_graph:
            assert float(losses()[-1]) == pytest.approx(0.1)

    if in_graph:
        with tf1.Graph().as_default():
            check()
    else:
        check()
        tf1.reset_default_graph()


def test_each_thread_has_scopes_of_its_own(graph: Any) -> None:
    found: list[str] = []
    barrier = threading.Barrier(2, timeout=20)

    def work() -> None:
        with graph.as_default():
            assert tf1.get_variable_scope().name == ""
            with tf1.variable_scope("foo") as scope:
                barrier.wait()  # both are inside
                found.append(scope.name)
                with lock:
                    try:
                        found.append(tf1.get_variable("v", []).name)
                    except ValueError as error:
                        found.append(str(error).partition(",")[0])
                barrier.wait()
            assert tf1.get_variable_scope().name == ""

    lock = threading.Lock()
    with tf1.variable_scope("outside"):
        threads = [threading.Thread(target=work) for _ in range(2)]
        for each in threads:
            each.start()
        for each in threads:
            each.join()
    assert sorted(found) == ["Variable foo/v already exists", "foo", "foo", "foo/v:0"]


def test_a_local_variable_takes_the_arguments_of_a_variable() -> None:
    arguments = inspect.signature(tf1.get_local_variable).parameters
    assert list(arguments) == list(inspect.signature(tf1.get_variable).parameters)
    assert arguments["trainable"].default is False


def test_a_custom_getter_gets_all_its_arguments_by_name(graph: Any) -> None:
    def doubled(name: str, getter: Any, shape: Any, **kwargs: Any) -> Any:
        return getter(name=name, shape=[2 * shape[0]], **kwargs)

    with tf1.variable_scope("scope", custom_getter=doubled):
        assert tf1.get_variable("v", [3]).shape == [6]


@pytest.mark.parametrize("in_graph", [True, False], ids=["graph", "eager"])
def test_a_creator_is_told_what_get_variable_wants(in_graph: bool) -> None:
    told = []

    def creator(next_creator: Any, **kwargs: Any) -> Any:
        told.append(kwargs)
        return next_creator(**kwargs)

    sync, sums = tf1.VariableSynchronization, tf1.VariableAggregation
    with tf1.Graph().as_default() if in_graph else nullcontext(), variable_creator_scope(creator):
        tf1.get_variable("v", [4, 2])
        tf1.get_variable("w", initializer=tf1.constant([1.0]), trainable=False)
        tf1.get_variable("r", [3], synchronization=sync.ON_READ, aggregation=sums.SUM)
    keys = ("shape", "trainable", "synchronization", "aggregation")
    assert [[each[key] for key in keys] for each in told] == [
        [[4, 2], True, sync.AUTO, sums.NONE],
        [None, False, sync.AUTO, sums.NONE],
        [[3], False, sync.ON_READ, sums.SUM],
    ]


def parted(is_divided: bool) -> Any:
    return tf1.fixed_size_partitioner(2) if is_divided else None


@pytest.mark.parametrize("is_divided", [False, True], ids=["whole", "in parts"])
def test_traces_of_functions_share_variables_by_name(is_divided: bool) -> None:
    @tf.function
    def times(x: Any) -> Any:
        scope = tf1.variable_scope("s", reuse=tf1.AUTO_REUSE, partitioner=parted(is_divided))
        with scope:
            v = tf1.get_variable("v", [4], initializer=tf1.ones_initializer())
        for part in v if is_divided else [v]:
            part.assign_add(tf.ones_like(part))
        return tf.convert_to_tensor(v) * x

    found = [times(x).numpy().tolist() for x in (1.0, 2.0, tf.constant(1.0), tf.constant(1.0))]
    assert found == [[2.0] * 4, [6.0] * 4, [4.0] * 4, [5.0] * 4]  # TensorFlow 2.21's


def test_functions_find_each_others_variables_below_the_open_scope() -> None:
    made = []

    @tf.function
    def making() -> Any:
        made.append(tf1.get_variable("v", initializer=tf.constant(3.0)))
        return made[-1] + 0.0

    @tf.function
    def finding() -> Any:
        @tf.function
        def inside(x: Any) -> Any:
            with tf1.variable_scope("outer/in", reuse=True):
                return tf1.get_variable("v") * x

        return inside(2.0) + inside(tf.constant(10.0))

    with tf1.variable_scope("outer"), tf1.variable_scope("in"):
        assert float(making()) == 3.0
    assert {each.name for each in made} == {"outer/in/v:0"}
    assert float(finding()) == 36.0


def test_a_function_in_a_function_makes_variables() -> None:
    @tf.function
    def outer(x: Any) -> Any:
        @tf.function
        def inner(y: Any) -> Any:
            with tf1.variable_scope("nested", reuse=tf1.AUTO_REUSE):
                return tf1.get_variable("v", [2], initializer=tf1.ones_initializer()) * y

        return inner(x) + inner(x * 2.0)

    assert [outer(x).numpy().tolist() for x in (3.0, tf.constant(3.0))] == [[9.0, 9.0]] * 2


def test_a_variable_that_is_not_to_be_shared_is_refused_in_another_trace() -> None:
    @tf.function
    def times(x: Any) -> Any:
        return tf1.get_variable("once", initializer=tf.constant(2.0)) * x

    with pytest.raises(ValueError, match="Variable once already exists, disallowed"):
        times(1.0)


def test_lists_of_a_variable_are_a_list(graph: Any) -> None:
    for make in (lambda: tf1.Variable(1.0, collections="abc"),
                 lambda: tf1.get_variable("v", [1], collections="abc")):  # fmt: skip
        with pytest.raises(ValueError, match=r"must be a list, tuple, or set\. Got abc of type"):
            make()
    assert not tf1.get_collection("a")


def test_eager_variables_have_the_names_of_graphs() -> None:
    def named() -> list[str]:
        with tf1.variable_scope("s") as scope, tf1.name_scope("n"):
            found = [tf1.get_variable("a", [1]), tf.Variable(1.0)]
            with tf1.variable_scope("inner") as inner:
                found += [tf1.get_variable("a", [1]), tf.Variable(1.0, name="x")]
            found += tf1.create_partitioned_variables([2, 4], [1, 2], tf.ones([2, 4]))
        with tf1.variable_scope(scope, auxiliary_name_scope=False):
            found.append(tf.Variable(1.0, name="bare"))
        with tf1.variable_scope(None, "made"):
            found.append(tf.Variable(1.0, name="y"))
        scopes = [scope.original_name_scope, inner.original_name_scope]
        return [*(each.name for each in found), *scopes]

    expected = [
        "s/a:0", "s/n/Variable:0", "s/inner/a:0", "s/n/inner/x:0",
        "s/PartitionedVariable/part_0:0", "s/PartitionedVariable/part_1:0",
        "bare:0", "made/y:0", "s/", "s/n/inner/",
    ]  # fmt: skip
    assert named() == expected
    with tf1.Graph().as_default():
        assert named() == expected
