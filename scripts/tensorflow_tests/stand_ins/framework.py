"""Modules of `framework`, `checkpoint`, `compat` and `distribute`."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable
from typing import Any

import emplace.tensorflow as tf
from emplace.distribute.variables import variables as _variables

from ..holes import Hole

_v1 = tf.compat.v1


def convert_to_tensor(
    value: Any,
    dtype: Any = None,
    name: str | None = None,
    as_ref: bool = False,
    preferred_dtype: Any = None,
    dtype_hint: Any = None,
    ctx: Any = None,
    **_: Any,
) -> Any:
    """With the arguments of all of its versions."""
    hint = preferred_dtype or dtype_hint
    return tf.convert_to_tensor(value, dtype=dtype, name=name, dtype_hint=hint)


def convert_n_to_tensor(values: Iterable[Any], dtype: Any = None, **_: Any) -> list[Any]:
    """Each of them as a tensor."""
    return [tf.convert_to_tensor(value, dtype) for value in values]


def name_scope(
    name: str | None,
    default_name: str | None = None,
    values: Any = None,
    skip_on_eager: bool = True,
) -> Any:
    """TensorFlow 1's, which takes one argument more in private."""
    return _v1.name_scope(name, default_name, values)


def get_name_scope() -> str:
    """The default graph's, "" in eager mode."""
    return "" if tf.executing_eagerly() else _v1.get_default_graph().get_name_scope()


def inside_function() -> bool:
    """Whether ops are recorded in the graph of a function."""
    return not tf.executing_eagerly() and type(_v1.get_default_graph()) is not tf.Graph


def constant_value(tensor: Any, partial: bool = False) -> Any:
    """What is known of a tensor's value without a run."""
    return tf.get_static_value(tensor, partial=partial)


def unknown_shape(rank: int | None = None, **_: Any) -> Any:
    """A shape of which nothing is known but its rank."""
    return tf.TensorShape(None if rank is None else [None] * rank)


def tensor_callable(function: Callable[[], Any], dtype: Any, device: Any) -> Any:
    """The value: a save takes what is called for the time being."""
    return function()


class _OfStrategies(type):
    """A class whose instances strategies make: tests may ask for it, and make none themselves."""

    def __new__(cls, name: str, kind: type) -> Any:
        return super().__new__(cls, name, (), {"kind": kind})

    def __init__(cls, name: str, kind: type) -> None:
        super().__init__(name, (), {})

    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, cls.kind)

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        return Hole(f"tensorflow.python.distribute.values.{cls.__name__}")(*args, **kwargs)


NAMES: dict[str, dict[str, Any]] = {
    "framework.ops": {
        "EagerTensor": type(tf.constant(0)),
        "IndexedSlices": tf.IndexedSlices,
        "NullContextmanager": contextlib.nullcontext,
        "SymbolicTensor": tf.Tensor,
        "Tensor": tf.Tensor,
        "colocate_with": _v1.colocate_with,
        "convert_n_to_tensor": convert_n_to_tensor,
        "convert_to_tensor": convert_to_tensor,
        "convert_to_tensor_v1": _v1.convert_to_tensor,
        "convert_to_tensor_v1_with_dispatch": _v1.convert_to_tensor,
        "convert_to_tensor_v2": tf.convert_to_tensor,
        "convert_to_tensor_v2_with_dispatch": tf.convert_to_tensor,
        "device_v2": tf.device,
        "dismantle_graph": lambda graph: None,
        "enable_eager_execution_internal": lambda *args, **kwargs: None,
        "executing_eagerly": tf.executing_eagerly,
        "get_name_scope": get_name_scope,
        "inside_function": inside_function,
        "is_dense_tensor_like": tf.is_tensor,
        "name_scope": name_scope,
    },
    "framework.dtypes": {
        "TF_VALUE_DTYPES": {each for each in vars(tf.dtypes).values() if isinstance(each, tf.DType)}
    },
    "framework.indexed_slices": {"IndexedSlicesValue": _v1.IndexedSlicesValue},
    "framework.random_seed": {"DEFAULT_GRAPH_SEED": 87654321},
    "framework.sparse_tensor": {
        "is_sparse": lambda x: isinstance(x, tf.SparseTensor | _v1.SparseTensorValue)
    },
    "framework.tensor_conversion": {
        "convert_to_tensor": convert_to_tensor,
        "convert_to_tensor_v2": tf.convert_to_tensor,
        "convert_to_tensor_v2_with_dispatch": tf.convert_to_tensor,
    },
    "framework.tensor_conversion_registry": {"convert": convert_to_tensor},
    "framework.tensor_shape": {
        "TensorShapeV2": tf.TensorShape,
        "as_dimension": _v1.Dimension,
        "as_shape": tf.TensorShape,
        "matrix": lambda rows, columns: tf.TensorShape([rows, columns]),
        "scalar": lambda: tf.TensorShape([]),
        "unknown_shape": unknown_shape,
        "vector": lambda size: tf.TensorShape([size]),
    },
    "framework.tensor_util": {"constant_value": constant_value},
    "framework.versions": {
        "CXX11_ABI_FLAG": tf.sysconfig.CXX11_ABI_FLAG,
        "CXX_VERSION": tf.sysconfig.CXX_VERSION,
        "GIT_VERSION": tf.version.GIT_VERSION,
        "MONOLITHIC_BUILD": tf.sysconfig.MONOLITHIC_BUILD,
    },
    "checkpoint.tensor_callable": {"Callable": tensor_callable},
    "compat.compat": {
        "forward_compatibility_horizon": lambda *args: contextlib.nullcontext(),
        "forward_compatible": lambda *args: True,
    },
    "distribute.values": {
        name: _OfStrategies(name, getattr(_variables, name))
        for name in ("DistributedVariable", "MirroredVariable", "SyncOnReadVariable")
    },
    "distribute.distribute_lib": {
        "StrategyBase": tf.distribute.Strategy,
        "_get_default_strategy": tf.distribute.get_strategy,
    },
}
