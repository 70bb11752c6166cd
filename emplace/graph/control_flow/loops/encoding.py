"""Values of batchable extension types in `tf.map_fn`: rows and results go through the loop as what
encodes them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ....base import nest
from ....ops.extension.batching import (
    BatchableExtensionType,
    BatchableExtensionTypeSpec,
    batched_spec,
    encoding_of,
    unbatched_spec,
)
from ....ops.extension.types import type_of


def is_encoded(*structures: Any) -> bool:
    """Whether a value, or the spec of one, of a batchable type is among some structures."""
    kinds = (BatchableExtensionType, BatchableExtensionTypeSpec)
    return any(isinstance(leaf, kinds) for each in structures for leaf in nest.flatten(each))


def encoded_call(fn: Callable[..., Any], elems: object, signature: object) -> tuple[Any, Any, Any]:
    """A function of encoded rows, the encoded arguments, and the specs of its encoded results.

    Args:
        fn: takes and returns values.
        elems: what `fn` gets rows of.
        signature: the specs and dtypes of what `fn` returns.
    """
    rows = nest.map_structure(_row_spec, elems)

    def call(encoded: object) -> Any:
        result = fn(nest.map_structure_up_to(elems, _decoded, rows, encoded))
        nest.assert_same_structure(signature, result)
        return nest.map_structure_up_to(signature, _as_promised, signature, result)

    return call, nest.map_structure(_encoded, elems), nest.map_structure(_specs, signature)


def decoded(signature: object, encoded: object) -> Any:
    """The results of all rows.

    Args:
        signature: the specs and dtypes of the result for a row.
        encoded: what the loop stacked.
    """

    def whole(spec: object, value: object) -> Any:
        if not isinstance(spec, BatchableExtensionTypeSpec):
            return value
        return _decoded(batched_spec(spec, nest.flatten(value)[0].shape[0]), value)

    return nest.map_structure_up_to(signature, whole, signature, encoded)


def _row_spec(value: object) -> Any:
    is_ours = isinstance(value, BatchableExtensionType)
    return unbatched_spec(type_of(value)) if is_ours else None


def _encoded(value: object) -> Any:
    if not isinstance(value, BatchableExtensionType):
        return value
    return nest.map_structure(_encoded, encoding_of(value))


def _specs(spec: object) -> Any:
    if not isinstance(spec, BatchableExtensionTypeSpec):
        return spec
    return nest.map_structure(_specs, spec.value_type.__batch_encoder__.encoding_specs(spec))


def _decoded(spec: object, value: object) -> Any:
    if not isinstance(spec, BatchableExtensionTypeSpec):
        return value
    encoder = spec.value_type.__batch_encoder__
    below = encoder.encoding_specs(spec)
    return encoder.decode(spec, nest.map_structure_up_to(below, _decoded, below, value))


def _as_promised(spec: object, value: object) -> Any:
    """An encoded result; its class is that of its spec."""
    if isinstance(spec, BatchableExtensionTypeSpec) and not isinstance(value, spec.value_type):
        raise ValueError(
            f"Error in map_fn: expected `fn` to return a {spec}, but it returned {value!r}. Say "
            "what it returns by `fn_output_signature`."
        )
    return _encoded(value)
