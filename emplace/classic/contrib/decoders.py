"""Sequences decoded step by step, of `tf.contrib.seq2seq`: `dynamic_decode`, decoders and the
helpers that say what each step gets.
"""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from ...base import dtypes, nest
from ...base.dtypes import DType, as_dtype
from ...base.shapes import TensorShape
from ...base.typing import DTypeLike, TensorLike
from ...core.tensor import Tensor
from ...graph.control_flow.loops.while_loops import while_loop
from ...ops.array.gathering import gather
from ...ops.array.making import zeros_like
from ...ops.array.repeating import pad, tile
from ...ops.array.select import where
from ...ops.array.shaping import expand_dims, shape, transpose
from ...ops.array.tensor_array import TensorArray
from ...ops.convert import is_tensor_like, to_tensor
from ...ops.math.elementwise import (
    add,
    cast,
    divide,
    equal,
    greater_equal,
    logical_not,
    logical_or,
)
from ...ops.math.reduction import argmax, reduce_all
from ...ops.random.stateful import categorical
from ..functions.embeddings import embedding_lookup
from ..models.rnn_cells import RNNCell
from ..scopes.op_names import inside
from ..scopes.variable_scope import VariableScope, variable_scope

BasicDecoderOutput = namedtuple("BasicDecoderOutput", ("rnn_output", "sample_id"))
BasicDecoderOutput.__doc__ = """What a `BasicDecoder` gives per step
(`tf.contrib.seq2seq.BasicDecoderOutput`).
"""


class Helper:
    """Says what a decoder's steps get (`tf.contrib.seq2seq.Helper`). One of a program's own
    defines these properties and methods.
    """

    @property
    def batch_size(self) -> Any:
        """How many sequences there are."""
        raise NotImplementedError("batch_size has not been implemented")

    @property
    def sample_ids_shape(self) -> TensorShape:
        """The shape of what is sampled for one sequence."""
        raise NotImplementedError("sample_ids_shape has not been implemented")

    @property
    def sample_ids_dtype(self) -> DType:
        """The dtype of what is sampled."""
        raise NotImplementedError("sample_ids_dtype has not been implemented")

    def initialize(self, name: str | None = None) -> Any:
        """(which sequences are finished before the first step, its inputs)."""
        raise NotImplementedError("initialize has not been implemented")

    def sample(self, time: Any, outputs: Any, state: Any, name: str | None = None) -> Any:
        """What is sampled from a step's outputs."""
        raise NotImplementedError("sample has not been implemented")

    def next_inputs(
        self, time: Any, outputs: Any, state: Any, sample_ids: Any, name: str | None = None
    ) -> Any:
        """(which sequences are finished, the next step's inputs, the next step's state)."""
        raise NotImplementedError("next_inputs has not been implemented")


class _OfTokens(Helper):
    """Samples one number per sequence."""

    _batch: Any
    batch_size = property(lambda self: self._batch)
    sample_ids_shape = property(lambda self: TensorShape([]))
    sample_ids_dtype = property(lambda self: dtypes.int32)

    def sample(self, time: object, outputs: Any, state: object, name: str | None = None) -> Any:
        """The places of the greatest outputs."""
        if not is_tensor_like(outputs):
            raise TypeError(f"Expected outputs to be a single Tensor, got: {type(outputs)}")
        return argmax(outputs, -1, dtypes.int32)


class TrainingHelper(_OfTokens):
    """Steps get what should have come out before (`tf.contrib.seq2seq.TrainingHelper`).

    Args:
        inputs: a tensor (batch, time, features), or a nest of such.
        sequence_length: how many steps each sequence has.
        time_major: whether time is the first axis of the inputs.
        name: not used.

    Raises:
        ValueError: `sequence_length` is no vector.
    """

    def __init__(
        self,
        inputs: TensorLike,
        sequence_length: TensorLike,
        time_major: bool = False,
        name: str | None = None,
    ) -> None:
        self._lengths = cast(sequence_length, dtypes.int32)
        if self._lengths.shape.rank != 1:
            raise ValueError(
                "Expected sequence_length to be a vector, but received shape: "
                f"{self._lengths.shape}"
            )
        self._inputs = nest.map_structure(to_tensor, inputs)
        steps = self._inputs if time_major else nest.map_structure(_axes_swapped, self._inputs)
        # The step of zeros at the end is read once all sequences are finished.
        self._steps = nest.map_structure(
            lambda x: pad(x, [[0, 1], *[[0, 0]] * (x.shape.rank - 1)]), steps
        )
        self._batch = shape(self._lengths)[0]

    @property
    def inputs(self) -> Any:
        """What the steps get, as it was given."""
        return self._inputs

    @property
    def sequence_length(self) -> Any:
        """How many steps each sequence has."""
        return self._lengths

    def initialize(self, name: str | None = None) -> Any:
        """(which sequences have no steps, the first inputs)."""
        return equal(self._lengths, 0), self._at(0)

    def next_inputs(
        self,
        time: Any,
        outputs: object,
        state: TensorLike,
        sample_ids: object,
        name: str | None = None,
    ) -> Any:
        """(which sequences are finished, the next inputs, the same state)."""
        after = add(time, 1)
        return greater_equal(after, self._lengths), self._at(after), state

    def _at(self, time: object) -> Any:
        return nest.map_structure(lambda x: gather(x, time), self._steps)


