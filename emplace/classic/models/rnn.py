"""Recurrent networks over time: `tf.nn.dynamic_rnn`, `static_rnn` and their kin.

A known number of steps is laid out one after the other; an unknown one is a `while_loop` that
writes each step's outputs into a tensor of all (`_looped`).
"""

from __future__ import annotations

from typing import Any

from ...base import dtypes, nest
from ...base.dtypes import as_dtype
from ...base.shapes import TensorShape
from ...base.typing import DTypeLike, IntLike, Structure, TensorLike
from ...core.context import executing_eagerly
from ...core.tensor import Tensor
from ...graph.control_flow.loops.while_loops import while_loop
from ...ops.array.gathering import gather
from ...ops.array.joining import concat, stack, unstack
from ...ops.array.making import zeros
from ...ops.array.moving import reverse, reverse_sequence
from ...ops.array.scattering import tensor_scatter_nd_update
from ...ops.array.shaping import ensure_shape, expand_dims, reshape, shape, transpose
from ...ops.convert import to_tensor
from ...ops.math.elementwise import add, cast, less, maximum
from ...ops.math.reduction import reduce_max
from ..scopes.variable_scope import VariableScope, variable_scope
from .rnn_cells import RNNCell
from .rnn_inputs import (
    Ends,
    as_many,
    batch_of,
    check_cell,
    check_steps,
    check_times,
    check_vector,
    first_state,
    output_dtype,
    silence,
)


def _step(
    cell: RNNCell, x: object, state: Structure, time: IntLike, ends: Ends | None
) -> tuple[Any, Any]:
    output, new = cell(x, state)
    if ends is None:
        return output, new
    return ends.kept(time, ends.silent, output), ends.kept(time, state, new)


