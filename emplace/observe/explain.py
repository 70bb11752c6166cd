"""`emplace.explain(x)`: why a tensor or variable is where it is."""

from __future__ import annotations

import linecache
from dataclasses import dataclass
from typing import Any

from ..base.dtypes import as_dtype
from ..core.events import Copy, Line
from ..core.tensor import EagerTensor
from ..devices.memory import format_bytes
from ..graph.function.calling import ConcreteFunction
from ..graph.function.function import Function
from ..graph.session.session import BaseSession
from ..ops.op import expand
from .explain_model import explain_model, is_model, why_here
from .explain_plan import explain_function, explain_run


@dataclass(frozen=True, slots=True)
class Explanation:
    """Where something is and why. Prints as text.

    `op` is what made it, `reason` the sentence, `copies` those of its `inputs` that were copied
    there, `line` the user's line, known only for what was made while somebody watched.
    """

    what: str
    device: str
    op: str | None
    reason: str
    inputs: tuple[str, ...]
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
                    "name": self.inputs[copy.position],
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
            f"  op      {self.op or 'none'}",
            f"  device  {self.device}",
            f"  why     {self.reason}",
        ]
        rows += [
            f"  copied  input {self.inputs[copy.position]!r}: {copy.source.short_name} -> "
            f"{copy.target.short_name}, {format_bytes(copy.nbytes)}"
            for copy in self.copies
        ]
        if self.op is not None:
            rows.append(f"  line    {_line_text(self.line)}")
        return "\n".join(rows)

    __repr__ = __str__


def _line_text(line: Line | None) -> str:
    if line is None:
        return "not recorded; make it inside `with emplace.watch():` to know"
    source = linecache.getline(line.file, line.number).strip()
    return f"{line.file}:{line.number} in {line.function}" + (f": {source}" if source else "")


def explain(x: Any, *args: Any, **kwargs: Any) -> Any:
    """Tells why something is where it is: the op, the device, the reason, copies, the line.

    Args:
        x: a tensor or a variable; a `tf.function` or a session, whose plan is shown; or a model
            or a layer of Keras, whose variables are.
        args: of a function its arguments, of a session's `run` its fetches and feeds.
        kwargs: likewise.

    Returns:
        An Explanation, a PlanExplanation with a row per operation, which says in what running it
        may differ, or a ModelExplanation with a row per layer. All print as text.

    Raises:
        TypeError: `x` is something else.

    >>> import emplace.tensorflow as tf
    >>> print(explain(tf.constant([1.0, 2.0])))  # doctest: +ELLIPSIS
    tensor float32 (2,)
      op      _EagerConst
      device  ...
    """
    if isinstance(x, (Function, ConcreteFunction)):
        return explain_function(x, *args, **kwargs)
    if isinstance(x, BaseSession):
        return explain_run(x, *args, **kwargs)
    tensor = x if isinstance(x, EagerTensor) else getattr(x, "handle", None)
    if not isinstance(tensor, EagerTensor):
        if is_model(x):
            return explain_model(x)
        raise TypeError(
            f"[explain] got {type(x).__name__}; it takes a tensor, a variable, a tf.function or "
            "a session of Emplace, or a model or a layer of Keras."
        )
    kind, name = ("tensor", "") if tensor is x else ("variable", f"{getattr(x, 'path', x.name)!r} ")
    what = f"{kind} {name}{as_dtype(x.dtype).name} {x.shape}"
    device = tensor._kind.device.short_name
    origin = tensor._origin
    if origin is None:
        return Explanation(what, device, None, why_here(tensor), (), (), None)
    route = origin.route
    taken = expand(route.op.tensor_inputs, len(route.in_kinds))
    inputs = tuple(arg.name if place is None else f"{arg.name}[{place}]" for arg, place in taken)
    copies = tuple(origin.copies)
    return Explanation(what, device, route.op.name, why_here(tensor), inputs, copies, origin.line)
