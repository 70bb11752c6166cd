"""Changes of variables that a graph refuses where it is built, and sessions and variables whose
declarations do not fit: TensorFlow 2.21's errors.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import emplace.tensorflow as tf

v1 = tf.compat.v1


@pytest.fixture
def graph() -> Iterator[Any]:
    """An empty graph that takes the ops of a test."""
    with tf.Graph().as_default() as graph:
        yield graph


def given(*dims: int | None) -> Any:
    return v1.placeholder(tf.float32, dims)


ROWS = [
    ([0.0, 1, 2, 3], [0, 1], (3,), "Dimension 0 in both shapes must be equal, but are 3 and 2. "
     "Shapes are [3] and [2]. for '{{node ResourceScatterAdd}} = ResourceScatterAdd["),
    ([[0.0], [1.0]], [0, 1], (None,), "Shapes must be equal rank, but are 1 and 2 for '"),
    ([0.0, 1, 2, 3], [0, 1], (2, 1), "Shapes must be equal rank, but are 2 and 1 for '"),
    ([0.0, 1, 2, 3], [[0, 1]], (None, 3), "Dimension 1 in both shapes must be equal, but are 3 and "
     "2. Shapes are [?,3] and [1,2]. for '"),
]  # fmt: skip
PLACES = [
    ([[0], [1]], (3,), "Dimensions [0,1) of indices[shape=[2,1]] = [2] must match dimensions [0,1) "
     "of updates[shape=[3]] = [3]: Dimension 0 in both shapes must be equal, but are 2 and 3. "
     "Shapes are [2] and [3]. for '{{node ResourceScatterNdAdd}} = ResourceScatterNdAdd["),
    ([[0], [1]], (2, 1), "Dimensions [1,1) of input[shape=[4]] = [] must match dimensions [1,2) of "
     "updates[shape=[2,1]] = [1]: Shapes must be equal rank, but are 0 and 1 for '"),
    ([[0], [1]], (), "Shape must be at least rank 1 but is rank 0 for '"),
]  # fmt: skip


@pytest.mark.parametrize(("value", "indices", "shape", "text"), ROWS)
def test_rows_that_do_not_fit_are_refused_by_a_graph(
    graph: Any, value: Any, indices: Any, shape: Any, text: str
) -> None:
    variable = v1.Variable(value, use_resource=True)
    with pytest.raises(ValueError) as error:
        v1.scatter_add(variable, indices, given(*shape))
    assert str(error.value).startswith(text)


@pytest.mark.parametrize(("indices", "shape", "text"), PLACES)
def test_places_that_do_not_fit_are_refused_by_a_graph(
    graph: Any, indices: Any, shape: Any, text: str
) -> None:
    variable = v1.Variable([0.0, 1, 2, 3], use_resource=True)
    with pytest.raises(ValueError) as error:
        variable.scatter_nd_add(indices, given(*shape))
    assert str(error.value).startswith(text)


def test_rows_that_may_fit_are_changed(graph: Any) -> None:
    variable = v1.Variable([0.0, 1, 2, 3], use_resource=True)
    rows = given(None)
    changes = [v1.scatter_update(variable, [0, 1], rows), v1.scatter_update(variable, [3], 7.0)]
    with v1.Session() as session:
        session.run(variable.initializer)
        for change in changes:
            found = session.run(change, {rows: [5.0, 6.0]})
        assert found.tolist() == [5, 6, 2, 7]
        with pytest.raises(tf.errors.InvalidArgumentError):
            session.run(changes[0], {rows: [1.0, 2.0, 3.0]})


CHANGES: list[tuple[Callable[[Any], Any], str]] = [
    (lambda v: v.assign_add([1.0, 2.0]), "Dimension 0 in both shapes must be equal, but are 4 and "
     "2. Shapes are [4] and [2]. for '"),
    (lambda v: v.assign_sub(1.0), "Shapes must be equal rank, but are 1 and 0 for '"),
    (lambda v: v1.scatter_add(v, [0, 1], [0.0, 1.0, 2.0]), "Dimension 0 in both shapes must be "
     "equal, but are 3 and 2. Shapes are [3] and [2]. for '"),
]  # fmt: skip


@pytest.mark.parametrize("in_function", [False, True])
@pytest.mark.parametrize(("change", "text"), CHANGES)
def test_what_does_not_fit_a_variable_is_refused_while_tracing(
    change: Any, text: str, in_function: bool
) -> None:
    if in_function:
        variable = tf.Variable([0.0, 1, 2, 3])
        with pytest.raises(ValueError) as error:
            tf.function(lambda: change(variable))()
        assert variable.numpy().tolist() == [0, 1, 2, 3]
    else:
        with tf.Graph().as_default(), pytest.raises(ValueError) as error:
            change(v1.Variable([0.0, 1, 2, 3], use_resource=True))
    assert text in str(error.value)


FIRST: list[Callable[[], Any]] = [
    lambda: np.zeros([3]), lambda: tf.zeros([3]), lambda: (lambda: tf.zeros([3])),
]  # fmt: skip


@pytest.mark.parametrize("first", FIRST)
def test_a_first_value_fits_the_declared_shape_in_graphs_too(graph: Any, first: Any) -> None:
    with pytest.raises(ValueError, match=r"the initial value's shape \(\(3,\)\) is not compatible "
                       r"with the explicitly supplied `shape` argument \(\[4\]\)"):  # fmt: skip
        v1.Variable(first(), shape=[4], use_resource=True)
    assert v1.Variable(first(), shape=[None], use_resource=True).shape.as_list() == [None]
    assert v1.Variable(first(), validate_shape=False).shape.rank is None


def test_a_session_cannot_be_entered_inside_of_itself(graph: Any) -> None:
    session = v1.Session()
    text = r"not re-entrant\. Use `Session\.as_default\(\)` if"
    with pytest.raises(RuntimeError, match=text), session, session:
        pass
    assert v1.get_default_session() is None
    session = v1.Session()
    with session.as_default(), session.as_default(), session:
        assert v1.get_default_session() is session
    assert v1.get_default_session() is None


@pytest.mark.parametrize("make", [lambda: v1.Session(graph=tf.Graph()), tf.Graph])
def test_default_sessions_and_graphs_are_left_in_the_order_of_their_scopes(make: Any) -> None:
    errors: list[str] = []

    def wrong_order() -> None:
        scopes = [make().as_default(), make().as_default()]
        for each in scopes:
            each.__enter__()
        for each in scopes:
            try:
                each.__exit__(None, None, None)
            except AssertionError as error:
                errors.append(str(error))

    thread = threading.Thread(target=wrong_order)  # a thread has scopes of its own
    thread.start()
    thread.join()
    assert errors[0].startswith("Nesting violated for default stack of <class")


def test_graph_mode_may_be_chosen_inside_of_a_graph(graph: Any) -> None:
    v1.disable_eager_execution()
    assert tf.constant(1.0).graph is graph


@pytest.mark.parametrize("value", [[1.0, 2.0, 3.0], [[1.0]]])
def test_a_value_of_another_shape_is_refused_by_a_graph_as_by_eager_mode(
    graph: Any, value: Any
) -> None:
    variable = v1.get_variable("v", [2])
    text = (
        "Cannot assign value to variable ' v:0': Shape mismatch.The variable shape (2,), and the "
        f"assigned value shape {np.shape(value)} are incompatible."
    )
    with pytest.raises(ValueError) as error:
        variable.assign(value)
    assert str(error.value) == text


def test_a_change_that_reads_nothing_is_its_operation_in_a_function() -> None:
    variable = tf.Variable(1.0)
    types = []

    @tf.function
    def change() -> None:
        types.append(variable.assign(2.0, read_value=False).type)
        types.append(variable.assign_add(2.0, read_value=False).type)
        types.append(variable.assign_sub(1.0, read_value=False).type)

    change()
    assert types == ["AssignVariableOp", "AssignAddVariableOp", "AssignSubVariableOp"]
    assert variable.numpy() == 3.0
    assert variable.assign(2.0, read_value=False) is None