def static_rnn(
    cell: Any, inputs: Any, initial_state: Any = None, dtype: Any = None,
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
        ValueError: there are no inputs, or neither a state nor a dtype; `sequence_length` is no
            vector; inputs are not of the same sequences.
    """
    check_cell("cell", cell)
    if not nest.is_nested(inputs):
        raise TypeError(f"Argument `inputs` must be a sequence. Received: {inputs}")
    if not inputs:
        raise ValueError("Argument `inputs` must not be empty.")
    with variable_scope(scope or "rnn"):
        steps = [nest.map_structure(to_tensor, step_input) for step_input in inputs]
        parts = nest.flatten(steps)
        check_steps(parts)
        batch = batch_of(parts[:1], 0)
        state = first_state(cell, initial_state, batch, dtype)
        ends = None
        if sequence_length is not None:
            lengths = to_tensor(sequence_length)
            if lengths.shape.rank not in (None, 1):
                raise ValueError(
                    f"Argument `sequence_length` must be a vector of length {batch}. Received "
                    f"sequence_length={lengths}."
                )
            lengths = cast(lengths, dtypes.int32)
            silent = silence(cell, batch, output_dtype(dtype, state))
            ends = Ends(lengths, silent, reduce_max(lengths))
        outputs = []
        for time, x in enumerate(steps):
            output, state = _step(cell, x, state, time, ends)
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
        ValueError: there is neither a state nor a dtype; `sequence_length` is no vector; inputs
            are not of the same steps and sequences.
    """
    check_cell("cell", cell)
    with variable_scope(scope or "rnn"):
        steps = nest.map_structure(lambda x: _by_time(to_tensor(x), time_major), inputs)
        parts = nest.flatten(steps)
        lengths = None if sequence_length is None else cast(sequence_length, dtypes.int32)
        if lengths is not None:
            check_vector(lengths)
        batch = batch_of(parts, 1)
        state = first_state(cell, initial_state, batch, dtype)
        check_times(parts)
        state_dtype = output_dtype(dtype, state)
        ends = None
        if lengths is not None:
            lengths = as_many(lengths, batch)
            last = None if executing_eagerly() else maximum(1, reduce_max(lengths))
            ends = Ends(lengths, silence(cell, batch, state_dtype), last)
        count = parts[0].shape.as_list()[0]
        if count is None:
            flat, state = _looped(cell, steps, state, ends, state_dtype)
        else:
            flat, state = _unrolled(cell, steps, state, ends, count, state_dtype)
        outputs = nest.pack_sequence_as(cell.output_size, flat)
        return nest.map_structure(lambda x: _by_time(x, time_major), outputs), state


def _by_time(x: Tensor, is_already: bool) -> Any:
    """The first two axes in the other order."""
    if is_already or (x.shape.rank is not None and x.shape.rank < 2):
        return x
    return transpose(x, [1, 0, *range(2, len(x.shape.as_list()))])


def _unrolled(
    cell: RNNCell,
    steps: Structure,
    state: Structure,
    ends: Ends | None,
    count: int,
    dtype: DTypeLike,
) -> tuple[list[Any], Any]:
    """The outputs of all steps, part by part, and the last state."""
    if not count:
        batch = batch_of(nest.flatten(steps), 1)
        return [expand_dims(x, 0)[:0] for x in nest.flatten(silence(cell, batch, dtype))], state
    parts = [unstack(each, count) for each in nest.flatten(steps)]
    sizes = [TensorShape(size) for size in nest.flatten(cell.output_size)]
    made: list[list[Any]] = [[] for _ in sizes]
    for time in range(count):
        x = nest.pack_sequence_as(steps, [part[time] for part in parts])
        output, new = _step(cell, x, state, time, ends)
        _check_state(state, new)
        state = new
        for size, written, value in zip(sizes, made, nest.flatten(output), strict=False):
            written.append(value if executing_eagerly() else _fitting(value, size, dtype))
    return [stack(written) for written in made], state


def _check_state(before: Structure, after: Structure) -> None:
    """Refuses a step whose state is of another structure, or of another shape where a graph tells.

    Raises:
        ValueError: it is.
    """
    nest.assert_same_structure(before, after)
    if executing_eagerly():
        return
    for old, new in zip(nest.flatten(before), nest.flatten(after), strict=True):
        if not old.shape.is_compatible_with(new.shape):
            raise ValueError(
                f"Input tensor `{old.name}` enters the loop with shape {old.shape}, but has shape "
                f"{new.shape} after one iteration."
            )


def _fitting(output: TensorLike, size: TensorShape, dtype: DTypeLike) -> Any:
    """An output that a graph finds to be as the cell says.

    Raises:
        ValueError: it is not.
    """
    output = to_tensor(output)
    wanted = TensorShape([None]).concatenate(size)
    if output.dtype != as_dtype(dtype):
        raise ValueError(
            f"The outputs of the network are {as_dtype(dtype).name}, but the cell returned "
            f"{output.dtype.name}."
        )
    if not output.shape.is_compatible_with(wanted):
        raise ValueError(f"Incompatible shape for value ({output.shape}), expected ({wanted})")
    return output


def _looped(
    cell: RNNCell, steps: Structure, state: Structure, ends: Ends | None, dtype: DTypeLike
) -> tuple[list[Any], Any]:
    first = nest.flatten(steps)[0]
    count, batch = shape(first)[0], batch_of(nest.flatten(steps), 1)
    if not getattr(cell, "built", True):  # variables must not be made inside of the loop
        cell(nest.map_structure(lambda x: gather(x, 0), steps), state)
    sizes = [TensorShape(size) for size in nest.flatten(cell.output_size)]
    totals = [zeros([count, batch, *size.as_list()], dtype) for size in sizes]
    leaves = nest.flatten(state)

    def body(time: Any, *carried: Any) -> Any:
        x = nest.map_structure(lambda part: gather(part, time), steps)
        before = nest.pack_sequence_as(state, list(carried[len(sizes) :]))
        output, new = _step(cell, x, before, time, ends)
        nest.assert_same_structure(state, new)
        written = [
            tensor_scatter_nd_update(
                total, reshape(time, [1, 1]), expand_dims(_fitting(value, size, dtype), 0)
            )
            for total, size, value in zip(carried, sizes, nest.flatten(output), strict=False)
        ]
        return (add(time, 1), *written, *nest.flatten(new))

    def is_on(time: Any, *carried: Any) -> Any:
        return less(time, count)

    ended = while_loop(is_on, body, (to_tensor(0), *totals, *leaves))
    return list(ended[1 : 1 + len(sizes)]), nest.pack_sequence_as(
        state, list(ended[1 + len(sizes) :])
    )


def _reversed(structure: Structure, lengths: TensorLike | None, time_axis: int) -> Any:
    if lengths is None:
        return nest.map_structure(lambda x: reverse(x, [time_axis]), structure)
    rows = _vector(lengths)
    return nest.map_structure(
        lambda x: reverse_sequence(x, rows, time_axis, 1 - time_axis), structure
    )


def _vector(lengths: TensorLike) -> TensorLike:
    """Lengths of unknown rank are taken for a vector, so that what they turn keeps its shape."""
    is_open = isinstance(lengths, Tensor) and lengths.shape.rank is None
    return ensure_shape(lengths, [None]) if is_open else lengths


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
    check_cell("cell_fw", cell_fw)
    check_cell("cell_bw", cell_bw)
    axis = 0 if time_major else 1
    with variable_scope(scope or "bidirectional_rnn"):
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
    check_cell("cell_fw", cell_fw)
    check_cell("cell_bw", cell_bw)
    if not nest.is_nested(inputs):
        raise TypeError(f"Argument `inputs` must be a sequence. Received: {inputs}")
    if not inputs:
        raise ValueError("Argument `inputs` must not be empty.")
    with variable_scope(scope or "bidirectional_rnn"):
        out_fw, state_fw = static_rnn(
            cell_fw, inputs, initial_state_fw, dtype, sequence_length, "fw"
        )
        backwards = _list_reversed(inputs, sequence_length)
        out_bw, state_bw = static_rnn(
            cell_bw, backwards, initial_state_bw, dtype, sequence_length, "bw"
        )
        out_bw = _list_reversed(out_bw, sequence_length)
        joined = [
            nest.map_structure(lambda a, b: concat([a, b], 1), fw, bw)
            for fw, bw in zip(out_fw, out_bw, strict=True)
        ]
        return joined, state_fw, state_bw


def _list_reversed(steps: Any, lengths: Any) -> list[Any]:
    if lengths is None:
        return list(reversed(steps))
    parts, rows = zip(*(nest.flatten(step) for step in steps), strict=True), _vector(lengths)
    turned = [unstack(reverse_sequence(stack(list(p)), rows, 0, 1), len(steps)) for p in parts]
    return [
        nest.pack_sequence_as(step, [part[i] for part in turned]) for i, step in enumerate(steps)
    ]
