"""`while` and `for` statements: on tensors of a graph they become `While`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ...base.dtypes import int32, variant
from ...base.shapes import TensorShape, covers
from ...base.typing import IntLike, TensorLike
from ...core.context import LOCAL
from ...core.ragged import RaggedTensor
from ...core.symbolic_value import SymbolicValue
from ...core.tensor import Tensor
from ...ops.array.gathering import gather
from ...ops.array.making import zeros
from ...ops.array.select import where
from ...ops.array.shaping import shape as shape_op
from ...ops.convert import to_tensor
from ...ops.debugging.checks import Assert
from ...ops.math.elementwise import cast, greater, less, logical_and
from ..control_flow.loops.while_loops import while_loop
from ..recording.func_graph import FuncGraph
from ..recording.ragged_arguments import ragged_among
from ..representation.default_graph import as_default
from .branches import check_condition
from .settings import FOR_LOOPS
from .symbols import (
    carried,
    dtype_of,
    flat,
    in_graph,
    is_carried,
    is_return,
    is_symbolic,
    is_undefined,
    is_variable,
    packed,
    read,
    shape_of,
    structure_problem,
)

_LIMITS = (
    "See https://github.com/tensorflow/tensorflow/blob/master/tensorflow/python/autograph/g3doc/"
    "reference/limitations.md#consistency-of-control-flow-types for more info."
)

Get = Callable[[], tuple[Any, ...]]
Set = Callable[[tuple[Any, ...]], None]


def while_stmt(
    test: Callable[[], Any], body: Callable[[], None], get_state: Get, set_state: Set,
    symbol_names: Sequence[str], opts: dict[str, Any],
) -> None:  # fmt: skip
    """A `while` statement.

    Args:
        test: the condition.
        body: the statements of its block.
        get_state: the values of the variables that the block changes.
        set_state: sets them.
        symbol_names: their names.
        opts: what `set_loop_options` said.

    Raises:
        NotImplementedError: the condition becomes a tensor only in a later iteration.
        TypeError: a variable changes its dtype or structure.
        ValueError: it changes its shape.
    """
    if not in_graph():
        while test():
            body()
        return
    before = get_state()
    with _aside():
        first = test()
    if is_symbolic(first):
        set_state(before)
        check_condition(first, "while loop")
        staged(test, body, get_state, set_state, symbol_names, opts)
        return
    while first:
        body()
        first = test()
        if is_symbolic(first):
            raise NotImplementedError(
                "The condition of while loop started as non-Tensor, then changed to Tensor. This "
                "may happen either because variables changed type, or when a break or return "
                "statement inside the loop depends on a Tensor condition. In both cases, changing "
                f"to a TF loop should remove the error.\n{_LIMITS}"
            )


def _aside() -> Any:
    """A graph for a trial, of which nothing runs."""
    target: Any = LOCAL.state.target
    return as_default(FuncGraph("trial", outer=target.graph))


def for_stmt(
    iter_: Any, extra_test: Callable[[], Any] | None, body: Callable[[Any], None],
    get_state: Get, set_state: Set, symbol_names: Sequence[str], opts: dict[str, Any],
) -> None:  # fmt: skip
    """A `for` statement.

    Args:
        iter_: what it goes over.
        extra_test: a condition besides, for `break` and `return`.
        body: the statements of its block, a function of the element.
        get_state: the values of the variables that the block changes.
        set_state: sets them.
        symbol_names: their names.
        opts: what `set_loop_options` said.

    Raises:
        NotImplementedError: a loop of Python ends by a condition that is a tensor.
    """
    arguments = iter_, extra_test, body, get_state, set_state, symbol_names, opts
    if in_graph():
        if isinstance(iter_, Tensor) or is_variable(iter_):
            for_tensor(*arguments)
            return
        for kind in type(iter_).__mro__:
            if kind in FOR_LOOPS:
                FOR_LOOPS[kind](*arguments)
                return
    if extra_test is None:
        for element in iter_:
            body(element)
    elif _python_truth(extra_test()):
        for element in iter_:
            body(element)
            if not _python_truth(extra_test()):
                break


def _python_truth(value: TensorLike) -> bool:
    if is_symbolic(value):
        raise NotImplementedError(
            "break and return statements which depend on a TF condition are not supported in "
            f"Python for loops. Did you intend to make it a TF loop?\n{_LIMITS}"
        )
    return bool(value)


def for_tensor(
    iter_: Any, extra_test: Callable[[], Any] | None, body: Callable[[Any], None],
    get_state: Get, set_state: Set, symbol_names: Sequence[str], opts: dict[str, Any],
) -> None:  # fmt: skip
    """A loop over the first axis of a tensor: one more variable counts the iterations."""
    elements = to_tensor(iter_)
    if elements.shape.rank == 0:
        raise ValueError(
            'len requires a non-scalar tensor, got one of shape Tensor("Shape:0", shape=(0,), '
            "dtype=int32)"
        )
    if elements.op.record.name == "Range":
        _for_range(elements.op.attrs, extra_test, body, get_state, set_state, symbol_names, opts)
        return
    size = elements.shape[0] if elements.shape.rank is not None else None
    count = gather(shape_op(elements), 0) if size is None else to_tensor(size)

    def at(index: IntLike) -> None:
        body(gather(elements, index))

    def goes_on(index: IntLike) -> Any:
        return less(index, count)

    _count(to_tensor(0), 1, goes_on, at, extra_test, get_state, set_state, symbol_names, opts)


def _for_range(
    attrs: dict[str, Any], extra_test: Callable[[], Any] | None, body: Callable[[Any], None],
    get_state: Get, set_state: Set, symbol_names: Sequence[str], opts: dict[str, Any],
) -> None:  # fmt: skip
    """A loop over numbers, which nobody has to lay down first. TF: the variable that takes them is
    the first one where the loop ends before it began.
    """
    dtype = attrs["dtype"]
    start, limit, delta = (
        cast(each.tensor, dtype) if isinstance(each, SymbolicValue) else to_tensor(each, dtype)
        for each in (attrs["start"], attrs["limit"], attrs["delta"])
    )
    known = None if isinstance(attrs["delta"], SymbolicValue) else attrs["delta"]

    def goes_on(number: Any) -> Any:
        if known is not None:
            return less(number, limit) if known > 0 else greater(number, limit)
        up = greater(delta, to_tensor(0, dtype))
        return where(up, less(number, limit), greater(number, limit))

    def state() -> tuple[Any, ...]:
        return tuple(
            start if name == opts.get("iterate_names") and is_undefined(value) else value
            for name, value in zip(symbol_names, get_state(), strict=True)
        )

    _count(start, delta, goes_on, body, extra_test, state, set_state, symbol_names, opts)


def _count(
    start: TensorLike, step: Any, goes_on: Callable[[Any], Any], at: Callable[[Any], None],
    extra_test: Callable[[], Any] | None, get_state: Get, set_state: Set,
    symbol_names: Sequence[str], opts: dict[str, Any],
) -> None:  # fmt: skip
    """A loop with one more variable, which counts."""
    number = start

    def test() -> Any:
        counting = goes_on(number)
        return counting if extra_test is None else logical_and(counting, to_tensor(extra_test()))

    def body() -> None:
        nonlocal number
        at(number)
        number = number + step

    def get() -> tuple[Any, ...]:
        return (number, *get_state())

    def put(values: tuple[Any, ...]) -> None:
        nonlocal number
        number = values[0]
        set_state(values[1:])

    staged(test, body, get, put, ("the loop's counter", *symbol_names), opts)


# -- loops in graphs -------------------------------------------------------------------------------


def staged(
    test: Callable[[], Any], body: Callable[[], None], get_state: Get, set_state: Set,
    symbol_names: Sequence[str], opts: dict[str, Any], relaxes: bool = False,
) -> None:  # fmt: skip
    """A loop of a graph. Where a variable's shape changes, that is an error, unless the loop
    `relaxes`: then it is recorded once more with the shape that is known in every iteration.
    """
    names = list(symbol_names)
    values_before = list(get_state())
    start, late = _started(names, read(values_before), body, get_state, set_state)
    specs = _invariants(values_before, start, late, opts)
    while True:
        try:
            results = _recorded(test, body, get_state, set_state, names, opts, start, specs)
            break
        except _OtherShapesError as other:
            set_state(tuple(values_before))
            if not relaxes:
                raise ValueError(*other.args) from None
            specs = other.shared
        except Exception:
            set_state(tuple(values_before))
            raise
    if late:
        wanted = ", ".join(
            "the function return value" if is_return(values_before[i]) else names[i] for i in late
        )
        Assert(results[0], [f"loop must iterate at least once to initialize {wanted}"])
    set_state(tuple(packed(start, results[1:])))


class _OtherShapesError(ValueError):
    """Shapes change in an iteration; `shared` is what is known of them in each."""

    shared: list[TensorShape]


def _recorded(
    test: Callable[[], Any], body: Callable[[], None], get_state: Get, set_state: Set,
    names: Sequence[str], opts: dict[str, Any], start: list[Any], specs: list[TensorShape],
) -> Any:  # fmt: skip
    """The loop with variables of these shapes: whether it began, and what it carries."""

    def condition(_: object, *values: Tensor) -> Any:
        set_state(tuple(packed(start, values)))
        return to_tensor(test())

    def again(_: object, *values: Tensor) -> list[Any]:
        set_state(tuple(packed(start, values)))
        body()
        after = read(get_state())
        try:
            _check(names, packed(start, values), after, specs)
        except _OtherShapesError as other:
            other.shared = [
                spec.most_specific_compatible_shape(shape_of(leaf))
                for spec, leaf in zip(specs, carried(after), strict=True)
            ]
            raise
        return [to_tensor(True), *carried(after)]

    return while_loop(
        condition, again, [to_tensor(False), *carried(start)], [TensorShape([]), *specs],
        maximum_iterations=opts.get("maximum_iterations"),
    )  # fmt: skip


def _started(
    names: list[str], before: list[Any], body: Callable[[], None], get_state: Get, set_state: Set
) -> tuple[list[Any], dict[int, list[TensorShape]]]:
    """The variables as the loop starts with them, and which of them get a value in it only, with
    the shapes of that.

    Those are zeros at first: a trial of the block tells which.
    """
    missing = [i for i, value in enumerate(before) if is_undefined(value) or value is None]
    start = list(before)
    late: dict[int, list[TensorShape]] = {}
    if not missing:
        return start, late
    returns = any(is_return(value) for value in before)
    at = missing[0]
    try:
        after = _trial(before, body, get_state, set_state)
        for at in missing:
            if is_undefined(after[at]) or after[at] is None:
                continue
            leaves = [leaf for leaf in flat(after[at]) if is_carried(leaf)]
            start[at] = packed([after[at]], [_zeros(leaf) for leaf in leaves])[0]
            late[at] = [shape_of(leaf) for leaf in leaves]
    except Exception as error:
        if returns:
            raise _return_refused() from error
        raise _undefined(before[at], names[at], error) from error
    if any(is_return(value) for value in start):
        raise _return_refused()
    return start, late


def _return_refused() -> NotImplementedError:
    return NotImplementedError(
        "a return statement cannot be placed inside this TensorFlow loop; this may happen if a "
        "return statement depends on a static Python condition such as a hyperparameter"
    )


def _undefined(value: TensorLike, name: str, error: Exception) -> ValueError:
    wanted = "may not be None" if value is None else "must be defined"
    return ValueError(
        f"'{name}' {wanted} before the loop\nNote: AutoGraph tried to define it automatically, but "
        f"ran into a {type(error).__name__}: {error}"
    )


def _trial(given: list[Any], body: Callable[[], None], get_state: Get, set_state: Set) -> list[Any]:
    """The variables after one iteration, of which nothing runs."""
    target: Any = LOCAL.state.target
    tensors = carried(given)
    trial = FuncGraph("trial", outer=target.graph)
    with as_default(trial):
        arguments = [trial.argument(target.taken(x).spec) for x in tensors]
        set_state(tuple(packed(given, arguments)))
        try:
            body()
            return read(get_state())
        finally:
            set_state(tuple(given))


def _zeros(leaf: object) -> Any:
    dtype = dtype_of(leaf)
    if dtype is variant:
        raise TypeError("a handle has no value that could stand for it before the loop begins")
    shape = shape_of(leaf)
    sizes = [] if shape.rank is None else [0 if size is None else size for size in shape]
    return zeros(sizes, dtype)


class _Demanded(TensorShape):
    """A shape that the program demands in every iteration."""


def _invariants(
    given: list[Any], start: list[Any], late: dict[int, list[TensorShape]], opts: dict[str, Any]
) -> list[TensorShape]:
    """The shape of each carried leaf that holds in every iteration."""
    wanted = opts.get("shape_invariants") or ()
    shapes: list[TensorShape] = []
    for i, (before, value) in enumerate(zip(given, start, strict=True)):
        found = [shape for variable, shape in wanted if variable is before]
        leaves = [leaf for leaf in flat(value) if is_carried(leaf)]
        if i in late:
            shapes += late[i]
        elif found:
            inner = flat(found[0]) if isinstance(found[0], (list, tuple)) else [found[0]]
            inner = inner if len(inner) == len(leaves) else [found[0]] * len(leaves)
            shapes += [_Demanded(shape) for shape in inner]
        else:
            shapes += _own_shapes(value)
    return shapes


def _own_shapes(value: Any) -> list[TensorShape]:
    """The shapes of the carried leaves of a variable; how many values rows have may change."""
    leaves = flat(value)
    own = {place: shape_of(leaf) for place, leaf in enumerate(leaves) if is_carried(leaf)}
    for place, parts in ragged_among(value).items():
        own |= {place + i: TensorShape(dims) for i, (_, dims) in enumerate(parts)}
    return list(own.values())


def _check(
    names: Sequence[str], before: Sequence[Any], after: Sequence[Any], specs: Sequence[TensorShape]
) -> None:
    shapes = iter(specs)
    for name, a, b in zip(names, before, after, strict=True):
        if is_undefined(a):
            continue
        if a is not None and b is None:
            raise ValueError(f"'{name}' is None at the end of the iteration.")
        problem = structure_problem(a, b)
        if problem is not None:
            raise TypeError(
                f"'{name}' does not have the same nested structure after one iteration.\n{problem}"
            )
        pairs = [(x, y) for x, y in zip(flat(a), flat(b), strict=True) if is_carried(x)]
        wanted = [next(shapes) for _ in pairs]
        for pair, shape in zip(pairs, wanted, strict=True):
            _check_leaf(name, *pair, shape)
        if isinstance(a, RaggedTensor) and not isinstance(wanted[0], _Demanded):
            _check_rows(name, a, b)


def _check_rows(name: str, a: RaggedTensor, b: RaggedTensor) -> None:
    """Rows of one length, which no tensor tells, stay so."""
    if not covers(a.shape.sizes, b.shape.sizes):
        raise _other_shapes(name, a.shape, b.shape)


def _other_shapes(name: str, before: TensorShape, after: TensorShape) -> _OtherShapesError:
    return _OtherShapesError(
        f"'{name}' has shape {before} before the loop, but shape {after} after one iteration. "
        "Use tf.autograph.experimental.set_loop_options to set shape invariants."
    )


def _check_leaf(name: str, x: TensorLike, y: TensorLike, wanted: TensorShape) -> None:
    if dtype_of(x) is not dtype_of(y):
        raise TypeError(
            f"'{name}' has dtype {dtype_of(x).name} before the loop, but dtype "
            f"{dtype_of(y).name} after one iteration"
        )
    shape = shape_of(y)
    if wanted.rank is None:
        return
    if shape.rank != wanted.rank or any(
        w is not None and w != d for w, d in zip(wanted, shape, strict=True)
    ):
        if isinstance(wanted, _Demanded):
            raise _OtherShapesError(
                f"'{name}' has shape {shape} after one iteration, which does not conform with the "
                f"shape invariant {wanted}."
            )
        raise _other_shapes(name, wanted, shape)


def _for_ragged(
    iter_: Any, extra_test: Callable[[], Any] | None, body: Callable[[Any], None],
    get_state: Get, set_state: Set, symbol_names: Sequence[str], opts: dict[str, Any],
) -> None:  # fmt: skip
    """A loop over the rows of a ragged tensor: ragged where it has several ragged axes."""
    count = cast(iter_.nrows(), int32)

    def goes_on(index: IntLike) -> Any:
        return less(index, count)

    def at(index: Any) -> None:
        body(iter_[index])

    _count(to_tensor(0), 1, goes_on, at, extra_test, get_state, set_state, symbol_names, opts)


FOR_LOOPS[RaggedTensor] = _for_ragged
