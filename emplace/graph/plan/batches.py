"""The batch that would fit, where a plan does not: it is projected for fewer examples.

A plan that was traced for batches of any size says what it holds for each of them. One that was
traced for a single size does not; whoever knows how to ask then is one of `WAYS`. Nothing is said
where anything is in doubt, or where it takes longer than `SECONDS` of a core.
"""

from __future__ import annotations

import copy
import functools
import time
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from ...core.tensor import EagerTensor
from ...devices.device import Device
from ...devices.inventory import INVENTORY
from ...devices.memory import round_up
from ...devices.phantom import Unprojectable
from ...holders.values import address, nbytes_of, raw
from ...ops.infer import Spec
from ..passes.prune import needed
from ..representation.graph import Operation
from .phantom_world import World
from .projection import PlanSources, Projection, Question, paths, standing_in

SECONDS = 1.5

#: Bytes that a plan takes for so many examples, its arguments among them, by device.
Needs = Callable[[int], Mapping[str, int]]


class Refused(NamedTuple):
    """A plan that does not fit.

    `sources` are what it is made of, `tensors` what it is called with, `devices` the bounded ones
    of `all_devices`, `projection` what it would hold; `deadline` is when to give up, by
    `time.thread_time`.
    """

    sources: PlanSources
    tensors: Sequence[EagerTensor]
    devices: Sequence[Device]
    all_devices: Sequence[Device]
    projection: Projection
    deadline: float

    def operations(self) -> list[Operation]:
        """What the plan runs."""
        arguments, results, effects, _ = self.sources
        fed = {id(x) for x in arguments}
        return needed([*[y.op for y in results if id(y) not in fed], *effects], arguments)


class BatchNeeds(NamedTuple):
    """How to tell what a plan needs for other batches than its own, of `examples`."""

    examples: int
    needs: Needs


#: Who may know a way for a plan that was traced for one size; they return None if they do not.
WAYS: list[Callable[[Refused], BatchNeeds | None]] = []


def batch_that_fits(
    sources: PlanSources, tensors: Sequence[EagerTensor], devices: Sequence[Device],
    projection: Projection,
) -> list[str]:  # fmt: skip
    """A sentence about the largest batch that fits where this one does not; none in doubt."""
    deadline = time.thread_time() + SECONDS
    refused = Refused(sources, tensors, devices, INVENTORY.devices(), projection, deadline)
    try:
        found_ways = (each(refused) for each in (_way_of_open_plan, *WAYS))
        way = next((each for each in found_ways if each is not None), None)
        found = 0 if way is None else _largest(way, _room(refused, way.examples), deadline)
    except (Exception, Unprojectable):  # the error that is being told must not become another
        return []
    if way is None or found < 1:
        return []
    return [f"A batch of {found} fits by projection (this one is {way.examples})."]


def argument_bytes(refused: Refused, count: int) -> dict[str, int]:
    """What arguments hold that have a row per example, by device: views hold what others hold."""
    found: dict[str, int] = {}
    for x in refused.tensors:
        value = raw(x)
        if value is not None and value.ndim and value.shape[0] == count:
            nbytes = round_up(value.numel() * value.element_size())
            if nbytes_of(value) == nbytes:
                name = x._kind.device.short_name
                found[name] = found.get(name, 0) + nbytes
    return found


def _room(refused: Refused, count: int) -> dict[str, int]:
    """What a batch of another size may take, by device: what is free and what this one gives back,
    without what another plan takes for constants of its own.
    """
    own = argument_bytes(refused, count)
    kept = refused.sources.options.constants
    found = {}
    for device in refused.devices:
        assert device.budget is not None
        constants = {
            address(made): nbytes_of(made)
            for (_, number), (_, made) in kept.items()
            if number == id(device)
        }
        free = device.budget.free_bytes()
        if free is not None:
            name = device.short_name
            found[name] = free + own.get(name, 0) - sum(constants.values())
    return found


