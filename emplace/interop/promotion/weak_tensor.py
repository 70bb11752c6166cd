"""Weak tensors: tensors of Python's numbers, whose type gives way to those that they meet."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...base.typing import TensorLike
from ...core.tensor import AnyTensor, Tensor
from ...graph.autograph.entry import part_on_converter
from ...graph.autograph.settings import FOR_LOOPS
from ...graph.representation.operation import SymbolicTensor
from ...ops.convert import register_converter, to_tensor
from ...ops.extension.batching import BatchableExtensionType
from .lattice import WEAK_DTYPES


class WeakTensor(BatchableExtensionType):
    """A tensor of a weak type (TensorFlow's `WeakTensor`).

    It holds a tensor and has its attributes; operators and the functions that promote types tell
    it apart, all others take the tensor that it holds.

    Raises:
        TypeError: no weak type is of this dtype.

    >>> WeakTensor.from_tensor(to_tensor(1)).to_tensor().dtype
    tf.int32
    """

    __name__ = "tf.WeakTensor"
    __array_priority__ = 100
    tensor: Tensor

    def __validate__(self) -> None:
        if self.tensor.dtype not in WEAK_DTYPES:
            raise TypeError(
                f"{self.tensor.dtype} not allowed as a weak type. The allowed types are "
                f"{WEAK_DTYPES}."
            )

    @classmethod
    def from_tensor(cls, tensor: Any) -> WeakTensor:
        """A weak tensor of what a tensor holds."""
        if not isinstance(tensor, (Tensor, WeakTensor)):
            raise TypeError(
                "WeakTensor can only be constructed from tf.Tensor or tf.WeakTensor, but "
                f"{type(tensor)} was given."
            )
        return _holding(strong(tensor))

    def to_tensor(self) -> Tensor:
        """The tensor it holds, whose type gives way to nothing."""
        return self.tensor

    @property
    def dtype(self) -> Any:
        """The type of the elements."""
        return self.tensor.dtype

    @property
    def shape(self) -> Any:
        """The shape."""
        return self.tensor.shape

    @property
    def is_tensor(self) -> bool:  # type: ignore[override]
        """True, to `tf.is_tensor`."""
        return True

    @property
    def is_tensor_like(self) -> bool:
        """True."""
        return True

    def numpy(self) -> Any:
        """A NumPy copy of the elements.

        Raises:
            AttributeError: it belongs to a session's graph, whose tensors have no such method.
            ValueError: it belongs to a function's.
        """
        if isinstance(self.tensor, SymbolicTensor):
            if self.tensor.graph.is_below_eager:
                raise ValueError("WeakTensor.numpy() is only supported in eager mode.")
            raise AttributeError("'SymbolicTensor' object has no attribute 'numpy'")
        return self.tensor.numpy()

    def __getattr__(self, name: str) -> Any:
        if name == "tensor" or (name.startswith("__") and name.endswith("__")):
            raise AttributeError(name)  # before there is one
        return getattr(self.tensor, name)

    def __iter__(self) -> Iterator[Any]:
        if isinstance(self.tensor, SymbolicTensor):
            raise self.tensor.is_symbolic("Iterating over a symbolic `tf.WeakTensor`")
        return (_holding(each) for each in self.tensor)

    def __len__(self) -> int:
        return len(self.tensor)

    def __bool__(self) -> bool:
        return bool(self.tensor)

    def __int__(self) -> int:
        return int(self.tensor)

    def __float__(self) -> float:
        return float(self.tensor)

    def __complex__(self) -> complex:
        return complex(self.tensor)

    def __index__(self) -> int:
        return self.tensor.__index__()

    def __format__(self, how: str) -> str:
        return f"{self.tensor:{how}} weakly typed"

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        return self.tensor.__array__(dtype, copy)

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(self.tensor)

    def __copy__(self) -> WeakTensor:
        return self

    def __deepcopy__(self, memo: object) -> WeakTensor:
        return self

    def __repr__(self) -> str:
        return _marked(repr(self.tensor))

    def __str__(self) -> str:
        return _marked(str(self.tensor))

    def _as_graph_element(self) -> Any:
        """What stands for it in a graph."""
        return self.tensor

    def gradient_parts(self) -> tuple[Any, ...]:
        """The tensor."""
        return (self.tensor,)

    def with_gradient(self, gradient: Any) -> Any:
        """The gradient of a weak tensor is one."""
        return _holding(gradient)


def _holding(tensor: Any) -> WeakTensor:
    return WeakTensor(tensor)  # type: ignore[call-arg]  # its fields make its constructor


def _marked(text: str) -> str:
    return f"{text[:-1]}, weak=True{text[-1]}"


def strong(value: TensorLike) -> Any:
    """The tensor that a weak one holds; any other value as it is."""
    return value.tensor if isinstance(value, WeakTensor) else value


def _for_weak(iter_: WeakTensor, *rest: Any) -> None:
    part_on_converter("loops").for_tensor(iter_.tensor, *rest)


FOR_LOOPS[WeakTensor] = _for_weak


def register() -> None:
    """Lets all functions take weak tensors; programs that have none do without."""
    register_converter(WeakTensor, lambda value, dtype=None: to_tensor(value.tensor, dtype))


AnyTensor.register(WeakTensor)