class GreedyEmbeddingHelper(_OfTokens):
    """Steps get the embedding of the token with the greatest output before
    (`tf.contrib.seq2seq.GreedyEmbeddingHelper`).

    Args:
        embedding: a table of embeddings, or a function from tokens to embeddings.
        start_tokens: the first token of each sequence.
        end_token: the token that finishes a sequence.

    Raises:
        ValueError: `start_tokens` is no vector, or `end_token` no scalar.
    """

    def __init__(self, embedding: TensorLike, start_tokens: Any, end_token: Any) -> None:
        self._embedding = embedding
        self._start = to_tensor(start_tokens, dtypes.int32)
        self._end = to_tensor(end_token, dtypes.int32)
        if self._start.shape.rank != 1:
            raise ValueError("start_tokens must be a vector")
        if self._end.shape.rank != 0:
            raise ValueError("end_token must be a scalar")
        self._batch = shape(self._start)[0]

    def _embedded(self, tokens: Any) -> Any:
        if callable(self._embedding):
            return self._embedding(tokens)
        return embedding_lookup(self._embedding, tokens)

    def initialize(self, name: str | None = None) -> Any:
        """(no sequence is finished, the embeddings of the first tokens)."""
        return tile([False], [self._batch]), self._embedded(self._start)

    def next_inputs(
        self,
        time: object,
        outputs: object,
        state: TensorLike,
        sample_ids: Any,
        name: str | None = None,
    ) -> Any:
        """(which sequences gave the end token, the embeddings of all, the same state)."""
        return equal(sample_ids, self._end), self._embedded(sample_ids), state


class SampleEmbeddingHelper(GreedyEmbeddingHelper):
    """Steps get the embedding of a token drawn by the outputs, which are logits
    (`tf.contrib.seq2seq.SampleEmbeddingHelper`).

    Args:
        embedding: a table of embeddings, or a function from tokens to embeddings.
        start_tokens: the first token of each sequence.
        end_token: the token that finishes a sequence.
        softmax_temperature: what logits are divided by.
        seed: an integer that makes the drawing repeatable.
    """

    def __init__(
        self,
        embedding: TensorLike,
        start_tokens: Any,
        end_token: Any,
        softmax_temperature: Any = None,
        seed: int | None = None,
    ) -> None:
        super().__init__(embedding, start_tokens, end_token)
        self._temperature, self._seed = softmax_temperature, seed

    def sample(self, time: object, outputs: Any, state: object, name: str | None = None) -> Any:
        """Tokens drawn at random."""
        if not is_tensor_like(outputs):
            raise TypeError(f"Expected outputs to be a single Tensor, got: {type(outputs)}")
        logits = outputs if self._temperature is None else divide(outputs, self._temperature)
        return categorical(logits, 1, dtypes.int32, self._seed)[:, 0]


class CustomHelper(Helper):
    """A helper of three functions (`tf.contrib.seq2seq.CustomHelper`).

    Args:
        initialize_fn: returns (finished, first inputs).
        sample_fn: takes time, outputs and state, returns sample ids.
        next_inputs_fn: takes these and the sample ids, returns (finished, inputs, state).
        sample_ids_shape: the shape of the ids of one sequence, a scalar if None.
        sample_ids_dtype: their dtype, int32 if None.
    """

    def __init__(
        self, initialize_fn: Callable[..., Any], sample_fn: Callable[..., Any],
        next_inputs_fn: Callable[..., Any], sample_ids_shape: Any = None,
        sample_ids_dtype: Any = None,
    ) -> None:  # fmt: skip
        self._initialize, self._sample, self._next = initialize_fn, sample_fn, next_inputs_fn
        self._shape = TensorShape([] if sample_ids_shape is None else sample_ids_shape)
        self._dtype = as_dtype(sample_ids_dtype or dtypes.int32)
        self._batch: Any = None

    sample_ids_shape = property(lambda self: self._shape)
    sample_ids_dtype = property(lambda self: self._dtype)

    @property
    def batch_size(self) -> Any:
        """How many sequences there are, once `initialize` was called."""
        if self._batch is None:
            raise ValueError("batch_size accessed before initialize was called")
        return self._batch

    def initialize(self, name: str | None = None) -> Any:
        """What the first function returns."""
        finished, inputs = self._initialize()
        if self._batch is None:
            self._batch = shape(finished)[0]
        return finished, inputs

    def sample(self, time: Any, outputs: Any, state: TensorLike, name: str | None = None) -> Any:
        """What the second function returns."""
        return self._sample(time=time, outputs=outputs, state=state)

    def next_inputs(
        self, time: Any, outputs: Any, state: TensorLike, sample_ids: Any, name: str | None = None
    ) -> Any:
        """What the third function returns."""
        return self._next(time=time, outputs=outputs, state=state, sample_ids=sample_ids)


