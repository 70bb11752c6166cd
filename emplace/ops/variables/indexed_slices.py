"""IndexedSlices: a tensor given by some of its slices, as the gradient of a gather is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from ...base.dtypes import DType, as_dtype
from ...base.shapes import TensorShape
from ...base.typing import TensorLike
from ...core.composite import CompositeTensor
from ...core.tensor import Tensor
from ..arguments import static_ints
from ..array.joining import concat
from ..array.scattering import scatter_nd
from ..array.shaping import expand_dims
from ..convert import register_converter, to_tensor
from ..math.elementwise import cast, negative


class IndexedSlices(CompositeTensor):
    """Slices of a larger tensor along its first axis (`tf.IndexedSlices`).

    The larger tensor is zero but for these slices; of slices for one place it holds the sum.

    Args:
        values: the slices, one after the other.
        indices: the place of each, shape (slices,).
        dense_shape: the shape of the larger tensor as a tensor; None if it is not known.

    >>> from emplace.ops.array.making import constant
    >>> slices = IndexedSlices(constant([1.0, 2.0]), constant([2, 0]), constant([3]))
    >>> to_tensor(slices).numpy().tolist()
    [2.0, 0.0, 1.0]
    """

    __slots__ = ("_dense_shape", "_indices", "_values")

    is_tensor: ClassVar[bool] = True

    def __init__(
        self, values: Any, indices: TensorLike, dense_shape: TensorLike | None = None
    ) -> None:
        self._values = values
        self._indices = indices
        self._dense_shape = dense_shape

    @property
    def values(self) -> Any:
        """The slices."""
        return self._values

    @property
    def indices(self) -> Any:
        """The place of each slice."""
        return self._indices

    @property
    def dense_shape(self) -> Any:
        """The shape of the larger tensor as a tensor, or None."""
        return self._dense_shape

    @property
    def shape(self) -> TensorShape:
        """The shape of the larger tensor, as far as it is known."""
        if self._dense_shape is None:
            return TensorShape(None)
        sizes: Any = static_ints(self._dense_shape, "dense_shape")
        if not isinstance(sizes, tuple):  # not even how many there are
            return TensorShape(None)
        return TensorShape([size if isinstance(size, int) else None for size in sizes])

    @property
    def dtype(self) -> DType:
        """The type of the elements."""
        return self._values.dtype  # type: ignore[no-any-return]

    @property
    def device(self) -> str:
        """Full name of the device of the slices."""
        return self._values.device  # type: ignore[no-any-return]

    @property
    def name(self) -> Any:
        """The name of the slices, in graphs."""
        return self._values.name

    @property
    def op(self) -> Any:
        """The operation that made the slices, in graphs."""
        return self._values.op

    @property
    def graph(self) -> Any:
        """The graph of the slices, in graphs."""
        return self._values.graph

    def consumers(self) -> Any:
        """What uses the slices, in graphs."""
        return self._values.consumers()

    @property
    def outline(self) -> Any:
        """What a trace of a function depends on besides the tensors."""
        return type(self)

    def components(self) -> tuple[Any, ...]:
        """The slices, their places and, if it is known, the shape of the whole."""
        parts = (self._values, self._indices)
        return parts if self._dense_shape is None else (*parts, self._dense_shape)

    def with_components(self, components: Sequence[Any]) -> IndexedSlices:
        """Slices made of other tensors."""
        return IndexedSlices(*components)

    def gradient_parts(self) -> tuple[Any, ...]:
        """The slices."""
        return (self._values,)

    def with_gradient(self, gradient: Any) -> IndexedSlices:
        """The gradient of the slices, at their places."""
        return IndexedSlices(gradient, self._indices, self._dense_shape)

    def __neg__(self) -> IndexedSlices:
        return IndexedSlices(negative(self._values), self._indices, self._dense_shape)

    def __repr__(self) -> str:
        shape = f", dense_shape={self._dense_shape!s}" if self._dense_shape is not None else ""
        return f"IndexedSlices(indices={self._indices!s}, values={self._values!s}{shape})"


def _to_dense(slices: IndexedSlices, dtype: DType | None) -> Tensor:
    own = as_dtype(slices.dtype)
    if dtype is not None and dtype is not own:
        raise ValueError(
            f"Incompatible tensor conversion requested to `dtype` {dtype.name} for IndexedSlices "
            f"({slices}) with dtype {own.name}"
        )
    if slices.dense_shape is None:
        raise ValueError(
            "Tensor conversion requested for IndexedSlices for argument `value` without "
            f"dense_shape: {slices}"
        )
    places = expand_dims(slices.indices, -1)
    return scatter_nd(places, slices.values, slices.dense_shape)


def add_slices(parts: Sequence[IndexedSlices]) -> IndexedSlices:
    """The sum of slices of tensors of one shape: all of them together."""
    whole = next((p.dense_shape for p in parts if p.dense_shape is not None), None)
    indices = [to_tensor(part.indices) for part in parts]
    return IndexedSlices(
        concat([part.values for part in parts], 0), concat(_same_type(indices), 0), whole
    )


def _same_type(indices: list[Any]) -> list[Any]:
    wide = [each.dtype for each in indices if each.dtype.size == 8]
    return [cast(each, wide[0]) for each in indices] if wide else indices


register_converter(IndexedSlices, _to_dense)
