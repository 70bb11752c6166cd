"""Who makes a value, whatever names it has: graph/passes/makers.py."""

from __future__ import annotations

import emplace.tensorflow as tf
from emplace.graph.passes.makers import Makers


def test_a_value_is_made_by_what_is_behind_views_and_other_names():
    with tf.Graph().as_default() as graph:
        x = tf.compat.v1.placeholder(tf.float32, [2, 3])
        total = tf.reduce_sum(x, axis=0)
        same = tf.stop_gradient(tf.identity(total))
        other = tf.identity(same)
        foreign = tf.square(x)
    operations = [each for each in graph.get_operations() if each is not foreign.op]
    makers = Makers(operations, {id(other): same}, {"Identity", "StopGradient"})
    assert makers.root(other) is same
    assert makers.root(total) is total
    assert makers.of(other) is same.op
    assert makers.behind(other) is makers.behind(total) is total.op
    assert makers.of(foreign) is makers.behind(foreign) is None
