"""`tf.test.assert_equal_graph_def`, and combinations under their other name."""

from __future__ import annotations

from typing import Any

import pytest
from absl.testing import parameterized

import emplace.tensorflow as tf

same = tf.test.assert_equal_graph_def


def graph(number: float, name: str = "c", more: bool = False) -> Any:
    with tf.Graph().as_default() as made:
        if more:
            tf.constant(0.0, name="before")
        tf.identity(tf.constant(number, name=name), name="y")
    return made.as_graph_def()


def test_equal_graphs_pass_in_any_order() -> None:
    one, other = graph(1.0), graph(1.0)
    nodes = list(other.node)[::-1]
    del other.node[:]
    other.node.extend(nodes)
    same(one, other)
    tf.compat.v1.test.assert_equal_graph_def(actual=other, expected=one, checkpoint_v2=True)


def test_differences_are_told() -> None:
    with pytest.raises(AssertionError, match="Node named 'c' has attributes"):
        same(graph(1.0), graph(2.0))
    with pytest.raises(AssertionError, match="Did not find expected node 'c'"):
        same(graph(1.0), graph(1.0, "d"))
    with pytest.raises(AssertionError, match="Found unexpected node 'before'"):
        same(graph(1.0), graph(1.0, more=True))
    with pytest.raises(TypeError, match=r"Expected tf.GraphDef for actual, got int"):
        same(graph(1.0), 3)


def test_combinations_of_strategies_are_those_of_tests() -> None:
    combinations = tf.__internal__.distribute.combinations
    ran = []

    class Sums(tf.test.TestCase, parameterized.TestCase):
        @combinations.generate(
            tf.__internal__.test.combinations.combine(mode=["graph", "eager"], number=[1, 2])
        )
        def test_sum(self, number: int) -> None:
            ran.append((tf.executing_eagerly(), number))

    for name in dir(Sums):
        if name.startswith("test_sum"):
            getattr(Sums(name), name)()
    assert sorted(ran) == [(False, 1), (False, 2), (True, 1), (True, 2)]
    assert combinations.in_main_process()
    with pytest.raises(NotImplementedError, match="emplace launch"):
        combinations.env()
