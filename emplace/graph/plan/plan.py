"""Plans: a graph as a Python function, written out and compiled.

A plan calls the kernels of operations one after the other on raw values, copies values between
devices in lines of their own, and lets each value go after its last use. The `instrumented` form of
a plan hands every operation to `run_kernel` instead, which tells observers and asks budgets; it is
written only where somebody listens or bounds.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

from ...base.errors import OpError
from ...core.context import PROCESS
from ...core.events import PlacedOperation
from ...core.symbolic_value import symbolic_values
from ...core.tensor import EagerTensor, make_tensor
from ...devices.device import Device
from ...devices.memory import OutOfBudget
from ...eager.failure import fail, refused_copy
from ...eager.rollback import whole
from .failures import located
from .steps import Step, note_kept
from .together import Together
from .writing.writer import Writer

Perform = Callable[["Plan", Sequence[EagerTensor]], list[EagerTensor]]


class Reserving(Protocol):
    """What sets memory aside for a plan and runs it in another form; see `reservation.py`."""

    def run(self, plan: Plan, tensors: Sequence[EagerTensor], /) -> list[EagerTensor]:
        """Runs it, in this form or instrumented."""

    def run_for_host(
        self, values: Sequence[Any], fetch: Callable[[list[Any]], list[Any]], /
    ) -> list[Any] | None:
        """What `fetch` makes in the host's memory of the raw results of a run on raw values. None
        if there is no such run now, and nothing has happened.
        """


class Plan:
    """A compiled plan. `run` takes a value per argument and returns the values of the results.

    Values are raw in a plain plan, tensors in an instrumented one. `result_devices` are those of
    the results. `text` is the function's source. `is_blocking` says whether an operation may wait
    for another thread. `operations` is what observers are told of an instrumented one; `called`
    tells them that it runs.
    """

    __slots__ = (
        "called", "codes", "epoch", "is_blocking", "is_instrumented", "kinds", "lines",
        "operations", "perform", "reads", "reservation", "result_devices", "routes", "run",
        "sources", "space", "steps", "text", "together",
    )  # fmt: skip

    def __init__(self, writer: Writer, arguments: Sequence[str], results: Sequence[str]) -> None:
        self.epoch = PROCESS.epoch
        self.is_instrumented = writer.instrumented
        self.called: Callable[[], None] | None = None
        #: How a call runs it: one of the functions below, or what `reserve_by` was told.
        self.perform: Perform = Plan.run_instrumented if self.is_instrumented else Plan._run_plain
        #: What runs an instrumented plan in its plain form where there is room.
        self.reservation: Reserving | None = None
        #: What runs a plain plan of replicas in the form that does once what they do alike.
        self.together: Together | None = None
        self.operations: list[PlacedOperation] = []
        #: What it was made of: arguments, results, effects and options.
        self.sources: Any = None
        self.steps = writer.text.steps
        if self.is_instrumented:
            note_kept(self.steps)
        #: The values that the host reads while it runs.
        self.reads = writer.text.reads
        self.lines = writer.text.by_line
        #: What its lines may name: constants, variables, kernels.
        self.space = writer.text.space
        self.is_blocking = any(step.operation.record.is_blocking for step in self.steps)
        self.text, self.run, self.codes = writer.text.compile(arguments, results)
        if writer.kernels.writes:
            self.run = whole(self.run, self.codes)
        self.result_devices: list[Device] = []
        self.kinds: list[Any] = []
        self.routes: list[Any] = []

    def __call__(self, tensors: Sequence[EagerTensor]) -> list[EagerTensor]:
        """Runs the plan on tensors.

        Raises:
            OpError: an operation failed; the error names it.
        """
        return self.perform(self, tensors)

    def reserve_by(self, reservation: Reserving) -> None:
        """Lets something run this instrumented plan in its plain form where there is room."""
        self.reservation = reservation
        self.perform = reservation.run

    def join_by(self, together: Together) -> None:
        """Lets something run this plain plan of replicas in another form once that is there."""
        self.together = together
        self.perform = Plan._run_joined

    def _run_plain(self, tensors: Sequence[EagerTensor]) -> list[EagerTensor]:
        try:
            values = self.run(*[x._value for x in tensors])
        except Exception as error:
            raise self.failure(error) from error
        outputs, kinds, routes = [], self.kinds, self.routes
        for i, value in enumerate(values):  # to zip them strictly takes half a microsecond
            tensor = EagerTensor()
            tensor._value = value
            tensor._kind = kinds[i]
            tensor._origin = routes[i]
            outputs.append(tensor)
        return outputs

    def _run_joined(self, tensors: Sequence[EagerTensor]) -> list[EagerTensor]:
        together = self.together
        assert together is not None
        if (form := together.ready()) is not None:
            return together.run(form, tensors)
        return self._run_plain(tensors)

    def run_instrumented(self, tensors: Sequence[EagerTensor]) -> list[EagerTensor]:
        """The same for an instrumented plan, operation by operation."""
        try:
            if self.called is not None:
                self.called()
            return [_anew(each) for each in self.run(*tensors)]
        except Exception as error:
            raise self.failure(error) from error

    def failure(self, error: Exception) -> Exception:
        """What TensorFlow would raise for the failure of an operation."""
        step, frame = self._failed(error)
        if isinstance(error, OutOfBudget) and (step is None or step.route is None):
            return refused_copy(error, "copy of a list")
        if step is None:
            return error
        found: Exception = error
        if step.route is not None and not isinstance(error, OpError):
            try:
                fail(error, step.route, self._inputs(step, frame), self._attrs(step))
            except Exception as better:
                found = better
        elif isinstance(error, OpError) and step.route is not None and not self.is_instrumented:
            try:
                fail(error, step.route, (), None)
            except Exception as better:
                found = better
        return located(found, step.operation)

    def _failed(self, error: Exception) -> tuple[Step | None, Any]:
        trace = error.__traceback__
        while trace is not None:
            if any(trace.tb_frame.f_code is code for code in self.codes):
                return self.lines.get(trace.tb_lineno), trace.tb_frame
            trace = trace.tb_next
        return None, None

    def _inputs(self, step: Step, frame: Any) -> tuple[EagerTensor, ...]:
        found = [frame.f_locals.get(name, frame.f_globals.get(name)) for name in step.names or ()]
        route = step.route
        assert route is not None
        return tuple(
            value if isinstance(value, EagerTensor) else make_tensor(value, kind)
            for value, kind in zip(found, route.in_kinds, strict=True)
        )

    def _attrs(self, step: Step) -> dict[str, Any]:
        is_symbolic = any(
            True for value in step.operation.attrs.values() for _ in symbolic_values(value)
        )
        return {} if is_symbolic else step.operation.attrs


def _anew(tensor: EagerTensor) -> EagerTensor:
    """A result of an instrumented plan as a tensor of its own: it may be an argument, a constant,
    or a result before it, and tapes tell tensors by their identity.
    """
    return make_tensor(tensor._value, tensor._kind, tensor._origin)
