"""Recurrent networks over time: `tf.nn.dynamic_rnn`, `static_rnn` and their kin.

A known number of steps is laid out one after the other; an unknown one is a `while_loop` that
writes each step's outputs into a tensor of all (`_looped`).
"""

from __future__ import annotations

from typing import Any

from ...base import dtypes, nest
from ...base.typing import DTypeLike, IntLike, TensorLike
from ...core.tensor import Tensor
from ...graph.control_flow.loops.while_loops import while_loop
from ...ops.array.gathering import gather
from ...ops.array.joining import concat, stack, unstack
from ...ops.array.making import zeros, zeros_like
from ...ops.array.moving import reverse, reverse_sequence
from ...ops.array.scattering import tensor_scatter_nd_update
from ...ops.array.select import where
from ...ops.array.shaping import expand_dims, reshape, shape, transpose
from ...ops.convert import to_tensor
from ...ops.math.elementwise import add, cast, less
from ..scopes.variable_scope import VariableScope, variable_scope
from .rnn_cells import RNNCell


def _check(cell: RNNCell) -> None:
    if not (isinstance(cell, RNNCell) or (callable(cell) and hasattr(cell, "state_size"))):
        raise TypeError(f"The argument 'cell' is not an RNNCell: {cell!r} is of {type(cell)}.")


def _batch(x: Tensor, axis: int) -> Any:
    known = x.shape.as_list()[axis]
    return shape(x)[axis] if known is None else known


def _start(cell: RNNCell, initial_state: TensorLike, batch: object, dtype: DTypeLike) -> Any:
    if initial_state is not None:
        return initial_state
    if dtype is None:
        raise ValueError("If there is no initial_state, you must give a dtype.")
    return cell.zero_state(batch, dtype)


def _kept(is_on: Any, new: object, old: object) -> Any:
    """`new` for the sequences that go on, `old` for those that have ended."""

    def chosen(a: Any, b: Any) -> Any:
        if a.shape.rank == 0:
            return a
        mask = is_on
        for _ in range(a.shape.rank - 1):
            mask = expand_dims(mask, -1)
        return where(mask, a, b)

    return nest.map_structure(chosen, new, old)


def _step(
    cell: RNNCell, x: TensorLike, state: TensorLike, time: object, lengths: object
) -> tuple[Any, Any]:
    output, new = cell(x, state)
    if lengths is None:
        return output, new
    is_on = less(time, lengths)
    silent = nest.map_structure(zeros_like, output)
    return _kept(is_on, output, silent), _kept(is_on, new, state)


def static_rnn(
    cell: Any, inputs: TensorLike, initial_state: Any = None, dtype: Any = None,
    sequence_length: TensorLike | None = None, scope: str | VariableScope | None = None,
) -> tuple[list[Any], Any]:  # fmt: skip
    """A network over a list of steps (`tf.compat.v1.nn.static_rnn`).

    Args:
        cell: an `RNNCell`.
        inputs: a list of tensors (batch, features), one per step.
        initial_state: the first state; zeros if None.
        dtype: the dtype of those zeros.
        sequence_length: how many steps each sequence has; outputs after them are 0.
        scope: the variable scope, "rnn" if None.

    Returns:
        The outputs of all steps, and the last state.

    Raises:
        TypeError: `cell` is no cell, or `inputs` no list.
        ValueError: there are no inputs, or neither a state nor a dtype.
    """
    _check(cell)
    if not isinstance(inputs, (list, tuple)):
        raise TypeError("inputs must be a sequence")
    if not inputs:
        raise ValueError("inputs must not be empty")
    with variable_scope(scope or "rnn"):
        steps = [nest.map_structure(to_tensor, step_input) for step_input in inputs]
        state = _start(cell, initial_state, _batch(nest.flatten(steps[0])[0], 0), dtype)
        lengths = None if sequence_length is None else cast(sequence_length, dtypes.int32)
        outputs = []
        for time, x in enumerate(steps):
            output, state = _step(cell, x, state, time, lengths)
            outputs.append(output)
        return outputs, state


def dynamic_rnn(
    cell: Any,
    inputs: TensorLike,
    sequence_length: TensorLike | None = None,
    initial_state: Any = None,
    dtype: Any = None,
    parallel_iterations: object = None,
    swap_memory: bool = False,
    time_major: bool = False,
    scope: str | VariableScope | None = None,
) -> tuple[Any, Any]:
    """A network over the time axis of a tensor (`tf.compat.v1.nn.dynamic_rnn`).

    Args:
        cell: an `RNNCell`.
        inputs: a tensor (batch, time, features), or (time, batch, features) if `time_major`.
        sequence_length: how many steps each sequence has; outputs after them are 0.
        initial_state: the first state; zeros if None.
        dtype: the dtype of those zeros.
        parallel_iterations: not used.
        swap_memory: not used.
        time_major: whether time is the first axis.
        scope: the variable scope, "rnn" if None.

    Returns:
        The outputs, laid out as the inputs are, and the last state.

    Raises:
        TypeError: `cell` is no cell.
        ValueError: there is neither a state nor a dtype.
    """
    _check(cell)
    with variable_scope(scope or "rnn"):
        steps = nest.map_structure(lambda x: _by_time(to_tensor(x), time_major), inputs)
        first = nest.flatten(steps)[0]
        state = _start(cell, initial_state, _batch(first, 1), dtype)
        lengths = None if sequence_length is None else cast(sequence_length, dtypes.int32)
        count = first.shape.as_list()[0]
        if count is None:
            outputs, state = _looped(cell, steps, state, lengths)
        else:
            outputs, state = _unrolled(cell, steps, state, lengths, count)
        return nest.map_structure(lambda x: _by_time(x, time_major), outputs), state


