"""TensorArray: a list of tensors that is written and read by index."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from types import FunctionType
from typing import Any

import numpy as np

from ...base.dtypes import DType, as_dtype
from ...base.errors import InvalidArgumentError, OutOfRangeError, invalid_argument
from ...base.late_binding import LateBinding
from ...base.shapes import TensorShape
from ...base.typing import DTypeLike, ShapeLike, TensorLike
from ...core.context import LOCAL
from ...core.tensor import Tensor
from ..arguments import one_number, static_ints
from ..convert import to_tensor
from ..op import apply
from .joining import concat, split, stack, unstack
from .making import constant, zeros
from .tensor_list import OF_TENSORS

#: An array as graphs have them, not initialized yet.
NEW_IN_GRAPHS: LateBinding[[], TensorArray] = LateBinding(
    "make a TensorArray of a graph", "ops/array/list_array.py"
)


class _Kind(type):
    """Makes `TensorArray.stack(array)` the method of the array's own class: in graphs that is
    another one. Arrays themselves are not asked here.
    """

    def __getattribute__(cls, name: str) -> Any:
        found = super().__getattribute__(name)
        if name.startswith("_") or cls is not TensorArray or not isinstance(found, FunctionType):
            return found

        @functools.wraps(found)
        def of_its_class(self: TensorArray, *args: Any, **kwargs: Any) -> Any:
            return getattr(self, name)(*args, **kwargs)

        return of_its_class


class TensorArray(metaclass=_Kind):
    """A list of tensors of one dtype (`tf.TensorArray`), mostly for loops.

    Every change returns the array to use from then on. In eager mode gradients flow through the
    tensors themselves.

    Args:
        dtype: the dtype of the elements.
        size: how many elements there are.
        dynamic_size: lets writes behind the end make it longer.
        clear_after_read: an element can be read once only; True if None.
        tensor_array_name: not used.
        handle: not used.
        flow: not used.
        infer_shape: all elements must have the shape of the first.
        element_shape: the shape of the elements, which may be known in part.
        colocate_with_first_write_call: not used.
        name: a name in graphs.

    Raises:
        ValueError: there is no size.

    >>> array = TensorArray("float32", 2).write(0, 1.0).write(1, 2.0)
    >>> array.stack().numpy().tolist()
    [1.0, 2.0]
    """

    def __new__(cls, dtype: DTypeLike | None = None, *args: Any, **options: Any) -> TensorArray:
        """One of graphs, where ops become operations or a list of a graph is given."""
        if cls is TensorArray and (not LOCAL.state.target.is_eager or options.get("flow")
                                   is not None):  # fmt: skip
            return NEW_IN_GRAPHS.call()
        return object.__new__(cls)

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
        if size is None:
            raise ValueError(
                "Size must be declared for TensorArrays when eager execution is enabled."
            )
        if isinstance(size, (list, tuple)):
            raise TypeError(f"{type(size).__name__!r} object cannot be interpreted as an integer")
        self._dtype = as_dtype(dtype)
        self._dynamic_size = bool(dynamic_size)
        self._clear_after_read = True if clear_after_read is None else clear_after_read
        self._infer_shape = infer_shape
        self._element_shape = TensorShape(element_shape)
        self._tensors: list[Any] = [None] * one_number(size, "size")
        self._cleared: set[int] = set()

    @property
    def dtype(self) -> DType:
        """The dtype of the elements."""
        return self._dtype

    @property
    def flow(self) -> Tensor:
        """What orders reads and writes in graphs: nothing in eager mode."""
        return constant(0)

    @property
    def handle(self) -> None:
        """What stands for the array in graphs: nothing in eager mode."""

    @property
    def element_shape(self) -> TensorShape:
        """The shape of the elements, as far as it is known."""
        return self._element_shape

    @property
    def dynamic_size(self) -> bool:
        """Whether writes behind the end make it longer."""
        return self._dynamic_size

    def components(self) -> tuple[Any, ...]:
        """What `tf.nest` sees of it with `expand_composites`: its elements as one tensor."""
        places = tuple(i for i, each in enumerate(self._tensors) if each is not None)
        attrs = {"places": places, "size": len(self._tensors), "element_dtype": self._dtype}
        return (apply(OF_TENSORS, tuple(self._tensors[i] for i in places), attrs),)

    def with_components(self, components: Sequence[Any]) -> TensorArray:
        """An array of the same kind with other elements."""
        (flow,) = components
        shape = self._element_shape if self._infer_shape or self._element_shape.rank else None
        size = None if self._dynamic_size else len(self._tensors)
        return TensorArray(
            self._dtype, size, self._dynamic_size, flow=flow, infer_shape=self._infer_shape,
            element_shape=shape,
        )  # fmt: skip

    @property
    def outline(self) -> str:
        """What a trace of a function depends on."""
        size = None if self._dynamic_size else len(self._tensors)
        return f"TensorArray of {size} {self._dtype.name}{self._element_shape}{self._infer_shape}"

    def identity(self) -> TensorArray:
        """The array itself."""
        return self

    def grad(self, source: str, flow: Any = None, name: str | None = None) -> Any:
        """Gradients in TF 1 graphs.

        Raises:
            NotImplementedError: always, in eager mode.
        """
        raise NotImplementedError(
            "TensorArray.grad is not supported when executing eagerly; eager's gradient "
            "implementation does not use/need this function to compute gradients of operations "
            "that use TensorArrays."
        )

    def size(self, name: str | None = None) -> Any:
        """How many elements there are, as a tensor."""
        return constant(len(self._tensors))

    def read(self, index: TensorLike, name: str | None = None) -> Any:
        """An element; one that was never written is zeros.

        Raises:
            OutOfRangeError: there is no such index.
            InvalidArgumentError: it was read before, and cleared.
            ValueError: it was never written, and its shape is not known.
        """
        place = one_number(index, "index")
        if place < 0:
            raise OutOfRangeError(
                None, None, f"Reading from negative indices (index {place}) is not allowed."
            )
        if place >= len(self._tensors):
            raise OutOfRangeError(
                None, None,
                f"Tried to read from index {place} but array size is: {len(self._tensors)} ",
            )  # fmt: skip
        value = self._element(place)
        if self._clear_after_read:
            self._tensors[place] = None
            self._cleared.add(place)
        return value

    def _element(self, place: int) -> Any:
        if self._tensors[place] is None:
            if place in self._cleared:
                raise InvalidArgumentError(
                    None, None,
                    f"Could not read index {place} twice because it was cleared after a previous "
                    "read (perhaps try setting clear_after_read = false?)",
                )  # fmt: skip
            self._tensors[place] = self._zero()
        return self._tensors[place]

    def _zero(self) -> Tensor:
        if not self._element_shape.is_fully_defined():
            raise ValueError(
                f"Cannot convert a partially known TensorShape {self._element_shape} to a Tensor."
            )
        return zeros(self._element_shape, self._dtype)

    def write(self, index: TensorLike, value: TensorLike, name: str | None = None) -> TensorArray:
        """Replaces an element.

        Returns:
            The array to use from now on.

        Raises:
            OutOfRangeError: there is no such index, and the array cannot grow.
            InvalidArgumentError: `value` has another dtype.
            ValueError: it has another shape.
        """
        place = one_number(index, "index")
        self._make_room(place)
        self._tensors[place] = self._checked(value)
        self._cleared.discard(place)
        return self._next()

    def _next(self) -> TensorArray:
        """What a change returns: the same elements in a new object."""
        following = object.__new__(type(self))
        following.__dict__.update(self.__dict__)
        return following

    def _make_room(self, place: int) -> None:
        size = len(self._tensors)
        if place < 0:
            raise OutOfRangeError(
                None, None, f"Writing to negative indices (index {place}) is not allowed."
            )
        if place < size:
            return
        if not self._dynamic_size:
            raise OutOfRangeError(
                None, None,
                f"Tried to write to index {place} but array is not resizeable and size is: {size} ",
            )  # fmt: skip
        self._tensors.extend([None] * (place + 1 - size))

    def _checked(self, value: TensorLike) -> Tensor:
        tensor = to_tensor(value, hint=self._dtype)
        if tensor.dtype is not self._dtype:
            raise invalid_argument(
                f"TensorArray dtype is {self._dtype.name} but Op is trying to write dtype "
                f"{tensor.dtype.name} "
            )
        if not self._element_shape.is_compatible_with(tensor.shape):
            raise ValueError(
                f"Incompatible shape for value ({tensor.shape}), expected ({self._element_shape})"
            )
        if self._infer_shape:
            self._element_shape = self._element_shape.merge_with(tensor.shape)
        return tensor

    def stack(self, name: str | None = None) -> Tensor:
        """All elements along a new first axis; those never written are zeros."""
        if not self._tensors:
            known = self._element_shape if self._element_shape.is_fully_defined() else ()
            return zeros([0, *known], self._dtype)
        return stack(self._all())

    def _all(self) -> list[Any]:
        return [self._zero() if value is None else value for value in self._tensors]

    def gather(self, indices: TensorLike, name: str | None = None) -> Tensor:
        """Some elements along a new first axis.

        Raises:
            IndexError: there is no such index.
        """
        places = static_ints(indices, "indices")
        return stack([self._peek(place) for place in places])

    def _peek(self, place: int) -> Tensor:
        value = self._tensors[place]
        return self._zero() if value is None else value

    def concat(self, name: str | None = None) -> Tensor:
        """All elements one after the other along their first axis."""
        return concat(self._all(), 0)

    def unstack(self, value: TensorLike, name: str | None = None) -> TensorArray:
        """Makes the slices of a tensor along its first axis the elements.

        Raises:
            ValueError: there are more than the array holds.
        """
        return self._replace(unstack(to_tensor(value, hint=self._dtype)))

    def _replace(self, parts: Sequence[Any]) -> TensorArray:
        if len(parts) > len(self._tensors) and not self._dynamic_size:
            raise ValueError(
                f"Cannot unstack {len(parts)} tensors into a TensorArray of static size "
                f"{len(self._tensors)} "
            )
        self._tensors = list(parts)
        self._cleared = set()
        return self._next()

    def scatter(
        self, indices: TensorLike, value: TensorLike, name: str | None = None
    ) -> TensorArray:
        """Writes the slices of a tensor to some elements."""
        parts = unstack(to_tensor(value, hint=self._dtype))
        for place, part in zip(static_ints(indices, "indices"), parts, strict=True):
            self.write(place, part)
        return self._next()

    def split(self, value: Any, lengths: TensorLike, name: str | None = None) -> TensorArray:
        """Makes parts of a tensor, of the given lengths, the elements.

        Raises:
            InvalidArgumentError: the lengths do not make up the tensor, or are not as many as the
                elements of an array that does not grow.
        """
        tensor = to_tensor(value, hint=self._dtype)
        if to_tensor(lengths).shape.rank != 1:
            dims = to_tensor(lengths).shape.as_list()
            raise invalid_argument(f"Expected lengths to be a vector, received shape: {dims} ")
        if not tensor.shape.rank:
            raise invalid_argument(
                "Expected value to be at least a vector, but received shape: [] "
            )
        sizes = static_ints(lengths, "lengths")
        if sum(sizes) != tensor.shape[0]:
            raise invalid_argument(
                "Expected sum of lengths to be equal to values.shape[0], but sum of lengths is "
                f"{int(np.sum(sizes))} and value's shape is: {tensor.shape.as_list()} "
            )
        if not self._dynamic_size and len(sizes) != len(self._tensors):
            raise invalid_argument(
                f"TensorArray's size is not equal to the size of lengths ({len(self._tensors)} vs. "
                f"{len(sizes)}), and the TensorArray is not marked as dynamically resizeable."
            )
        self._tensors = split(tensor, sizes)
        self._cleared = set()
        return self._next()

    def close(self, name: str | None = None) -> None:
        """Lets all elements go."""
        self._tensors = []
