"""Calling a traced function in eager mode, and what gradient tapes see of it.

A call is one op on a tape. Its gradient is another traced function, made from the first one's
operations; the values that it needs from the first become further results of that one's plan.
"""

from __future__ import annotations

import copy
import functools
import threading
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

from ...base import dtypes, flags, nest
from ...core.composite import CompositeTensor
from ...core.context import LOCAL, PROCESS, is_soft
from ...core.events import tell
from ...core.settings import strips_checks
from ...core.tensor import EagerTensor, Tensor
from ...devices.inventory import INVENTORY
from ...eager.backward import backward
from ...eager.place import place
from ...grads.rules import Recorded, gradient, is_trainable
from ...ops.array.making import zeros_like
from ...ops.convert import to_tensor
from ...ops.op import DEVICE_TYPES, Arg, Op
from ..passes.prune import effects_of
from ..plan.build import PlanOptions, plain_plan
from ..plan.captured import let_capture
from ..plan.foresight import build_foreseen
from ..plan.jit import compiled
from ..plan.plan import Plan
from ..recording.deferred import variable_behind
from ..recording.func_graph import FuncGraph, same_constant
from ..recording.gradients import calls_of, towards
from ..recording.sparse_arguments import keep_shapes, shapes_of
from ..representation.default_graph import as_default
from ..representation.graph import Operation, SymbolicTensor
from ..representation.ops import BODIED, CONST
from .arguments.concrete_arguments import ConcreteArguments, shares, wrong_dtype
from .arguments.signatures import renamed
from .inline import inlined
from .op_by_op import run_op_by_op
from .printed import FunctionType, type_of_trace

_MANY = (Arg("inputs", "any", True),)


def _never_called(*values: Tensor, **attrs: Any) -> Any:
    raise AssertionError("calls of functions are recorded, not run, as an op")


FUNCTION_CALL = Op("FunctionCall", _never_called, None, _MANY, (Arg("outputs", "any", True),), {},
                   DEVICE_TYPES)  # fmt: skip


#: Ops that take something out of a resource: what tells the shapes of the next it will give.
SHAPES_AHEAD: dict[str, Callable[[Any], Any]] = {}


