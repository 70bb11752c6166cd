"""Types to test against and to annotate with: `tf.types.experimental`, `tf.__internal__.types`."""

# ruff: noqa: N805  # methods of a metaclass

from __future__ import annotations

from abc import ABC, ABCMeta
from typing import Any, Protocol, Union, runtime_checkable

import numpy as np

from ..core.tensor import AnyTensor
from ..core.type_spec import TypeSpec
from ..data.dataset.dataset import Dataset as _Dataset
from ..eager.variable import VariableClass
from ..graph.function.calling import ConcreteFunction as _Concrete
from ..graph.function.function import Function as _Function
from ..graph.function.printed import FunctionType as FunctionType

#: What ops take for a tensor (`tf.types.experimental.TensorLike`).
TensorLike = Union[  # noqa: UP007  # it must be a value of `typing`
    AnyTensor,
    int,
    float,
    bool,
    str,
    bytes,
    complex,
    tuple[Any, ...],
    list[Any],
    np.ndarray,
    np.generic,
]


class _TensorKind(VariableClass):
    """Lets tensors and variables be instances of a class that is above none of them. It is a kind
    of variables' own, so that a class may be made of both.
    """

    def __instancecheck__(cls, instance: object) -> bool:
        return (
            isinstance(instance, AnyTensor)
            if cls is TensorType
            else type.__instancecheck__(cls, instance)
        )

    def __subclasscheck__(cls, subclass: type) -> bool:
        if cls is TensorType:
            return type.__subclasscheck__(cls, subclass) or issubclass(subclass, AnyTensor)
        return type.__subclasscheck__(cls, subclass)


class TensorType(metaclass=_TensorKind):
    """What tensors and variables are instances of (`tf.__internal__.types.Tensor`)."""

    def __init_subclass__(cls, **kwargs: Any) -> None:
        """Makes instances of classes of the program tensors, as Keras's variables are."""
        super().__init_subclass__(**kwargs)
        AnyTensor.register(cls)


class Callable(metaclass=ABCMeta):  # noqa: B024  # classes are registered with it
    """What is called with tensors (`tf.types.experimental.Callable`)."""


class AtomicFunction(Callable):
    """A graph that is called flat (`tf.types.experimental.AtomicFunction`)."""


class ConcreteFunctionType(Callable):
    """One trace of a function (`tf.types.experimental.ConcreteFunction`)."""


class PolymorphicFunction(Callable):
    """A function with a trace per kinds of arguments
    (`tf.types.experimental.PolymorphicFunction`, `GenericFunction`).
    """


class TraceType(metaclass=ABCMeta):  # noqa: B024
    """What a trace is kept by (`tf.types.experimental.TraceType`)."""


@runtime_checkable
class SupportsTracingProtocol(Protocol):
    """What tells its own TraceType (`tf.types.experimental.SupportsTracingProtocol`)."""

    def __tf_tracing_type__(self, context: Any) -> Any:
        """The type by which traces of it are kept."""


class DatasetType(ABC):  # noqa: B024
    """What datasets are instances of (`tf.__internal__.types.data.Dataset`)."""


ConcreteFunctionType.register(_Concrete)
PolymorphicFunction.register(_Function)
TraceType.register(TypeSpec)
DatasetType.register(_Dataset)
