"""`emplace.explain(x)`: why a tensor or variable is where it is."""

from __future__ import annotations

import linecache
from dataclasses import dataclass
from typing import Any

from ..core.events import Copy, Line
from ..core.tensor import EagerTensor
from ..devices.memory import format_bytes
from ..eager.place import explain_reason


@dataclass(frozen=True, slots=True)
class Explanation:
    """Where something is and why. Prints as text.

    `op` is what made it, `reason` the sentence, `copies` the inputs that were copied there,
    `line` the user's line, known only for what was made while somebody watched.
    """

    what: str
    device: str
    op: str | None
    reason: str
    copies: tuple[Copy, ...]
    line: Line | None

    def to_dict(self) -> dict[str, Any]:
        """The same as plain values; sizes in bytes."""
        return {
            "what": self.what,
            "device": self.device,
            "op": self.op,
            "reason": self.reason,
            "copies": [
                {
                    "input": copy.position,
                    "from": copy.source.short_name,
                    "to": copy.target.short_name,
                    "bytes": copy.nbytes,
                }
                for copy in self.copies
            ],
            "line": None if self.line is None else f"{self.line.file}:{self.line.number}",
        }

    def __str__(self) -> str:
        rows = [
            self.what,
            f"  op      {self.op or 'none: it is a value from the host'}",
            f"  device  {self.device}",
            f"  why     {self.reason}",
        ]
        rows += [
            f"  copied  input {copy.position}: {copy.source.short_name} -> "
            f"{copy.target.short_name}, {format_bytes(copy.nbytes)}"
            for copy in self.copies
        ]
        rows.append(f"  line    {_line_text(self.line)}")
        return "\n".join(rows)

    __repr__ = __str__


def _line_text(line: Line | None) -> str:
    if line is None:
        return "not recorded; make it inside `with emplace.watch():` to know"
    source = linecache.getline(line.file, line.number).strip()
    return f"{line.file}:{line.number} in {line.function}" + (f": {source}" if source else "")


def explain(x: Any) -> Explanation:
    """Why a tensor or variable is where it is: the op, the device, the reason, copies, the line.

    Raises:
        TypeError: `x` is neither a tensor nor a variable.
    """
    tensor = x if isinstance(x, EagerTensor) else getattr(x, "handle", None)
    if not isinstance(tensor, EagerTensor):
        raise TypeError(
            f"[explain] got {type(x).__name__}; it takes a tensor or a variable of Emplace."
        )
    what = f"{'tensor' if tensor is x else 'variable'} {x.dtype.name} {x.shape}"
    origin = tensor._origin
    device = tensor._kind.device.short_name
    if origin is None:
        reason = "the program gave it as a value, and it was not asked for on another device"
        return Explanation(what, device, None, reason, (), None)
    route = origin.route
    given = [kind.dtype for kind in route.in_kinds]
    reason = explain_reason(route.reason, route.op.name, route.scope, given)
    return Explanation(what, device, route.op.name, reason, tuple(origin.copies), origin.line)
