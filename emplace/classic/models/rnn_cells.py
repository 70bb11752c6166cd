"""`tf.nn.rnn_cell`: one step of recurrent networks."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable, Sequence
from typing import Any

from ...base import nest
from ...base.dtypes import as_dtype
from ...base.shapes import TensorShape
from ...base.typing import DTypeLike, InitializerLike, IntLike, ShapeLike, TensorLike
from ...core.tensor import Tensor
from ...ops.array.joining import concat, split
from ...ops.array.making import zeros
from ...ops.array.shaping import shape
from ...ops.convert import is_tensor_like, to_tensor
from ...ops.linalg.products import matmul
from ...ops.math.elementwise import add, clip_by_value, multiply, sigmoid, subtract, tanh
from ...ops.nn.activation import bias_add
from ..scopes.initializers import Constant, Zeros
from ..scopes.op_names import inside
from ..scopes.variable_scope import VariableScope, variable_scope
from .layer import Layer

LSTMStateTuple = namedtuple("LSTMStateTuple", ("c", "h"))
LSTMStateTuple.__doc__ = "The state of an LSTM (`tf.compat.v1.nn.rnn_cell.LSTMStateTuple`)."


class RNNCell(Layer):
    """One step: from inputs and a state to outputs and a new state
    (`tf.compat.v1.nn.rnn_cell.RNNCell`). A cell of a program's own defines `state_size`,
    `output_size` and either `call` or `__call__`.
    """

    def __init__(
        self,
        trainable: bool = True,
        name: str | None = None,
        dtype: DTypeLike | None = None,
        **more: Any,
    ) -> None:
        super().__init__(trainable, name, dtype, **more)

    @property
    def state_size(self) -> Any:
        """The sizes of the state."""
        raise NotImplementedError("Abstract method")

    @property
    def output_size(self) -> Any:
        """The size of the outputs."""
        raise NotImplementedError("Abstract method")

    def __call__(
        self,
        inputs: Any,
        state: Any = None,
        scope: str | VariableScope | None = None,
        **kwargs: Any,
    ) -> Any:
        """Outputs and new state of one step."""
        if scope is not None:
            with variable_scope(scope, custom_getter=None):
                return self._step(inputs, state, kwargs)
        return self._step(inputs, state, kwargs)

    def _step(self, inputs: TensorLike, state: Tensor, kwargs: Any) -> Any:
        with self._opened(None) as opened, inside(self._names(opened)):
            inputs = nest.map_structure(to_tensor, inputs)
            self._make(nest.flatten(inputs))
            return self.call(inputs, state=state, **kwargs)

    def zero_state(self, batch_size: IntLike | None, dtype: DTypeLike) -> Any:
        """A state of zeros."""
        return _zeros_of(self.state_size, batch_size, dtype)

    def get_initial_state(
        self, inputs: TensorLike | None = None, batch_size: Any = None, dtype: Any = None
    ) -> Any:
        """A state of zeros for these inputs.

        Raises:
            ValueError: size or dtype are not those of the inputs, or unknown without inputs.
        """
        if inputs is not None:
            inputs = to_tensor(inputs)
            known = inputs.shape.as_list()[0]
            _check_same("batch size", "batch", "batch_size", known, batch_size)
            _check_same("dtype", "dtype", "dtype", inputs.dtype, dtype)
            batch_size = shape(inputs)[0] if known is None else known
            dtype = inputs.dtype
        elif batch_size is None or dtype is None:
            raise ValueError(
                "batch_size and dtype cannot be None while constructing initial state: "
                f"batch_size={batch_size}, dtype={dtype}"
            )
        return self.zero_state(batch_size, dtype)

    def _pair(
        self,
        name: str,
        rows: int,
        columns: int,
        initializer: InitializerLike | None = None,
        bias: Any = None,
    ) -> tuple[Any, Any]:
        dtype = self._dtype
        if dtype is not None and not (dtype.is_floating or dtype.is_complex):
            raise ValueError(
                f"RNN cell only supports floating point inputs, but saw dtype: {dtype}"
            )
        start = f"{name}/" if name else ""
        kernel = self.add_variable(f"{start}kernel", [rows, columns], None, initializer)
        return kernel, self.add_variable(f"{start}bias", [columns], None, bias or Zeros())


def _check_same(what: str, short: str, parameter: str, known: Any, value: Any) -> None:
    """Refuses a parameter that tells something else than the inputs."""
    if value is None:
        return
    if short == "dtype":
        is_same = as_dtype(value) is known
    else:
        is_same = (to_tensor(value).static_value() if is_tensor_like(value) else value) == known
    if not is_same:
        raise ValueError(
            f"{what} from input tensor is different from the input param. Input tensor {short}: "
            f"{known}, {parameter}: {value}"
        )


def _zeros_of(sizes: Any, batch: Any, dtype: DTypeLike) -> Any:
    if isinstance(sizes, (list, tuple)) and not isinstance(sizes, TensorShape):
        parts = [_zeros_of(each, batch, dtype) for each in sizes]
        return type(sizes)(*parts) if hasattr(sizes, "_fields") else type(sizes)(parts)
    inner = TensorShape(sizes).as_list() if isinstance(sizes, TensorShape) else [int(sizes)]
    if not is_tensor_like(batch) and batch is not None:
        batch = int(batch)
    return zeros([batch, *inner], dtype)


def _width(input_shape: ShapeLike) -> int:
    size = TensorShape(input_shape).as_list()[-1]
    if size is None:
        raise ValueError(
            f"Expected inputs.shape[-1] to be known, saw shape: {TensorShape(input_shape)}"
        )
    return int(size)


class BasicRNNCell(RNNCell):
    """tanh(W x + U h + b) (`tf.compat.v1.nn.rnn_cell.BasicRNNCell`)."""

    def __init__(
        self,
        num_units: int,
        activation: Callable[..., Any] | None = None,
        reuse: Any = None,
        name: str | None = None,
        dtype: DTypeLike | None = None,
        **more: Any,
    ) -> None:
        super().__init__(name=name, dtype=dtype, _reuse=reuse, **more)
        self._units, self._activation = num_units, activation or tanh

    state_size = property(lambda self: self._units)
    output_size = property(lambda self: self._units)

    def build(self, input_shape: ShapeLike) -> None:
        """Makes kernel and bias."""
        self._kernel, self._bias = self._pair("", _width(input_shape) + self._units, self._units)

    def call(self, inputs: Any, state: Any = None, **kwargs: Any) -> Any:
        """The new state, as outputs and as state."""
        gates = bias_add(matmul(concat([inputs, state], 1), self._kernel), self._bias)
        output = self._activation(gates)
        return output, output


class GRUCell(RNNCell):
    """A gated recurrent unit (`tf.compat.v1.nn.rnn_cell.GRUCell`)."""

    def __init__(
        self,
        num_units: int,
        activation: Callable[..., Any] | None = None,
        reuse: Any = None,
        kernel_initializer: InitializerLike | None = None,
        bias_initializer: InitializerLike | None = None,
        name: str | None = None,
        dtype: DTypeLike | None = None,
        **more: Any,
    ) -> None:
        super().__init__(name=name, dtype=dtype, _reuse=reuse, **more)
        self._units, self._activation = num_units, activation or tanh
        self._initializers = kernel_initializer, bias_initializer

    state_size = property(lambda self: self._units)
    output_size = property(lambda self: self._units)

    def build(self, input_shape: ShapeLike) -> None:
        """Makes the weights of the gates and of the candidate."""
        rows = _width(input_shape) + self._units
        kernel, bias = self._initializers
        gates = bias or Constant(1.0, self._dtype)
        self._gates = self._pair("gates", rows, 2 * self._units, kernel, gates)
        self._candidate = self._pair("candidate", rows, self._units, kernel, bias)

    def call(self, inputs: Any, state: Any = None, **kwargs: Any) -> Any:
        """The new state, as outputs and as state."""
        kernel, bias = self._gates
        gates = sigmoid(bias_add(matmul(concat([inputs, state], 1), kernel), bias))
        reset, update = split(gates, 2, 1)
        kernel, bias = self._candidate
        given = concat([inputs, multiply(reset, state)], 1)
        candidate = self._activation(bias_add(matmul(given, kernel), bias))
        new = add(multiply(update, state), multiply(subtract(1.0, update), candidate))
        return new, new


class BasicLSTMCell(RNNCell):
    """An LSTM without peepholes (`tf.compat.v1.nn.rnn_cell.BasicLSTMCell`)."""

    def __init__(
        self,
        num_units: int,
        forget_bias: float = 1.0,
        state_is_tuple: bool = True,
        activation: Callable[..., Any] | None = None,
        reuse: Any = None,
        name: str | None = None,
        dtype: DTypeLike | None = None,
        **more: Any,
    ) -> None:
        super().__init__(name=name, dtype=dtype, _reuse=reuse, **more)
        self._units, self._forget_bias = num_units, forget_bias
        self._is_tuple, self._activation = state_is_tuple, activation or tanh

    @property
    def state_size(self) -> Any:
        """The sizes of c and h."""
        return LSTMStateTuple(self._units, self._units) if self._is_tuple else 2 * self._units

    output_size = property(lambda self: self._units)

    def build(self, input_shape: ShapeLike) -> None:
        """Makes kernel and bias."""
        rows = _width(input_shape) + self._units
        self._kernel, self._bias = self._pair("", rows, 4 * self._units)

    def call(self, inputs: Any, state: Any = None, **kwargs: Any) -> Any:
        """Outputs and new state."""
        c, h = state if self._is_tuple else split(state, 2, 1)
        gates = bias_add(matmul(concat([inputs, h], 1), self._kernel), self._bias)
        i, j, f, o = split(gates, 4, 1)
        kept = multiply(c, sigmoid(add(f, self._forget_bias)))
        new_c = add(kept, multiply(sigmoid(i), self._activation(j)))
        new_h = multiply(self._activation(new_c), sigmoid(o))
        return new_h, LSTMStateTuple(new_c, new_h) if self._is_tuple else concat([new_c, new_h], 1)


class LSTMCell(RNNCell):
    """An LSTM with peepholes and a projection on request
    (`tf.compat.v1.nn.rnn_cell.LSTMCell`).
    """

    def __init__(
        self,
        num_units: int,
        use_peepholes: bool = False,
        cell_clip: float | None = None,
        initializer: InitializerLike | None = None,
        num_proj: int | None = None,
        proj_clip: float | None = None,
        num_unit_shards: Any = None,
        num_proj_shards: Any = None,
        forget_bias: float = 1.0,
        state_is_tuple: bool = True,
        activation: Callable[..., Any] | None = None,
        reuse: Any = None,
        name: str | None = None,
        dtype: DTypeLike | None = None,
        **more: Any,
    ) -> None:
        super().__init__(name=name, dtype=dtype, _reuse=reuse, **more)
        self._units, self._peepholes, self._cell_clip = num_units, use_peepholes, cell_clip
        self._initializer, self._proj, self._proj_clip = initializer, num_proj, proj_clip
        self._forget_bias, self._is_tuple = forget_bias, state_is_tuple
        self._activation = activation or tanh

    @property
    def state_size(self) -> Any:
        """The sizes of c and h."""
        sizes = LSTMStateTuple(self._units, self.output_size)
        return sizes if self._is_tuple else sizes.c + sizes.h

    output_size = property(lambda self: self._proj or self._units)

    def build(self, input_shape: ShapeLike) -> None:
        """Makes kernel and bias, and what peepholes and the projection need."""
        rows, start = _width(input_shape) + self.output_size, self._initializer
        self._kernel, self._bias = self._pair("", rows, 4 * self._units, start)
        if self._peepholes:
            self._diagonals = [
                self.add_variable(f"w_{gate}_diag", [self._units], None, start) for gate in "fio"
            ]
        if self._proj:
            self._projection = self.add_variable(
                "projection/kernel", [self._units, self._proj], None, start
            )

    def call(self, inputs: Any, state: Any = None, **kwargs: Any) -> Any:
        """Outputs and new state."""
        sizes = [self._units, self.output_size]
        c, h = state if self._is_tuple else split(state, sizes, 1)
        gates = bias_add(matmul(concat([inputs, h], 1), self._kernel), self._bias)
        i, j, f, o = split(gates, 4, 1)
        f = add(f, self._forget_bias)
        if self._peepholes:
            of_f, of_i, of_o = self._diagonals
            f, i = add(f, multiply(of_f, c)), add(i, multiply(of_i, c))
        new_c = add(multiply(sigmoid(f), c), multiply(sigmoid(i), self._activation(j)))
        if self._cell_clip is not None:
            new_c = clip_by_value(new_c, -self._cell_clip, self._cell_clip)
        if self._peepholes:
            o = add(o, multiply(of_o, new_c))
        new_h = multiply(sigmoid(o), self._activation(new_c))
        if self._proj:
            new_h = matmul(new_h, self._projection)
            if self._proj_clip is not None:
                new_h = clip_by_value(new_h, -self._proj_clip, self._proj_clip)
        return new_h, LSTMStateTuple(new_c, new_h) if self._is_tuple else concat([new_c, new_h], 1)


class MultiRNNCell(RNNCell):
    """Cells one after the other (`tf.compat.v1.nn.rnn_cell.MultiRNNCell`)."""

    def __init__(self, cells: Sequence[Any], state_is_tuple: bool = True) -> None:
        super().__init__()
        if not cells:
            raise ValueError("Must specify at least one cell for MultiRNNCell.")
        if not isinstance(cells, (list, tuple)):
            raise TypeError(f"cells must be a list or tuple, but saw: {cells}.")
        self._cells, self._is_tuple = list(cells), state_is_tuple

    @property
    def state_size(self) -> Any:
        """The sizes of all states."""
        sizes = tuple(cell.state_size for cell in self._cells)
        return sizes if self._is_tuple else sum(sizes)

    output_size = property(lambda self: self._cells[-1].output_size)

    def call(self, inputs: Any, state: Any = None, **kwargs: Any) -> Any:
        """Outputs of the last cell, and all new states."""
        if not self._is_tuple:
            state = split(state, [cell.state_size for cell in self._cells], 1)
        new = []
        for i, (cell, old) in enumerate(zip(self._cells, state, strict=True)):
            with variable_scope(f"cell_{i}"):
                inputs, changed = cell(inputs, old)
            new.append(changed)
        return inputs, tuple(new) if self._is_tuple else concat(new, 1)
