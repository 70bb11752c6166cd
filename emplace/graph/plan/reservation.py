"""The plain form of an instrumented plan, for steps that are far from any limit.

Where a device is bounded a plan asks its budget for every operation, which costs more than small
kernels take. If all shapes of a plan are known, each of its runs takes as much memory as the one
before it. So the first runs are measured, and later ones set that much aside at once and run as if
nobody counted; what they return is charged as always. Where it is not sure to fit, with as much
again to spare, the plan runs instrumented, and refuses what it must.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import FrameType
from typing import Any

import torch

from ...base import dtypes
from ...base.errors import ResourceExhaustedError
from ...base.garbage import garbage_later
from ...core.symbolic_value import symbolic_values
from ...core.tensor import EagerTensor
from ...core.tensor_list import TensorList
from ...devices.charges import MADE, Made, Maker
from ...devices.memory import MOST_YOUNG_BYTES, Budget, Claim, is_new, round_up
from ...eager.route import maker_of
from ...holders.names import locals_of
from ...holders.walkers import SetAside, sets_aside
from ..passes.prune import has_effect
from ..recording.deferred import DEFERRED
from ..representation.graph import Operation, SymbolicTensor
from ..representation.ops import BODIED
from .plan import Plan
from .steps import Step

Tensors = Sequence[EagerTensor]
Run = Callable[[Tensors], list[EagerTensor]]

#: A result's kind and what made it; where it is small and new in each run, what it is reserved as;
#: what its charge keeps of its maker, None where the program's line is looked for in each run; and
#: the maker.
_Result = tuple[Any, Any, Claim | None, Made | None, Maker | str]

# How many runs are measured: to write the plain form costs as much as the instrumented one did.
RUNS_BEFORE = 4
# The functions between here and the program: a run, a call of a function.
_DEPTH = 2
# With fewer operations it does not pay.
LEAST = 2
# Nobody knows what these steps would leave on a device: queues, tables, files, Python functions.
_KNOWN_EFFECTS = (
    "ReadVariable", "VarIsInitialized", "Assign", "Resource", "Random", "Truncated", "Multinomial",
    "CheckNumerics", "IteratorGetNext", "FusedAdam", "Optional",
)  # fmt: skip
_KNOWN_STATE = (dtypes.resource, dtypes.string)
# What is made of tensors, and gives them away again.
_WRAPPING = ("Optional",)


def is_reservable(steps: Sequence[Step]) -> bool:
    """Whether each run of these steps takes the same memory, and there are some."""
    if len(steps) < LEAST:
        return False
    return all(not step.varies and _is_steady(step.operation) for step in steps)


def _is_steady(operation: Operation) -> bool:
    record = operation.record
    if record.name in BODIED or record is DEFERRED or record.is_session_resource:
        return False
    if record.stateful and not record.name.startswith(_KNOWN_EFFECTS):
        return False
    if any(True for value in operation.attrs.values() for _ in symbolic_values(value)):
        return False
    wraps = record.name.startswith(_WRAPPING)
    return all(
        x.dtype in _KNOWN_STATE or (wraps if x.dtype is dtypes.variant else x.is_fully_known)
        for x in (*operation.inputs, *operation.outputs)
    )


class Reservation:
    """Runs an instrumented plan in its plain form where there is room.

    Args:
        budgets: those of the devices that take part.
        make: makes the plain form.
        steps: what the plan does.
    """

    def __init__(
        self, budgets: Sequence[Budget], make: Callable[[], Plan], steps: Sequence[Step] = ()
    ) -> None:
        self._budgets = list(budgets)
        #: What changes of variables may take, if each makes a copy: kept free while the plan runs,
        #: so that nobody else's tensors can end it half way.
        self._changes = [_bytes_of_changes(steps, budget) for budget in budgets]
        self._make: Callable[[], Plan] | None = make
        self._lock = threading.Lock()
        self._runs = 0
        #: What a run was seen to take at most above what was in use, by budget.
        self._needs = [0] * len(self._budgets)
        #: How much of that is set aside before; variables pay for the rest themselves.
        self._reserved: list[int] | None = None
        self._plain: Plan
        self._run_plain: Run
        #: The results that are charged: where they are, whose budget, what makes them.
        self._charged: list[tuple[int, int, Maker | str]] = []
        #: Whether there is one device, and no variable changes. The rest is for such plans alone.
        self._is_alone = False
        #: How much room there has to be.
        self._room = 0
        #: The results, with what they are reserved as where they are small and new in each run.
        self._results: list[_Result] = []
        #: What of the reserved bytes these leave.
        self._rest = 0
        #: What a run takes besides, where that is too little to be set aside.
        self._besides = 0

    @property
    def is_plain(self) -> bool:
        """Whether it sets memory aside at once by now, and runs the plain form."""
        return self._reserved is not None

    def run(self, plan: Plan, tensors: Tensors) -> list[EagerTensor]:
        """Runs the instrumented plan that this belongs to.

        What small functions do is here, without a call that they could do without. Results that
        were new in the first run are charged as those of ops are.
        """
        if not self._is_alone:
            return self._run_with_care(plan, tensors)
        budget, nbytes = self._budget, self._nbytes
        if not budget.reserve_easily(nbytes, self._room, 0, self._besides):
            return plan.run_instrumented(tensors)
        try:
            values = self._plain.run(*[x._value for x in tensors])
        except BaseException as error:
            budget.cancel(nbytes)
            if isinstance(error, Exception):
                raise self._plain.failure(error) from error
            raise
        outputs = []
        for value, result in zip(values, self._results, strict=True):
            tensor = EagerTensor()
            tensor._value = value
            tensor._kind, tensor._origin, claim, made, maker = result
            if claim is not None:
                budget.settle_later((value, claim, made or MADE.call(maker, _DEPTH)))
            outputs.append(tensor)
        if self._rest or self._charged:
            self._settle_rest(outputs)
        return outputs

    def run_for_host(
        self, values: Sequence[Any], fetch: Callable[[list[Any]], list[Any]]
    ) -> list[Any] | None:
        """What `fetch` makes in the host's memory of the raw results of a run on raw values. None
        if there is no such run now, and nothing has happened.

        Results live no longer than the run, so none of them is charged: what is set aside for the
        run counts them.
        """
        if not self._is_alone:
            return None
        budget, nbytes = self._budget, self._need
        if not budget.reserve_easily(nbytes, self._room):
            return None
        try:
            return fetch(self._plain.run(*values))
        except Exception as error:
            raise self._plain.failure(error) from error
        finally:
            budget.cancel(nbytes)

    def _run_with_care(self, plan: Plan, tensors: Tensors) -> list[EagerTensor]:
        """The same for plans on several devices, or that change variables, and until it is known
        what a run takes.
        """
        reserved = self._reserved
        if reserved is None:
            return self._learning(plan, tensors)
        if not self._hold(reserved):
            return plan.run_instrumented(tensors)
        left = list(reserved)
        try:
            outputs = self._run_plain(tensors)
            self._settle(outputs, left)
        finally:
            self._let_go(left)
        return outputs

    # -- learning -------------------------------------------------------------------------------

    def _learning(self, plan: Plan, tensors: Tensors) -> list[EagerTensor]:
        if self._runs < RUNS_BEFORE:
            outputs, seen = self._measured(plan.run_instrumented, tensors)
            with self._lock:
                self._runs += 1
                self._needs = [max(pair) for pair in zip(self._needs, seen, strict=True)]
            return outputs
        if not self._hold([0] * len(self._budgets)):
            return plan.run_instrumented(tensors)
        self._let_go([0] * len(self._budgets))
        with self._lock:
            make, self._make = self._make, None
        # Another thread is about it, or the plain form's constants did not fit.
        if make is None or not self._prepare(make):
            return plan.run_instrumented(tensors)
        return self._first(tensors)

    def _measured(self, run: Run, tensors: Tensors) -> tuple[list[EagerTensor], list[int]]:
        """A run, and what it takes above what was in use."""
        with garbage_later():
            began = [(budget.usage().in_use, budget.mark()) for budget in self._budgets]
            outputs = run(tensors)
            seen = [
                budget.peak_since(mark) - used
                for budget, (used, mark) in zip(self._budgets, began, strict=True)
            ]
        return outputs, seen

    def _prepare(self, make: Callable[[], Plan]) -> bool:
        """Makes the plain form; False if that takes memory that is not there."""
        try:
            plain = make()
        except ResourceExhaustedError:
            return False
        places = {id(budget): place for place, budget in enumerate(self._budgets)}
        _, results, *_ = plain.sources
        self._charged = [
            (
                i,
                places[id(device.budget)],
                maker_of(y.op, y.op.type) if route is None else route.maker,
            )
            for i, (device, route, y) in enumerate(
                zip(plain.result_devices, plain.routes, results, strict=True)
            )
            if id(device.budget) in places
        ]
        self._plain, self._run_plain = plain, plain.__call__
        return True

    def _first(self, tensors: Tensors) -> list[EagerTensor]:
        """The first plain run, with nothing set aside: it tells what variables pay themselves."""
        if self._hold(self._needs):  # so that the peak is what it was
            self._let_go(self._needs)
        outputs, own = self._measured(self._run_plain, tensors)
        is_alone = len(self._budgets) == 1 and self._budgets[0].parent is None
        is_alone = is_alone and not any(self._changes) and self._plain.together is None
        small = self._small_ones(outputs) if is_alone else {}
        self._settle(outputs, [0] * len(self._budgets))
        reserved = [max(0, need - paid) for need, paid in zip(self._needs, own, strict=True)]
        if is_alone:
            self._run_alone_from_here(reserved[0], small)
        self._reserved = reserved  # other threads may run it from here
        return outputs

    def _small_ones(self, outputs: Sequence[EagerTensor]) -> dict[int, Claim]:
        """Which results are new and small, before they are charged, and what as."""
        (need,) = self._needs
        found = {}
        for i, *_ in self._charged:
            value = outputs[i]._value
            if type(value) is not torch.Tensor or any(x._value is value for x in outputs[:i]):
                continue
            nbytes = round_up(value.untyped_storage().nbytes())
            is_whole = nbytes == round_up(value.numel() * value.element_size())
            if is_whole and 0 < nbytes <= min(need, MOST_YOUNG_BYTES) and is_new(value):
                found[i] = Claim(nbytes, tuple(value.shape))
                need -= nbytes
        return found

    def _run_alone_from_here(self, need: int, small: Mapping[int, Claim]) -> None:
        (self._budget,), self._need = self._budgets, need
        self._room = 2 * self._needs[0]
        makers = {i: maker for i, _, maker in self._charged}
        self._charged = [each for each in self._charged if each[0] not in small]
        for i, (kind, route) in enumerate(zip(self._plain.kinds, self._plain.routes, strict=True)):
            maker = makers.get(i, "")
            made = maker.made if isinstance(maker, Maker) and maker.line is not None else None
            self._results.append((kind, route, small.get(i), made, maker))
        self._nbytes = need
        self._rest = need - sum(claim.nbytes for claim in small.values())
        if self._rest <= MOST_YOUNG_BYTES and not self._charged:
            # What has to be free besides the room covers so little, in as many threads as run.
            self._nbytes, self._besides, self._rest = need - self._rest, self._rest, 0
        self._is_alone = True

    # -- memory ---------------------------------------------------------------------------------

    def _settle_rest(self, outputs: Sequence[EagerTensor]) -> None:
        """Charges the results that are not small, and gives back what is left."""
        left = [self._rest]
        try:
            self._settle(outputs, left)
        finally:
            if left[0]:
                self._budget.cancel(left[0])

    def _hold(self, reserved: Sequence[int]) -> bool:
        """Sets memory aside if there is room for what is needed, and for as much again."""
        for i, (budget, nbytes) in enumerate(zip(self._budgets, reserved, strict=True)):
            room = max(2 * self._needs[i], nbytes + self._changes[i])
            if not budget.reserve_easily(nbytes, room, self._changes[i]):
                self._let_go(reserved[:i])
                return False
        return True

    def _let_go(self, reserved: Sequence[int]) -> None:
        """Gives back what was set aside and is left, and what was kept free."""
        for budget, nbytes, changes in zip(self._budgets, reserved, self._changes, strict=False):
            if nbytes:
                budget.cancel(nbytes)
            if changes:
                budget.promise(-changes)

    def _settle(self, outputs: Sequence[EagerTensor], left: list[int]) -> None:
        """Charges what a run returns, out of what was set aside for it."""
        for i, place, maker in self._charged:
            for value in _tensors_in(outputs[i]._value):
                taken = round_up(value.untyped_storage().nbytes()) if is_new(value) else 0
                nbytes = min(left[place], taken)
                left[place] -= nbytes
                self._budgets[place].settle(nbytes, (value,), maker)


@sets_aside(Reservation._run_with_care)
def set_aside_for_plan(frame: FrameType) -> Iterator[SetAside]:
    """What is set aside for a plan that runs now, in any thread."""
    found = locals_of(frame)
    reservation, left = found.get("self"), found.get("left")
    if isinstance(reservation, Reservation) and isinstance(left, list):
        for budget, nbytes in zip(reservation._budgets, left, strict=True):
            yield SetAside(budget, nbytes, "a function or session, which runs now")


def _tensors_in(value: object) -> Sequence[torch.Tensor]:
    """What of a raw value takes memory on a device: an Optional holds tensors."""
    items = value.items if isinstance(value, TensorList) else (value,)
    return [each for each in items if type(each) is torch.Tensor]


def _bytes_of_changes(steps: Sequence[Step], budget: Budget) -> int:
    """The bytes of all variables that these steps change where a budget counts."""
    return sum(
        bytes_behind(x)
        for step in steps
        if step.placement.device.budget is budget and has_effect(step.operation)
        for x in step.operation.given
    )


def bytes_behind(handle: SymbolicTensor) -> int:
    """The bytes of a variable's value; 0 for a text's, where its shape is not known, and for what
    is no variable.
    """
    data = handle.handle_data if handle.dtype is dtypes.resource else None
    if data is None or data.dims is None or None in data.dims or data.dtype.torch is None:
        return 0
    return round_up(math.prod(size or 0 for size in data.dims) * data.dtype.size)
