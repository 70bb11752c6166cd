"""Control flow in graphs: `If`, `While` and `Scan`, operations with bodies.

A body is a graph of its own. What it reads from outside are inputs of the operation, so a body
stands alone and can be run, copied and differentiated wherever the operation goes. In a plan a
body is a block: plain `if`, `while` and `for` of Python around calls of kernels.

`Scan` runs a body for each element of some lists. It is how loops are differentiated: `While`
keeps what the gradient needs in lists, one entry per iteration, and the gradient goes over them
backwards.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ...base import dtypes, nest
from ...base.shapes import TensorShape, common, covers
from ...base.typing import Structure, TensorLike
from ...core.composite import CompositeTensor
from ...core.context import LOCAL
from ...core.tensor import EagerTensor, Tensor, make_tensor
from ...core.tensor_list import TensorList
from ...devices.device import Device
from ...devices.inventory import INVENTORY
from ...ops.array.barrier import stop_gradient
from ...ops.convert import to_tensor
from ...ops.infer import Spec
from ...ops.math.elementwise import less, logical_and
from ...ops.op import DEVICE_TYPES, Arg, Op
from ..codegen.plans import LoopRequest, asked, is_fit
from ..passes.constant_folding import raw_value
from ..plan.plan import EMITTERS, Step, Writer
from ..recording.deferred import variable_behind
from ..recording.func_graph import FuncGraph, out_of_scope
from ..recording.sparse_arguments import keep_shapes, shapes_of
from ..representation.graph import AS_DEFAULT, Graph, Operation, SymbolicTensor
from .invariants import invariant_specs
from .sums import Sum, joined, sums, with_products, with_rows
from .trip_counts import trip_count

_MANY = (Arg("inputs", "any", True),)
_OUT = (Arg("outputs", "any", True),)


def _in_plans_only(*values: Tensor, **attrs: Any) -> Any:
    raise AssertionError("plans write operations with bodies out")


IF = Op("If", _in_plans_only, None, _MANY, _OUT, {}, DEVICE_TYPES)
WHILE = Op("While", _in_plans_only, None, _MANY, _OUT, {}, DEVICE_TYPES)
SCAN = Op("Scan", _in_plans_only, None, _MANY, _OUT, {}, DEVICE_TYPES)


class Body(FuncGraph):
    """The graph of a branch or of a loop's iteration. It reads even constants through the graph
    around it, so that a tape there sees what it depends on.
    """

    def capture(self, x: object) -> SymbolicTensor:
        """What stands here for a tensor from outside."""
        if isinstance(x, EagerTensor):
            assert self.outer is not None
            x = self.outer.target.taken(x)
        return super().capture(x)


def trace(
    name: str, outer: Graph, function: Callable[..., Any], specs: Sequence[Spec],
    data: Sequence[Spec | None] = (), role: str = "",
) -> tuple[Body, Any]:  # fmt: skip
    """The body that a function makes of arguments like `specs`, and what it returned."""
    body = Body(name, outer)
    body.role, body.keeps_scope = role, True
    body.awaited = None if outer.runs_all else []
    with AS_DEFAULT[0](body):
        arguments = [body.argument(spec) for spec in specs]
        for x, known in zip(arguments, data, strict=False):
            x.handle_data = known
        result = function(*arguments)
        leaves = nest.flatten(result, expand_composites=True)
        if body.awaited is not None:
            body.awaited = [each for each in leaves if isinstance(each, Operation)]
        leaves = [each if each is None or isinstance(each, Operation)
                  else body.target.taken(to_tensor(each)) for each in leaves]  # fmt: skip
    body.outputs = [each for each in leaves if isinstance(each, SymbolicTensor)]
    leaves = [None if isinstance(each, Operation) else each for each in leaves]
    made = nest.pack_sequence_as(result, leaves, expand_composites=True)
    keep_shapes(made, shapes_of(result))
    return body, made


def add_operation(
    record: Op,
    graph: Graph,
    given: Sequence[SymbolicTensor],
    bodies: Sequence[FuncGraph],
    specs: Sequence[Spec],
    attrs: dict[str, Any],
    name: str | None = None,
) -> Operation:
    """An operation with bodies: its inputs are `given` and all that the bodies read.

    `attrs["reads"]` says for each body which of its tensors stands for each input behind `given`.
    """
    outside: dict[int, Any] = {}
    for body in bodies:
        for x, _ in body.captures.values():
            outside[id(x)] = x
    reads = tuple(
        tuple(body.captures[i][1] if i in body.captures else None for i in outside)
        for body in bodies
    )
    for x in outside.values():
        _watch(x)
    taken = [graph.target.taken(x) for x in outside.values()]
    attrs = {**attrs, "bodies": tuple(bodies), "reads": reads, "count": len(given)}
    with graph.control_dependencies([each for body in bodies for each in body.waits_for]):
        operation = graph.add(record, (*given, *taken), attrs, specs, name)
    for tape in LOCAL.state.tapes:
        tape.record_operation(operation)
    return operation


def _watch(x: SymbolicTensor) -> None:
    """Tells the tapes around of a variable that a body reads: while the body was traced, no tape
    listened.
    """
    if x.dtype is not dtypes.resource or not LOCAL.state.tapes:
        return
    variable = variable_of(x)
    if variable is not None and variable.trainable:
        variable._watch()


def variable_of(x: SymbolicTensor) -> Any:
    """The variable that a handle, of whatever graph, is for; None if that is not known."""
    while True:
        graph: Any = x.graph
        pairs = getattr(graph, "captures", {}).values()
        outer = next((outside for outside, inner in pairs if inner is x), None)
        if outer is None:
            break
        x = outer
    return variable_behind(x.op.attrs.get("eager", x))


def extend(operation: Operation, body: FuncGraph, x: SymbolicTensor, spec: Spec) -> SymbolicTensor:
    """A further output of an operation: `x` of one of its bodies, nothing of the others."""
    for each in operation.attrs["bodies"]:
        if each is body and len(each.outputs) < len(operation.outputs) + 1:
            each.outputs.append(x)
        elif len(each.outputs) < len(operation.outputs) + 1:
            each.outputs.append(None)
    made = SymbolicTensor(operation, len(operation.outputs), spec)
    made.handle_data = x.handle_data
    return add_output(operation, made)


def add_output(operation: Operation, made: SymbolicTensor) -> SymbolicTensor:
    """Gives an operation a further output, and tells the tapes."""
    operation.outputs.append(made)
    for tape in LOCAL.state.tapes:
        tape.record_output(operation, made)
    return made


# -- if --------------------------------------------------------------------------------------------


def cond(
    pred: TensorLike,
    true_fn: Callable[[], Any] | None = None,
    false_fn: Callable[[], Any] | None = None,
    name: str | None = None,
) -> Any:
    """What `true_fn()` returns if `pred` holds, else what `false_fn()` returns (`tf.cond`).

    Args:
        pred: a scalar tensor of bool; a Python bool in eager mode only.
        true_fn: a function without arguments.
        false_fn: a function without arguments that returns the same structure.
        name: a name in graphs.

    Raises:
        TypeError: a function is not callable, or they return different structures; `pred` is a
            Python bool in a graph.

    >>> cond(True, lambda: 1, lambda: 2)
    1
    """
    if not callable(true_fn):
        raise TypeError("'true_fn' must be callable.")
    if not callable(false_fn):
        raise TypeError("'false_fn' must be callable.")
    if isinstance(pred, bool) and not LOCAL.state.target.is_eager:
        raise TypeError("pred must not be a Python bool", pred)
    target: Any = LOCAL.state.target
    if not target.is_eager:
        return branches(pred, true_fn, false_fn, name)
    return smart_cond(pred, true_fn, false_fn, name)


def smart_cond(
    pred: TensorLike,
    true_fn: Callable[[], Any],
    false_fn: Callable[[], Any],
    name: str | None = None,
) -> Any:
    """As `cond`, but of a predicate that is known only one function is called; a Python bool is
    one, too (`tf.__internal__.smart_cond.smart_cond`).
    """
    known = _known_truth(pred)
    if known is not None:
        return true_fn() if known else false_fn()
    if LOCAL.state.target.is_eager:
        raise out_of_scope(pred)
    return branches(pred, true_fn, false_fn, name)


def branches(
    pred: TensorLike, true_fn: Callable[[], Any], false_fn: Callable[[], Any], name: str | None,
    roles: tuple[str, str] = ("true_fn", "false_fn"),
) -> Any:  # fmt: skip
    """The operation `If`. TF: both functions are called, though a constant may decide: they may
    make variables, and must return the same. `roles` is what errors call them.
    """
    target: Any = LOCAL.state.target
    pred = to_tensor(pred)
    graph: Graph = target.graph
    yes, one = trace("cond_true", graph, true_fn, (), role=roles[0])
    no, other = trace("cond_false", graph, false_fn, (), role=roles[1])
    _check_same(one, other)
    specs = _common_specs(yes.outputs, no.outputs)
    operation = add_operation(IF, graph, [target.taken(pred)], (yes, no), specs, {}, name or "cond")
    for y, a, b in zip(operation.outputs, yes.outputs, no.outputs, strict=True):
        y.handle_data = _common_elements(a.handle_data, b.handle_data)
    if one is None and not specs:
        return operation
    made = _packed(one, operation.outputs)
    keep_shapes(made, map(common, shapes_of(one), shapes_of(other)))
    return made


def _known_truth(pred: TensorLike) -> bool | None:
    if isinstance(pred, SymbolicTensor):
        # A session may feed it; a plan for which nobody does leaves the other branch out.
        known = pred.static_value() if pred.graph.is_function else None
        return None if known is None else bool(known)
    if LOCAL.state.target.is_eager or not (isinstance(pred, Tensor) or hasattr(pred, "handle")):
        return bool(pred)
    return bool(pred) if isinstance(pred, EagerTensor) else None


def _check_same(one: Sequence[Tensor] | Tensor, other: Sequence[Tensor] | Tensor) -> None:
    try:
        nest.assert_same_structure(one, other, expand_composites=True)
        if len(_tensors(one)) != len(_tensors(other)):
            raise TypeError("None in one branch is a tensor in the other.")
    except (TypeError, ValueError) as error:
        raise TypeError(
            "true_fn and false_fn arguments to tf.cond must have the same number, type, and "
            f"overall structure of return values.\n\ntrue_fn output:  {one}\n"
            f"false_fn output: {other}\n\nError details:\n{error}"
        ) from None
    for a, b in zip(_tensors(one), _tensors(other), strict=True):
        if a.dtype is not b.dtype:
            raise TypeError(
                "true_fn and false_fn arguments to tf.cond must have the same number, type, and "
                f"overall structure of return values.\n\ntrue_fn output:  {one}\nfalse_fn output: "
                f"{other}\n\nError details:\nTensor {a} has dtype {a.dtype.name} and {b} has dtype "
                f"{b.dtype.name}."
            )


def _tensors(structure: Structure) -> list[Any]:
    leaves = nest.flatten(structure, expand_composites=True)
    return [each for each in leaves if isinstance(each, Tensor)]


def _packed(structure: Structure, outputs: Sequence[Any]) -> Any:
    remaining = iter(outputs)
    leaves = nest.flatten(structure, expand_composites=True)
    leaves = [next(remaining) if isinstance(each, Tensor) else each for each in leaves]
    return nest.pack_sequence_as(structure, leaves, expand_composites=True)


def _common_specs(one: Sequence[Any], other: Sequence[Any]) -> list[Spec]:
    return [
        Spec(common(a.dims, b.dims), a.dtype) for a, b in zip(one, other, strict=True)
    ]  # fmt: skip


def _common_elements(one: Spec | None, other: Spec | None) -> Spec | None:
    if one is None or other is None or one.dtype is not other.dtype:
        return None
    return Spec(common(one.dims, other.dims), one.dtype)


def _write_if(writer: Writer, operation: Operation) -> None:
    pred, given = operation.inputs[0], operation.inputs[1:]
    known = raw_value(pred)
    test = f"truth({writer.names[id(pred)]})" if known is None else repr(bool(known))
    names = [writer.names[id(x)] for x in given]
    devices = [writer.device_of[id(x)] for x in given]
    results = [writer.fresh() for _ in operation.outputs]
    places: list[Device | None] = [None] * len(results)
    before = writer.placed[operation].device
    for word, body, reads in zip(
        ("then", "else"), operation.attrs["bodies"], operation.attrs["reads"], strict=True
    ):
        writer.write(f"if {test}:" if word == "then" else "else:")
        with writer.inner():
            writer.body(body, reads, names, devices, f"{operation.name}/{word}")
            for i, y in enumerate(body.outputs):
                places[i] = places[i] or (None if y is None else writer.device_of[id(y)])
                there = places[i] or before
                text = writer.absent(operation.outputs[i]) if y is None else writer.at(y, there)
                writer.write(f"{results[i]} = {text}")
            _forget(writer, body, body.outputs)
    for y, name, place in zip(operation.outputs, results, places, strict=True):
        writer.names[id(y)], writer.device_of[id(y)] = name, place or before


def _forget(writer: Writer, body: FuncGraph, outputs: Sequence[SymbolicTensor | None]) -> None:
    """Lets go of a body's outputs, which now have other names."""
    given = set(map(id, body.inputs)) | {id(inner) for _, inner in body.captures.values()}
    names = [
        writer.names[id(y)] for y in outputs
        if y is not None and id(y) not in given and not writer.names[id(y)].startswith("c")
    ]  # fmt: skip
    if names:
        writer.write(f"del {', '.join(dict.fromkeys(names))}")


