"""Positions as texts: one that says how things are put together, and one for each tensor."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch

from ...base.errors import DataLossError, OpError, exception_type_from_error_code
from ...ops.io.tensor_proto import parsed_proto, serialize_kernel
from ..elements.plain_specs import spec_from, spec_to
from ..elements.structure import Structure
from .bound import BoundDataset, Listed
from .memory import NodeMemory
from .node import Node
from .position import Position, not_saved
from .resuming import Failure

_VERSION = 1


Inner = list[tuple[Node, Sequence[Any]]]


def encoded(value: object, inner: Inner) -> list[bytes]:
    """A position as texts.

    Args:
        value: the position.
        inner: the pipelines that functions of the dataset make, with the graph's tensors that each
            needs.

    Raises:
        UnimplementedError: it holds something that files cannot.
    """
    tensors: list[bytes] = []
    plain = _PositionWriter(tensors, inner).plain(value)
    return [json.dumps([_VERSION, plain]).encode(), *tensors]


def decoded(texts: Sequence[bytes], inner: Inner) -> Any:
    """A position of texts; see `encoded`.

    Raises:
        DataLossError: they are damaged, or of a later version.
    """
    try:
        version, plain = json.loads(texts[0])
        if version != _VERSION:
            raise ValueError(version)
        return _PositionReader(texts[1:], inner).value(plain)
    except (ValueError, LookupError, TypeError) as error:
        raise DataLossError(
            None, None, f"The saved state of an iterator cannot be read: {error!r}"
        ) from None


class _PositionWriter:
    """Makes plain values; what JSON does not know becomes a pair of a letter and its parts."""

    def __init__(self, tensors: list[bytes], inner: Inner) -> None:
        self._tensors, self._inner = tensors, inner

    def plain(self, value: object) -> Any:
        """A value as plain ones."""
        if value is None or type(value) in (bool, int, float, str):
            return value
        if type(value) is list:
            return [self.plain(each) for each in value]
        for kind, write in self._kinds():
            if isinstance(value, kind):
                return write(value)
        raise not_saved(type(value).__name__)

    def _kinds(self) -> list[tuple[Any, Callable[[Any], Any]]]:
        return [
            (Position, lambda x: {"p": [x.kind, self.plain(x.parts)]}),
            (tuple, lambda x: {"t": [self.plain(each) for each in x]}),
            (list, lambda x: [self.plain(each) for each in x]),
            (dict, lambda x: {"d": [[self.plain(k), self.plain(v)] for k, v in x.items()]}),
            (bytes, lambda x: {"b": base64.b64encode(x).decode()}),
            (complex, lambda x: {"c": [x.real, x.imag]}),
            ((torch.Tensor, np.ndarray), self._tensor),
            (np.generic, lambda x: self.plain(x.item())),
            (Failure, self._failure),
            (BoundDataset, self._dataset),
        ]

    def _tensor(self, value: object) -> Any:
        self._tensors.append(serialize_kernel(value)[()])
        return {"x": len(self._tensors) - 1}

    def _failure(self, value: Failure) -> Any:
        error = value.error
        if not isinstance(error, OpError):
            raise not_saved(f"An element that failed by {type(error).__name__}")
        return {"f": [error.error_code, error.message]}

    def _dataset(self, value: BoundDataset) -> Any:
        node = value.node
        for number, (each, symbols) in enumerate(self._inner):
            if each is node:
                given = [self.plain(value.bindings[id(x)]) for x in symbols]
                memory = NodeMemory(node, value.run_within()).save()
                return {"r": [number, given, self.plain(memory)]}
        if not isinstance(node, Listed):
            raise not_saved(f"{node.label} as an element")
        try:
            spec = spec_to(node.structure.spec)
        except TypeError:
            raise not_saved(f"A window of {node.structure.spec!r}") from None
        return {"w": [json.dumps(spec), self.plain(list(node.elements))]}


class _PositionReader:
    """Makes values of plain ones."""

    def __init__(self, tensors: Sequence[bytes], inner: Inner) -> None:
        self._tensors, self._inner = tensors, inner
        self._kinds: dict[str, Callable[[Any], Any]] = {
            "p": lambda x: Position(x[0], self.value(x[1])),
            "t": lambda x: tuple(self.value(each) for each in x),
            "d": lambda x: {self.value(k): self.value(v) for k, v in x},
            "b": base64.b64decode,
            "c": lambda x: complex(*x),
            "x": lambda x: parsed_proto(self._tensors[x])[1],
            "f": lambda x: Failure(exception_type_from_error_code(x[0])(None, None, x[1])),
            "w": self._window,
            "r": self._dataset,
        }

    def value(self, plain: object) -> Any:
        """A value of plain ones."""
        if type(plain) is list:
            return [self.value(each) for each in plain]
        if type(plain) is dict:
            ((kind, parts),) = plain.items()
            return self._kinds[kind](parts)
        return plain

    def _dataset(self, parts: Any) -> BoundDataset:
        number, given, memory = parts
        node, symbols = self._inner[number]
        values = map(self.value, given)
        made = BoundDataset(node, dict(zip(map(id, symbols), values, strict=True)), {})
        NodeMemory(node, made.run_within()).restore(self.value(memory))
        return made

    def _window(self, parts: Any) -> BoundDataset:
        structure = Structure(spec_from(json.loads(parts[0])))
        return BoundDataset(Listed(structure, self.value(parts[1])), {})
