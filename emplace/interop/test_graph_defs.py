"""Comparing graphs as messages (`tf.test.assert_equal_graph_def`)."""

from __future__ import annotations

from typing import Any


def assert_equal_graph_def(expected: Any, actual: Any) -> None:
    """Compares the nodes of two graphs, in whatever order they stand
    (`tf.test.assert_equal_graph_def`). Attributes whose names begin with "_" do not count.

    Args:
        expected: a `GraphDef`.
        actual: another one.

    Raises:
        TypeError: one is no `GraphDef`.
        AssertionError: they differ; it says in which node.
    """
    for title, graph in (("actual", actual), ("expected", expected)):
        if not hasattr(graph, "node"):
            raise TypeError(f"Expected tf.GraphDef for {title}, got {type(graph).__name__}")
    wanted, found = ({node.name: node for node in graph.node} for graph in (expected, actual))
    for name in sorted(wanted.keys() | found.keys()):
        if name not in found:
            raise AssertionError(f"Did not find expected node {name!r}")
        if name not in wanted:
            raise AssertionError(f"Found unexpected node {name!r}")
        one, other = _facts(wanted[name]), _facts(found[name])
        for what, value in one.items():
            if value != other[what]:
                raise AssertionError(
                    f"Node named {name!r} has {what} {other[what]!r} that does not match expected "
                    f"{value!r}"
                )


def assert_equal_graph_def_v1(
    actual: Any, expected: Any, checkpoint_v2: bool = False, hash_table_shared_name: bool = False
) -> None:
    """Compares two graphs, in the order of TF 1 (`tf.compat.v1.test.assert_equal_graph_def`).

    Args:
        actual: a `GraphDef`.
        expected: another one.
        checkpoint_v2: not used.
        hash_table_shared_name: not used.

    Raises:
        TypeError, AssertionError: as `assert_equal_graph_def` does.
    """
    assert_equal_graph_def(expected, actual)


def _facts(node: Any) -> dict[str, Any]:
    """What counts of a node; control inputs have no order."""
    return {
        "op": node.op,
        "device": node.device,
        "inputs": [name for name in node.input if name[0] != "^"],
        "control inputs": sorted(name for name in node.input if name[0] == "^"),
        "attributes": {key: value for key, value in node.attr.items() if key[0] != "_"},
    }
