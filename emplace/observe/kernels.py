"""`emplace.kernels()`: which ops there are, on which device types and for which element types."""

from __future__ import annotations

import importlib
import pkgutil
import textwrap
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any

from .. import ops
from ..base import dtypes
from ..base.dtypes import DType
from ..grads import families
from ..grads.rules import NOT_DIFFERENTIABLE, RULES, TRAINABLE
from ..ops.op import DEVICE_TYPES, REGISTRY, Op, find_op, kernel_types
from ..ops.raw import REQUIRED, attributes_of

_LOADED = families.FAMILIES
for _module in pkgutil.walk_packages(ops.__path__, f"{ops.__name__}."):
    importlib.import_module(_module.name)  # to import a family declares its ops

# Sets of types by the names they go by, the widest first.
_GROUPS: dict[str, tuple[DType, ...]] = {
    "any": dtypes.ANY,
    "any but string": dtypes.ANY_FIXED,
    "numbers": dtypes.NUMBERS,
    "reals": dtypes.REALS,
    "floats, complex": dtypes.INEXACT,
    "integers": dtypes.INTEGERS,
    "floats": dtypes.FLOATS,
    "complex": dtypes.COMPLEX,
}
_WIDTH = 78
# A line of the table of all ops is cut there; what an op tells of itself is whole.
_WIDEST = 160


@dataclass(frozen=True, slots=True)
class OpRow:
    """What is known about one op. Types are lists of names; a default of None may mean None.

    `waits` is why its kernel on a GPU makes the host wait, None where it does not.
    """

    op: str
    signature: str
    devices: list[str]
    types: dict[str, list[str]]
    gpu_types: list[str] | None
    attributes: dict[str, str]
    gradient: str
    about: str
    waits: str | None

    def to_dict(self) -> dict[str, Any]:
        """The row as a plain dictionary."""
        return asdict(self)

    def cells(self) -> tuple[str, ...]:
        """Op, device types, whether a GPU is waited for, and element types, as text."""
        return (
            self.op,
            *[each if each in self.devices else "-" for each in DEVICE_TYPES],
            "waits" if self.waits else "-",
            ", ".join(f"{letter}: {_short(names)}" for letter, names in self.types.items())
            + (f"; on GPU: {_short(self.gpu_types)}" if self.gpu_types is not None else ""),
        )

    def __str__(self) -> str:
        lines = [("", self.about), ("devices", ", ".join(self.devices))]
        lines += [(letter, ", ".join(names)) for letter, names in self.types.items()]
        if self.gpu_types is not None:
            lines.append(("on GPU", ", ".join(self.gpu_types)))
        lines += [("attribute", f"{name}{text}") for name, text in self.attributes.items()]
        lines.append(("gradient", self.gradient))
        if "GPU" in self.devices:
            lines.append(("waits", self.waits or "no"))
        return "\n".join([f"{self.op}: {self.signature}", *[_wrapped(*line) for line in lines]])

    __repr__ = __str__


def _wrapped(head: str, text: str) -> str:
    return textwrap.fill(text, _WIDTH, initial_indent=f"  {head:<10}", subsequent_indent=" " * 12)


def _short(names: Iterable[str]) -> str:
    """A set of types by its name, or the types if there are few."""
    names = list(names)
    for group, types in _GROUPS.items():
        if set(names) == {each.name for each in types}:
            return group
    return ", ".join(names) if len(names) <= 4 else f"{', '.join(names[:3])} ... ({len(names)})"


HEADINGS = ("op", "GPU", "CPU", "waits", "element types")


class KernelTable(list[OpRow]):
    """All ops by name. Prints as a table, one line per op."""

    def to_dict(self) -> list[dict[str, Any]]:
        """The rows as plain dictionaries."""
        return [row.to_dict() for row in self]

    def __str__(self) -> str:
        rows = [HEADINGS, *[row.cells() for row in self]]
        widths = [max(len(row[i]) for row in rows) for i in range(len(HEADINGS))]
        lines = [
            "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
            for row in rows
        ]
        return "\n".join(x if len(x) <= _WIDEST else f"{x[: _WIDEST - 4]} ..." for x in lines)

    __repr__ = __str__


def kernels(op: str | None = None) -> Any:
    """Which kernels there are: all ops, or everything about one.

    What `emplace.set_op_devices` forbids is not listed.

    Args:
        op: TensorFlow's name of an op ("MatMul"); None for all.

    Returns:
        A list of rows, or one row; both print as text and have `to_dict()`.

    Raises:
        NotFoundError: there is no op of that name; the message names similar ones.

    >>> import emplace
    >>> emplace.kernels("MatMul").devices
    ['GPU', 'CPU']
    """
    if op is not None:
        return _row(find_op(op))
    shown = [name for name in REGISTRY if not name.endswith("Grad_")]
    return KernelTable(_row(REGISTRY[name]) for name in sorted(shown, key=str.lower))


def _row(op: Op) -> OpRow:
    return OpRow(
        op=op.name,
        signature=op.signature(),
        devices=list(kernel_types(op, ())),
        types=_types(op),
        gpu_types=None if op.gpu_types is None else [each.name for each in op.gpu_types],
        attributes={
            name: "" if default is REQUIRED else f" = {default!r}"
            for name, default in attributes_of(op).items()
        },
        gradient=_gradient(op),
        about=_about(op),
        waits=op.wait_reason,
    )


def _types(op: Op) -> dict[str, list[str]]:
    """The types each letter stands for; those without a letter under the argument's name."""
    found = {letter: [each.name for each in types] for letter, types in op.types.items()}
    for arg in op.tensor_inputs:
        if arg.type not in op.types:
            found[arg.name] = [arg.type]
    return found


def _gradient(op: Op) -> str:
    if op.name in RULES:
        rule = RULES[op.name]
        return f"rule {getattr(rule, '__name__', type(rule).__name__)}"
    if op.name in NOT_DIFFERENTIABLE or op.stateful or not _takes_trainable(op):
        return "none"
    return "by torch, from the kernel"


def _takes_trainable(op: Op) -> bool:
    trainable = {each.name for each in TRAINABLE}
    return any(trainable.intersection(names) for names in _types(op).values())


def _about(op: Op) -> str:
    """The first sentence about the kernel, or which function of torch it is."""
    kernel = op.kernel
    module = getattr(kernel, "__module__", None) or "torch"
    if not module.startswith("emplace"):
        return f"torch.{getattr(kernel, '__name__', kernel)}"
    return (kernel.__doc__ or "").strip().split("\n")[0]
