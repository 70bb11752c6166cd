"""Private names that Keras 2 (`tf_keras`) imports, small ones of several modules."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterator, Mapping
from contextlib import nullcontext
from typing import Any

from ..base.missing import Missing
from ..base.typing import DTypeLike, ShapeLike, TensorLike
from ..core.composite import CompositeTensor
from ..core.context import LOCAL
from ..core.tensor import value_text
from ..core.tensor_spec import TensorSpec
from ..eager.variable import Variable
from ..graph.recording.default import get_default_graph
from ..graph.recording.func_graph import FuncGraph
from ..graph.representation.graph import Graph
from ..ops.convert import convert_to_tensor

save_and_return_nodes = Missing.of(
    "tf.saved_model.save",
    "Save a model with `model.save('model.keras')`, variables with tf.train.Checkpoint.",
)
ENABLE_CONTROL_FLOW_V2 = True
NullContextmanager = nullcontext
_NUMBERS = itertools.count()


class KerasModeKeys:
    """What a model does (`tensorflow.python.saved_model.model_utils.mode_keys`)."""

    TRAIN, TEST, PREDICT = "train", "test", "predict"


class EstimatorModeKeys:
    """What an estimator does (`tensorflow.python.saved_model.model_utils.mode_keys`)."""

    TRAIN, EVAL, PREDICT = "train", "eval", "infer"


class VariableSpec(TensorSpec):
    """The type of a variable as an argument of a function
    (`tensorflow.python.ops.resource_variable_ops.VariableSpec`).

    Args:
        shape: of its value.
        dtype: of its value.
        trainable: whether tapes watch it.
        alias_id: not used.
    """

    __slots__ = ("trainable",)
    value_type: Any = Variable
    is_of_variable = True  # what a signature asks of its specs

    def __init__(
        self,
        shape: ShapeLike | None,
        dtype: DTypeLike = "float32",
        trainable: bool = True,
        alias_id: object = None,
    ) -> None:
        super().__init__(shape, dtype)
        self.trainable = trainable

    def __repr__(self) -> str:
        return (
            f"VariableSpec(shape={self.shape}, dtype={self.dtype!r}, trainable={self.trainable}, "
            "alias_id=None)"
        )


def get_graph() -> Graph:
    """Returns the graph of TF 1's Keras: the default one; in eager mode one of its own
    (`tensorflow.python.keras.backend.get_graph`).
    """
    return _graph_of_keras() if LOCAL.state.target.is_eager else get_default_graph()


@functools.cache
def _graph_of_keras() -> Graph:
    return FuncGraph("keras_graph")


def uid() -> int:
    """Returns a number that no other call returns."""
    return next(_NUMBERS)


def name_from_scope_name(name: str) -> str:
    """Returns the name of a scope without the slash at its end."""
    return name.removesuffix("/")


def convert_to_tensor_or_composite(
    value: TensorLike, dtype: DTypeLike | None = None, name: str | None = None
) -> Any:
    """Returns a value as a tensor, a composite tensor as it is.

    Args:
        value: what becomes one.
        dtype: its dtype.
        name: not used.
    """
    return value if isinstance(value, CompositeTensor) else convert_to_tensor(value, dtype)


def numpy_text(tensor: Any, is_repr: bool = False) -> str:
    """Returns the elements of a tensor as its text shows them, on lines of their own if several.

    Args:
        tensor: an eager one.
        is_repr: as `repr` shows them, with commas and the dtype.
    """
    text = value_text(tensor, is_repr)
    return f"\n{text}" if "\n" in text else text


def make_composite_tensor(cls: type, module_name: str = "tf.linalg") -> type:
    """Returns a class as it is."""
    return cls


def is_namedtuple(instance: object, strict: bool = False) -> bool:
    """Tells whether a value is a named tuple."""
    return isinstance(instance, tuple) and hasattr(instance, "_fields")


def yield_value(iterable: Any) -> Iterator[Any]:
    """Goes through the parts of a structure of one level."""
    if isinstance(iterable, Mapping):
        for key in sorted(iterable):
            yield iterable[key]
    else:
        yield from iterable


def yield_sorted_items(iterable: Any) -> Iterator[tuple[Any, Any]]:
    """Goes through the places and parts of a structure of one level."""
    if isinstance(iterable, Mapping):
        for key in sorted(iterable):
            yield key, iterable[key]
    elif is_namedtuple(iterable):
        for name in iterable._fields:
            yield name, getattr(iterable, name)
    else:
        yield from enumerate(iterable)
