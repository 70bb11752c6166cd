"""Calls that wait for shapes: an operation that stands for a function of ours.

Functions marked `deferrable`, and gradient rules, look at shapes in Python. Where a graph does
not know them, the call becomes one operation. The plan makes the function's own operations of it
as soon as shapes are known (`expand.py`), or else runs the function while it runs.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Any

from ...base import nest
from ...base.dtypes import INTEGERS, resource
from ...base.shapes import TensorShape
from ...base.typing import Structure, TensorLike
from ...core.composite import CompositeTensor
from ...core.context import LOCAL
from ...core.tensor import EagerTensor, Tensor
from ...ops.convert import is_tensor_like, to_tensor
from ...ops.infer import Spec
from ...ops.op import DEVICE_TYPES, Arg, Op
from ..representation.default_graph import as_default
from ..representation.graph import Graph, SymbolicTensor
from ..representation.ops import ARG, CONST
from ..shape_inference.shapes import agreed, tells_more, unknown_places

_MANY = (Arg("inputs", "any", True),)
_SAMPLES = ((24, 48), (10080, 20160), (7, 11), (1, 1), (2, 2), (3, 3))
_RANKS = (2, 4, 3, 1, 5, 0, 6, 7, 8)
# Up to so many unknown sizes are tried one by one: each has its price, a trial.
_MOST_VARIED = 8

# Sizes of some unknown places in a trial: (number of the tensor, of its dimension) -> size.
Chosen = dict[tuple[int, int], int]


def _needs_a_plan(*values: Tensor, **attrs: Any) -> Any:
    raise AssertionError("plans run deferred calls themselves")


DEFERRED = Op("Deferred", _needs_a_plan, None, _MANY, (Arg("outputs", "any", True),), {},
              DEVICE_TYPES)  # fmt: skip


class _NotPlainError(Exception):
    """A structure has other parts than tuples, lists and dicts."""


def _packer(structure: Structure) -> Callable[[list[Any]], Any]:
    """What packs leaves in the shape of a structure: one Python expression where it is of tuples,
    lists and dicts, for calls that run again and again.
    """
    count = itertools.count()

    def text(part: Any) -> str:
        kind = type(part)
        if kind is tuple:
            return f"({''.join(f'{text(each)}, ' for each in part)})"
        if kind is list:
            return f"[{', '.join(map(text, part))}]"
        if kind is dict and all(type(key) is str for key in part):
            texts = {key: text(part[key]) for key in sorted(part)}
            return f"{{{', '.join(f'{key!r}: {texts[key]}' for key in part)}}}"
        found = nest.flatten(part, expand_composites=True)
        if len(found) != 1 or found[0] is not part:
            raise _NotPlainError
        return f"leaves[{next(count)}]"

    try:
        return eval(f"lambda leaves: {text(structure)}")  # type: ignore[no-any-return]
    except _NotPlainError:
        return lambda leaves: nest.pack_sequence_as(structure, leaves, expand_composites=True)


class DeferredCall:
    """A function and its arguments, with the places of tensors among them left open."""

    __slots__ = ("function", "leaves", "packed", "places", "result", "structure")

    def __init__(
        self, function: Callable[..., Any], args: Sequence[Any], kwargs: dict[str, Any]
    ) -> None:
        self.function = function
        self.structure = (args, kwargs)
        self.leaves = nest.flatten(self.structure, expand_composites=True)
        self.places = [i for i, leaf in enumerate(self.leaves) if is_tensor_like(leaf)]
        self.result: Any = None
        self.packed: Callable[[list[Any]], Any] | None = None

    def tensors(self) -> list[Any]:
        """The tensors among the arguments."""
        return [to_tensor(self.leaves[i]) for i in self.places]

    def run(self, tensors: Sequence[Any]) -> Any:
        """What the function returns for these tensors."""
        leaves = list(self.leaves)
        for place, tensor in zip(self.places, tensors, strict=True):
            leaves[place] = tensor
        if self.packed is None:
            self.packed = _packer(self.structure)
        args, kwargs = self.packed(leaves)
        return self.function(*args, **kwargs)

    def forget(self) -> None:
        """Lets the tensors go: the operation's inputs stand for them."""
        for place in self.places:
            self.leaves[place] = None

    def flat(self, tensors: Sequence[Any]) -> list[Any]:
        """The tensors of what the function returns, one after the other."""
        made = nest.flatten(self.run(tensors), expand_composites=True)
        return [each for each in made if isinstance(each, Tensor)]


