"""Functions of graphs as TF 1 calls them: gradients, groups, converted functions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ...eager.tape import UnconnectedGradients
from ...graph.autograph import entry
from ...graph.control_flow.gradients import hessians as second
from ...graph.recording import gradients as first, grouping


def gradients(
    ys: Any,
    xs: Any,
    grad_ys: Any = None,
    name: str | None = "gradients",
    colocate_gradients_with_ops: bool = False,
    gate_gradients: bool = False,
    aggregation_method: object = None,
    stop_gradients: Any = None,
    unconnected_gradients: Any = UnconnectedGradients.NONE,
) -> list[Any]:
    """Records the gradients of the sum of `ys` (`tf.compat.v1.gradients`).

    Args:
        ys: a tensor or a list of tensors of a graph.
        xs: a tensor, a variable, or a list of those.
        grad_ys: gradients of `ys` themselves; ones where None.
        name: a name in graphs.
        colocate_gradients_with_ops: run each gradient where its operation runs.
        gate_gradients: not needed: gradients run in the order of the program.
        aggregation_method: not used: sums are made at once.
        stop_gradients: tensors that count as constants.
        unconnected_gradients: "none" or "zero": what `xs` get that do not matter.
    """
    return first.gradients(
        ys, xs, grad_ys, name, gate_gradients, aggregation_method, stop_gradients,
        unconnected_gradients, colocate_gradients_with_ops,
    )  # fmt: skip


def hessians(
    ys: Any,
    xs: Any,
    name: str = "hessians",
    colocate_gradients_with_ops: bool = False,
    gate_gradients: bool = False,
    aggregation_method: object = None,
) -> list[Any]:
    """Records the second derivatives of the sum of `ys` (`tf.compat.v1.hessians`).

    Args:
        ys: a tensor or a list of tensors of a graph.
        xs: a tensor, a variable, or a list of those.
        name: a name in graphs.
        colocate_gradients_with_ops: run each gradient where its operation runs.
        gate_gradients: not needed: gradients run in the order of the program.
        aggregation_method: not used: sums are made at once.
    """
    return second.hessians(ys, xs, gate_gradients, aggregation_method, name)


def tuple_(tensors: Any, name: str | None = None, control_inputs: Any = None) -> list[Any]:
    """Returns tensors none of which is there before all are (`tf.compat.v1.tuple`).

    Args:
        tensors: tensors, slices or None.
        name: a name in graphs.
        control_inputs: what must have run, too.
    """
    return grouping.tuple_(tensors, control_inputs, name)


def to_graph(
    entity: Callable[..., Any],
    recursive: bool = True,
    arg_values: object = None,
    arg_types: object = None,
    experimental_optional_features: Any = None,
) -> Any:
    """Returns a converted function (`tf.compat.v1.autograph.to_graph`).

    Args:
        entity: a Python function or method.
        recursive: also convert what it calls.
        arg_values: not used, as in TensorFlow.
        arg_types: not used, as in TensorFlow.
        experimental_optional_features: a `Feature`, or several.
    """
    return entry.to_graph(entity, recursive, experimental_optional_features)


def to_code(
    entity: Callable[..., Any],
    recursive: bool = True,
    arg_values: Sequence[Any] | None = None,
    arg_types: Sequence[Any] | None = None,
    indentation: str = "  ",
    experimental_optional_features: Any = None,
) -> str:
    """Returns the source of a converted function (`tf.compat.v1.autograph.to_code`).

    Args:
        entity: a Python function or method.
        recursive: also convert what it calls.
        arg_values: not used, as in TensorFlow.
        arg_types: not used, as in TensorFlow.
        indentation: not used, as in TensorFlow.
        experimental_optional_features: a `Feature`, or several.
    """
    return entry.to_code(entity, recursive, experimental_optional_features)
