"""`tensorflow.python.ops.control_flow_util` and `parallel_for`: what libraries ask of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

from ..base import nest
from ..base.typing import TensorLike
from ..graph.control_flow.loops.functional import map_fn
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
