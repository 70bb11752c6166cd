"""Which elements of lists the iterations of a loop take, and whether they follow a rule."""

import pytest

from emplace.codegen.program import MapInstruction, Memory, Program, View
from emplace.graph.codegen.layouts import Frame, LoopLayout, reading_of
from emplace.graph.codegen.loop_values import (
    ArgumentSource,
    CounterSource,
    ElementSource,
    ListItemSource,
    NumberSource,
)
from emplace.graph.codegen.lowered import Lowered
from emplace.graph.codegen.maps import Unfit

LIST = ArgumentSource(0)


def layout(counters=(), is_reversed=False, each=(), read=()):
    loads = tuple(View(Memory("each", i), 0, 1, 2, 2) for i in read)
    program = Program((MapInstruction(1, 2, loads, (), (), ()),), 0, len(each), 0)
    lowered = Lowered(program, (), tuple(each), (), (), {}, {})
    frame = Frame(counters, (), is_reversed, 0, False)
    return LoopLayout(frame, lowered, None, 4)


def read(at, length, counters=(), is_gradient=False, once=False):
    item = ListItemSource(LIST, at, is_gradient, once)
    return layout(counters).reading(0, item, length)


@pytest.mark.parametrize(
    ("numbers", "first", "step"),
    [([0, 1, 2, 3], 0, 1), ([6, 4, 2, 0], 6, -2), ([5, 5, 5, 5], 5, 0), ([0, 1, 3, 4], 0, None)],
)
def test_elements_at_equal_distances_follow_a_rule(numbers, first, step):
    found = read(CounterSource(0), 7, [numbers])
    assert (found.at, found.first, found.step) == (numbers, first, step)


def test_what_is_not_in_a_gradient_is_zeros_and_anywhere_else_unfit():
    found = read(CounterSource(0), 2, [[0, 1, 2, 3]], is_gradient=True)
    assert (found.at, found.step) == ([0, 1, -1, -1], None)
    with pytest.raises(Unfit, match="too large"):
        read(CounterSource(0), 2, [[0, 1, 2, 3]])
    with pytest.raises(Unfit, match="too large"):
        read(CounterSource(0), 9, [[3, 2, 1, -1]])


def test_what_is_read_once_is_zeros_afterwards():
    found = read(NumberSource(0), 1, is_gradient=True, once=True)
    assert (found.at, found.first, found.step) == ([0, -1, -1, -1], 0, None)


def test_an_index_that_each_run_has_of_its_own_is_asked_again():
    assert read(ElementSource(1), 4) is None
    item = ListItemSource(LIST, ElementSource(1), False, False)
    index = layout().index_of([2, 0, 1, 3])
    assert reading_of(item, index, 4).at == [2, 0, 1, 3]


def test_iterations_from_the_last_to_the_first_begin_at_the_end():
    assert layout().in_order[1:] == (0, 1)
    backwards = layout(is_reversed=True)
    assert backwards.in_order[1:] == (3, -1)
    assert backwards.order.tolist() == [3, 2, 1, 0]
    index = backwards.index_of([1, 1, 0, 0])  # of iterations 3, 2, 1 and 0
    assert (index.least, index.most, index.last) == (0, 1, {1: 2, 0: 0})
    assert backwards.index_of([3, 2, 1, 0]).is_order


def test_lists_that_are_only_handed_on_need_no_addresses():
    each = (ElementSource(0), ElementSource(1), None, ListItemSource(LIST, NumberSource(0), 0, 0))
    found = layout(each=each, read=(1, 2))
    assert [i for i, _ in found.given] == [1]
    assert found.unread == [ElementSource(0)]
