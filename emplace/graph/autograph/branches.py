"""`if` statements and expressions: on a tensor of a graph both branches become bodies of `If`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ...base.dtypes import bool_
from ...base.typing import TensorLike
from ...core.tensor import Tensor
from ...ops.convert import to_tensor
from ..control_flow.branches import cond as graph_cond
from .symbols import (
    carried,
    dtype_of,
    flat,
    is_carried,
    is_return,
    is_symbolic,
    is_undefined,
    packed,
    read,
    structure_problem,
)

_NAMES = ("main", "else")
_OTHER = {"main": "else", "else": "main"}


def if_stmt(
    cond: TensorLike,
    body: Callable[[], None],
    orelse: Callable[[], None],
    get_state: Callable[[], tuple[Any, ...]],
    set_state: Callable[[tuple[Any, ...]], None],
    symbol_names: Sequence[str],
    nouts: int,
) -> None:
    """An `if` statement.

    Args:
        cond: the condition.
        body: the statements of its first block.
        orelse: those of the second.
        get_state: the values of the variables that the blocks change.
        set_state: sets them.
        symbol_names: their names.
        nouts: how many of them, the first ones, somebody reads afterwards.

    Raises:
        ValueError: a variable has a value after one block only, or the condition is no scalar.
        TypeError: it has other dtypes or structures.
    """
    if not is_symbolic(cond):
        if cond:
            body()
        else:
            orelse()
        return
    check_condition(cond, "if statement")
    before = get_state()

    def branch(run: Callable[[], None]) -> Callable[[], list[Any]]:
        def traced() -> list[Any]:
            set_state(before)
            try:
                run()
                return list(get_state())[:nouts]
            finally:
                set_state(before)

        return traced

    after = conditional(cond, (branch(body), branch(orelse)), symbol_names[:nouts])
    set_state((*after, *before[nouts:]))


def if_exp(
    cond: TensorLike, if_true: Callable[[], Any], if_false: Callable[[], Any], expr_repr: str
) -> Any:
    """`a if cond else b`.

    Args:
        cond: the condition.
        if_true: returns a.
        if_false: returns b.
        expr_repr: the condition as it was written.

    Raises:
        TypeError: a and b have other dtypes or structures.
    """
    if not is_symbolic(cond):
        return if_true() if cond else if_false()
    branches = (lambda: [if_true()]), (lambda: [if_false()])
    return conditional(cond, branches, (expr_repr,))[0]


def check_condition(cond: TensorLike, what: str) -> None:
    """Raises ValueError, in TensorFlow's words, unless a condition is a scalar of bool."""
    tensor = to_tensor(cond)
    hints = []
    if tensor.dtype is not bool_:
        hints.append("to use as boolean Tensor, use `tf.cast`")
    if tensor.dtype is bool_ and tensor.shape.rank in (None, 0):
        return
    hints.append("to check for None, use `is not None`")
    raise ValueError(
        f"condition of {what} expected to be `tf.bool` scalar, got {tensor}; {'; '.join(hints)}"
    )


def conditional(
    cond: TensorLike, branches: tuple[Callable[[], list[Any]], ...], names: Sequence[str]
) -> list[Any]:
    """What one of two functions returns, each a list of the same values."""
    found: list[list[Any]] = []

    def main() -> list[Any]:
        found.append(read(branches[0]()))
        return carried(found[0])

    def other() -> list[Any]:
        found.append(read(branches[1]()))
        if len(found) == 1:  # only this one is traced: the condition is known
            return carried(found[0])
        _check(names, found[0], found[1])
        return carried(found[1])

    tensors = graph_cond(to_tensor(cond), main, other)
    return packed(found[0], tensors if isinstance(tensors, list) else [])


def _check(names: Sequence[str], one: Sequence[Any], other: Sequence[Any]) -> None:
    for name, a, b in zip(names, one, other, strict=True):
        _check_defined(name, a, b)
        if not is_undefined(a):
            _check_alike(name, a, b)


def _check_defined(name: str, *values: Tensor) -> None:
    for branch, value, across in zip(_NAMES, values, reversed(values), strict=True):
        if is_return(value) and not is_return(across):
            raise ValueError(f"the {branch} branch must also have a return statement.")
        if is_undefined(value) and not is_undefined(across):
            raise ValueError(f"'{name}' must also be initialized in the {branch} branch")
        if value is None and across is not None:
            raise ValueError(f"'{name}' is None at the end of the {branch} branch.")


def _check_alike(name: str, a: TensorLike, b: TensorLike) -> None:
    problem = structure_problem(a, b)
    if problem is not None:
        raise TypeError(
            f"'{name}' must have the same nested structure in the main and else branches:\n"
            f"{problem}"
        )
    for x, y in zip(flat(a), flat(b), strict=True):
        if not is_carried(x) or not is_carried(y):
            if x is not y and x != y:
                raise TypeError(
                    f"'{name}' is {x!r} in the main branch, but {y!r} in the else branch: only "
                    "tensors and what can become one may differ."
                )
        elif dtype_of(x) is not dtype_of(y):
            raise TypeError(
                f"'{name}' has dtype {dtype_of(x).name} in the main branch, but dtype "
                f"{dtype_of(y).name} in the else branch"
            )