# -- while -----------------------------------------------------------------------------------------


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
        found = _counted(cond, body, loop_vars, shape_invariants, maximum_iterations, name)
    else:
        found = _loop(cond, body, loop_vars, shape_invariants, name)
    return found if back_prop else nest.map_structure(stop_gradient, found, expand_composites=True)


def _as_args(values: Sequence[Any]) -> Any:
    return values if isinstance(values, (list, tuple)) else (values,)


def _now(
    cond: Callable[..., Any], body: Callable[..., Any], loop_vars: Sequence[Any], most: int | None
) -> Any:
    """The loop in eager mode."""
    most = None if most is None else int(most)
    iterations = 0
    values = loop_vars
    while (most is None or iterations < most) and cond(*_as_args(values)):
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

    shapes = None if invariants is None else ((), *_as_args(invariants))
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
    values = [target.taken(to_tensor(each)) for each in leaves]
    specs = invariant_specs(values, invariants, structure)

    def packed(symbols: Sequence[Any]) -> Any:
        return _as_args(nest.pack_sequence_as(structure, list(symbols), expand_composites=True))

    def again(*symbols: Tensor) -> Any:
        made = body(*packed(symbols))
        if _is_list(structure) and len(structure) == 1 and not _is_list(made):
            made = (made,)
        expected = list(_as_args(structure))
        nest.assert_same_structure(expected, list(_as_args(made)), expand_composites=True)
        flat = nest.flatten(made, expand_composites=True)
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
    variables = [writer.fresh() for _ in range(loops)]
    kept = [writer.fresh("s") for _ in operation.outputs[loops:]]
    turning = [i for i in range(loops) if i not in found]
    request = _counted_iterations(writer, operation, found, turning)
    with asked(writer, request, [*[variables[i] for i in turning], *kept]):
        places = _write_iterations(writer, operation, found, variables, kept)
        _write_kept(writer, kept)
    for i, values in found.items():
        variables[i] = writer.bind(values[-1], "c")
        writer.keep.add(id(operation.outputs[i]))
    devices = [writer.device_of[id(x)] for x in operation.inputs[:loops]]
    for y, name, device in zip(
        operation.outputs, [*variables, *kept], [*devices, *places], strict=True
    ):
        writer.names[id(y)], writer.device_of[id(y)] = name, device


