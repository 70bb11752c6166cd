"""Operations of a plan that compute again what an earlier one has computed.

An optimizer of Keras corrects its learning rate anew for every variable: the same ten small
operations. Only small values are shared; large ones would live longer for it.
"""

from __future__ import annotations

import functools
from collections.abc import Container, Hashable, Mapping, Sequence
from enum import Enum
from typing import Any

import torch

from ...base.dtypes import resource
from ...eager.place import Placement
from ...ops.op import Op
from ..recording.deferred import DEFERRED
from ..representation.graph import Operation, SymbolicTensor
from ..representation.ops import BODIED
from .constant_folding import is_small, raw_value


def common_subexpressions(
    operations: Sequence[Operation],
    results: Sequence[SymbolicTensor],
    placed: Mapping[Operation, Placement],
) -> dict[Operation, Operation]:
    """The operations that need not run, with the earlier ones whose values are theirs."""
    duplicates: dict[Operation, Operation] = {}
    values = _Values()
    alike = _Alike(values, {id(y) for y in results}, placed)
    # Most operations are the only ones of their op with their first input, scalars aside, of which
    # there are many alike. They are looked at no further: only where there is a second one, all of
    # what they compute is compared.
    seen: dict[Hashable, Operation] = {}
    versions: dict[int, int] = {}
    effects: dict[Op, _Effect] = {}
    epoch, shared = 0, values.shared
    for operation in operations:
        record, inputs = operation.record, operation.given
        effect, first = effects.get(record), None
        if effect is None:
            effect = effects[record] = _effect_of(record)
        if effect is not _READS:
            if effect is _OPAQUE or (effect is _STATEFUL and not _takes_resource(inputs)):
                epoch += 1
                continue
            for x in inputs:
                if x._dtype is resource:
                    versions[id(x)] = versions.get(id(x), 0) + 1
                if first is None and x._dims != ():
                    first = x
            if effect is not _PURE:
                continue
        if not inputs:
            continue
        first = inputs[0] if first is None else first
        value = id(first) if first._dims != () and id(first) not in shared else values.of(first)
        key: Hashable = record.name, value
        if effect is _READS:
            key = record.name, value, epoch, versions.get(id(first), 0)
        one = seen.setdefault(key, operation)
        if one is not operation:
            earlier = alike.first(operation, key, one)
            if earlier is not operation:
                duplicates[operation] = earlier
                for y, z in zip(operation.outputs, earlier.outputs, strict=True):
                    values.share(y, z)
    return duplicates


class _Alike:
    """Finds the first operation that computes what another one does."""

    def __init__(
        self, values: _Values, wanted: Container[int], placed: Mapping[Operation, Placement]
    ) -> None:
        self._values = values
        self._wanted = wanted
        self._placed = placed
        # By what they have in common: operations by all that they compute.
        self._found: dict[Hashable, dict[Hashable, Operation]] = {}

    def first(self, operation: Operation, key: Hashable, one: Operation) -> Operation:
        """The first operation that computes the same, which may be this one. `key` is what it has
        in common with others, the first of which is `one`.
        """
        found = self._found.get(key)
        if found is None:
            found = self._found[key] = {}
            self._among(found, one)
        return self._among(found, operation)

    def _among(self, found: dict[Hashable, Operation], operation: Operation) -> Operation:
        """The first one of these that computes what an operation does; it, if there is none."""
        if not _is_shareable(operation, self._wanted):
            return operation
        inputs = [self._values.of(x) for x in operation.given]
        try:
            return found.setdefault(_key(operation, inputs, self._placed), operation)
        except TypeError:  # an attribute that is a list, or an array
            return operation


class _Effect(Enum):
    """What an op does besides making values, for those that look for what is computed twice."""

    PURE = "nothing: it makes the same values of the same inputs"
    READS = "it reads the variable that it is given"
    STATEFUL = "it does something else with variables that it is given, or with anything if none is"
    OPAQUE = "it may change any variable"
    OTHER = "it makes something new each time"


# A name of a module is found in a fraction of the time that a member of an enumeration takes.
_PURE, _READS, _STATEFUL = _Effect.PURE, _Effect.READS, _Effect.STATEFUL
_OPAQUE, _OTHER = _Effect.OPAQUE, _Effect.OTHER


@functools.lru_cache(maxsize=1024)
def _effect_of(record: Op) -> _Effect:
    if record is DEFERRED or record.name in BODIED:
        return _OPAQUE
    if record.name == "ReadVariableOp":
        return _READS
    if record.stateful:
        return _STATEFUL
    is_new = record.is_factory or record.is_session_resource or record.is_blocking
    return _OTHER if is_new else _PURE


def _takes_resource(given: Sequence[SymbolicTensor]) -> bool:
    return any(x.dtype is resource for x in given)


def _is_shareable(operation: Operation, wanted: Container[int]) -> bool:
    if not len(operation.given) == len(operation.inputs) > 0 or not operation.outputs:
        return False
    for y in operation.outputs:
        if not is_small(y) or y._dtype is resource or id(y) in wanted:
            return False
    return True


class _Values:
    """What tensors with the same value have in common: a known number, or who computes it.

    `shared` has it for those tensors where it is another than their own id, by that.
    """

    def __init__(self) -> None:
        self.shared: dict[int, Hashable] = {}

    def of(self, x: SymbolicTensor) -> Hashable:
        """It, for a tensor."""
        found = self.shared.get(id(x))
        if found is not None:
            return found
        if x._dims != () or x._dtype is resource:
            return id(x)
        found = self.shared[id(x)] = _number_of(x)
        return found

    def share(self, y: SymbolicTensor, z: SymbolicTensor) -> None:
        """A tensor has the value of an earlier one."""
        self.shared[id(y)] = self.of(z)


def _number_of(x: SymbolicTensor) -> Hashable:
    """The number that a scalar is known to be, else the id of its tensor."""
    raw = raw_value(x)
    if isinstance(raw, torch.Tensor):
        # As text, because 0.0 and -0.0 are equal, and nan is not.
        return x.dtype.name, repr(raw.item())
    return id(x)


def _key(
    operation: Operation, inputs: Sequence[Hashable], placed: Mapping[Operation, Placement]
) -> Hashable:
    key = id(placed[operation].device), *inputs
    if not operation.attrs:
        return key
    attrs = sorted(operation.attrs.items())
    return *key, tuple([(name, type(value), _told_apart(value)) for name, value in attrs])


def _told_apart(value: Any) -> Hashable:
    """An attribute as a key: 0.0 and -0.0 are equal, too."""
    if type(value) in (float, complex):
        return repr(value)
    return tuple(map(_told_apart, value)) if type(value) is tuple else value
