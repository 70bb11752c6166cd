"""Functions over the slices of tensors: map, scan and folds. In a graph they are one loop.

The slices along the first axis go into arrays, a `while_loop` reads one of each per iteration and
writes what the function returns to other arrays. In eager mode the loop is Python's.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ....base import nest
from ....base.dtypes import DType, as_dtype
from ....base.shapes import TensorShape
from ....base.typing import DTypeLike, TensorLike
from ....core.context import LOCAL
from ....core.ragged import RaggedTensor
from ....core.tensor import Tensor
from ....core.type_spec import BatchableTypeSpec, TypeSpec
from ....ops.array.gathering import boolean_mask
from ....ops.array.shaping import shape
from ....ops.array.tensor_array import TensorArray
from ....ops.convert import to_tensor
from ....ops.extension.batching import BatchableExtensionType, unbatched_spec
from ....ops.extension.types import ExtensionType, type_of
from ....ops.math.elementwise import cast, equal
from ....ops.ragged.spec import RaggedTensorSpec
from ....ops.sparse.tensor import SparseTensor, SparseTensorSpec
from ...function.function import AUTOGRAPH
from .encoding import decoded, encoded_call, is_encoded
from .results import results_of
from .while_loops import while_loop


class _Slices:
    """The slices of one argument."""

    def __init__(self, value: Any) -> None:
        self.ragged = value if isinstance(value, RaggedTensor) else None
        if self.ragged is not None:
            self.count = self.ragged.row_splits.shape[0]
            self.count = None if self.count is None else self.count - 1
            return
        self.sparse = value if isinstance(value, SparseTensor) else None
        if self.sparse is not None:
            self.count = value.shape[0]
            return
        self.tensor = to_tensor(value)
        dims = self.tensor.shape
        if dims.rank == 0:
            raise ValueError("Elements in elems must be 1+ dimensional Tensors, not scalars")
        self.count = None if dims.rank is None else dims[0]
        size = self.length()
        inner = None if dims.rank is None else dims[1:]
        self.array = TensorArray(
            self.tensor.dtype, size, infer_shape=True, element_shape=inner, clear_after_read=False
        ).unstack(self.tensor)

    def length(self) -> Any:
        """How many there are, as a number where it is known."""
        if self.count is not None:
            return self.count
        if self.ragged is not None:
            return shape(self.ragged.row_splits)[0] - 1
        if self.sparse is not None:
            return cast(self.sparse.dense_shape[0], "int32")
        return shape(self.tensor)[0]

    def row(self, i: Any) -> Any:
        """One slice."""
        if self.ragged is not None:
            return _ragged_row(self.ragged, i)
        if self.sparse is not None:
            return _sparse_row(self.sparse, i)
        return self.array.read(i)


def _ragged_row(ragged: Any, i: Any) -> Any:
    splits = ragged.row_splits
    values = ragged.values[splits[i] : splits[i + 1]]
    if isinstance(values, RaggedTensor):
        return values
    dims = ragged.values.shape
    if dims.rank is not None:
        values.set_shape([None, *dims[1:]])
    return values


def _sparse_row(sparse: SparseTensor, i: Any) -> SparseTensor:
    """The elements of one row, with one index less."""
    is_there = equal(sparse.indices[:, 0], cast(i, "int64"))
    indices = boolean_mask(sparse.indices[:, 1:], is_there)
    values = boolean_mask(sparse.values, is_there)
    row = SparseTensor(indices, values, sparse.dense_shape[1:])
    row.set_shape(sparse.shape[1:])
    return row


def _all_rows(elems: object, who: str = "elems") -> tuple[list[_Slices], Any]:
    """The slices of all arguments, and how many there are.

    Raises:
        ValueError: there is nothing, a scalar, or lengths differ.
    """
    rows = [_Slices(each) for each in nest.flatten(elems)]
    if not rows:
        raise ValueError(
            f"{who} must be a Tensor or (possibly nested) sequence of Tensors. Got {elems}, which "
            "does not contain any Tensors."
        )
    known = TensorShape([rows[0].count])
    for each in rows[1:]:
        if each.count is not None and known[0] is not None and each.count != known[0]:
            raise ValueError(f"Dimensions {known[0]} and {each.count} are not compatible")
        known = known.merge_with([each.count])
    return rows, rows[0].length() if known[0] is None else known[0]


def map_fn(
    fn: Callable[..., Any],
    elems: TensorLike,
    dtype: DTypeLike | None = None,
    parallel_iterations: int | None = None,
    back_prop: bool = True,
    swap_memory: bool = False,
    infer_shape: bool = True,
    name: str | None = None,
    fn_output_signature: Any = None,
) -> Any:
    """Calls `fn` on each slice along the first axis and stacks the results (`tf.map_fn`).

    Args:
        fn: takes a slice, or a structure of slices like `elems`.
        elems: a tensor, a ragged or a sparse tensor, or a structure of them of one length.
        dtype: the old name of `fn_output_signature`.
        parallel_iterations: not needed.
        back_prop: False lets no gradient through the results in a graph.
        swap_memory: not needed.
        infer_shape: not needed: shapes are checked where results are stacked.
        name: a name in graphs.
        fn_output_signature: dtypes or specs of what `fn` returns, where these are not those of
            `elems`. A `tf.RaggedTensorSpec` makes a ragged tensor of rows, a
            `tf.SparseTensorSpec` a sparse one, as large as its largest row.

    Returns:
        The results, in the structure that `fn` returns.

    Raises:
        TypeError: `fn` is not callable, or a value or result does not come in batches.
        ValueError: `elems` is empty, a scalar, or of several lengths; `fn` returns another
            structure than the signature has.

    >>> import emplace.tensorflow as tf
    >>> map_fn(lambda x: x * x, tf.constant([1, 2, 3])).numpy().tolist()
    [1, 4, 9]
    """
    _check_callable(fn)
    _check_batchable(elems, "consume", " inputs: got {}")
    signature = fn_output_signature if fn_output_signature is not None else dtype
    _check_batchable(signature, "generate", " outputs")
    if signature is None:
        signature = nest.map_structure(_like, elems)
    if is_encoded(elems, signature):
        call, encoded_elems, specs = encoded_call(fn, elems, signature)
        encoded = map_fn(
            call, encoded_elems, fn_output_signature=specs, back_prop=back_prop, name=name
        )
        return decoded(signature, encoded)
    if not LOCAL.state.target.is_eager:
        fn = AUTOGRAPH.call(fn, None, False)
    rows, count = _all_rows(elems)
    results = [results_of(spec, count) for spec in nest.flatten(signature)]
    known = count if isinstance(count, int) else None

    def body(i: Any, arrays: Any) -> Any:
        value = fn(nest.pack_sequence_as(elems, [rows_of_one.row(i) for rows_of_one in rows]))
        nest.assert_same_structure(signature if signature is not None else elems, value)
        flat = nest.flatten(value)
        return i + 1, [r.written(a, i, y) for r, a, y in zip(results, arrays, flat, strict=True)]

    start = [result.start for result in results]
    _, arrays = while_loop(lambda i, _: i < count, body, (0, start), back_prop=back_prop,
                           name=name or "map")  # fmt: skip
    stacked = [r.together(a, known) for r, a in zip(results, arrays, strict=True)]
    return nest.pack_sequence_as(signature, stacked)


def _check_batchable(values: object, what: str, more: str) -> None:
    """Raises TypeError if there are composites, or specs of such, that do not come in batches."""
    for each in nest.flatten(values):
        spec: Any = each
        if not isinstance(each, TypeSpec):
            is_own = isinstance(each, ExtensionType)
            spec = type_of(each) if is_own else getattr(each, "_type_spec", None)
        if isinstance(spec, TypeSpec) and not isinstance(spec, BatchableTypeSpec):
            raise TypeError(f"map_fn can not {what} {spec}{more.format(each)}")


def _like(value: Tensor) -> Any:
    """What results are without a signature: rows of what is taken apart, or tensors of a dtype."""
    if isinstance(value, BatchableExtensionType):
        return unbatched_spec(type_of(value))
    if isinstance(value, RaggedTensor):
        return RaggedTensorSpec(None, value.dtype, value.ragged_rank - 1, value.row_splits.dtype)
    if isinstance(value, SparseTensor):
        return SparseTensorSpec(value.shape[1:], value.dtype)
    return _dtype_of(value)


def _dtype_of(value: Tensor) -> DType:
    found: Any = getattr(value, "dtype", None)
    return as_dtype(found) if found is not None else to_tensor(value).dtype


def _check_callable(fn: Callable[..., Any]) -> None:
    if not callable(fn):
        raise TypeError(
            f"{getattr(fn, '__name__', repr(fn))} is not callable. Please provide a function."
        )


def _fold(
    fn: Callable[..., Any],
    elems: TensorLike,
    initializer: Any,
    back_prop: bool,
    name: str,
    is_reversed: bool,
) -> Any:
    _check_callable(fn)
    rows, count = _all_rows(elems)

    def slices(i: Any) -> Any:
        return nest.pack_sequence_as(elems, [each.row(i) for each in rows])

    first = count - 1 if is_reversed else 0
    state = initializer
    if initializer is None:
        state = slices(first)
        first = first - 1 if is_reversed else 1
    state = nest.map_structure(to_tensor, state)

    def body(i: Tensor, state: Tensor) -> Any:
        return i - 1 if is_reversed else i + 1, fn(state, slices(i))

    def go_on(i: Tensor, state: Tensor) -> Tensor:
        return i >= 0 if is_reversed else i < count

    start = to_tensor(first)
    return while_loop(go_on, body, (start, state), back_prop=back_prop, name=name)[1]


def foldl(
    fn: Callable[..., Any],
    elems: Any,
    initializer: Any = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    name: str | None = None,
) -> Any:
    """Folds slices: returns what is left after `fn(state, slice)` for each, from first to last
    (`tf.foldl`).

    Args:
        fn: takes the state and a slice, returns the next state.
        elems: a tensor or a structure of tensors of one length.
        initializer: the first state; the first slice if None.
        parallel_iterations: not needed.
        back_prop: False lets no gradient through the results in a graph.
        swap_memory: not needed.
        name: a name in graphs.

    >>> import emplace.tensorflow as tf
    >>> int(foldl(lambda a, x: a * 10 + x, tf.constant([1, 2, 3])))
    123
    """
    return _fold(fn, elems, initializer, back_prop, name or "foldl", False)


def foldr(
    fn: Callable[..., Any],
    elems: Any,
    initializer: Any = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    name: str | None = None,
) -> Any:
    """Folds as `foldl` does, from last to first (`tf.foldr`).

    Args:
        fn: takes the state and a slice, returns the next state.
        elems: a tensor or a structure of tensors of one length.
        initializer: the first state; the last slice if None.
        parallel_iterations: not needed.
        back_prop: False lets no gradient through the results in a graph.
        swap_memory: not needed.
        name: a name in graphs.

    >>> import emplace.tensorflow as tf
    >>> int(foldr(lambda a, x: a * 10 + x, tf.constant([1, 2, 3])))
    321
    """
    return _fold(fn, elems, initializer, back_prop, name or "foldr", True)


def scan(
    fn: Callable[..., Any],
    elems: Any,
    initializer: Any = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    infer_shape: bool = True,
    reverse: bool = False,
    name: str | None = None,
) -> Any:
    """Returns all states of a fold, stacked (`tf.scan`).

    Args:
        fn: takes the state and a slice, returns the next state.
        elems: a tensor or a structure of tensors of one length.
        initializer: the first state, which is not among the results; the first slice, which is,
            if None.
        parallel_iterations: not needed.
        back_prop: False lets no gradient through the results in a graph.
        swap_memory: not needed.
        infer_shape: not needed.
        reverse: go from the last slice to the first; results keep the places of their slices.
        name: a name in graphs.

    >>> import emplace.tensorflow as tf
    >>> scan(lambda a, x: a + x, tf.constant([1, 2, 3])).numpy().tolist()
    [1, 3, 6]
    """
    _check_callable(fn)
    rows, count = _all_rows(elems)

    def slices(i: Any) -> Any:
        return nest.pack_sequence_as(elems, [rows_of_one.row(i) for rows_of_one in rows])

    first = count - 1 if reverse else 0
    state = slices(first) if initializer is None else initializer
    state = nest.map_structure(to_tensor, state)
    flat = nest.flatten(state)
    arrays = [TensorArray(x.dtype, count, element_shape=x.shape) for x in flat]
    if initializer is None:
        arrays = [a.write(first, x) for a, x in zip(arrays, flat, strict=True)]
        first = first - 1 if reverse else 1

    def body(i: Tensor, state: Tensor, arrays: Sequence[Any]) -> Any:
        again = fn(state, slices(i))
        nest.assert_same_structure(state, again)
        again = nest.map_structure(to_tensor, again)
        written = [a.write(i, x) for a, x in zip(arrays, nest.flatten(again), strict=True)]
        return i - 1 if reverse else i + 1, again, written

    def go_on(i: Tensor, state: Tensor, arrays: Sequence[Any]) -> Tensor:
        return i >= 0 if reverse else i < count

    loop = (to_tensor(first), state, arrays)
    arrays = while_loop(go_on, body, loop, back_prop=back_prop, name=name or "scan")[2]
    known = count if isinstance(count, int) else None
    stacked = [array.stack() for array in arrays]
    for output in stacked:
        if output.shape.rank is not None:
            output.set_shape([known, *[None] * (output.shape.rank - 1)])
    return nest.pack_sequence_as(state, stacked)