def _counted_iterations(
    writer: Writer, operation: Operation, found: dict[int, list[Any]], turning: Sequence[int]
) -> LoopRequest | None:
    """The iterations of a While that may become machine code; None if they may not."""
    step, loops = operation.attrs["bodies"][1], operation.attrs["loops"]
    given = [*turning, *range(loops, len(operation.inputs))]
    symbols = [*step.inputs, *operation.attrs["reads"][1]]
    request = LoopRequest(
        step, [symbols[i] for i in [*found, *given]],
        [writer.names[id(operation.inputs[i])] for i in given],
        [*[step.outputs[i] for i in turning], *step.outputs[loops:]],
        counters=[values[:-1] for values in found.values()], variables=len(turning),
    )  # fmt: skip
    return request if found and is_fit(writer, operation, request) else None


def _write_iterations(
    writer: Writer, operation: Operation, found: dict[int, list[Any]],
    variables: Sequence[str], kept: Sequence[str],
) -> list[Device]:  # fmt: skip
    """A `for` over the values of counters, or a `while`. Returns where the kept values are."""
    tests, step = operation.attrs["bodies"]
    loops = operation.attrs["loops"]
    names = [*variables, *[writer.names[id(x)] for x in operation.inputs[loops:]]]
    devices = [writer.device_of[id(x)] for x in operation.inputs]
    for i, (name, x) in enumerate(zip(variables, operation.inputs[:loops], strict=True)):
        if i not in found:
            writer.write(f"{name} = {writer.names[id(x)]}")
    for name in kept:
        writer.write(f"{name} = []")
    if found:
        lists = ", ".join(writer.bind(values[:-1], "n") for values in found.values())
        writer.write(f"for {', '.join(variables[i] for i in found)}, in zip({lists}):")
    else:
        writer.write("while True:")
    with writer.inner():
        if not found:
            symbols = [*tests.inputs, *operation.attrs["reads"][0]]
            (test,) = writer.body(tests, symbols, names, devices, f"{operation.name}/cond")[:1]
            writer.write(f"if not truth({test}): break")
        turning = [i for i in range(loops) if i not in found]
        outputs = [step.outputs[i] for i in turning] + step.outputs[loops:]
        symbols = [*step.inputs, *operation.attrs["reads"][1]]
        changing = [step.inputs[i] for i in turning]
        writer.body(step, symbols, names, devices, f"{operation.name}/body", outputs, changing)
        turned = [variables[i] for i in turning]
        return _write_iteration(writer, step, outputs, turned, kept, [devices[i] for i in turning])