class Defer:
    """Records calls; `defer` is the one instance."""

    def has_unknown(self, args: Sequence[Any], kwargs: dict[str, Any]) -> bool:
        """True if a tensor among the arguments has an unknown dimension."""
        return any(
            isinstance(leaf, SymbolicTensor) and not leaf.is_fully_known
            for leaf in _leaves((args, kwargs))
        )

    def __call__(
        self, target: Any, function: Callable[..., Any], args: Sequence[Any], kwargs: Any
    ) -> Any:
        """An operation for `function(*args, **kwargs)`; returns what the function would. Should no
        trial tell, a function that has `expected` is asked for it.

        Raises:
            ValueError: the function refuses the arguments whatever their unknown sizes are.
        """
        call = DeferredCall(function, args, kwargs)
        tensors = [target.taken(x) for x in call.tensors()]
        try:
            result, specs = _outcome(call, tensors)
        except Exception:
            expected = getattr(function, "expected", None)
            if expected is None:
                raise
            result = expected(*args)
            specs = [x.spec for x in result if x is not None]
        corrected = getattr(function, "corrected", None)
        if corrected is not None:
            specs = corrected(args[0], result, specs)
        return record_call(target, call, tensors, result, specs)


def record_call(
    target: Any,
    call: DeferredCall,
    tensors: Sequence[SymbolicTensor],
    result: TensorLike,
    specs: Sequence[Spec],
) -> Any:
    """The operation that stands for a call; returns its outputs in the structure of `result`."""
    operation = target.graph.add(DEFERRED, tensors, {"call": call}, specs)
    for tape in LOCAL.state.tapes:
        tape.record_operation(operation)
    leaves = nest.flatten(result, expand_composites=True)
    outputs = iter(operation.outputs)
    leaves = [next(outputs) if isinstance(each, Tensor) else each for each in leaves]
    return nest.pack_sequence_as(result, leaves, expand_composites=True)


def _leaves(value: Any) -> list[Any]:
    kind = type(value)
    if kind is tuple or kind is list:
        return [leaf for each in value for leaf in _leaves(each)]
    if kind is dict:
        return [leaf for each in value.values() for leaf in _leaves(each)]
    if isinstance(value, CompositeTensor):
        return nest.flatten(value, expand_composites=True)
    return [value]


defer = Defer()


class Scratch(Graph):
    """A graph to try a function in: unknown sizes are `size`, or stay unknown if that is None."""

    def __init__(self, size: int | None, rank: int | None = None) -> None:
        super().__init__()
        self.seeds_drawn = None
        self.size = size
        self.rank = rank

    def capture(self, x: Any) -> SymbolicTensor:
        """A tensor from elsewhere, with sizes."""
        if isinstance(x, EagerTensor):
            return constant_of(self, x)
        return self.stand_in(x)

    def stand_in(self, x: SymbolicTensor, sizes: dict[int, int] | None = None) -> SymbolicTensor:
        """What stands for a tensor of another graph; `sizes` of some of its dimensions are told."""
        known = _known_numbers(x)
        if known is not None and (self.size is not None or None not in known):
            numbers = [self.size if each is None else each for each in known]
            return self.constant(numbers if x.dims else numbers[0], x.dtype)
        dims = x.dims
        if dims is None and self.rank is not None:
            dims = (None,) * self.rank
        if dims is not None:
            told = sizes or {}
            dims = tuple(told.get(i, self.size) if d is None else d for i, d in enumerate(dims))
        made = self.argument(Spec(dims, x.dtype))
        made.handle_data = x.handle_data
        return made

    def argument(self, spec: Spec) -> SymbolicTensor:
        """A tensor of which only shape and dtype are known."""
        attrs = {"dtype": spec.dtype, "shape": TensorShape(spec.dims)}
        return self.add(ARG, (), attrs, (spec,), "arg").outputs[0]

    def constant(self, value: Any, dtype: Any) -> SymbolicTensor:
        """A constant tensor."""
        with as_default(self):
            return to_tensor(value, dtype)  # type: ignore[return-value]


def constant_of(graph: Graph, value: EagerTensor) -> SymbolicTensor:
    """A value that exists already, as a constant of a graph."""
    raw = value._value
    handle = getattr(raw, "dtype", None) if value.dtype.name == "resource" else None
    dims = () if handle is not None else tuple(raw.shape)
    attrs = {"value": raw, "dtype": value.dtype, "is_implicit": False, "eager": value}
    made = graph.add(CONST, (), attrs, (Spec(dims, value.dtype),), "Const").outputs[0]
    if handle is not None:
        made.handle_data = Spec(raw.value_shape.sizes, raw.dtype)
    return made


def variable_behind(eager: Tensor) -> Any:
    """The variable whose handle a value is; None if it is none, or the variable is gone."""
    found = eager.__dict__.get("variable") if eager.dtype is resource else None
    return None if found is None else found()


def _known_numbers(x: SymbolicTensor) -> list[int | None] | None:
    """The elements of a small vector of integers, as far as they are known."""
    if x.dtype not in INTEGERS or (x.dims is not None and len(x.dims) > 1):
        return None
    known = x.partial_value()
    return None if known is None or all(each is None for each in known) else known


def _outcome(call: DeferredCall, tensors: Sequence[SymbolicTensor]) -> tuple[Any, list[Spec]]:
    """What the function returns in a trial, and what is known of its tensors."""
    failure: Exception | None = None
    try:
        return _outcome_of_rank(call, tensors, None)
    except Exception as error:
        failure = error
    if all(x.dims is not None for x in tensors):
        raise failure
    for rank in _RANKS:  # what it makes of any rank tells how many tensors, and their dtypes
        try:
            result, specs = _outcome_of_rank(call, tensors, rank)
        except Exception:
            continue
        return result, [Spec(None, spec.dtype) for spec in specs]
    raise failure


