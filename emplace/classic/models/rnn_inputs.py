"""What recurrent networks over time are given: cells, inputs, first states and lengths, and what is
refused of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from ...base import nest
from ...base.shapes import TensorShape
from ...base.typing import DTypeLike, IntLike, Structure
from ...core.tensor import Tensor
from ...graph.recording.scopes import control_dependencies
from ...ops.array.making import zeros
from ...ops.array.select import SELECT_WHOLE, where
from ...ops.array.shaping import identity, reshape, shape
from ...ops.convert import to_tensor
from ...ops.debugging.checks import Assert
from ...ops.math.elementwise import equal, greater_equal, less
from ...ops.math.reduction import reduce_all
from ...ops.op import apply
from .rnn_cells import RNNCell


class Ends(NamedTuple):
    """Where sequences end: `lengths` of each, what a step puts out behind its end (`silent`), and
    the step from which on nothing is computed (`last`); None if all steps are.
    """

    lengths: Tensor
    silent: Any
    last: Any

    def kept(self, time: IntLike, before: Structure, after: Structure) -> Any:
        """`after` for the sequences that go on, `before` for those that have ended. What has no
        batch is as the last step left it.
        """
        is_over = greater_equal(time, self.lengths)

        def chosen(old: Tensor, new: Tensor) -> Tensor:
            if old.shape.rank != 0:
                return apply(SELECT_WHOLE, (is_over, old, new))
            return new if self.last is None else where(less(time, self.last), new, old)

        nest.assert_same_structure(before, after)
        return nest.map_structure(chosen, before, after)


def check_cell(name: str, cell: object) -> None:
    """Refuses what is no cell.

    Raises:
        TypeError: it lacks what a cell has.
    """
    has_state = hasattr(cell, "get_initial_state") or hasattr(cell, "zero_state")
    wrong = [
        text
        for text, is_there in (
            ("'output_size' property is missing", hasattr(cell, "output_size")),
            ("'state_size' property is missing", hasattr(cell, "state_size")),
            ("either 'zero_state' or 'get_initial_state' method is required", has_state),
            ("is not callable", callable(cell)),
        )
        if not is_there
    ]
    if wrong:
        raise TypeError(f"The argument {name!r} ({cell}) is not an RNNCell: {', '.join(wrong)}.")


def batch_of(parts: Sequence[Tensor], axis: int) -> Any:
    """How many sequences there are: a number, or a tensor where no part tells.

    Raises:
        ValueError: a part has no such axis.
    """
    for each in parts:
        rank = each.shape.rank
        if rank is not None and rank <= axis:
            raise ValueError(
                f"Input tensor should have rank >= {axis + 1}. Received input={each} of rank {rank}"
            )
        if rank is not None and each.shape[axis] is not None:
            return each.shape[axis]
    return shape(parts[0])[axis]


def check_times(parts: Sequence[Tensor]) -> None:
    """Refuses inputs (time, batch, ...) that are not of the same steps and sequences.

    Raises:
        ValueError: they differ, have too few axes, or sizes of a step are not known.
    """
    known = [each.shape.with_rank_at_least(3) for each in parts]
    steps, batch = known[0].as_list()[:2]
    for each, dims in zip(parts, known, strict=True):
        if not dims[2:].is_fully_defined():
            raise ValueError(
                "Input size (depth of inputs) must be accessible via shape inference, but saw "
                f"value None for input={each}."
            )
        if dims[0] != steps:
            raise ValueError(
                "Time steps is not the same for all the elements in the input in a batch. "
                f"Received time steps={dims[0]} for input={each}."
            )
        if dims[1] != batch:
            raise ValueError(
                "Batch_size is not the same for all the elements in the input. "
                f"Received batch size={dims[1]} for input={each}."
            )


def check_steps(parts: Sequence[Tensor]) -> None:
    """Refuses inputs (batch, ...) of single steps that are not of the same sequences.

    Raises:
        ValueError: they differ, have too few axes, or sizes of a step are not known.
    """
    if parts[0].shape.rank == 1:
        return
    batch = parts[0].shape.with_rank_at_least(2)[:1]
    for each in parts:
        dims = each.shape.with_rank_at_least(2)
        batch.assert_is_compatible_with(dims[:1])
        for i, size in enumerate(dims.as_list()[1:]):
            if size is None:
                raise ValueError(
                    f"Input size (dimension {i} of input {each}) must be accessible via shape "
                    "inference, but saw value None."
                )


def first_state(
    cell: RNNCell, given: Structure | None, batch: IntLike, dtype: DTypeLike | None
) -> Any:
    """The state before the first step: what is given, or the cell's own.

    Raises:
        ValueError: there is neither a state nor a dtype.
    """
    if given is not None:
        return nest.map_structure(to_tensor, given)
    if not dtype:
        raise ValueError("If no initial_state is provided, argument `dtype` must be specified")
    if getattr(cell, "get_initial_state", None) is not None:
        return cell.get_initial_state(inputs=None, batch_size=batch, dtype=dtype)
    return cell.zero_state(batch, dtype)


def output_dtype(dtype: DTypeLike | None, state: Structure) -> Any:
    """The dtype of what a network puts out.

    Raises:
        ValueError: none is given, and those of the state differ.
    """
    if dtype is not None:
        return dtype
    found = [each.dtype for each in nest.flatten(state)]
    if not found:
        raise ValueError(f"Unable to infer dtype from argument state={state}.")
    if any(each != found[0] for each in found):
        raise ValueError(
            f"Argument state={state} has tensors of different inferred dtypes. Unable to infer a "
            f"single representative dtype. Dtypes received: {found}"
        )
    return found[0]


def silence(cell: RNNCell, batch: IntLike, dtype: DTypeLike) -> Any:
    """The zeros that a cell puts out behind the end of a sequence."""
    made = [
        zeros([batch, *TensorShape(size).as_list()], dtype)
        for size in nest.flatten(cell.output_size)
    ]
    return nest.pack_sequence_as(cell.output_size, made)


def check_vector(lengths: Tensor) -> None:
    """Refuses lengths that are no vector.

    Raises:
        ValueError: they are none.
    """
    if lengths.shape.rank not in (None, 1):
        raise ValueError(
            "Argument sequence_length must be a vector of length batch_size. Received "
            f"sequence_length={lengths} of shape: {lengths.shape}"
        )


def as_many(lengths: Tensor, batch: IntLike) -> Tensor:
    """Lengths of as many sequences as there are. The first step refuses another number that is
    known; of others the graph asks when it runs.
    """
    if lengths.shape.is_fully_defined() and isinstance(batch, int):
        return lengths
    saw, wanted = shape(lengths), reshape(batch, [1])
    data = ["Expected shape for Tensor sequence_length is ", wanted, " but saw shape: ", saw]
    with control_dependencies([Assert(reduce_all(equal(saw, wanted)), data)]):
        return identity(lengths)
