"""`tensorflow.python.ops.control_flow_util` and `parallel_for`: what libraries ask of them."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, NoReturn

from ..base import nest
from ..base.typing import TensorLike
from ..graph.control_flow.loops.functional import map_fn
from ..graph.control_flow.switch import case
from ..graph.function.custom_gradients import custom_gradient
from ..ops.array.making import range_
from ..ops.array.shaping import identity
from ..ops.convert import to_tensor


def EnableControlFlowV2(graph: object) -> bool:  # noqa: N802  # TensorFlow's name
    """Returns True: there is one kind of control flow."""
    return True


def enable_control_flow_v2() -> None:
    """Does nothing: there is one kind of control flow."""


def IsInXLAContext(op: object) -> bool:  # noqa: N802  # TensorFlow's name
    """Returns False: there is no XLA."""
    return False


def GraphOrParentsInXlaContext(graph: object) -> bool:  # noqa: N802  # TensorFlow's name
    """Returns False: there is no XLA."""
    return False


def case_helper(
    cond_fn: Callable[..., Any], pred_fn_pairs: Any, default: Callable[[], Any] | None,
    exclusive: bool, name: str, allow_python_preds: bool = False, **cond_kwargs: Any,
) -> Any:  # fmt: skip
    """Returns what the function of the first predicate that holds returns, by a `cond` of the
    caller's for each.

    Args:
        cond_fn: called as `tf.cond` is.
        pred_fn_pairs: pairs of a predicate and a function without arguments.
        default: what is called if none holds; the last function if None.
        exclusive: at most one predicate may hold; not checked where one is a Python bool.
        name: a name in graphs.
        allow_python_preds: predicates may be Python bools.
        cond_kwargs: what `cond_fn` takes besides.
    """
    if not allow_python_preds and not cond_kwargs:
        return case(pred_fn_pairs, default, exclusive, name=name)
    pairs = list(pred_fn_pairs)
    following = pairs.pop()[1] if default is None else default
    for pred, fn in reversed(pairs):
        following = functools.partial(cond_fn, pred, true_fn=fn, false_fn=following, **cond_kwargs)
    return following()


def pfor(
    loop_fn: Callable[..., Any], iters: TensorLike, fallback_to_while_loop: bool = True,
    parallel_iterations: int | None = None,
) -> Any:  # fmt: skip
    """Runs a function for each number below `iters` and stacks what it returns.

    Args:
        loop_fn: takes a scalar of int32.
        iters: how many times.
        fallback_to_while_loop: not used: it is a loop.
        parallel_iterations: not used.
    """
    places = range_(iters)
    first = loop_fn(to_tensor(0))
    dtypes = nest.map_structure(lambda x: to_tensor(x).dtype, first)
    return map_fn(loop_fn, places, fn_output_signature=dtypes)


def prevent_gradient(input: TensorLike, message: str = "", name: str | None = None) -> Any:
    """Returns a tensor as it is, whose gradient raises LookupError.

    Args:
        input: a tensor.
        message: the reason that the error tells.
        name: not used.
    """

    @custom_gradient
    def guarded(x: Any) -> Any:
        def grad(dy: Any) -> NoReturn:
            raise LookupError(f"Gradient explicitly disabled. Reason: {message}")

        return identity(x), grad

    return guarded(to_tensor(input))