class Decoder:
    """Takes the steps of `dynamic_decode` (`tf.contrib.seq2seq.Decoder`). One of a program's own
    defines these properties and methods, and makes its variables before its first `step`.
    """

    tracks_own_finished = False

    @property
    def batch_size(self) -> Any:
        """How many sequences there are."""
        raise NotImplementedError

    @property
    def output_size(self) -> Any:
        """The shape of a step's outputs for one sequence, as a nest."""
        raise NotImplementedError

    @property
    def output_dtype(self) -> Any:
        """The dtypes of a step's outputs, as a nest."""
        raise NotImplementedError

    def initialize(self, name: str | None = None) -> Any:
        """(which sequences are finished, the first inputs, the first state)."""
        raise NotImplementedError

    def step(self, time: Any, inputs: Any, state: Any, name: str | None = None) -> Any:
        """(outputs, next state, next inputs, which sequences are finished)."""
        raise NotImplementedError

    def finalize(self, outputs: Any, final_state: Any, sequence_lengths: Any) -> Any:
        """What the whole decoding returns as outputs and state, if that differs."""
        raise NotImplementedError


class BasicDecoder(Decoder):
    """A cell, and a layer upon it (`tf.contrib.seq2seq.BasicDecoder`).

    Args:
        cell: an `RNNCell`.
        helper: a `Helper`, which says what the steps get.
        initial_state: the cell's first state.
        output_layer: a layer such as `tf.layers.Dense`, or None.

    Raises:
        TypeError: one of them is of another type.
    """

    def __init__(
        self, cell: RNNCell, helper: Helper, initial_state: TensorLike, output_layer: Any = None
    ) -> None:
        if not isinstance(cell, RNNCell):
            raise TypeError(f"The argument 'cell' ({cell}) is not an RNNCell.")
        if not isinstance(helper, Helper):
            raise TypeError(f"helper must be a Helper, received: {type(helper)}")
        if output_layer is not None and not callable(output_layer):
            raise TypeError(f"output_layer must be a Layer, received: {type(output_layer)}")
        self._cell, self._helper, self._layer = cell, helper, output_layer
        self._initial_state = initial_state

    @property
    def batch_size(self) -> Any:
        """How many sequences there are."""
        return self._helper.batch_size

    @property
    def output_size(self) -> Any:
        """The shapes of a step's outputs and samples for one sequence."""
        size = self._cell.output_size
        wide = getattr(self._layer, "units", None)
        if wide is not None:
            size = nest.map_structure(lambda _: TensorShape([wide]), size)
        return BasicDecoderOutput(size, self._helper.sample_ids_shape)

    @property
    def output_dtype(self) -> Any:
        """The dtypes of a step's outputs and samples."""
        dtype = nest.flatten(self._initial_state)[0].dtype
        outputs = nest.map_structure(lambda _: dtype, self._cell.output_size)
        return BasicDecoderOutput(outputs, self._helper.sample_ids_dtype)

    def initialize(self, name: str | None = None) -> Any:
        """(which sequences are finished, the first inputs, the first state)."""
        finished, inputs = self._helper.initialize()
        if not (self._cell.built and getattr(self._layer, "built", True)):
            self._outputs(inputs, self._initial_state)  # no variables are made inside of the loop
        return finished, inputs, self._initial_state

    def _outputs(self, inputs: TensorLike, state: TensorLike) -> tuple[Any, Any]:
        outputs, new = self._cell(inputs, state)
        return (outputs if self._layer is None else self._layer(outputs)), new

    def step(self, time: Any, inputs: Any, state: Any, name: str | None = None) -> Any:
        """(outputs and samples, next state, next inputs, which sequences are finished)."""
        with inside(name or "BasicDecoderStep"):
            outputs, new = self._outputs(inputs, state)
            ids = self._helper.sample(time=time, outputs=outputs, state=new)
            finished, following, new = self._helper.next_inputs(
                time=time, outputs=outputs, state=new, sample_ids=ids
            )
        return BasicDecoderOutput(outputs, ids), new, following, finished


