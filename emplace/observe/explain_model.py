"""`emplace.explain` of a model: its layers, where their variables are and why, what running copies.

A model is known by what it has, `variables` and `layers` that have them too, as Keras's models do;
Keras itself is not imported here. A layer that is no model is a model of one row.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from ..base.shapes import num_elements
from ..core.tensor import EagerTensor
from ..devices.memory import format_bytes
from ..eager.place import Reason, explain_reason
from ..graph.function.function import Function
from ..graph.plan.plan import Plan
from ..graph.plan.steps import Step
from ..graph.recording.deferred import variable_behind
from .explain_plan import bytes_of, table, total

# What Keras calls the functions that its `fit`, `evaluate` and `predict` run.
_RUNS = {"fit": "train_function", "evaluate": "test_function", "predict": "predict_function"}
_MOST_COPIES = 12


@dataclass(frozen=True, slots=True)
class ExplainedLayer:
    """The variables of one layer that are on one device for one reason; sizes in bytes.

    `device` is None where there are no variables. A layer with variables on two devices has two
    rows. `depth` is how many models are around it.
    """

    name: str
    kind: str
    device: str | None
    reason: str
    trained_bytes: int
    other_bytes: int
    depth: int


@dataclass(frozen=True, slots=True)
class ModelCopies:
    """The same value copied between the same devices in one step; `nbytes` is None if unknown."""

    what: str
    source: str
    target: str
    count: int
    nbytes: int | None


@dataclass(frozen=True, slots=True)
class ExplainedRun:
    """What one step of `fit`, `evaluate` or `predict` does; nothing is known before it has run."""

    what: str
    state: str
    operations: int = 0
    copies: tuple[ModelCopies, ...] = ()

    @property
    def nbytes(self) -> int:
        """What is copied, as far as that is known."""
        return sum(copy.nbytes or 0 for copy in self.copies)


@dataclass(frozen=True, slots=True)
class ModelExplanation:
    """A model, layer by layer. Prints as a table."""

    what: str
    layers: tuple[ExplainedLayer, ...]
    runs: tuple[ExplainedRun, ...]

    def to_dict(self) -> dict[str, Any]:
        """The same as plain values; sizes in bytes."""
        return asdict(self)

    def __str__(self) -> str:
        trained = sum(layer.trained_bytes for layer in self.layers)
        other = sum(layer.other_bytes for layer in self.layers)
        sizes = f"{format_bytes(trained)} trained, {format_bytes(other)} of other variables"
        lines = [f"{self.what}: {sizes}"]
        head = ("layer", "class", "device", "trained", "other", "why")
        lines += table([head, *map(_cells, self.layers)])
        for run in self.runs:
            lines += _run_lines(run)
        return "\n".join(lines)

    __repr__ = __str__


def is_model(x: Any) -> bool:
    """Whether something has variables as a layer or a model has them."""
    return all(
        isinstance(getattr(x, name, None), (list, tuple))
        for name in ("variables", "trainable_variables")
    )


def explain_model(model: Any) -> ModelExplanation:
    """The table of a model or of one layer; nothing runs."""
    rows = _LayerRows()
    rows.layer(model, 0, is_outermost=True)
    rows.rest("metrics", "", getattr(model, "metrics_variables", ()))
    optimizer = getattr(model, "optimizer", None)
    if optimizer is not None:
        rows.rest(optimizer.name, type(optimizer).__name__, optimizer.variables)
    runs = [
        _explained_run(what, getattr(model, name), rows.names)
        for what, name in _RUNS.items()
        if hasattr(model, name)
    ]
    return ModelExplanation(f"model {_name(model)}", tuple(rows.found), tuple(runs))


class _LayerRows:
    """Collects rows; a layer or a variable that several have in common is told once."""

    def __init__(self) -> None:
        self.found: list[ExplainedLayer] = []
        #: Paths of variables, by the ids of TensorFlow's.
        self.names: dict[int, str] = {}
        self._seen: set[int] = set()

    def layer(self, layer: Any, depth: int, is_outermost: bool = False) -> None:
        """The rows of a layer, or of what is a model's own and of its layers, one step further in;
        the outermost model is told by the heading.
        """
        if id(layer) in self._seen:
            return
        self._seen.add(id(layer))
        inner = getattr(layer, "layers", None)
        if not isinstance(inner, (list, tuple)):
            self._add(layer, layer.variables, depth)
            return
        held = {id(v) for each in inner for v in each.variables}
        own = [v for v in layer.variables if id(v) not in held]
        if own:
            self._add(layer, own, depth)
        elif not is_outermost:
            self._note(layer, depth, "its layers are below")
        for each in inner:
            self.layer(each, depth if is_outermost else depth + 1)

    def rest(self, name: str, kind: str, variables: Iterable[Any]) -> None:
        """Rows of variables that are no layer's; none if there are none left."""
        left = [v for v in variables if id(v) not in self._seen]
        if left:
            self._group(name, kind, left, set(), 0)

    def _add(self, layer: Any, variables: Sequence[Any], depth: int) -> None:
        left = [v for v in variables if id(v) not in self._seen]
        if left:
            trained = {id(v) for v in layer.trainable_variables}
            self._group(_name(layer), type(layer).__name__, left, trained, depth)
        elif variables:
            self._note(layer, depth, "its variables are those of a layer above")
        elif not getattr(layer, "built", True):
            self._note(layer, depth, "it is not built yet: its variables come with its first call")
        else:
            self._note(layer, depth, "it has no variables")

    def _note(self, layer: Any, depth: int, reason: str) -> None:
        kind = type(layer).__name__
        self.found.append(ExplainedLayer(_name(layer), kind, None, reason, 0, 0, depth))

    def _group(
        self, name: str, kind: str, variables: Sequence[Any], trained: set[int], depth: int
    ) -> None:
        sizes: dict[tuple[str | None, str], list[int]] = {}
        for variable in variables:
            self._seen.add(id(variable))
            handle = _handle(variable)
            if handle is None:
                continue
            self.names[id(variable_behind(handle))] = getattr(variable, "path", variable.name)
            place = handle._kind.device.short_name, why_here(handle)
            both = sizes.setdefault(place, [0, 0])
            both[id(variable) not in trained] += _variable_bytes(handle)
        if not sizes:
            sizes[None, "its variables are not Emplace's"] = [0, 0]
        for (device, reason), (mine, other) in sizes.items():
            self.found.append(ExplainedLayer(name, kind, device, reason, mine, other, depth))


