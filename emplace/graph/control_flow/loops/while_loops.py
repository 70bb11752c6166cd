"""Loops: `tf.while_loop`, and how a `While` is written into a plan."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ....base import dtypes, nest
from ....base.shapes import TensorShape, covers
from ....core.composite import CompositeTensor
from ....core.context import LOCAL
from ....core.tensor import Tensor
from ....devices.device import Device
from ....ops.array.barrier import stop_gradient
from ....ops.convert import to_tensor
from ....ops.infer import Spec
from ....ops.math.elementwise import less, logical_and
from ...codegen.plans import REQUESTS, LoopRequest, is_fit, trying_machine_code
from ...plan.writing.writer import EMITTERS, Writer
from ...representation.graph import Graph, Operation
from ..bodies import add_operation, op_with_bodies, trace
from ..iterations import write_iteration, write_kept
from .invariants import invariant_specs
from .trip_counts import trip_count

WHILE = op_with_bodies("While")


def while_loop(
    cond: Callable[..., Any],
    body: Callable[..., Any],
    loop_vars: Sequence[Any],
    shape_invariants: Any = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    maximum_iterations: int | None = None,
    name: str | None = None,
) -> Any:
    """Calls `body` on the loop variables as long as `cond` holds for them (`tf.while_loop`).

    Args:
        cond: takes the loop variables, returns a scalar bool.
        body: takes them, returns new ones: same structure, same dtypes.
        loop_vars: a list, tuple or nest of tensors.
        shape_invariants: for each the shape that holds in every iteration, where it changes.
        parallel_iterations: not needed.
        back_prop: False lets no gradient through the results of a loop in a graph.
        swap_memory: not needed.
        maximum_iterations: a limit of the number of iterations.
        name: a name in graphs.

    Returns:
        The loop variables after the last iteration.

    Raises:
        TypeError: `cond` or `body` is not callable.
        ValueError: there are no loop variables, or a shape changes that must not.

    >>> [int(each) for each in while_loop(lambda i: i < 3, lambda i: [i + 1], [0])]
    [3]
    """
    if not callable(cond):
        raise TypeError("'cond' must be callable.")
    if not callable(body):
        raise TypeError("'body' must be callable.")
    if not nest.flatten(loop_vars, expand_composites=True):
        raise ValueError("'loop_vars' must be provided.")
    if maximum_iterations is not None:
        limit = to_tensor(maximum_iterations).shape
        if limit.rank:
            raise ValueError(f"'maximum_iterations' must be a scalar. Received shape: {limit}")
    if LOCAL.state.target.is_eager:
        return _now(cond, body, loop_vars, maximum_iterations)
    if maximum_iterations is not None:
        results = _counted(cond, body, loop_vars, shape_invariants, maximum_iterations, name)
    else:
        results = _loop(cond, body, loop_vars, shape_invariants, name)
    return (
        results if back_prop else nest.map_structure(stop_gradient, results, expand_composites=True)
    )


def _as_args(values: Sequence[Any]) -> Any:
    return values if isinstance(values, (list, tuple)) else (values,)


def _now(
    cond: Callable[..., Any], body: Callable[..., Any], loop_vars: Sequence[Any], most: int | None
) -> Any:
    """The loop in eager mode."""
    most = None if most is None else int(most)
    iterations = 0
    values = loop_vars
    # TF: as in graphs, the condition is asked behind the last iteration, too.
    while cond(*_as_args(values)) and (most is None or iterations < most):
        again = body(*_as_args(values))
        if isinstance(values, (list, tuple)) and len(values) == 1 and not _is_list(again):
            again = (again,)
        nest.assert_same_structure(list(_as_args(values)), list(_as_args(again)))
        values = nest.pack_sequence_as(values, nest.flatten(again))
        iterations += 1
    return nest.map_structure(lambda each: to_tensor(each) if _is_value(each) else each, values)


def _is_value(each: object) -> bool:
    made = isinstance(each, (Tensor, CompositeTensor)) or hasattr(each, "flow")
    return not made and each is not None


def _is_list(value: object) -> bool:
    return isinstance(value, (list, tuple))


def _counted(
    cond: Callable[..., Any],
    body: Any,
    loop_vars: Sequence[Tensor],
    invariants: Any,
    most: int,
    name: str | None,
) -> Any:
    """A loop with one more variable, the number of iterations."""
    limit = to_tensor(most, hint=dtypes.int32)
    inner = _as_args(loop_vars)

    def go_on(count: Tensor, *values: Tensor) -> Tensor:
        return logical_and(less(count, limit), to_tensor(cond(*values)))

    def step(count: Any, *values: Any) -> Any:
        made = body(*values)
        made = made if _is_list(made) else (made,)
        return (count + 1, *made)

    shapes = None if invariants is None else (TensorShape([]), *_as_args(invariants))
    zero = to_tensor(0, limit.dtype)
    found = _loop(go_on, step, (zero, *inner), shapes, name)[1:]
    if not _is_list(loop_vars):
        return found[0]
    return nest.pack_sequence_as(loop_vars, nest.flatten(found, expand_composites=True),
                                 expand_composites=True)  # fmt: skip


def _loop(
    cond: Callable[..., Any],
    body: Callable[..., Any],
    loop_vars: Sequence[Any],
    invariants: object,
    name: str | None,
) -> Any:
    target: Any = LOCAL.state.target
    graph: Graph = target.graph
    structure = loop_vars
    leaves = nest.flatten(loop_vars, expand_composites=True)
    values = [target.taken(to_tensor(leaf)) for leaf in leaves]
    specs = invariant_specs(values, invariants, structure)

    def packed(symbols: Sequence[Any]) -> Any:
        return _as_args(nest.pack_sequence_as(structure, list(symbols), expand_composites=True))

    def again(*symbols: Tensor) -> Any:
        returned = body(*packed(symbols))
        if _is_list(structure) and len(structure) == 1 and not _is_list(returned):
            returned = (returned,)
        expected = list(_as_args(structure))
        nest.assert_same_structure(expected, list(_as_args(returned)), expand_composites=True)
        flat = nest.flatten(returned, expand_composites=True)
        return [to_tensor(y, hint=s.dtype) for y, s in zip(flat, specs, strict=True)]

    data = [x.handle_data for x in values]
    tests, _ = trace("while_cond", graph, lambda *s: to_tensor(cond(*packed(s))), specs, data)
    step, _ = trace("while_body", graph, again, specs, data)
    _check_invariant(values, specs, step.outputs, invariants is not None)
    operation = add_operation(WHILE, graph, values, (tests, step), specs, {"loops": len(values)},
                    name or "while")  # fmt: skip
    for x, y, z in zip(values, operation.outputs, step.outputs, strict=False):
        known = x.dtype is not dtypes.variant or (x.handle_data and x.handle_data.dims is not None)
        y.handle_data = x.handle_data if known else z.handle_data
    return nest.pack_sequence_as(structure, list(operation.outputs), expand_composites=True)


def _check_invariant(
    values: Sequence[Any], specs: Sequence[Spec], outputs: Sequence[Any], is_given: bool
) -> None:
    for x, spec, y in zip(values, specs, outputs, strict=True):
        if y.dtype is not spec.dtype:
            raise TypeError(
                f"Loop var {x.name} enters the loop with type {spec.dtype} but has type "
                f"{y.dtype} after 1 iteration. {x.name} type should remain constant."
            )
        if not covers(spec.dims, y.dims):
            raise ValueError(
                f"Input tensor '{x.name}' enters the loop with shape {TensorShape(spec.dims)}, but "
                f"has shape {y.shape} after one iteration. To allow the shape to vary across "
                "iterations, use the `shape_invariants` argument of tf.while_loop to specify a "
                "less-specific shape."
            )


def _write_while(writer: Writer, operation: Operation) -> None:
    loops = operation.attrs["loops"]
    found = _counters(writer, operation)
    variables = [writer.text.fresh() for _ in range(loops)]
    kept = [writer.text.fresh("s") for _ in operation.outputs[loops:]]
    turning = [i for i in range(loops) if i not in found]
    with trying_machine_code(writer, operation, [*[variables[i] for i in turning], *kept]):
        places = _write_iterations(writer, operation, found, variables, kept)
        write_kept(writer, kept, places)
    devices = [writer.values.device(x) for x in operation.inputs[:loops]]
    unwanted = set[int]()
    for i, values in found.items():
        y = operation.outputs[i]
        if devices[i].type == "CPU":
            variables[i] = writer.text.bind(values[-1], "c")
            writer.liveness.keep.add(id(y))
        elif writer.liveness.is_wanted(y):  # what a run returns may be charged: not the plan's
            writer.text.write(f"{variables[i]} = {writer.text.bind(values[-1].clone, 'f')}()")
        else:
            unwanted.add(id(y))
    for y, name, device in zip(
        operation.outputs, [*variables, *kept], [*devices, *places], strict=True
    ):
        if id(y) not in unwanted:
            writer.values.enter(y, name, device)


def _counted_iterations(writer: Writer, operation: Operation) -> LoopRequest | None:
    """The iterations of a While that may become machine code; None if they may not."""
    step, loops = operation.attrs["bodies"][1], operation.attrs["loops"]
    found = _counters(writer, operation)
    turning = [i for i in range(loops) if i not in found]
    given = [*turning, *range(loops, len(operation.inputs))]
    symbols = [*step.inputs, *operation.attrs["reads"][1]]
    request = LoopRequest(
        step, [symbols[i] for i in [*found, *given]],
        [writer.values.name(operation.inputs[i]) for i in given],
        [*[step.outputs[i] for i in turning], *step.outputs[loops:]],
        counters=[values[:-1] for values in found.values()], variables=len(turning),
    )  # fmt: skip
    return request if found and is_fit(writer, operation, request) else None


def _write_iterations(
    writer: Writer, operation: Operation, counters: dict[int, list[Any]],
    variables: Sequence[str], list_names: Sequence[str],
) -> list[Device]:  # fmt: skip
    """A `for` over the values of counters, or a `while`. Returns where the kept values are."""
    tests, step = operation.attrs["bodies"]
    loops = operation.attrs["loops"]
    names = [*variables, *[writer.values.name(x) for x in operation.inputs[loops:]]]
    devices = [writer.values.device(x) for x in operation.inputs]
    for i, (name, x) in enumerate(zip(variables, operation.inputs[:loops], strict=True)):
        if i not in counters:
            writer.text.write(f"{name} = {writer.values.name(x)}")
    for name in list_names:
        writer.text.write(f"{name} = []")
    if counters:
        lists = ", ".join(writer.text.bind(values[:-1], "n") for values in counters.values())
        writer.text.write(f"for {', '.join(variables[i] for i in counters)}, in zip({lists}):")
    else:
        writer.text.write("while True:")
    is_counted = bool(counters) or trip_count(operation) is not None
    with writer.varying(not is_counted), writer.inner():
        if not counters:
            symbols = [*tests.inputs, *operation.attrs["reads"][0]]
            writer.body(tests, symbols, names, devices, f"{operation.name}/cond")
            writer.text.write(f"if not {writer.truth(operation, tests.outputs[0])}: break")
        turning = [i for i in range(loops) if i not in counters]
        outputs = [step.outputs[i] for i in turning] + step.outputs[loops:]
        symbols = [*step.inputs, *operation.attrs["reads"][1]]
        changing = [step.inputs[i] for i in turning]
        writer.body(step, symbols, names, devices, f"{operation.name}/body", outputs, changing)
        turned = [variables[i] for i in turning]
        return write_iteration(
            writer, step, outputs, turned, list_names, [devices[i] for i in turning]
        )


def _counters(writer: Writer, operation: Operation) -> dict[int, list[Any]]:
    """The values of a loop's counters, if the number of iterations is known; none otherwise."""
    found = None if writer.instrumented else trip_count(operation)
    if found is None or any(
        not writer.values.device(operation.inputs[i]).is_in_host_memory for i in found.values
    ):
        return {}
    return found.values


EMITTERS["While"] = _write_while
REQUESTS["While"] = _counted_iterations
