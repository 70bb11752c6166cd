"""`graph.lint()` finds what must not be in a graph, on graphs that were broken by hand."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from hand_made import HandMade, on_host

from emplace.base import dtypes
from emplace.graph.control_flow.loops.while_loops import while_loop
from emplace.graph.representation.graph import Graph, Operation
from emplace.graph.representation.lint import GraphError, lint_operations
from emplace.ops.math.elementwise import exp, less, multiply, negative


def chain() -> tuple[HandMade, Operation, Operation]:
    """exp(x), and what negates it."""
    made = HandMade()
    x = made.argument((2,))
    with made.taking_ops():
        y = negative(exp(x))
    return made, y.op.inputs[0].op, y.op


def test_a_graph_as_it_was_recorded_is_in_order() -> None:
    made, _, _ = chain()
    made.graph.lint()


def takes_of_another_graph(first: Operation, last: Operation) -> None:
    last.inputs = last.given = (chain()[1].outputs[0],)


def turns_around(first: Operation, last: Operation) -> None:
    last.graph.operations.reverse()


def waits_in_a_circle(first: Operation, last: Operation) -> None:
    first.control.append(last)


def waits_for_another_graph(first: Operation, last: Operation) -> None:
    first.control.append(chain()[0].graph.operations[0])


def shares_a_name(first: Operation, last: Operation) -> None:
    last.name = first.name


def changes_its_dtype(first: Operation, last: Operation) -> None:
    last.outputs[0]._dtype = dtypes.int32


def changes_its_shape(first: Operation, last: Operation) -> None:
    last.outputs[0]._dims = (3,)


def has_no_device(first: Operation, last: Operation) -> None:
    last.device = "/gpu:first"


def has_an_output_more(first: Operation, last: Operation) -> None:
    last.outputs.append(first.outputs[0])


@pytest.mark.parametrize(
    ("breaks", "text"),
    [
        (takes_of_another_graph, "which nothing before it makes"),
        (turns_around, "stands at 0"),
        (waits_in_a_circle, "wait for each other"),
        (waits_for_another_graph, "is not in the graph"),
        (shares_a_name, "two operations are called 'Exp'"),
        (changes_its_dtype, "has another dtype than its rule tells, float32"),
        (changes_its_shape, "has another shape than its rule tells, (2,)"),
        (has_no_device, "asks for no device"),
        (has_an_output_more, "has 2 outputs, its rule tells 1"),
    ],
)
def test_lint_tells_what_is_wrong(
    breaks: Callable[[Operation, Operation], None], text: str
) -> None:
    made, first, last = chain()
    breaks(first, last)
    with pytest.raises(GraphError, match=re.escape(text)):
        made.graph.lint()


def looping() -> tuple[Graph, Operation]:
    """A graph with a While of one variable."""
    made = HandMade()
    x = made.argument()
    with made.taking_ops():
        y = while_loop(lambda v: less(v, 9.0), lambda v: multiply(v, 2.0), [x])[0]
    return made.graph, y.op


def test_lint_goes_into_bodies() -> None:
    graph, loop = looping()
    graph.lint()
    body = loop.attrs["bodies"][1]
    body.operations[-1].outputs[0]._dims = (7,)
    with pytest.raises(GraphError, match="another shape"):
        graph.lint()


def test_a_body_takes_and_makes_what_its_operation_does() -> None:
    graph, loop = looping()
    body = loop.attrs["bodies"][1]
    body.inputs[0]._dtype = dtypes.float64
    body.outputs.append(body.outputs[0])
    with pytest.raises(GraphError, match=r"stands for.*has 1 outputs"):
        graph.lint()


def test_operations_of_a_plan_come_after_what_they_take() -> None:
    made, first, last = chain()
    given, results = {id(x) for x in made.graph.inputs}, last.outputs
    lint_operations([first, last], given, results, on_host([first, last]))
    with pytest.raises(GraphError, match="nothing before it makes"):
        lint_operations([last, first], given, results)
    with pytest.raises(GraphError, match="nothing makes it"):
        lint_operations([first], given, results)
    with pytest.raises(GraphError, match="runs twice"):
        lint_operations([first, first, last], given, results)
    with pytest.raises(GraphError, match="has no device"):
        lint_operations([first, last], given, results, on_host([first]))