def _largest(way: BatchNeeds, room: Mapping[str, int], deadline: float) -> int:
    """The most examples for which there is room; 0 if there are none.

    What is needed grows with the examples, nearly in a line from zero: the next guess is where the
    line through the last two meets what there is. When half of the time is over that is believed.
    """

    def excess(count: int) -> int:
        if time.thread_time() > deadline:
            raise Unprojectable("it takes too long")
        found = way.needs(count)
        return max(found[name] - most for name, most in room.items())

    low, high = 0, way.examples
    last = high, excess(high)
    if last[1] <= 0:
        return 0  # it would fit: whoever refused it knows better
    needed = way.needs(high)
    guess = min(high * max(0, most) // max(1, needed[name]) for name, most in room.items())
    while high - low > 1:
        guess = min(max(guess, low + 1), high - 1)
        before, last = last, (guess, excess(guess))
        low, high = (guess, high) if last[1] <= 0 else (low, guess)
        middle = (low + high) // 2
        guess = middle if last[1] == before[1] else _meeting(before, last)
        if guess == low > 0 and time.thread_time() > deadline - SECONDS / 2:
            break
    return low


def _meeting(one: tuple[int, int], other: tuple[int, int]) -> int:
    """Where the line through two points is zero, rounded down."""
    (x, y), (u, v) = one, other
    return x - -(-y * (u - x) // (v - y))


def _way_of_open_plan(refused: Refused) -> BatchNeeds | None:
    """How to tell it by the plan itself, where that was traced for any number of examples."""
    sources, options = refused.sources, refused.sources.options
    places: list[int] = []
    counts: set[int | None] = set()
    for i, (x, dims) in enumerate(zip(sources.arguments, options.dims, strict=True)):
        if x.dtype.torch is None:
            continue
        if dims is None or (x.dims is None and dims):
            return None
        if x.dims and x.dims[0] is None:
            places.append(i)
            counts.add(dims[0])
    ahead: list[int] = []
    for operation in refused.operations() if options.ahead else ():
        for y in operation.outputs:
            if id(y) in options.ahead and y.dims and y.dims[0] is None:
                ahead.append(id(y))
                counts.add(options.ahead[id(y)][0])
    if len(counts) != 1 or None in counts or _is_shared_out(refused, places):
        return None
    (count,) = counts
    assert count is not None

    @functools.cache
    def needs(other: int) -> dict[str, int]:
        return _needs_of(refused, _resized(refused, other, places, ahead), other / count, count)

    return BatchNeeds(count, needs)


def _is_shared_out(refused: Refused, places: Sequence[int]) -> bool:
    """Whether a batch comes in parts for several replicas: then nobody knows the whole."""
    if len({refused.tensors[i]._kind.device for i in places}) > 1:
        return True
    structures = [getattr(x._value, "structure", None) for x in refused.tensors]
    return any("PerReplica" in repr(each.spec) for each in structures if each is not None)


def _resized(refused: Refused, count: int, places: Sequence[int], ahead: Sequence[int]) -> Question:
    """What the plan will hold for another number of examples."""
    sources = refused.sources
    options = copy.copy(sources.options)
    options.dims = list(options.dims)
    for i in places:
        options.dims[i] = (count, *options.dims[i][1:])
    options.ahead = {
        key: (count, *dims[1:]) if key in ahead else dims for key, dims in options.ahead.items()
    }

    def prepare(world: World) -> tuple[PlanSources, list[EagerTensor]]:
        found = standing_in(refused.tensors, world)
        for i in places:
            x = refused.tensors[i]
            spec = Spec(options.dims[i], x.dtype)
            found[i] = world.unknown(spec, world.of(x._kind.device))
        return sources._replace(options=options), found

    return Question(prepare, refused.all_devices, deadline=refused.deadline)


def _needs_of(refused: Refused, question: Question, share: float, count: int) -> dict[str, int]:
    own = argument_bytes(refused, count)
    projected = most_taken(refused, question)
    return {name: nbytes + int(own.get(name, 0) * share) for name, nbytes in projected.items()}


def most_taken(refused: Refused, question: Question) -> dict[str, int]:
    """What a plan takes whichever way it goes, by bounded device.

    Raises:
        Unprojectable: nobody knows which ways there are.
    """
    found = paths(question)
    if not found:
        raise Unprojectable("it depends on values")
    names = [device.short_name for device in refused.devices]
    return {name: max(each.devices[name].extra for each in found) for name in names}
