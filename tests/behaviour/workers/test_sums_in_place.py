"""A sum over workers is made in the memory of a value that nobody uses afterwards; whoever else
holds a value keeps it. What travels together is the same either way.
"""

from __future__ import annotations

import numpy as np
import pytest

import emplace.tensorflow as tf
from emplace.distribute.workers import ops

ROWS = 3 << 20  # 12 MB of float32: a large value


class Doubling:
    """A connection to another worker that has the same values."""

    def __init__(self):
        self.sent = []

    def sum(self, value):
        self.sent.append(value.nbytes)
        return value.mul_(2)

    def sum_laid(self, vectors):
        for each in vectors:
            count = each.total.numel()
            self.sent.append(each.total.nbytes)
            came = each.begin(0, count).clone()
            if not each.is_value:
                each.total.copy_(came)
            each.add(0, count, came)


@pytest.fixture
def link(monkeypatch):
    found = Doubling()
    monkeypatch.setattr(ops, "link", lambda: found)
    return found


@pytest.fixture
def answers(monkeypatch):
    """For each value that a plan lets go of: whether nobody else holds it."""
    told, ask = [], ops._is_lonely
    monkeypatch.setattr(ops, "_is_lonely", lambda *given: told.append(ask(*given)) or told[-1])
    return told


def dying(x):
    return (ops.summed([x * 3.0])[0],)


def returned(x):
    made = x * 3.0
    return ops.summed([made])[0], made


def used_later(x):
    made = x * 3.0
    (total,) = ops.summed([made])
    return total, made + 0.0


def seen_in_part(x):
    made = x * 3.0
    part = made[1:]
    return ops.summed([made])[0], tf.concat([made[:1], part], 0)


def twice(x):
    made = x * 3.0
    one, other = ops.summed([made, made])
    return one, other / 2.0


@pytest.mark.parametrize(
    ("program", "expected"),
    [(dying, [True]), (returned, []), (used_later, []), (seen_in_part, []), (twice, [])],
    ids=lambda each: getattr(each, "__name__", ""),
)
def test_only_what_dies_is_summed_where_it_is(program, expected, link, answers):
    x = tf.ones([ROWS])
    for made in (program(x), tf.function(program)(x)):
        for value, wanted in zip(made, (6.0, 3.0), strict=False):
            assert (value.numpy() == wanted).all()
    assert (x.numpy() == 1.0).all()
    assert answers == expected
    half = len(link.sent) // 2
    assert link.sent[:half] == link.sent[half:]
    assert half == 1 + (program is twice)


def test_a_view_that_outlives_a_value_keeps_it(link, answers):
    @tf.function
    def program(x):
        made = x * 3.0
        part = made[1:]
        return ops.summed([made])[0], part

    total, part = program(tf.ones([ROWS]))
    assert answers == [False]
    assert (total.numpy() == 6.0).all()
    assert (part.numpy() == 3.0).all()


def test_a_value_that_is_seen_in_another_shape_later_is_kept(link, answers):
    @tf.function
    def program(x):
        made = x * 3.0
        turned = tf.reshape(made, [2, -1])
        return ops.summed([made])[0], turned

    total, turned = program(tf.ones([ROWS]))
    assert answers == []  # nobody asks: the view is made after the sum, so the value is needed
    assert (total.numpy() == 6.0).all()
    assert (turned.numpy() == 3.0).all()


def test_variables_constants_and_arguments_stay_as_they_are(link):
    v, c, x = tf.Variable(tf.ones([ROWS])), tf.ones([ROWS]), tf.ones([ROWS])
    array = np.ones(ROWS, np.float32)
    shared = tf.constant(array)

    @tf.function
    def program(x, y):
        return ops.summed([v.read_value(), c, x, tf.identity(y)])

    for _ in range(2):
        assert all((each.numpy() == 2.0).all() for each in program(x, shared))
    for each in (v.numpy(), c.numpy(), x.numpy(), shared.numpy(), array):
        assert (each == 1.0).all()


def test_values_of_all_sizes_and_kinds_travel_together(link):
    shapes = {"large": [2, ROWS // 2], "small": [5], "one": [], "more": [3, 7], "none": [0, 2]}

    @tf.function
    def program(scale):
        made = [tf.fill(shape, scale) for shape in shapes.values()]
        whole = [tf.cast(each, tf.int16) for each in made[:2]]
        return ops.summed([*made, *whole])

    for _ in range(2):
        found = program(tf.constant(3.0))
        assert [each.shape.as_list() for each in found[:5]] == list(shapes.values())
        assert all((each.numpy() == 6).all() for each in found)
        assert [each.dtype for each in found[5:]] == [tf.int16] * 2