def _outcome_of_rank(
    call: DeferredCall, tensors: Sequence[SymbolicTensor], rank: int | None
) -> tuple[Any, list[Spec]]:
    failure: Exception | None = None
    for sizes in _SAMPLES:
        trials = []
        for size in sizes:
            try:
                trials.append(_trial(call, tensors, size, rank))
            except Exception as error:
                failure = failure or error
                break
        if len(trials) == 2:
            specs = _all_agreed(trials[0][1], trials[1][1])
            if sizes[0] == sizes[1]:
                return trials[0][0], [_of_rank(x) for x in specs]
            return trials[0][0], _varied(call, tensors, sizes[0], rank, specs)
    found = _tied(call, tensors, rank)
    if found is not None:
        return found
    assert failure is not None
    try:  # what no size of ours fits, such as a shape that is asked for, may fit those to come
        result, specs = _trial(call, tensors, None, rank)
    except Exception:
        raise failure from None
    return result, [_of_rank(x) for x in specs]


def _all_agreed(some: Sequence[Spec], others: Sequence[Spec]) -> list[Spec]:
    return [agreed(a, b) for a, b in zip(some, others, strict=True)]


def _varied(
    call: DeferredCall, tensors: Sequence[SymbolicTensor], size: int, rank: int | None,
    specs: list[Spec],
) -> list[Spec]:  # fmt: skip
    """Without what is known by chance alone: all unknown sizes are the same in a trial, so that
    what is left of one after another looks like nothing, and a window as large as its image leaves
    one place. So each is another one for once; what the function refuses tells nothing.
    """
    given = [_of_some_rank(x, rank) for x in tensors]
    places = unknown_places(given)
    if len(places) > 1 and tells_more(tuple(specs), given):
        for place in places[:_MOST_VARIED]:
            for other in (3 * size, 1):
                try:
                    made = _trial(call, tensors, size, rank, {place: other})[1]
                except Exception:
                    continue
                specs = _all_agreed(specs, made)
                break
    return specs


def _tied(
    call: DeferredCall, tensors: Sequence[SymbolicTensor], rank: int | None
) -> tuple[Any, list[Spec]] | None:
    """The outcome where unknown sizes are those that are known of other arguments: all of them, or
    one by one, up to so many. None if the function refuses all the same.
    """
    given = [_of_some_rank(x, rank) for x in tensors]
    args, kwargs = call.structure
    lengths = {len(x) for x in (*args, *kwargs.values()) if isinstance(x, (list, tuple))}
    known = sorted({d for x in given for d in x.dims or () if d} | lengths - {0})
    places = unknown_places(given)
    alone = [{place: size} for size in known for place in places[:_MOST_VARIED]]
    alike = [_aligned(given, is_turned) for is_turned in (False, True)]
    for chosen in [*alike, *(dict.fromkeys(places, size) for size in known), *alone]:
        try:
            result, specs = _trial(call, tensors, _SAMPLES[0][0], rank, chosen)
        except Exception:
            continue
        return result, [_of_rank(x) for x in specs]
    return None


def _aligned(given: Sequence[Spec], is_turned: bool) -> Chosen:
    """For unknown places the sizes that other tensors of the same rank have there; of matrices
    turned over, if it is asked for.
    """
    chosen: Chosen = {}
    for i, j in unknown_places(given):
        rank = len(given[i].dims or ())
        other = 2 * rank - 3 - j if is_turned and j >= rank - 2 >= 0 else j
        found = [x.dims[other] for x in given if x.dims is not None and len(x.dims) == rank]
        chosen[i, j] = next((d for d in found if d is not None), _SAMPLES[0][0])
    return chosen


def _of_some_rank(x: SymbolicTensor, rank: int | None) -> Spec:
    return x.spec if x.dims is not None or rank is None else Spec((None,) * rank, x.dtype)


def _of_rank(spec: Spec) -> Spec:
    """What one size alone proves: a dimension may be a sum or a product of it."""
    return Spec(spec.dims and (None,) * len(spec.dims), spec.dtype)


def _trial(
    call: DeferredCall, tensors: Sequence[SymbolicTensor], size: int | None, rank: int | None,
    chosen: Chosen | None = None,
) -> tuple[Any, list[Spec]]:  # fmt: skip
    scratch = Scratch(size, rank)
    told: list[dict[int, int]] = [{} for _ in tensors]
    for (i, j), each in (chosen or {}).items():
        told[i][j] = each
    with as_default(scratch):
        result = call.run([scratch.stand_in(*each) for each in zip(tensors, told, strict=True)])
    leaves = nest.flatten(result, expand_composites=True)
    return result, [each.spec for each in leaves if isinstance(each, Tensor)]  # type: ignore[attr-defined]
