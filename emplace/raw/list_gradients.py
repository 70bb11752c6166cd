"""Gradients of raw ops on lists and maps of tensors.

A raw op on lists takes as tensors what the ops that arrays of graphs are made of take as numbers.
So its call is told anew, as a call of one of these, and the rule of that one is asked. The gradient
of a list is one of their lists: None is zeros there, and it may end early.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from ..grads.rules import NOT_DIFFERENTIABLE, RULES, Recorded, is_trainable
from ..ops.arguments import known_int, static_ints
from ..ops.array import tensor_list as ours
from ..ops.math.reduction import ADD_N
from ..ops.op import Op, apply
from . import lists


@dataclass(frozen=True, slots=True)
class Told:
    """How a call of a raw op is told as one of ours: which op, which of its inputs, and which input
    becomes which attribute.
    """

    of: Op
    inputs: tuple[int, ...]
    attribute: str = ""
    place: int = 0
    is_vector: bool = False


_INDEX, _SIZE = "index", "size"
_TOLD = {
    "TensorListConcat": Told(ours.CONCAT_LIST, (0,)),
    "TensorListConcatV2": Told(ours.CONCAT_LIST, (0,)),
    "TensorListFromTensor": Told(ours.FROM_TENSOR, (0,)),
    "TensorListGather": Told(ours.GATHER, (0,), "indices", 1, is_vector=True),
    "TensorListGetItem": Told(ours.GET_ITEM, (0,), _INDEX, 1),
    "TensorListResize": Told(ours.RESIZE, (0,), _SIZE, 1),
    "TensorListScatterIntoExistingList": Told(
        ours.SCATTER, (0, 1), "indices", 2, is_vector=True
    ),
    "TensorListSetItem": Told(ours.SET_ITEM, (0, 2), _INDEX, 1),
    "TensorListSplit": Told(ours.SPLIT_LIST, (0,), "lengths", 2, is_vector=True),
    "TensorListStack": Told(ours.STACK, (0,)),
}  # fmt: skip


def _dtype(call: Recorded) -> Any:
    """The type of the elements: an attribute, or that of the tensor that goes in."""
    found = call.attrs.get("element_dtype")
    given = [x.dtype for x in call.inputs if is_trainable(x.dtype)]
    return given[-1] if found is None else found


def _as_ours(call: Recorded, of: Op, places: Sequence[int], **attrs: Any) -> Recorded:
    """A call of ours that does the same to these of its inputs."""
    inputs = tuple(call.inputs[i] for i in places)
    attrs["element_dtype"] = _dtype(call)
    told = Recorded(of, inputs, attrs, call.outputs[:1], call.route)
    told.useful = call.useful
    return told


def _spread(call: Recorded, places: Sequence[int], found: Any) -> list[Any]:
    """Gradients of some inputs, and None for the others."""
    grads: list[Any] = [None] * len(call.inputs)
    listed = found if isinstance(found, (tuple, list)) else (found,)
    for place, grad in zip(places, listed, strict=True):
        grads[place] = grad
    return grads


def _by_telling(told: Told, rule: Callable[..., Any]) -> Callable[..., Any]:
    """The rule of ops of one name: ours for our op, the same for the raw op told as ours."""

    def asked(call: Recorded, *grads: Any) -> Any:
        if len(call.inputs) == len(told.inputs):
            return rule(call, *grads)
        attrs: dict[str, Any] = {}
        if told.attribute:
            given = call.inputs[told.place]
            is_vector = told.is_vector
            plain = static_ints(given, told.attribute) if is_vector else known_int(given)
            attrs[told.attribute] = plain
        found = rule(_as_ours(call, told.of, told.inputs, **attrs), grads[0])
        return _spread(call, told.inputs, found)

    return asked


def _length(handle: Any) -> Any:
    return known_int(apply(ours.LENGTH, (handle,)))


def _push(call: Recorded, grads: Any) -> Any:
    """Of an element put behind the others: it is the one at that place."""
    told = _as_ours(call, ours.SET_ITEM, (0, 1), index=_length(call.inputs[0]))
    return _spread(call, (0, 1), RULES[ours.SET_ITEM.name](told, grads))


def _pop(call: Recorded, grads: Any, dy: Any) -> Any:
    """Of the last element and of the others."""
    if dy is None:
        return _spread(call, (0,), grads)
    attrs = {"index": _length(call.outputs[0]), "element_dtype": _dtype(call)}
    one = apply(ours.ONE_ITEM, (dy,), attrs)
    return _spread(call, (0,), one if grads is None else apply(ADD_N, (grads, one)))


def _scatter(call: Recorded, grads: Any) -> Any:
    """Of slices at some places of a new list."""
    indices = static_ints(call.inputs[1], "indices")
    told = _as_ours(call, ours.PICKED, (0,), indices=indices)
    return _spread(call, (0,), RULES[ours.PICKED.name](told, grads))


def _map_lookup(call: Recorded, dy: Any) -> Any:
    """Of a value: to its key."""
    return apply(lists.ONE_ENTRY, (call.inputs[1], dy)), None


def _map_insert(call: Recorded, grads: Any) -> Any:
    """Of a value that was put in: to it, and nothing to the one that it replaces."""
    _, key, value = call.inputs
    rest = apply(lists.WITHOUT_ENTRY, (grads, key)) if call.needs(0) else None
    if not is_trainable(value.dtype):
        return rest, None, None
    return rest, None, apply(lists.ENTRY, (grads, key, value))


def _map_erase(call: Recorded, grads: Any) -> Any:
    """Of a map without a key."""
    return grads, None


for _name, _each in _TOLD.items():
    RULES[_name] = _by_telling(_each, RULES[_each.of.name])
RULES["TensorListPushBack"] = _push
RULES["TensorListPopBack"] = _pop
RULES["TensorListScatter"] = RULES["TensorListScatterV2"] = _scatter
RULES["TensorMapLookup"], RULES["TensorMapInsert"] = _map_lookup, _map_insert
RULES["TensorMapErase"] = _map_erase
NOT_DIFFERENTIABLE.update(("TensorListConcatLists", "TensorListElementShape"))
