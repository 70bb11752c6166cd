"""The signatures of a `tf.function`: which argument each spec of an `input_signature` is for, and
what a trace takes.
"""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from typing import Any

from ....base import nest
from ....core.ragged import RaggedTensor
from ....core.tensor_spec import TensorSpec
from ....ops.ragged.spec import RaggedTensorSpec
from ....ops.sparse.tensor import SparseTensor, SparseTensorSpec
from ...representation.graph import SymbolicTensor

_GATHERS = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)


def fitted(signature: inspect.Signature, specs: Sequence[Any] | None) -> inspect.Signature:
    """The signature with a parameter of its own for each spec that `*args` takes.

    Raises:
        TypeError: there are more specs than arguments, or an argument without default has none, or
            one that is taken by its name alone has no default.
    """
    if specs is None:
        return signature
    parameters = list(signature.parameters.values())
    _check_keyword_only(parameters)
    plain = [each for each in parameters if each.kind not in _GATHERS]
    counted = [each for each in plain if each.name != "self"]
    many = next((p for p in parameters if p.kind is inspect.Parameter.VAR_POSITIONAL), None)
    extra = len(specs) - len(counted)
    if extra > 0 and many is None:
        raise TypeError(f"input_signature contains {extra} extra type constraints.")
    for each in counted[len(specs) :]:
        if each.default is each.empty:
            raise TypeError(f"input_signature missing type constraint for {each.name}")
    if many is None:
        return signature.replace(parameters=plain)
    named = [each for each in plain if each.kind is not inspect.Parameter.KEYWORD_ONLY]
    own = [
        inspect.Parameter(f"{many.name}_{i}", inspect.Parameter.POSITIONAL_ONLY)
        for i in range(max(extra, 0))
    ]
    before = [each.replace(kind=inspect.Parameter.POSITIONAL_ONLY) for each in named]
    return signature.replace(parameters=[*before, *own, *plain[len(named) :]])


def _check_keyword_only(parameters: Sequence[inspect.Parameter]) -> None:
    for each in parameters:
        if each.kind is inspect.Parameter.KEYWORD_ONLY and each.default is each.empty:
            raise TypeError(
                f"Since input_signature is defined, keyword-only parameter `{each.name}` must have "
                "a default value"
            )


def keywords_of(signature: inspect.Signature) -> str | None:
    """The name of the parameter that takes further arguments by name; None if there is none."""
    kind = inspect.Parameter.VAR_KEYWORD
    return next((each.name for each in signature.parameters.values() if each.kind is kind), None)


PLAIN = (int, float, bool, complex, str, bytes, type(None), type, Ellipsis.__class__)


class UnknownArgument:
    """Stands in the signature of a trace for an argument of a class that graphs know nothing of.

    The trace does not keep the argument itself: it may be a model.
    """


def described(args: Sequence[Any], kwargs: dict[str, Any]) -> tuple[Any, Any]:
    """What a trace takes: specs in the places of its symbolic tensors, plain values as they are."""
    found: tuple[Any, Any] = nest.map_structure(_described, (args, kwargs))
    return found


def _described(leaf: object) -> Any:
    if isinstance(leaf, SymbolicTensor):
        return TensorSpec(leaf.shape, leaf.dtype, leaf.op.name)
    if isinstance(leaf, RaggedTensor):
        return RaggedTensorSpec.from_value(leaf)
    if isinstance(leaf, SparseTensor):
        return SparseTensorSpec.from_value(leaf)
    if isinstance(leaf, PLAIN):
        return leaf
    return getattr(leaf, "_type_spec", None) or UnknownArgument()


def renamed(signature: Any, names: Sequence[str]) -> Any:
    """What a trace takes, where its tensors have other names; composites keep theirs."""
    leaves = nest.flatten(signature)
    if sum(isinstance(leaf, TensorSpec) for leaf in leaves) != len(names):
        return signature
    remaining = iter(names)
    leaves = [
        TensorSpec(leaf.shape, leaf.dtype, next(remaining))
        if isinstance(leaf, TensorSpec)
        else leaf
        for leaf in leaves
    ]
    return nest.pack_sequence_as(signature, leaves)
