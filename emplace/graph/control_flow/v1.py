"""`tf.compat.v1.cond` and `tf.compat.v1.while_loop`: lists of one element come back alone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...base.typing import TensorLike
from .branches import cond
from .loops.while_loops import while_loop


def cond_v1(
    pred: TensorLike,
    true_fn: Callable[[], Any] | None = None,
    false_fn: Callable[[], Any] | None = None,
    strict: bool = False,
    name: str | None = None,
    fn1: Callable[[], Any] | None = None,
    fn2: Callable[[], Any] | None = None,
) -> Any:
    """As `tf.cond`; a list or tuple of one element comes back alone unless `strict`
    (`tf.compat.v1.cond`).

    Args:
        pred: a Python bool, or a scalar tensor of bool.
        true_fn: a function without arguments.
        false_fn: a function without arguments that returns the same structure.
        strict: keep lists of one element.
        name: a name in graphs.
        fn1: the old name of `true_fn`.
        fn2: the old name of `false_fn`.

    >>> cond_v1(True, lambda: [1], lambda: [2])
    1
    """
    yes = _one_of(true_fn, fn1, "true_fn", "fn1")
    no = _one_of(false_fn, fn2, "false_fn", "fn2")
    found = cond(pred, yes, no, name)
    return found if strict else _alone(found)


def _one_of(new: object, old: object, name: str, old_name: str) -> Any:
    if old is None:
        if new is None:
            raise TypeError(f"cond(): '{name}' argument required")
        return new
    if new is not None:
        raise TypeError(f"cond(): '{name}' and '{old_name}' may not be set simultaneously.")
    return old


def while_loop_v1(
    cond: Callable[..., Any],
    body: Callable[..., Any],
    loop_vars: Any,
    shape_invariants: Any = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    name: str | None = None,
    maximum_iterations: Any = None,
    return_same_structure: bool = False,
) -> Any:
    """Loops as `tf.while_loop` does; one loop variable comes back alone unless
    `return_same_structure` (`tf.compat.v1.while_loop`).

    Args:
        cond: takes the loop variables, returns a bool: whether to go on.
        body: takes the loop variables, returns the next ones.
        loop_vars: the first ones.
        shape_invariants: shapes that hold in all iterations, in the structure of `loop_vars`.
        parallel_iterations: not needed.
        back_prop: False lets no gradient through the results in a graph.
        swap_memory: not needed.
        name: a name in graphs.
        maximum_iterations: the most iterations that there may be.
        return_same_structure: keep a list of one loop variable.

    >>> int(while_loop_v1(lambda i: i < 3, lambda i: i + 1, [0]))
    3
    """
    results = while_loop(
        cond, body, loop_vars, shape_invariants, parallel_iterations, back_prop, swap_memory,
        maximum_iterations, name,
    )  # fmt: skip
    return results if return_same_structure else _alone(results)


def _alone(value: TensorLike) -> Any:
    if isinstance(value, (list, tuple)) and len(value) == 1 and not hasattr(value, "_fields"):
        return value[0]
    return value
