"""`strategy.check_equivalence`: do N replicas learn what one device learns?

Both take the same steps side by side: the strategy with all of its devices, and the same strategy
with its first one only. After each step the losses and all variables are compared; between the
steps each side gets its own values back. At the end everything is as it was.
"""

from __future__ import annotations

import functools
import inspect
import operator
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ...base.typing import IntLike
from ...core.context import LOCAL
from ...core.events import observed_by
from ...core.tensor import make_tensor
from ...data.dataset.dataset import Dataset
from ...data.iteration.bound import BoundDataset
from ...devices.inventory import INVENTORY
from ...ops.variables.resource import Storage
from ..inputs.inputs import DistributedDataset
from ..replicas.contexts import entered
from ..replicas.values import DistributedValues, mapped
from ..variables.variables import SyncOnReadVariable
from .differences import Equivalence, gap, hints, loss_gap
from .one_replica import first_device_only
from .variable_snapshots import Touched, Values, array_of, random_numbers_kept


@dataclass
class _Side:
    """One of the two that take steps: its values between them, and what the last one returned."""

    values: Values = field(default_factory=dict)
    found: list[Any] = field(default_factory=list)


class _Check:
    """One comparison."""

    def __init__(self, strategy: Any, step: Any, tolerance: float, in_replicas: bool) -> None:
        self.strategy, self.step = strategy, step
        self.tolerance, self.in_replicas = tolerance, in_replicas
        self.touched = Touched()
        self.result = Equivalence(strategy.replica_devices, tolerance)
        self._contexts: dict[str, Any] = {}

    def run(self, elements: Iterator[Any]) -> Equivalence:
        """Compares step after step, up to the first one after which something differs."""
        many, one = _Side(), _Side()
        try:
            for number, element in enumerate(elements):
                self._take(many, element)
                self._start(one)
                made = len(self.touched.made)
                with first_device_only(self.strategy, self._contexts):
                    self._take(one, element)
                self._refuse_made(made)
                self._compare(number, many, one)
                if self.result.differences:
                    break
        finally:
            self.touched.put({})
        if not self.result.steps:
            raise ValueError("check_equivalence got no data: give it at least one batch.")
        self.result.hints = hints(self.result, self.touched)
        return self.result

    def _take(self, side: _Side, element: object) -> None:
        """Lets one side take a step."""
        self.touched.put(side.values)
        strategy = self.strategy
        data = Dataset.from_tensors(element)
        with observed_by(self.touched), random_numbers_kept(), entered(strategy.cross_context):
            (batch,) = strategy.experimental_distribute_dataset(data)
            given = arguments_of(self.step, batch)
            made = strategy.run(self.step, args=given) if self.in_replicas else self.step(*given)
            side.found = _leaves(made)
        side.values = self.touched.values()

    def _start(self, one: _Side) -> None:
        """Gives one device what components hold together, where they hold parts of a whole."""
        first = self.touched.first
        for variable in self.strategy._variables.values():
            parts = [each._handle._value for each in variable.values]
            if parts[0] not in one.values and all(first.get(each) is not None for each in parts):
                (one.values[parts[0]], *_) = _whole(variable, [first[each] for each in parts])

    def _refuse_made(self, before: int) -> None:
        if len(self.touched.made) > before:
            name = _name(self.touched.made[-1])
            raise RuntimeError(
                f"The step makes the variable {name!r} anew whenever it is called, so there are no "
                "two of it to compare. Make variables once: outside of the step, or in its first "
                "call only."
            )

    def _compare(self, number: int, many: _Side, one: _Side) -> None:
        result = self.result
        result.steps = number + 1
        result.num_losses = len(many.found)
        for i, (ours, theirs) in enumerate(zip(many.found, one.found, strict=True)):
            name = "the loss" if len(one.found) == 1 else f"result {i}"
            result.note(number, name, loss_gap(ours, theirs), is_loss=True)
        names = 0
        for name, variable, parts, alone in self._variables(many, one):
            names += 1
            apart = gap(_whole(variable, parts), alone)
            result.note(number, name, apart, variable=variable, is_split=_is_split(parts))
        result.num_variables = names

    def _variables(self, many: _Side, one: _Side) -> Iterator[tuple[str, Any, list[Any], Any]]:
        """(name, distributed variable or None, its components' values, one device's value)."""
        places: dict[Storage, tuple[Any, int]] = {}
        for variable in self.strategy._variables.values():
            for i, each in enumerate(variable.values):
                places[each._handle._value] = variable, i
        made = set(self.touched.made)  # such as what an optimizer keeps: last
        for storage in sorted(self.touched.first, key=made.__contains__):
            variable, number = places.get(storage, (None, 0))
            if number or storage in self.touched.generators or not _has_value(storage, many, one):
                continue
            own = [storage] if variable is None else [e._handle._value for e in variable.values]
            name = _name(storage) if variable is None else variable.name
            parts = [array_of(each, many.values.get(each, many.values[storage])) for each in own]
            alone = one.values.get(storage, self.touched.first[storage])
            yield name, variable, parts, array_of(storage, alone)