def _counters(writer: Writer, operation: Operation) -> dict[int, list[Any]]:
    """The values of a loop's counters, if the number of iterations is known; none otherwise."""
    found = None if writer.instrumented else trip_count(operation)
    if found is None or any(
        writer.device_of[id(operation.inputs[i])].type != "CPU" for i in found.values
    ):
        return {}
    return found.values


def _write_iteration(
    writer: Writer, body: FuncGraph, outputs: Sequence[SymbolicTensor],
    variables: Sequence[str], kept: Sequence[str], devices: Sequence[Device],
) -> list[Device]:  # fmt: skip
    """The end of an iteration: what is kept of it, and the variables of the next one. Returns where
    the kept values are.
    """
    loops = len(variables)
    places = []
    for name, y in zip(kept, outputs[loops:], strict=True):
        value = writer.names[id(y)]
        writer.write(f"{name}.append({f'raw({value})' if writer.instrumented else value})")
        places.append(writer.device_of[id(y)])
    turned = [writer.at(y, device) for y, device in zip(outputs[:loops], devices, strict=True)]
    if turned:
        writer.write(f"{', '.join(variables)}, = {', '.join(turned)},")
    _forget(writer, body, outputs)
    return places


def _write_kept(writer: Writer, kept: Sequence[str], is_reversed: bool = False) -> None:
    """Makes values of lists, in the order of the iterations of the loop itself."""
    make = _list_tensor if writer.instrumented else TensorList
    for name in kept:
        if is_reversed:
            writer.write(f"{name}.reverse()")
        writer.write(f"{name} = {writer.bind(make, 'l')}({name})")


