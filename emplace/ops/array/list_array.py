"""TensorArray in graphs: a scalar tensor of dtype variant, the flow, and ops on it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...base import dtypes
from ...base.dtypes import as_dtype, runtime_name
from ...base.errors import invalid_argument
from ...base.shapes import TensorShape
from ...base.typing import DTypeLike, ShapeLike, TensorLike
from ...core.tensor import EagerTensor, Tensor
from ..arguments import known_int, static_ints
from ..convert import to_tensor
from ..op import apply
from .making import constant
from .shaping import identity
from .tensor_array import NEW_IN_GRAPHS, TensorArray
from .tensor_list import (
    CONCAT_LIST,
    FROM_TENSOR,
    GATHER,
    GET_ITEM,
    LENGTH,
    RESERVE,
    SCATTER,
    SET_ITEM,
    SPLIT_LIST,
    STACK,
)


class ListArray(TensorArray):
    """A TensorArray whose elements are behind a tensor, `flow`.

    It can be a loop's variable, an argument and a result; elements can be read again and again.
    """

    def __init__(
        self,
        dtype: DTypeLike,
        size: TensorLike | None = None,
        dynamic_size: bool | None = None,
        clear_after_read: bool | None = None,
        tensor_array_name: str | None = None,
        handle: Any = None,
        flow: TensorLike | None = None,
        infer_shape: bool = True,
        element_shape: ShapeLike | None = None,
        colocate_with_first_write_call: bool = True,
        name: str | None = None,
    ) -> None:
        if flow is None and size is None:
            raise ValueError("Argument `size` must be provided if argument `flow` is not provided.")
        if flow is not None and getattr(flow, "dtype", None) is not dtypes.variant:
            raise TypeError(
                f"Expected `flow` to be a variant tensor, but received `{getattr(flow, 'dtype', 0)}"
                "` instead."
            )
        self._dtype = as_dtype(dtype)
        self._dynamic_size = bool(dynamic_size)
        self._clear_after_read = False
        self._infer_shape = infer_shape
        self._element_shape = TensorShape(element_shape)
        self._size = None if dynamic_size else size
        self._flow: Any = None
        if flow is None:
            attrs = {"num_elements": _one(size), **self._attrs()}
            flow = apply(RESERVE, (), attrs)
        self._flow = flow

    def _attrs(self) -> dict[str, Any]:
        return {"element_dtype": self._dtype, "element_shape": self.element_shape.sizes}

    def components(self) -> tuple[Any, ...]:
        """What `tf.nest` sees of it with `expand_composites`."""
        return (self._flow,)

    def with_components(self, components: Sequence[Any]) -> ListArray:
        """The same array at another time."""
        (flow,) = components
        return self._after(flow)

    def _after(self, flow: Tensor) -> ListArray:
        following = object.__new__(type(self))
        following.__dict__.update(self.__dict__)
        following._flow = flow
        size = self._size
        if isinstance(size, Tensor) and not isinstance(size, EagerTensor):
            graph = getattr(flow, "graph", None)
            if size.graph is not graph and size.static_value() is None:
                following._size = None  # a tensor of a graph that may have ended
        return following

    @property
    def outline(self) -> str:
        """What a trace of a function depends on."""
        return f"TensorArray {self._dtype.name}{self._element_shape}{self._infer_shape}"

    @property
    def flow(self) -> Any:
        """The tensor that the elements are behind."""
        return self._flow

    @property
    def element_shape(self) -> TensorShape:
        """The shape of the elements, as far as it is known."""
        data = getattr(self._flow, "handle_data", None)
        if not self._infer_shape or data is None or data.dims is None:
            return self._element_shape
        known = TensorShape(data.dims)
        if not known.is_compatible_with(self._element_shape):
            return self._element_shape
        return self._element_shape.merge_with(known)

    def identity(self) -> ListArray:
        """The same array, whose flow waits for what control dependencies are open here."""
        return self._after(identity(self._flow))

    def grad(self, source: str, flow: Any = None, name: str | None = None) -> Any:
        """Gradients flow through `tf.gradients` and tapes.

        Raises:
            NotImplementedError: always.
        """
        raise NotImplementedError

    def size(self, name: str | None = None) -> Any:
        """How many elements there are, as a tensor."""
        if self._size is not None:
            return constant(self._size) if isinstance(self._size, int) else to_tensor(self._size)
        return apply(LENGTH, (self._flow,))

    def read(self, index: Any, name: str | None = None) -> Tensor:
        """An element; one that was never written is zeros.

        Raises:
            InvalidArgumentError: there is no such index.
        """
        return apply(GET_ITEM, (self._flow,), {"index": _one(index), **self._attrs()})

    def write(self, index: Any, value: TensorLike, name: str | None = None) -> ListArray:
        """Replaces an element.

        Returns:
            The array to use from now on.

        Raises:
            InvalidArgumentError: there is no such index, or `value` has another dtype.
            ValueError: it has another shape.
        """
        tensor = self._taken(value)
        shape = self._checked_shape(tensor.shape)
        attrs = {
            "index": _one(index), "element_dtype": self._dtype,
            "resize_if_index_out_of_bounds": self._dynamic_size,
        }  # fmt: skip
        return self._with(apply(SET_ITEM, (self._flow, tensor), attrs), shape)

    def _taken(self, value: Any) -> Tensor:
        tensor = to_tensor(value, hint=self._dtype)
        if tensor.dtype is not self._dtype:
            raise invalid_argument(
                f"Invalid data types; op elements {runtime_name(tensor.dtype)} but list elements "
                f"{runtime_name(self._dtype)}"
            )
        return tensor

    def _checked_shape(self, shape: TensorShape) -> TensorShape:
        known = self._element_shape
        if not known.is_compatible_with(shape):
            raise ValueError(f"Inconsistent shapes: saw {shape} but expected {known} ")
        return known.merge_with(shape) if self._infer_shape else known

    def _with(self, flow: Tensor, shape: TensorShape) -> ListArray:
        following = self._after(flow)
        following._element_shape = shape
        return following

    def stack(self, name: str | None = None) -> Tensor:
        """All elements along a new first axis; those never written are zeros.

        Raises:
            InvalidArgumentError: none was written, and their shape is not known.
        """
        size = -1
        if self._size is not None:
            known = known_int(self._size) if not isinstance(self._size, int) else self._size
            size = known if isinstance(known, int) else -1
        return apply(STACK, (self._flow,), {"num_elements": size, **self._attrs()})

    def gather(self, indices: TensorLike, name: str | None = None) -> Tensor:
        """Some elements along a new first axis.

        Raises:
            InvalidArgumentError: there is no such index.
        """
        return apply(GATHER, (self._flow,), {"indices": _all(indices), **self._attrs()})

    def concat(self, name: str | None = None) -> Tensor:
        """All elements one after the other along their first axis."""
        shape = self.element_shape
        attrs = {"element_dtype": self._dtype, "element_shape": shape.sizes}
        return apply(CONCAT_LIST, (self._flow,), attrs)

    def unstack(self, value: TensorLike, name: str | None = None) -> ListArray:
        """Makes the slices of a tensor along its first axis the elements."""
        tensor = self._taken(value)
        flow = apply(FROM_TENSOR, (tensor,), {"element_dtype": self._dtype})
        return self._with(flow, self._slices_of(tensor))

    def _slices_of(self, tensor: Tensor) -> TensorShape:
        dims = tensor.shape.sizes
        return self._checked_shape(TensorShape(None if dims is None else dims[1:]))

    def scatter(self, indices: TensorLike, value: TensorLike, name: str | None = None) -> ListArray:
        """Writes the slices of a tensor to some elements."""
        tensor = self._taken(value)
        shape = self._slices_of(tensor)
        attrs = {"indices": _all(indices), "element_dtype": self._dtype}
        return self._with(apply(SCATTER, (self._flow, tensor), attrs), shape)

    def split(self, value: Any, lengths: TensorLike, name: str | None = None) -> ListArray:
        """Makes parts of a tensor, of the given lengths, the elements.

        Raises:
            InvalidArgumentError: the lengths do not make up the tensor.
        """
        tensor = self._taken(value)
        sizes = _all(lengths)
        dims = tensor.shape.sizes
        known = isinstance(sizes, tuple) and all(isinstance(each, int) for each in sizes)
        first = sizes[0] if known and len(set(sizes)) == 1 else None
        shape = TensorShape(None if dims is None else (first, *dims[1:]))
        shape = self._checked_shape(shape)
        attrs = {"lengths": sizes, "element_dtype": self._dtype}
        return self._with(apply(SPLIT_LIST, (tensor,), attrs), shape)

    def close(self, name: str | None = None) -> Any:
        """An operation that changes nothing: lists end when nobody uses them."""
        return identity(self._flow).op


def _one(value: object) -> Any:
    """An index or a size, as a number or as what waits for it."""
    return value if type(value) is int else known_int(value)


def _all(values: object) -> Any:
    return static_ints(values, "indices")


NEW_IN_GRAPHS.bind(lambda: object.__new__(ListArray))