def _name(storage: Storage) -> str:
    """What the program calls a variable."""
    return storage.name.rsplit("/", 1)[0]


def _is_split(parts: list[Any]) -> bool:
    return not all(np.array_equal(part, parts[0]) for part in parts[1:])


def _has_value(storage: Storage, many: _Side, one: _Side) -> bool:
    return many.values.get(storage) is not None and storage in one.values


def _whole(variable: object, parts: list[Any]) -> list[Any]:
    """What the components of a variable are to be compared by."""
    if not isinstance(variable, SyncOnReadVariable):
        return parts
    kind = variable.aggregation.name
    if kind in ("SUM", "MEAN"):
        total = functools.reduce(operator.add, parts)
        return [total if kind == "SUM" else total / len(parts)]
    return parts[:1]


def _leaves(made: object) -> list[Any]:
    """The values that a step returned, each as the arrays of all replicas."""
    found: list[Any] = []

    def keep(leaf: object) -> None:
        if leaf is not None:
            parts = leaf.values if isinstance(leaf, DistributedValues) else (leaf,)
            found.append([np.asarray(part) for part in parts])

    mapped(keep, made)
    return found


def arguments_of(step: Any, batch: Any) -> tuple[Any, ...]:
    """A batch as the arguments of a step: as one, or as one for each of its parts if the step
    takes as many.
    """
    if not isinstance(batch, tuple):
        return (batch,)
    try:
        signature = inspect.signature(getattr(step, "python_function", step))
        signature.bind(batch)
    except TypeError:
        return batch
    except ValueError:
        pass
    return (batch,)


def elements_of(data: Any, who: str = "check_equivalence") -> Iterator[Any]:
    """The batches of a dataset, in a pass that leaves no trace in it, or of a list."""
    if isinstance(data, DistributedDataset):
        raise TypeError(
            f"{who} takes the dataset before it is distributed: one device needs whole "
            "batches. Leave experimental_distribute_dataset out."
        )
    if not isinstance(data, Dataset):
        if isinstance(data, (str, bytes)) or not isinstance(data, Iterable):
            raise TypeError(
                f"{who} takes a tf.data.Dataset of batches, or a list of batches: got "
                f"{type(data).__name__}."
            )
        yield from data
        return
    bound = data.bound_dataset()
    structure = bound.node.structure
    host = INVENTORY.devices()[0]
    kinds = [host.kind(each.dtype) for each in structure.components]
    # What nodes keep from pass to pass (orders of shuffles) is kept apart.
    for raws in BoundDataset(bound.node, bound.bindings, {}).start():
        yield structure.value(list(map(make_tensor, raws, kinds)))


def check(
    strategy: Any, step: IntLike | None, data: Any, steps: int, tolerance: float, in_replicas: bool
) -> Equivalence:
    """See `MirroredStrategy.check_equivalence`."""
    refuse(strategy, step, steps, tolerance)
    checked = _Check(strategy, step, tolerance, in_replicas)
    with random_numbers_kept():
        batches = elements_of(data)
        return checked.run(batch for _, batch in zip(range(steps), batches, strict=False))


def refuse(
    strategy: Any,
    step: IntLike | None,
    steps: int,
    tolerance: float,
    who: str = "check_equivalence",
) -> None:
    """Raises where nothing can be compared."""
    if strategy.extended._in_multi_worker_mode():
        raise NotImplementedError(
            f"{who} compares the replicas of one process. Run it with a "
            "tf.distribute.MirroredStrategy of as many virtual devices as all workers have."
        )
    if not LOCAL.state.target.is_eager:
        raise RuntimeError(f"{who} runs steps: call it outside of functions and graphs.")
    strategy._check_here()
    if not callable(step):
        raise TypeError(f"{who} takes a function as step: got {step!r}.")
    if steps < 1 or not tolerance >= 0:
        raise ValueError(
            f"{who} takes at least 1 step and a tolerance that is not negative: got "
            f"steps={steps}, tolerance={tolerance}."
        )
