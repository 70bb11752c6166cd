"""Modules of `ops`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import emplace.tensorflow as tf

from ..holes import Hole

_v1 = tf.compat.v1


def cond_v2(
    pred: Any, true_fn: Callable[[], Any], false_fn: Callable[[], Any], name: str = "cond"
) -> Any:
    """The branches of functions."""
    return tf.cond(pred, true_fn, false_fn, name=name)


def while_loop(
    cond: Callable[..., Any],
    body: Callable[..., Any],
    loop_vars: Any,
    return_same_structure: bool = True,
    **kwargs: Any,
) -> Any:
    """The loops of functions."""
    if kwargs.get("maximum_iterations", 0) is None:
        del kwargs["maximum_iterations"]
    return _v1.while_loop(
        cond, body, loop_vars, return_same_structure=return_same_structure, **kwargs
    )


def convert_padding(padding: Any, expected_length: int = 4) -> tuple[Any, list[int]]:
    """A padding as raw ops take it: a word, and numbers where it is explicit."""
    if isinstance(padding, list | tuple):
        return "EXPLICIT", [size for pair in padding for size in pair]
    return padding, []


def string_split_v2(source: Any, sep: Any = None, maxsplit: int = -1) -> Any:
    """The parts of texts as a sparse tensor."""
    parts = tf.raw_ops.StringSplitV2(
        input=source, sep="" if sep is None else sep, maxsplit=maxsplit
    )
    return tf.SparseTensor(*parts)


NAMES: dict[str, dict[str, Any]] = {
    "ops.array_ops_stack": {"stack": tf.stack, "unstack": tf.unstack},
    "ops.cond_v2": {"cond_v2": cond_v2},
    "ops.control_flow_util": {
        "ENABLE_CONTROL_FLOW_V2": True,
        "GraphOrParentsInXlaContext": lambda graph: False,
        "enable_control_flow_v2": lambda f: f,
    },
    "ops.init_ops_v2": {
        "Identity": Hole("init_ops_v2.Identity"),
        "TruncatedNormal": Hole("init_ops_v2.TruncatedNormal"),
    },
    "ops.lookup_ops": {"HashTable": tf.lookup.StaticHashTable},
    "ops.math_ops": {"mod": tf.math.floormod, "sqrt": tf.sqrt, "square": tf.square},
    "ops.metrics": {"mean_squared_error": _v1.metrics.mean_squared_error},
    "ops.nn_ops": {
        "convert_padding": convert_padding,
        "max_pool_with_argmax": _v1.nn.max_pool_with_argmax,
    },
    "ops.ragged.ragged_math_ops": {
        f"segment_{how}": getattr(tf.math, f"unsorted_segment_{how}")
        for how in ("sum", "prod", "min", "max", "mean", "sqrt_n")
    },
    "ops.ragged.ragged_array_ops": {"_DEFAULT_CROSS_HASH_KEY": 0xDECAFCAFFE},
    "ops.resource_variable_ops": {
        "BaseResourceVariable": tf.Variable,
        "ResourceVariable": tf.Variable,
        "is_resource_variable": lambda x: isinstance(x, tf.Variable),
    },
    "ops.string_ops": {
        "string_split": _v1.string_split,
        "string_split_v2": string_split_v2,
    },
    "ops.while_v2": {"while_loop": while_loop},
    "ops.tensor_getitem_override": {
        "_SLICE_TYPE_ERROR": (
            "Only integers, slices (`:`), ellipsis (`...`), tf.newaxis (`None`) and scalar "
            "tf.int32/tf.int64 tensors are valid indices"
        ),
    },
}
