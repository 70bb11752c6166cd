"""What programs wish XLA to compile runs as everything else does (`tf.xla.experimental`)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from ..base import nest
from ..core.context import executing_eagerly
from ..graph.recording.grouping import no_op
from ..ops.convert import is_tensor, to_tensor


def disable_mlir_bridge() -> None:
    """Does nothing: there is no MLIR (`tf.config.experimental.disable_mlir_bridge`)."""


def compile(computation: Callable[..., Any], inputs: Sequence[Any] | None = None) -> Any:
    """Returns what a function returns (`tf.xla.experimental.compile`).

    In a graph, a single result and those of a flat list come as a list, and nothing as an
    operation.

    Args:
        computation: the function.
        inputs: its arguments; they become tensors in a graph.

    Raises:
        ValueError: one result among several is None.
    """
    if executing_eagerly():
        return computation(*(inputs or ()))
    found = computation(*nest.map_structure(to_tensor, list(inputs or ())))
    if found is None:
        return no_op()
    parts = list(found) if isinstance(found, (list, tuple)) else [found]
    if any(nest.is_nested(part) for part in parts):
        return found
    return [part if is_tensor(part) else to_tensor(part) for part in parts]


@contextmanager
def jit_scope(compile_ops: Any = True, separate_compiled_gradients: bool = False) -> Iterator[None]:
    """A scope of operations to compile (`tf.xla.experimental.jit_scope`): it changes nothing.

    Args:
        compile_ops: whether to compile, or a function that tells so of an operation.
        separate_compiled_gradients: whether gradients are compiled apart.

    Raises:
        RuntimeError: operations run at once.
    """
    if executing_eagerly():
        raise RuntimeError(
            "xla.experimental.jit_scope is not supported when eager execution is enabled. Try use "
            "it inside tf.function."
        )
    yield