def _list_tensor(values: list[Any]) -> EagerTensor:
    """A list of raw values as a tensor, for instrumented plans."""
    return make_tensor(TensorList(values), INVENTORY.devices()[0].kind(dtypes.variant))


def _tensors_of(kind: Any) -> Callable[[Any], list[Any]]:
    """Makes tensors of the elements of a list, for instrumented plans."""

    def made(values: EagerTensor) -> list[Any]:
        return [each if each is None else make_tensor(each, kind) for each in values._value.items]

    return made


# -- scan ------------------------------------------------------------------------------------------


def _write_scan(writer: Writer, operation: Operation) -> None:
    """`for each in zip(lists): carries = body(each, carries)`; inputs are lists, then carries.

    Gradients of loops go from the last element to the first (`reverse`), gradients of those the
    other way round.
    """
    lists, loops = operation.attrs["lists"], operation.attrs["loops"]
    devices = [writer.device_of[id(x)] for x in operation.inputs]
    variables = [writer.fresh() for _ in range(loops)]
    kept = [writer.fresh("s") for _ in operation.outputs[loops:]]
    summed = _summed(writer, operation, devices)
    parts = {id(x): (x, writer.fresh("s")) for each in summed.values() for x in each.parts}
    for i in summed:
        writer.write(f"{variables[i]} = {writer.names[id(operation.inputs[lists + i])]}")
    turning = [i for i in range(loops) if i not in summed]
    names = [name for _, name in parts.values()]
    request = _scanned_iterations(writer, operation, turning, [x for x, _ in parts.values()])
    with asked(writer, request, [*[variables[i] for i in turning], *kept, *names]):
        places = _write_elements(writer, operation, turning, variables, kept, list(parts.values()))
        _write_kept(writer, kept, operation.attrs["reverse"])
        for name in names:
            writer.write(f"{name} = {writer.bind(joined, 'f')}({name})")
    _write_sums(writer, summed, variables, {i: name for i, (_, name) in parts.items()})
    places = [*devices[lists : lists + loops], *places]
    for y, name, device in zip(operation.outputs, [*variables, *kept], places, strict=True):
        writer.names[id(y)], writer.device_of[id(y)] = name, device