class ConcreteFunction:
    """One trace of a function: a graph, and a plan per set of devices."""

    def __init__(
        self,
        graph: FuncGraph,
        inputs: Sequence[SymbolicTensor],
        result: object,
        name: str,
        jit: bool = False,
        arguments: ConcreteArguments | None = None,
        signature: Any = None,
    ) -> None:
        self.graph = graph
        self.inputs = list(inputs)
        self.outputs = list(graph.outputs)
        self._result = result
        self.is_single = isinstance(result, Tensor)
        self._name = name
        self._arguments = arguments
        self._signature = signature
        self._jit = jit
        self._plans: dict[Any, Plan] = {}
        self._lock = threading.RLock()
        self._effects: tuple[int, list[Operation]] = (-1, [])
        self._backwards: dict[Any, Backward] = {}

    @property
    def takes(self) -> int:
        """How many tensors it takes."""
        return len(self.inputs)

    @property
    def name(self) -> str:
        """The name of the function in graphs."""
        return self.graph.name

    @property
    def inference_fn(self) -> ConcreteFunction:
        """What runs when nobody asks for gradients: itself, which takes tensors one by one."""
        return self

    @property
    def structured_outputs(self) -> Any:
        """What it returns, with symbolic tensors."""
        return self._result

    @property
    def structured_input_signature(self) -> Any:
        """What it takes, as (args, kwargs), with specs in the place of tensors."""
        return self._signature

    @property
    def function_type(self) -> FunctionType:
        """The types of what it takes, uses from outside and returns."""
        return type_of_trace(
            self._arguments, self._signature, self.inputs, self.captured_inputs, self._result
        )

    @property
    def output_shapes(self) -> Any:
        """The shapes of what it returns."""
        return nest.map_structure(lambda each: getattr(each, "shape", None), self._result)

    @property
    def output_dtypes(self) -> Any:
        """The dtypes of what it returns."""
        return nest.map_structure(lambda each: getattr(each, "dtype", None), self._result)

    @property
    def variables(self) -> tuple[Any, ...]:
        """The variables that it uses."""
        found = [variable_behind(eager) for eager, _ in self.graph.constants.values()]
        return tuple(each for each in found if each is not None)

    @property
    def trainable_variables(self) -> tuple[Any, ...]:
        """Those that tapes watch."""
        return tuple(each for each in self.variables if each.trainable)

    @property
    def captured_inputs(self) -> list[Any]:
        """The values from outside that it uses."""
        return [eager for eager, _ in self.graph.constants.values()]

    def add_to_graph(self, g: object = None, overwrite: bool = False) -> None:
        """Nothing: graphs need not be told of functions before they call them.

        Args:
            g: the graph.
            overwrite: whether another function of that name gives way.
        """

    def add_gradient_functions_to_graph(self, g: object = None) -> None:
        """Nothing: see `add_to_graph`.

        Args:
            g: the graph.
        """

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Runs it, on the arguments of the function. Plain ones need not be given again. Tensors
        may also be given one after the other, or by the names of their specs.

        In eager mode, tensors one after the other may also have other shapes than it was traced
        for: its operations then run on what they get, and a size that Python read stays what it
        was.

        Raises:
            TypeError: the arguments are not those that it was traced for.
            InvalidArgumentError: a tensor has another dtype, or an operation does not take its
                shape.
        """
        tensors = self.tensors_of(*args, **kwargs)
        fits = True
        for i, (x, y) in enumerate(zip(tensors, self.inputs, strict=True)):
            if x.dtype is not y.dtype:
                raise wrong_dtype(self.graph.name, i, y.dtype, x.dtype)
            # What shape a variable has is nothing that its handle is asked for.
            if x.dtype is not dtypes.resource and not y.shape.is_compatible_with(x.shape):
                fits = False
        is_eager = LOCAL.state.target.is_eager
        if self.graph.variable_arguments and shares(self.graph, tensors):
            raise ValueError(
                f"{self._name}() reads a variable by itself that it is given as an argument, and "
                "was traced for others. Call get_concrete_function with this variable."
            )
        if not is_eager:
            return self.recorded(tensors)
        return self.run(tensors) if fits else self._run_op_by_op(tensors)

    def _may_run_op_by_op(self) -> bool:
        """Whether each operation can run by itself, and tapes know its gradient: not of those whose
        gradients are functions of the program, which hold tensors of the trace.
        """
        if not LOCAL.state.tapes:
            return True
        graph = self.graph
        return not graph.gradient_types and not any(
            operation.record.name == "CustomGradient" for operation in graph.operations
        )

    def _run_op_by_op(self, tensors: Sequence[EagerTensor]) -> Any:
        """Runs it now, on tensors of other shapes than it was traced for. TF: so it does."""
        if LOCAL.state.tapes:
            self._watch(LOCAL.state.tapes, tensors)
        return self.packed(run_op_by_op(self.graph, self.inputs, tensors))

    def recorded(self, tensors: Sequence[Any]) -> Any:
        """What the function returns for tensors of the current graph, which takes a copy of it."""
        for variable in (*self.trainable_variables, *trainable_among(tensors)):
            variable._watch()
        return self.packed(inlined(self.graph, self.inputs, tensors))

    def tensors_of(self, *args: Any, **kwargs: Any) -> list[Any]:
        """The tensors among arguments, in the order in which the trace takes them.

        Raises:
            TypeError: the arguments are not those that it was traced for.
        """
        if self._arguments is None:
            return self._flat(args, kwargs)
        try:
            return self._arguments.tensors(args, kwargs)
        except TypeError as error:
            try:
                tensors = self._flat(args, kwargs)
                self._check_shapes(tensors)
            except (TypeError, ValueError) as other:
                raise TypeError(
                    f"{error}\nFallback to flat signature also failed due to: {other}"
                ) from None
            return tensors

    def _check_shapes(self, tensors: Sequence[Any]) -> None:
        """Raises TypeError for tensors of other shapes than it was traced for, unless it can run
        on them: in eager mode, one operation after the other.
        """
        if LOCAL.state.target.is_eager and self._may_run_op_by_op():
            return
        for x, y in zip(tensors, self.inputs, strict=True):
            if x.dtype is not dtypes.resource and not y.shape.is_compatible_with(x.shape):
                raise TypeError(
                    f"{self._name}() was traced for a tensor {y.op.name} of shape {y.shape}, got "
                    f"{x.shape}. Hand get_concrete_function a tf.TensorSpec with None for the "
                    "sizes that vary."
                )

    def _flat(self, args: Sequence[Any], kwargs: dict[str, Any]) -> list[Any]:
        """Tensors in the order of the inputs; those behind the first ones may be named."""
        names = [x.op.name for x in self.inputs]
        if self._arguments is not None and sorted(names[len(args) :]) != sorted(kwargs):
            names = self._arguments.flat_names
        names = names[len(args) :]
        if sorted(names) != sorted(kwargs) or len(args) > len(self.inputs):
            count = len(args) + len(kwargs)
            raise TypeError(f"{self._name}() takes {len(self.inputs)} tensors, got {count}.")
        values = [*args, *[kwargs[name] for name in names]]
        if self._arguments is not None:
            self._check_tensors(values)
        return [
            getattr(each, "handle", None) if x.dtype is dtypes.resource and not
            isinstance(each, Tensor) else to_tensor(each, hint=x.dtype)
            for each, x in zip(values, self.inputs, strict=True)
        ]  # fmt: skip

    def _check_tensors(self, values: Sequence[Any]) -> None:
        for i, each in enumerate(values):
            if not isinstance(each, Tensor) and not hasattr(each, "handle"):
                raise TypeError(
                    f"{self._name}(): expected argument #{i}(zero-based) to be a Tensor; got "
                    f"{type(each).__name__} ({each!r})."
                )

    def named(self, arguments: ConcreteArguments) -> ConcreteFunction:
        """The same trace for arguments whose specs have other names."""
        found = copy.copy(self)
        found._arguments = arguments
        found._signature = renamed(self._signature, arguments.flat_names)
        return found

    def run(self, tensors: Sequence[EagerTensor]) -> Any:
        """Runs it now, on tensors that fit."""
        state = LOCAL.state
        if state.tapes:
            return self.packed(self._recorded(tensors))
        plan = self.plan(tensors)
        outputs = plan.perform(plan, tensors)
        if self.is_single:
            return outputs[0]
        return self.packed(outputs)

    def plan(self, tensors: Sequence[EagerTensor], extra: Sequence[SymbolicTensor] = ()) -> Plan:
        """The plan for these tensors, which also returns `extra`."""
        ahead: tuple[Any, ...] = ()
        key: Any = (
            tuple([(x._kind, getattr(x._value, "shape", None)) for x in tensors]) if self._is_open
            else tuple([x._kind for x in tensors]), LOCAL.state.scope,
        )  # fmt: skip
        if extra or self._looks_ahead:
            ahead = self._shapes_ahead(tensors)
            key = *key, tuple(map(id, extra)), ahead
        plan = self._plans.get(key)
        if plan is None or plan.epoch is not PROCESS.epoch:
            with self._lock:
                plan = self._plans[key] = self._new_plan(tensors, extra, ahead)
        return plan

    def plan_by_kinds(self, tensors: Sequence[EagerTensor]) -> Plan | None:
        """The plan that was made for these tensors, if it is for all that are like them."""
        if self._looks_ahead or LOCAL.state.tapes:
            return None
        return self.plan(tensors)

    def plans(self) -> list[Plan]:
        """The plans that were made so far."""
        return list(self._plans.values())

    @functools.cached_property
    def _is_open(self) -> bool:
        """Whether a plan depends on the sizes of what is given."""
        return any(not x.is_fully_known for x in self.inputs)

    @functools.cached_property
    def _looks_ahead(self) -> list[tuple[int, Operation]]:
        """The operations that take something of unknown shape out of an argument, once, by the
        place of the argument.
        """
        places = {id(x): i for i, x in enumerate(self.inputs) if x.dtype is dtypes.resource}
        taking = [
            operation for operation in self.graph.operations
            if operation.record.name in SHAPES_AHEAD and id(operation.given[0]) in places
        ]  # fmt: skip
        counts = Counter(id(operation.given[0]) for operation in taking)
        return [
            (places[id(operation.given[0])], operation) for operation in taking
            if counts[id(operation.given[0])] == 1
            and not all(y.is_fully_known for y in operation.outputs)
        ]  # fmt: skip

    def _shapes_ahead(self, tensors: Sequence[EagerTensor]) -> tuple[Any, ...]:
        """The shapes of what those operations will take; None where nobody can tell."""
        return tuple(
            [
                SHAPES_AHEAD[operation.record.name](tensors[i]._value)
                for i, operation in self._looks_ahead
            ]
        )

    def _new_plan(
        self, tensors: Sequence[EagerTensor], extra: Sequence[SymbolicTensor],
        ahead: Sequence[Any],
    ) -> Plan:  # fmt: skip
        what = self.sources(tensors, extra, ahead)
        plan = build_foreseen(*what)
        if PROCESS.observers:
            self._tell_observers(plan)
        if self._jit and not plan.is_instrumented:
            plan.run = compiled(plan.run)
        elif flags.CUDA_GRAPHS.value() and not PROCESS.observers:
            let_capture(self._name, plan, lambda device: plain_plan(*what, device))
        return plan

    def sources(
        self, tensors: Sequence[EagerTensor], extra: Sequence[SymbolicTensor] = (),
        ahead: Sequence[Any] = (),
    ) -> tuple[Any, Any, Any, PlanOptions]:  # fmt: skip
        """What a plan for these tensors is made of: arguments, results, effects and options.

        Args:
            tensors: what it is called with.
            extra: what it returns besides.
            ahead: the shapes of what it will take out of arguments.
        """
        scope, devices = LOCAL.state.scope, INVENTORY.devices()
        if scope is not None:  # a call is an op of eager mode: its device has to exist
            place(self.graph.name, DEVICE_TYPES, (), None, scope, devices, is_soft())
        options = PlanOptions(
            [x._kind.device for x in tensors],
            [
                () if x.dtype is dtypes.resource else tuple(getattr(x._value, "shape", ()))
                for x in tensors
            ],
            None if scope is None else scope.spec,
            ahead={
                id(y): dims
                for (_, operation), shapes in zip(self._looks_ahead, ahead, strict=False) if shapes
                for y, dims in zip(operation.outputs, shapes, strict=True)
            },
            strips=strips_checks(),
        )  # fmt: skip
        effects = effects_of(self.graph)
        return self.inputs, [*self.outputs, *extra], effects, options

    def _tell_observers(self, plan: Plan) -> None:
        """Tells observers of a plan, and lets them know of its calls."""
        name, devices = self.graph.name, INVENTORY.devices()
        placement = place(name, DEVICE_TYPES, (), None, LOCAL.state.scope, devices, soft=True)
        tell("planned", name, plan.operations)
        plan.called = functools.partial(tell, "called", name, placement.device)

    @functools.cached_property
    def _composite(self) -> CompositeTensor | None:
        """The one composite that it returns, if that is all, and its parts are all tensors."""
        result = self._result
        if not isinstance(result, CompositeTensor):
            return None
        are_tensors = all(isinstance(part, Tensor) for part in result.components())
        return result if are_tensors else None

    def packed(self, outputs: Sequence[Any]) -> Any:
        """Tensors in the structure of what the function returns."""
        if self.is_single:
            return outputs[0]
        if self._composite is not None and LOCAL.state.target.is_eager:
            return self._composite.with_components(outputs)
        leaves = nest.flatten(self._result, expand_composites=True)
        remaining = iter(outputs)
        leaves = [None if leaf is None else next(remaining) for leaf in leaves]
        made = nest.pack_sequence_as(self._result, leaves, expand_composites=True)
        if not LOCAL.state.target.is_eager:
            keep_shapes(made, shapes_of(self._result))
        return made

    # -- gradients ------------------------------------------------------------------------------

    def _recorded(self, tensors: Sequence[EagerTensor]) -> list[EagerTensor]:
        """Runs it and tells the tapes."""
        tapes = LOCAL.state.tapes
        self._watch(tapes, tensors)
        sources = self._sources(tensors)
        wanted = tuple(
            i for i, (eager, _) in enumerate(sources)
            if any(id(eager) in tape._tracked for tape in tapes)
        )  # fmt: skip
        if not wanted or not any(is_trainable(y.dtype) for y in self.outputs):
            return self.plan(tensors)(tensors)
        saved = self._to_save(wanted, sources, tapes)
        made = self.plan(tensors, saved)(tensors)
        inputs = tuple(eager for eager, _ in sources)
        attrs = {"function": self, "symbols": [x for _, x in sources], "saved": saved,
                 "given": tensors, "wanted": wanted}  # fmt: skip
        for tape in tapes:
            tape.record(FUNCTION_CALL, inputs, attrs, made, _Route(made))
        return made[: len(self.outputs)]

    def _watch(self, tapes: Sequence[Any], tensors: Sequence[EagerTensor]) -> None:
        given = trainable_among(tensors) if self.graph.variable_arguments else ()
        for variable in (*self.trainable_variables, *given):
            for tape in tapes:
                tape.watch_variable(variable, variable.handle)

    def _sources(self, tensors: Sequence[EagerTensor]) -> list[tuple[Any, SymbolicTensor]]:
        """What the results may depend on: values, and what stands for them in the graph."""
        given = list(zip(tensors, self.inputs, strict=True))
        held = list(self.graph.constants.values())
        return [(eager, x) for eager, x in (*given, *held) if _may_matter(x)]

    def _to_save(
        self, wanted: Sequence[int], sources: Sequence[Any], tapes: Sequence[Any]
    ) -> list[SymbolicTensor]:
        """The values that the gradient needs; all there are, where gradients of gradients come."""
        symbols = [x for _, x in sources]
        found = self.backward_for(symbols, wanted, _flowing(self.outputs), self.outputs)
        if len(tapes) == 1 and not tapes[0]._persistent:
            return found.needs
        kept = {id(x): x for x in found.needs}
        if any(operation.record.name in BODIED for operation in self.graph.operations):
            self._add_needed_of_needed(kept, symbols, wanted)
        for operation in self.graph.operations:
            for y in operation.outputs:
                if (
                    operation.inputs
                    and y.dtype is not dtypes.resource
                    and y.dtype is not dtypes.variant
                ):
                    kept[id(y)] = y
        done = set(map(id, self.outputs)) | set(map(id, self.inputs))
        return [x for i, x in kept.items() if i not in done]

    def _add_needed_of_needed(self, kept: dict[int, Any], symbols: Any, wanted: Any) -> None:
        """Adds what the gradients of the values in `kept` need, and so on. Loops and branches get
        further outputs for that, so it must be known before the plan is made.
        """
        count = -1
        while len(kept) > count:
            count = len(kept)
            outputs = [*self.outputs, *kept.values()]
            found = self.backward_for(symbols, wanted, _flowing(outputs), outputs)
            kept.update((id(x), x) for x in found.needs)

    def backward_for(
        self,
        sources: Sequence[SymbolicTensor],
        wanted: Sequence[int],
        used: Sequence[int],
        outputs: Sequence[SymbolicTensor],
    ) -> Backward:
        """The gradient function for some sources and some outputs."""
        key = tuple(id(sources[i]) for i in wanted), tuple(id(outputs[i]) for i in used)
        found = self._backwards.get(key)
        if found is None:
            found = self._backwards[key] = Backward(
                self.graph, [sources[i] for i in wanted], [outputs[i] for i in used], self._name
            )
        return found

    def pretty_printed_signature(self, verbose: bool = True) -> str:
        """What it takes and returns, for people.

        Args:
            verbose: a line for each argument, and what it takes from outside, instead of one line.
        """
        return repr(self.function_type) if verbose else str(self.function_type)

    def __repr__(self) -> str:
        return f"<ConcreteFunction {self.pretty_printed_signature(False)} at 0x{id(self):X}>"

    def __str__(self) -> str:
        return f"ConcreteFunction {self.pretty_printed_signature()}"


class _Route:
    """What a tape needs to know of a call: where it ran."""

    def __init__(self, made: Sequence[EagerTensor]) -> None:
        self.device = made[0]._kind.device


class _BackwardGraph(FuncGraph):
    """The graph of a gradient: constants of the function's graph are constants here. TF: of what
    gradients of the program do besides, that happens which the gradient needs, and what belongs to
    functions that this one calls.
    """

    is_of_gradient = True

    def __init__(self, name: str, forward: FuncGraph) -> None:
        super().__init__(name, outer=forward)
        self.awaited = []
        self._same: dict[int, SymbolicTensor] = {}

    def capture(self, x: Any) -> SymbolicTensor:
        """What stands here for a tensor from outside."""
        is_constant = isinstance(x, SymbolicTensor) and x.op.record is CONST
        if not is_constant or x.graph is not self.outer:
            return super().capture(x)
        eager = x.op.attrs.get("eager")
        if eager is not None:  # a gradient may be wanted for it
            return super().capture(x if _may_matter(x) else eager)
        if id(x) not in self._same:
            self._same[id(x)] = self._unscoped(same_constant, x)
        return self._same[id(x)]


class Backward:
    """The gradient of a traced function as a function of gradients and of saved values."""

    def __init__(
        self,
        forward: FuncGraph,
        sources: Sequence[SymbolicTensor],
        outputs: Sequence[SymbolicTensor],
        name: str,
    ) -> None:
        graph = _BackwardGraph(f"__backward_{name}", forward)
        with as_default(graph):
            seeds = [graph.argument(y.spec, "grad") for y in outputs]
            begins = [(y, y, seed) for y, seed in zip(outputs, seeds, strict=True)]
            found = backward(towards(calls_of(forward), begins), begins, sources)
            graph.outputs = [
                graph.capture(x) if x.graph is not graph else x
                for grad in found
                for x in nest.flatten(grad, expand_composites=True)
                if x is not None
            ]
        self.result = found
        #: Values of the forward graph that it reads.
        self.needs = [x for x, _ in graph.captures.values()]
        inputs = [*seeds, *[inner for _, inner in graph.captures.values()]]
        self.function = ConcreteFunction(graph, inputs, found, f"gradient of {name}")


@gradient(FUNCTION_CALL)
def call_grad(call: Recorded, *grads: Any) -> Sequence[Any]:
    """Of a traced function's call: a call of its gradient function."""
    function: ConcreteFunction = call.attrs["function"]
    symbols, outputs = call.attrs["symbols"], [*function.outputs, *call.attrs["saved"]]
    values = {id(x): value for x, value in zip(function.inputs, call.attrs["given"], strict=True)}
    values |= {id(y): value for y, value in zip(outputs, call.outputs, strict=True)}
    values |= {id(x): value for x, value in zip(symbols, call.inputs, strict=True)}
    used: Sequence[int] = [i for i, grad in enumerate(grads) if grad is not None]
    wanted: Sequence[int] = [i for i in range(len(call.inputs)) if call.needs(i)]
    found = function.backward_for(symbols, wanted, used, outputs)
    if any(id(x) not in values for x in found.needs):
        # For a loop that matters in part, its gradient may read what that of all results, whose
        # values were kept, does not.
        of_results = all(i < len(function.outputs) for i in used)
        wanted, used = call.attrs["wanted"], _flowing(function.outputs if of_results else outputs)
        found = function.backward_for(symbols, wanted, used, outputs)
    given: list[Any] = [
        zeros_like(call.outputs[i]) if grads[i] is None else to_tensor(grads[i]) for i in used
    ]
    results = found.function.run([*given, *[_value(x, values) for x in found.needs]])
    full: list[Any] = [None] * len(call.inputs)
    for i, grad in zip(wanted, results, strict=True):
        full[i] = grad
    return full


def _may_matter(x: SymbolicTensor) -> bool:
    """Whether there may be a gradient for a value, or for a variable's by its handle."""
    return is_trainable((x.handle_data or x).dtype)


def _flowing(outputs: Sequence[SymbolicTensor]) -> tuple[int, ...]:
    """The places of those that gradients flow to."""
    return tuple(i for i, y in enumerate(outputs) if is_trainable(y.dtype))


def _value(x: SymbolicTensor, values: dict[int, Any]) -> Any:
    found = values.get(id(x))
    if found is None:
        raise LookupError(
            f"The gradient needs the value of {x!r}, which was not kept. Use a persistent tape, or "
            "nest the tapes around the call."
        )
    return found


def trainable_among(tensors: Sequence[Any]) -> list[Any]:
    """The variables whose handles are among tensors and that tapes watch."""
    found = [variable_behind(x) for x in tensors if x.dtype is dtypes.resource]
    return [each for each in found if each is not None and each.trainable]