def _name(layer: Any) -> str:
    return str(getattr(layer, "name", None) or type(layer).__name__)


def _handle(variable: Any) -> EagerTensor | None:
    """What stands for a variable of TensorFlow, or for the one inside of one of Keras."""
    for each in (variable, getattr(variable, "value", None)):
        handle = getattr(each, "handle", None)
        if isinstance(handle, EagerTensor):
            return handle
    return None


def _variable_bytes(handle: EagerTensor) -> int:
    storage = handle._value
    shape = storage.value_shape
    size = 0 if storage.dtype.torch is None else storage.dtype.size
    return size * (num_elements(shape.sizes) if shape.is_fully_defined() else 0)


def why_here(x: EagerTensor) -> str:
    """The sentence for what made a tensor: why it is where it is."""
    origin = x._origin
    if origin is None:
        return Reason.HOST_VALUE.value
    route = origin.route
    given = [kind.dtype for kind in route.in_kinds]
    return explain_reason(route.reason, route.op.name, route.scope, given)


# -- what it runs ----------------------------------------------------------------------------------


def _explained_run(what: str, function: Any, names: dict[int, str]) -> ExplainedRun:
    functions = list(_functions_in(function))
    plans = [plan for each in functions for plan in each.plans()]
    if not plans:
        is_eager = function is not None and not functions
        return ExplainedRun(what, "runs without a tf.function" if is_eager else "has not run yet")
    # The last batch of an epoch may have a plan of its own: the largest one tells.
    runs = [ExplainedRun(what, "", len(plan.steps), _copies(plan, names)) for plan in plans]
    return max(runs, key=lambda run: (run.nbytes, run.operations))


def _functions_in(function: Any) -> Iterator[Function]:
    """The tf.function that a Python function is, or that it calls from around it."""
    if isinstance(function, Function):
        yield function
        return
    for cell in getattr(function, "__closure__", None) or ():
        if isinstance(cell.cell_contents, Function):
            yield cell.cell_contents


def _copies(plan: Plan, names: dict[int, str]) -> tuple[ModelCopies, ...]:
    """Copies of one step, those of the same value together, the largest first."""
    found: dict[tuple[str, str, str], list[int | None]] = {}
    for step in plan.steps:
        for x, home in step.copies:
            key = _told(x, step, names), home.short_name, step.placement.device.short_name
            found.setdefault(key, []).append(bytes_of([x]))
    copies = [
        ModelCopies(*key, len(sizes), None if None in sizes else sum(size or 0 for size in sizes))
        for key, sizes in found.items()
    ]
    return tuple(sorted(copies, key=lambda copy: -(copy.nbytes or 0)))


def _told(x: Any, step: Step, names: dict[int, str]) -> str:
    """What is copied, in words of the model: a variable, the data, or a result for a variable."""
    read = _variable_name(x.op, names)
    if read is not None:
        return read
    if x.op.type in ("IteratorGetNext", "Placeholder"):
        return "the data"
    written = _variable_name(step.operation, names)
    made = f"the result of {x.op.type}"
    return made if written is None else f"{made} for {written}"


def _variable_name(operation: Any, names: dict[int, str]) -> str | None:
    """The path of the variable that an operation reads or writes."""
    for x in operation.given[:1]:
        eager = x.op.attrs.get("eager")
        if isinstance(eager, EagerTensor):
            return names.get(id(variable_behind(eager)))
    return None


# -- text ------------------------------------------------------------------------------------------


def _cells(layer: ExplainedLayer) -> tuple[str, ...]:
    name = "  " * layer.depth + layer.name
    sizes = (format_bytes(n) if n else "-" for n in (layer.trained_bytes, layer.other_bytes))
    return name, layer.kind, layer.device or "-", *sizes, layer.reason


def _run_lines(run: ExplainedRun) -> list[str]:
    if run.state:
        return [f"  {run.what} {run.state}"]
    count = sum(copy.count for copy in run.copies)
    copied = "nothing is copied between devices"
    if count:
        copied = f"{count} copies between devices, {total([copy.nbytes for copy in run.copies])}"
    lines = [f"  {run.what}, a step: {run.operations} operations, {copied}"]
    for copy in run.copies[:_MOST_COPIES]:
        size = "?" if copy.nbytes is None else format_bytes(copy.nbytes)
        times = f"{copy.count} x, " if copy.count > 1 else ""
        lines.append(f"      copies {copy.what} from {copy.source} to {copy.target}, {times}{size}")
    if len(run.copies) > _MOST_COPIES:
        lines.append(f"      and {len(run.copies) - _MOST_COPIES} more")
    return lines
