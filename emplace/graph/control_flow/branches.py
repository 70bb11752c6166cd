"""Branches: `tf.cond`, and how an `If` is written into a plan."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ...base import nest
from ...base.dtypes import int64
from ...base.shapes import common
from ...base.typing import Structure, TensorLike
from ...core.context import LOCAL
from ...core.tensor import EagerTensor, Tensor
from ...devices.device import Device
from ...ops.convert import to_tensor
from ...ops.infer import Spec
from ...ops.math.elementwise import cast
from ...ops.variables.indexed_slices import IndexedSlices
from ..passes.constant_folding import raw_value
from ..plan.writing.writer import EMITTERS, Writer
from ..recording.ragged_arguments import with_common_rows
from ..recording.sparse_arguments import keep_shapes, shapes_of
from ..recording.variable import CHOICE
from ..representation.default_graph import as_default
from ..representation.elsewhere import out_of_scope
from ..representation.graph import Graph, Operation, SymbolicTensor
from .bodies import Body, add_operation, op_with_bodies, trace
from .iterations import forget

IF = op_with_bodies("If")


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


CHOICE.bind(cond)


def smart_cond(
    pred: TensorLike,
    true_fn: Callable[[], Any] | None = None,
    false_fn: Callable[[], Any] | None = None,
    name: str | None = None,
) -> Any:
    """As `cond`, but of a predicate that is known only one function is called; a Python bool is
    one, too (`tf.__internal__.smart_cond.smart_cond`).

    Raises:
        TypeError: a function cannot be called.
    """
    if not callable(true_fn):
        raise TypeError(f"Argument `true_fn` must be callable. Received {true_fn}")
    if not callable(false_fn):
        raise TypeError(f"Argument `false_fn` must be callable. Received {false_fn}")
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
    one, other = _with_same_indices(yes, no, one, other)
    _check_same(one, other)
    specs = _common_specs(yes.outputs, no.outputs)
    operation = add_operation(IF, graph, [target.taken(pred)], (yes, no), specs, {}, name or "cond")
    for y, a, b in zip(operation.outputs, yes.outputs, no.outputs, strict=True):
        y.handle_data = _common_elements(a.handle_data, b.handle_data)
    if one is None and not specs:
        return operation
    made = _packed(with_common_rows(one, other), operation.outputs)
    keep_shapes(made, map(common, shapes_of(one), shapes_of(other)))
    return made


def _with_same_indices(yes: Body, no: Body, one: Any, other: Any) -> tuple[Any, Any]:
    """What both branches return, with indices of slices in int64 where one has them in int32 and
    the other does not (TF does the same).
    """
    pairs = list(zip(nest.flatten(one), nest.flatten(other), strict=False))
    if not any(_indices_differ(*pair) for pair in pairs):
        return one, other
    same = [
        (_with_int64(yes, a), _with_int64(no, b)) if _indices_differ(a, b) else (a, b)
        for a, b in pairs
    ]
    return nest.pack_sequence_as(one, [a for a, _ in same]), nest.pack_sequence_as(
        other, [b for _, b in same]
    )


def _indices_differ(a: Any, b: Any) -> bool:
    both = isinstance(a, IndexedSlices) and isinstance(b, IndexedSlices)
    return both and a.indices.dtype is not b.indices.dtype


def _with_int64(body: Body, slices: IndexedSlices) -> IndexedSlices:
    with as_default(body):
        indices = cast(slices.indices, int64)
    body.outputs = [indices if y is slices.indices else y for y in body.outputs]
    return IndexedSlices(slices.values, indices, slices.dense_shape)


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
        _check_slices(one, other)
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


def _check_slices(one: Any, other: Any) -> None:
    for i, pair in enumerate(zip(nest.flatten(one), nest.flatten(other), strict=False)):
        if sum(isinstance(each, IndexedSlices) for each in pair) == 1:
            raise TypeError(  # TF's words
                f"Cannot reconcile tf.cond {i}-th outputs:\n  branches returned: {pair}"
            ) from None


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
    test = repr(bool(known)) if known is not None else writer.truth(operation, pred)
    names = [writer.values.name(x) for x in given]
    devices = [writer.values.device(x) for x in given]
    results = [writer.text.fresh() for _ in operation.outputs]
    places: list[Device | None] = [None] * len(results)
    before = writer.places.placed[operation].device
    for word, body, reads in zip(
        ("then", "else"), operation.attrs["bodies"], operation.attrs["reads"], strict=True
    ):
        writer.text.write(f"if {test}:" if word == "then" else "else:")
        with writer.varying(), writer.inner():
            writer.body(body, reads, names, devices, f"{operation.name}/{word}")
            for i, y in enumerate(body.outputs):
                places[i] = places[i] or (None if y is None else writer.values.device(y))
                there = places[i] or before
                text = (
                    writer.constants.absent(operation.outputs[i])
                    if y is None
                    else writer.transfers.at(y, there)
                )
                writer.text.write(f"{results[i]} = {text}")
            forget(writer, body, body.outputs)
    for y, name, place in zip(operation.outputs, results, places, strict=True):
        writer.values.enter(y, name, place or before)


EMITTERS["If"] = _write_if
