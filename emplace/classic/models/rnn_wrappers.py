"""`tf.nn.rnn_cell`: cells around other cells."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from hashlib import md5
from typing import Any

from ...base import nest
from ...base.dtypes import as_dtype
from ...base.shapes import TensorShape
from ...base.typing import DTypeLike, IntLike, TensorLike
from ...core.context import device as on_device
from ...ops.array.tensor_array import TensorArray
from ...ops.convert import is_tensor_like, to_tensor
from ...ops.math.elementwise import add, divide, floor, multiply
from ...ops.nn.dropout import dropout
from ...ops.random.stateful import uniform
from ..scopes.variable_scope import VariableScope
from .rnn_cells import LSTMStateTuple, RNNCell


class _Wrapper(RNNCell):
    """A cell around another; it has no variables or scope of its own."""

    def __init__(self, cell: RNNCell) -> None:
        super().__init__()
        self._cell = cell

    state_size = property(lambda self: self._cell.state_size)
    output_size = property(lambda self: self._cell.output_size)
    wrapped_cell = property(lambda self: self._cell)

    def build(self, input_shape: Any) -> None:
        """Makes the variables of the cell."""
        self._cell.build(input_shape)

    def zero_state(self, batch_size: IntLike | None, dtype: DTypeLike) -> Any:
        """A state of zeros of the cell."""
        return self._cell.zero_state(batch_size, dtype)


def _share(name: str, probability: Any) -> Any:
    """The share of elements that is kept, as a number if it is known.

    Raises:
        ValueError: it is not from 0 to 1.
    """
    known = probability
    if is_tensor_like(probability):
        known = to_tensor(probability).static_value()
        if known is None:
            return probability
    if not 0 <= known <= 1:
        raise ValueError(f"Parameter {name} must be between 0 and 1: {int(known)}")
    return float(known)


def _drops(share: Any) -> bool:
    return not isinstance(share, float) or share < 1


def _not_memories(state: Any) -> Any:
    """The parts of a state that are dropped. TF: what an LSTM remembers is kept."""
    if isinstance(state, LSTMStateTuple):
        return LSTMStateTuple(c=False, h=True)
    return not isinstance(state, TensorArray)


def _chosen(visitor: Callable[[Any], Any], state: Any) -> Any:
    """What a visitor says of the parts of a state: a bool for each, or False for many."""
    answer = visitor(state)
    if not nest.is_nested(state) or answer is False:
        return answer
    keys = list(state) if nest.is_mapping(state) else range(len(state))
    whole = isinstance(answer, bool)
    parts = [
        _chosen(visitor, state[key]) if whole or answer[key] else False for key in keys
    ]  # fmt: skip
    if nest.is_mapping(state):
        return dict(zip(keys, parts, strict=True))
    return type(state)(*parts) if hasattr(state, "_fields") else type(state)(parts)


class DropoutWrapper(_Wrapper):
    """Dropout around a cell (`tf.compat.v1.nn.rnn_cell.DropoutWrapper`).

    Args:
        cell: the cell.
        input_keep_prob: the share of elements of the inputs that is kept.
        output_keep_prob: that of the outputs.
        state_keep_prob: that of the new state.
        variational_recurrent: whether all steps and sequences drop the same elements.
        input_size: the sizes of the inputs, for `variational_recurrent`.
        dtype: their dtype, for `variational_recurrent`.
        seed: what the seeds of inputs, outputs and states are made of.
        dropout_state_filter_visitor: tells of a state or its part whether it is dropped: a bool, or
            one for each part. The memory of an LSTM is kept if there is none.

    Raises:
        ValueError: a share is not from 0 to 1, or `variational_recurrent` lacks sizes or a dtype.
        TypeError: the visitor is no function.
    """

    def __init__(
        self, cell: RNNCell, input_keep_prob: Any = 1.0, output_keep_prob: Any = 1.0,
        state_keep_prob: Any = 1.0, variational_recurrent: bool = False, input_size: Any = None,
        dtype: DTypeLike | None = None, seed: int | None = None,
        dropout_state_filter_visitor: Any = None,
    ) -> None:  # fmt: skip
        super().__init__(cell)
        if dropout_state_filter_visitor is not None and not callable(dropout_state_filter_visitor):
            raise TypeError("dropout_state_filter_visitor must be callable")
        self._dropout_state_filter = dropout_state_filter_visitor or _not_memories
        self._input = _share("input_keep_prob", input_keep_prob)
        self._state = _share("state_keep_prob", state_keep_prob)
        self._output = _share("output_keep_prob", output_keep_prob)
        self._seed = seed
        self._noise: dict[str, Any] = {}
        if variational_recurrent:
            self._draw_noise(input_size, dtype)

    def _draw_noise(self, input_size: Any, dtype: DTypeLike | None) -> None:
        """Draws what all steps drop by."""
        if dtype is None:
            raise ValueError("When variational_recurrent=True, dtype must be provided")
        sizes = {"state": self._cell.state_size, "output": self._cell.output_size}
        if _drops(self._input):
            if input_size is None:
                raise ValueError(
                    "When variational_recurrent=True and input_keep_prob < 1.0 or is unknown, "
                    "input_size must be provided"
                )
            sizes = {"input": input_size, **sizes}
        wanted = as_dtype(dtype)
        for salt, parts in sizes.items():
            leaves = [parts] if isinstance(parts, TensorShape) else nest.flatten(parts)
            self._noise[salt] = [
                uniform([1, *TensorShape(size).as_list()], dtype=wanted, seed=self._salted(salt, i))
                for i, size in enumerate(leaves)
            ]

    def __call__(
        self,
        inputs: Any,
        state: TensorLike | None = None,
        scope: str | VariableScope | None = None,
        **kwargs: Any,
    ) -> Any:
        """Outputs and new state of one step."""
        if _drops(self._input):
            inputs = self._dropped(inputs, "input", self._input)
        output, new = self._cell(inputs, state, scope, **kwargs)
        if _drops(self._state):
            chosen = _chosen(self._dropout_state_filter, new)
            new = self._dropped(new, "state", self._state, chosen)
        if _drops(self._output):
            output = self._dropped(output, "output", self._output)
        return output, new

    def _salted(self, salt: str, place: int) -> int | None:
        """The seed of one part. TF: each has its own, or they would drop the same elements."""
        if self._seed is None:
            return None
        text = f"{self._seed}{salt}_{place}".encode()
        return int(md5(text, usedforsecurity=False).hexdigest()[:8], 16) & 0x7FFFFFFF

    def _dropped(self, values: Any, salt: str, share: Any, chosen: Any = None) -> Any:
        places = itertools.count()

        def drop(answer: Any, value: Any) -> Any:
            place = next(places)
            if answer is False:
                return value
            if not self._noise:
                return dropout(value, 1.0 - share, seed=self._salted(salt, place))
            # As many elements of the noise are 1 or more, and become 1, as are kept.
            mask = floor(add(share, self._noise[salt][place]))
            return multiply(divide(value, share), mask)

        shallow = values if chosen is None else chosen
        return nest.map_structure_up_to(shallow, drop, shallow, values)


class ResidualWrapper(_Wrapper):
    """A cell whose inputs are added to its outputs
    (`tf.compat.v1.nn.rnn_cell.ResidualWrapper`).
    """

    def __init__(self, cell: RNNCell, residual_fn: Callable[..., Any] | None = None) -> None:
        super().__init__(cell)
        self._residual = residual_fn

    def __call__(
        self,
        inputs: Any,
        state: TensorLike | None = None,
        scope: str | VariableScope | None = None,
        **kwargs: Any,
    ) -> Any:
        """Outputs and new state of one step."""
        outputs, new = self._cell(inputs, state, scope, **kwargs)
        combine = self._residual or (lambda x, y: nest.map_structure(add, x, y))
        return combine(inputs, outputs), new


class DeviceWrapper(_Wrapper):
    """A cell whose operations run on a device (`tf.compat.v1.nn.rnn_cell.DeviceWrapper`)."""

    def __init__(self, cell: RNNCell, device: str) -> None:
        super().__init__(cell)
        self._device = device

    def __call__(
        self,
        inputs: Any,
        state: TensorLike | None = None,
        scope: str | VariableScope | None = None,
        **kwargs: Any,
    ) -> Any:
        """Outputs and new state of one step."""
        with on_device(self._device):
            return self._cell(inputs, state, scope, **kwargs)