def _axes_swapped(x: Tensor) -> Any:
    """(batch, time, ...) as (time, batch, ...), and the other way round."""
    if x.shape.rank is None or x.shape.rank < 2:
        return x
    return transpose(x, [1, 0, *range(2, x.shape.rank)])


def _kept(finished: Any, old: Any, new: Any) -> Any:
    """`old` for the sequences that are finished, `new` for the others."""
    if isinstance(new, TensorArray) or new.shape.rank == 0:
        return new
    mask = finished
    for _ in range(new.shape.rank - 1):
        mask = expand_dims(mask, -1)
    return where(mask, old, new)


def _array(dtype: DTypeLike, size: TensorLike, batch: object) -> TensorArray:
    of_one = size if isinstance(size, TensorShape) else TensorShape(
        [] if size is None else [size] if isinstance(size, int) else size
    )  # fmt: skip
    return TensorArray(
        dtype, size=0, dynamic_size=True, clear_after_read=False,
        element_shape=TensorShape([batch]).concatenate(of_one),
    )  # fmt: skip


def _limit(most: Any) -> Any:
    if most is None:
        return None
    most = to_tensor(most, dtypes.int32)
    if most.shape.rank != 0:
        raise ValueError("maximum_iterations must be a scalar")
    return most


def dynamic_decode(
    decoder: Decoder, output_time_major: bool = False, impute_finished: bool = False,
    maximum_iterations: Any = None, parallel_iterations: int = 32, swap_memory: bool = False,
    scope: str | VariableScope | None = None,
) -> tuple[Any, Any, Any]:  # fmt: skip
    """Takes a decoder's steps until all sequences are finished
    (`tf.contrib.seq2seq.dynamic_decode`).

    Args:
        decoder: a `Decoder`.
        output_time_major: whether time is the first axis of the outputs.
        impute_finished: whether finished sequences keep their state and give zeros.
        maximum_iterations: a limit of the number of steps.
        parallel_iterations: not used.
        swap_memory: not used.
        scope: the variable scope, "decoder" if None.

    Returns:
        The outputs of all steps, the last state, and the number of each sequence's steps.

    Raises:
        TypeError: `decoder` is no decoder.
        ValueError: `maximum_iterations` is no scalar.
    """
    if not isinstance(decoder, Decoder):
        raise TypeError(f"Expected decoder to be type Decoder, but saw: {type(decoder)}")
    with variable_scope(scope, "decoder"):
        most = _limit(maximum_iterations)
        finished, inputs, state = decoder.initialize()
        if most is not None:
            finished = logical_or(finished, greater_equal(0, most))
        lengths = zeros_like(finished, dtypes.int32)
        (batch,) = finished.shape.as_list()
        arrays = nest.map_structure(
            lambda dtype, size: _array(dtype, size, batch),
            decoder.output_dtype,
            decoder.output_size,
        )

        def body(
            time: Any,
            arrays: TensorLike,
            state: TensorLike,
            inputs: TensorLike,
            finished: Any,
            lengths: TensorLike,
        ) -> Any:
            outputs, new, following, ended = decoder.step(time, inputs, state)
            if not decoder.tracks_own_finished:
                ended = logical_or(ended, finished)
            after = add(time, 1)
            lengths = where(finished, lengths, after)
            if impute_finished:
                outputs = nest.map_structure(lambda x: _kept(finished, zeros_like(x), x), outputs)
                new = nest.map_structure(lambda a, b: _kept(finished, a, b), state, new)
            arrays = nest.map_structure(lambda array, x: array.write(time, x), arrays, outputs)
            return after, arrays, new, following, ended, lengths

        _, arrays, state, _, _, lengths = while_loop(
            lambda *loop: logical_not(reduce_all(loop[4])),
            body, (to_tensor(0), arrays, state, inputs, finished, lengths),
            maximum_iterations=most,
        )  # fmt: skip
        outputs = nest.map_structure(lambda array: array.stack(), arrays)
        with suppress(NotImplementedError):
            outputs, state = decoder.finalize(outputs, state, lengths)
        if not output_time_major:
            outputs = nest.map_structure(_axes_swapped, outputs)
        return outputs, state, lengths