def _scanned_iterations(
    writer: Writer, operation: Operation, turning: Sequence[int], parts: Sequence[SymbolicTensor]
) -> LoopRequest | None:
    """The iterations of a Scan that may become machine code; None if they may not."""
    (body,) = operation.attrs["bodies"]
    lists, loops = operation.attrs["lists"], operation.attrs["loops"]
    changing = [lists + i for i in turning]
    given = [*range(lists), *changing, *range(lists + loops, len(operation.inputs))]
    symbols = [*body.inputs, *operation.attrs["reads"][0]]
    request = LoopRequest(
        body, [symbols[i] for i in given], [writer.names[id(operation.inputs[i])] for i in given],
        [*[body.outputs[i] for i in turning], *body.outputs[loops:], *parts],
        lists=lists, variables=len(turning), parts=len(parts),
        is_reversed=operation.attrs["reverse"],
    )  # fmt: skip
    return request if is_fit(writer, operation, request) else None


def _write_elements(
    writer: Writer, operation: Operation, turning: Sequence[int], variables: Sequence[str],
    kept: Sequence[str], parts: Sequence[tuple[SymbolicTensor, str]],
) -> list[Device]:  # fmt: skip
    """A `for` over the elements of lists. Returns where the kept values are."""
    (body,) = operation.attrs["bodies"]
    lists, loops, is_reversed = (
        operation.attrs["lists"],
        operation.attrs["loops"],
        operation.attrs["reverse"],
    )
    given = operation.inputs[lists + loops :]
    devices = [writer.device_of[id(x)] for x in operation.inputs]
    elements = [writer.fresh("e") for _ in range(lists)]
    turned = [variables[i] for i in turning]
    for name, i in zip(turned, turning, strict=True):
        writer.write(f"{name} = {writer.names[id(operation.inputs[lists + i])]}")
    all_kept = [*kept, *[name for _, name in parts]]
    for name in all_kept:
        writer.write(f"{name} = []")
    sources = []
    for x, symbol, device in zip(operation.inputs[:lists], body.inputs, devices, strict=False):
        items = f"{writer.names[id(x)]}.items"
        if writer.instrumented:
            items = f"{writer.bind(_tensors_of(device.kind(symbol.dtype)), 't')}({items[:-6]})"
        sources.append(f"reversed({items})" if is_reversed else items)
    writer.write(f"for {', '.join(elements)}, in zip({', '.join(sources)}):")
    names = [*elements, *variables, *[writer.names[id(x)] for x in given]]
    with writer.inner():
        symbols = [*body.inputs, *operation.attrs["reads"][0]]
        outputs = [body.outputs[i] for i in turning] + body.outputs[loops:]
        outputs += [x for x, _ in parts]
        changing = [body.inputs[lists + i] for i in turning]
        writer.body(body, symbols, names, devices, f"{operation.name}/body", outputs, changing)
        there = [devices[lists + i] for i in turning]
        return _write_iteration(writer, body, outputs, turned, all_kept, there)[: len(kept)]


def _summed(writer: Writer, operation: Operation, devices: Sequence[Device]) -> dict[int, Sum]:
    """The variables of a Scan that are sums of products; none where devices may differ, or where
    somebody listens.
    """
    (body,) = operation.attrs["bodies"]
    named = {each.device for each in body.operations if each.device}
    is_spread = len(set(devices)) != 1 or any(not devices[0].name.endswith(each) for each in named)
    if writer.instrumented or is_spread:
        return {}
    lists, loops = operation.attrs["lists"], operation.attrs["loops"]
    return sums(body, body.inputs[lists : lists + loops])


def _write_sums(
    writer: Writer, summed: dict[int, Sum], variables: Sequence[str], parts: dict[int, str]
) -> None:
    """The sums after the loop, from what was kept of its iterations."""
    for i, each in summed.items():
        total, right = variables[i], parts[id(each.right)]
        if each.left is None:
            writer.write(f"{total} = {writer.bind(with_rows, 'f')}({total}, {right})")
        else:
            given = f"{total}, {parts[id(each.left)]}, {right}"
            writer.write(f"{total} = {writer.bind(with_products, 'f')}({given})")
        placement = writer.placed.get(each.right.op)
        if placement is not None:
            writer.steps.append(Step(each.operation, placement, None, writer.indent - 1))
    if parts:
        writer.write(f"del {', '.join(parts.values())}")


EMITTERS["If"] = _write_if
EMITTERS["While"] = _write_while
EMITTERS["Scan"] = _write_scan
