"""What of a graph has to run, and in which order."""

from __future__ import annotations

import pytest
from hand_made import HandMade, types_of

from emplace.graph.passes.prune import effects_of, has_effect, needed
from emplace.ops.convert import to_tensor
from emplace.ops.debugging.checks import ASSERT
from emplace.ops.math.elementwise import add, exp, greater, negative, sqrt
from emplace.ops.op import apply


def test_only_what_results_depend_on_is_needed() -> None:
    made = HandMade()
    x = made.argument()
    with made.taking_ops():
        y = exp(x)
        sqrt(x)
        z = negative(y)
    assert types_of(needed([z.op], [x])) == ["Exp", "Neg"]


def test_what_is_fed_is_not_computed() -> None:
    made = HandMade()
    x = made.argument()
    with made.taking_ops():
        y = exp(x)
        z = negative(y)
    assert types_of(needed([z.op], [y])) == ["Neg"]


def test_operations_run_in_the_order_of_the_program() -> None:
    made = HandMade()
    x = made.argument()
    with made.taking_ops():
        one, other = exp(x), sqrt(x)
        total = add(other, one)
    assert types_of(needed([total.op], [x])) == ["Exp", "Sqrt", "AddV2"]


def test_a_dependency_that_was_added_afterwards_changes_the_order() -> None:
    made = HandMade()
    x = made.argument()
    with made.taking_ops():
        first, second = exp(x), sqrt(x)
    first.op.control.append(second.op)
    assert types_of(needed([first.op], [x])) == ["Sqrt", "Exp"]


def test_operations_that_wait_for_each_other_are_refused() -> None:
    made = HandMade()
    x = made.argument()
    with made.taking_ops():
        first, second = exp(x), sqrt(x)
    first.op.control.append(second.op)
    second.op.control.append(first.op)
    with pytest.raises(ValueError, match="Operations wait for each other: Exp, Sqrt"):
        needed([first.op], [x])


def test_an_assertion_has_an_effect_unless_it_always_holds() -> None:
    made = HandMade()
    x = made.argument()
    with made.taking_ops():
        open_one = apply(ASSERT, (greater(x, 0.0), x), {"summarize": 3})
        holds = apply(ASSERT, (to_tensor(True), x), {"summarize": 3})
    assert has_effect(open_one)
    assert not has_effect(holds)
    assert effects_of(made.graph) == [open_one]
