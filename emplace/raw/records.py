"""Records of ops that only raw ops are: made from TensorFlow's definition and a row's kernel.

They are not in the registry: no public function reaches them.
"""

from __future__ import annotations

import dataclasses
import functools
import inspect
from collections.abc import Callable
from typing import Any, NoReturn

from ..base import dtypes
from ..base.dtypes import DType
from ..grads.rules import NOT_DIFFERENTIABLE, RULES
from ..ops import infer
from ..ops.op import CPU_ONLY, DEVICE_TYPES, REGISTRY, Op, op
from .definitions import Definition, Part
from .rows import Kernel

_FIXED = {dtype.name for dtype in dtypes.ALL} | {"resource", "variant"}


_MADE: dict[str, Op] = {}


def record_of(found: Definition, row: Kernel) -> Op:
    """The record of a row's kernel, which is made once."""
    if found.name not in _MADE:
        _MADE[found.name] = _record(found, row)
    return _MADE[found.name]


def _record(found: Definition, row: Kernel) -> Op:
    host = (*row.ints, *row.scalars)
    ins = ", ".join(_text(part, found, part.name in host) for part in found.inputs)
    outs = ", ".join(_text(part, found) for part in found.outputs)
    letters = {p.kind for p in (*found.inputs, *found.outputs) if p.name not in host}
    types = {name: _types(found, row, name) for name in letters if _is_letter(found, name)}
    rule = infer.by_kernel(row.run) if row.infer == "kernel" else row.infer
    options: dict[str, Any] = {
        "stateful": found.is_stateful,
        "is_listed": False,
        "is_session_resource": row.makes_resource,
        "device_types": CPU_ONLY if row.on_host else DEVICE_TYPES,
        "wait_reason": row.wait_reason,
    }
    made = op(found.name, f"{ins} -> {outs}", row.run, rule, **options, **types)  # type: ignore[arg-type]
    _tell_gradient(found)
    return made


def _text(part: Part, found: Definition, is_host: bool = False) -> str:
    if is_host:
        return f"{part.name}: host"
    kind = part.kind if _is_letter(found, part.kind) or part.kind in _FIXED else "any"
    return f"{part.name}: {'N * ' if part.is_list else ''}{'any' if part.is_mixed else kind}"


def _is_letter(found: Definition, kind: str) -> bool:
    about = found.attributes.get(kind)
    return about is not None and about.type == "type"


def _types(found: Definition, row: Kernel, name: str) -> tuple[DType, ...]:
    if name in row.types:
        return row.types[name]
    allowed = found.attributes[name].allowed or dtypes.ANY
    return tuple(each for each in allowed if isinstance(each, DType))


def _tell_gradient(found: Definition) -> None:
    """Without a rule of ours torch differentiates the kernel; TensorFlow may have none."""
    if found.name in REGISTRY or found.name in RULES or found.name in NOT_DIFFERENTIABLE:
        return  # it is told
    if found.gradient == "none":
        NOT_DIFFERENTIABLE.add(found.name)
    elif any(part.kind in ("variant", "resource") for part in (*found.inputs, *found.outputs)):
        RULES[found.name] = functools.partial(_refused_gradient, found.name)
    elif found.gradient == "unknown":
        RULES[found.name] = functools.partial(_no_gradient, found.name)


def _no_gradient(name: str, *args: Any) -> NoReturn:
    raise LookupError(f"gradient registry has no entry for: {name}")


def _refused_gradient(name: str, *args: Any) -> NoReturn:
    raise NotImplementedError(
        f"Emplace has no gradient of tf.raw_ops.{name}. Use tf.TensorArray, which has one."
    )


def renamed(of: Op, name: str) -> Op:
    """The record of another version of an op: the same kernel and gradient by another name."""
    if of.name in RULES:
        RULES.setdefault(name, RULES[of.name])
    if of.name in NOT_DIFFERENTIABLE:
        NOT_DIFFERENTIABLE.add(name)
    return of if of.name == name else dataclasses.replace(of, name=name)


def record(of: Op | str) -> Op:
    """The record that a row names."""
    return REGISTRY[of] if isinstance(of, str) else of


class _Everything(frozenset[str]):
    """The names of all keywords there could be."""

    def __contains__(self, name: object) -> bool:
        return True


@functools.cache
def parameters(function: Callable[..., Any]) -> frozenset[str]:
    """The names of the keywords that a row's function takes."""
    found = inspect.signature(function).parameters
    takes_all = any(each.kind is inspect.Parameter.VAR_KEYWORD for each in found.values())
    return _Everything(found) if takes_all else frozenset(found)