def _by_time(x: Tensor, is_already: bool) -> Any:
    """The first two axes in the other order."""
    if is_already:
        return x
    return transpose(x, [1, 0, *range(2, x.shape.rank)])


def _unrolled(
    cell: RNNCell, steps: IntLike, state: TensorLike, lengths: object, count: int
) -> tuple[Any, Any]:
    parts = [unstack(each, count) for each in nest.flatten(steps)]
    made = []
    for time in range(count):
        x = nest.pack_sequence_as(steps, [part[time] for part in parts])
        output, state = _step(cell, x, state, time, lengths)
        made.append(nest.flatten(output))
    joined = [stack(list(each)) for each in zip(*made, strict=True)]
    return nest.pack_sequence_as(output, joined), state


def _looped(cell: RNNCell, steps: IntLike, state: TensorLike, lengths: Any) -> tuple[Any, Any]:
    first = nest.flatten(steps)[0]
    count, batch = shape(first)[0], _batch(first, 1)
    if not getattr(cell, "built", True):  # variables must not be made inside of the loop
        cell(nest.map_structure(lambda x: gather(x, 0), steps), state)
    size = cell.output_size
    total = zeros([count, batch, int(size)], first.dtype)
    leaves = nest.flatten(state)

    def body(time: Any, written: Any, *before: Any) -> Any:
        x = nest.map_structure(lambda each: gather(each, time), steps)
        output, new = _step(cell, x, nest.pack_sequence_as(state, list(before)), time, lengths)
        written = tensor_scatter_nd_update(written, reshape(time, [1, 1]), expand_dims(output, 0))
        return (add(time, 1), written, *nest.flatten(new))

    found = while_loop(lambda time, *_: less(time, count), body, (to_tensor(0), total, *leaves))
    return found[1], nest.pack_sequence_as(state, list(found[2:]))


def _reversed(x: TensorLike, lengths: Tensor, time_axis: int) -> Any:
    if lengths is None:
        return reverse(x, [time_axis])
    return reverse_sequence(x, lengths, time_axis, 1 - time_axis)


def bidirectional_dynamic_rnn(
    cell_fw: Any, cell_bw: Any, inputs: TensorLike, sequence_length: Any = None,
    initial_state_fw: Any = None, initial_state_bw: Any = None, dtype: DTypeLike | None = None,
    parallel_iterations: object = None, swap_memory: bool = False, time_major: bool = False,
    scope: str | VariableScope | None = None,
) -> tuple[Any, Any]:  # fmt: skip
    """Two networks, one of which goes backwards
    (`tf.compat.v1.nn.bidirectional_dynamic_rnn`).

    Returns:
        (forward outputs, backward outputs), (forward state, backward state).
    """
    _check(cell_fw)
    _check(cell_bw)
    axis = 0 if time_major else 1
    with variable_scope(scope or "bidirectional_rnn"):
        inputs = to_tensor(inputs)
        out_fw, state_fw = dynamic_rnn(
            cell_fw, inputs, sequence_length, initial_state_fw, dtype, time_major=time_major,
            scope="fw",
        )  # fmt: skip
        backwards = _reversed(inputs, sequence_length, axis)
        out_bw, state_bw = dynamic_rnn(
            cell_bw, backwards, sequence_length, initial_state_bw, dtype, time_major=time_major,
            scope="bw",
        )  # fmt: skip
        return (out_fw, _reversed(out_bw, sequence_length, axis)), (state_fw, state_bw)


def static_bidirectional_rnn(
    cell_fw: Any, cell_bw: Any, inputs: Any, initial_state_fw: Any = None,
    initial_state_bw: Any = None, dtype: DTypeLike | None = None, sequence_length: Any = None,
    scope: str | VariableScope | None = None,
) -> tuple[Any, Any, Any]:  # fmt: skip
    """Two networks over a list of steps, one of which goes backwards
    (`tf.compat.v1.nn.static_bidirectional_rnn`).

    Returns:
        The joined outputs of all steps, the forward state, the backward state.
    """
    _check(cell_fw)
    _check(cell_bw)
    with variable_scope(scope or "bidirectional_rnn"):
        out_fw, state_fw = static_rnn(
            cell_fw, inputs, initial_state_fw, dtype, sequence_length, "fw"
        )
        backwards = _list_reversed(inputs, sequence_length)
        out_bw, state_bw = static_rnn(
            cell_bw, backwards, initial_state_bw, dtype, sequence_length, "bw"
        )
        out_bw = _list_reversed(out_bw, sequence_length)
        joined = [concat([a, b], 1) for a, b in zip(out_fw, out_bw, strict=True)]
        return joined, state_fw, state_bw


def _list_reversed(steps: Any, lengths: Tensor) -> list[Any]:
    if lengths is None:
        return list(reversed(steps))
    return list(unstack(reverse_sequence(stack(list(steps)), lengths, 0, 1), len(steps)))
