"""Functions of ragged tensors that look at values in Python, as operations of a graph.

Where rows begin and end is known only when the graph runs. Such a function becomes a deferred call,
which runs it then. What it returns is learnt beforehand from samples: small ragged tensors with as
many partitions, of other sizes and values each time. What all answers share is known.
"""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from ...base import dtypes, nest
from ...base.dtypes import DType
from ...base.errors import invalid_argument
from ...base.shapes import Dims, common
from ...core.context import HOST_SCOPE, LOCAL
from ...core.ragged import RaggedTensor
from ...core.symbolic_value import SymbolicValue, SymbolicValueError, filled_in, symbolic_values
from ...core.tensor import Tensor
from ...eager.target import EAGER
from ...ops.convert import to_tensor
from ...ops.deferred import EVEN_ROWS, SMALLER_INTEGERS
from ...ops.infer import Spec
from ...ops.sparse.tensor import SparseTensor
from ..representation.graph import SymbolicTensor
from .deferred import DeferredCall, record_call


class _Sample(NamedTuple):
    """What stands where nothing is known."""

    size: int | tuple[int, int]  #: of all dimensions, or of the first one and of the others
    lengths: tuple[int, ...]  #: of rows
    last: int  #: the last one of integers; the others are 0
    rank: int = 0  #: where that is unknown; 0 for none
    number: int = 0  #: integers that are scalars, and those that were waited for

    @property
    def rows(self) -> int:
        """The size of the first dimension."""
        return self.size[0] if isinstance(self.size, tuple) else self.size


# No two samples may agree by chance.
_SAMPLES = (
    _Sample(3, (2, 1, 3), 0), _Sample(5, (4, 1, 5, 2, 6), 2),
    _Sample(7, (3, 8, 2, 5, 1, 9, 4), 1),
)  # fmt: skip
# What scalars are in these: places, or how many there are of something. Where a function takes
# neither, they are 0, and no size is known.
_NUMBERS = ((0, 1, -1), (1, 2, 3))
# Two of them must do for a function that takes larger ones: where one alone does, that is its rank.
_RANKS = (1, 2, 3, 4, 5)


def has_symbolic_tensors(args: Sequence[Any]) -> bool:
    """True if a tensor of a graph is among the arguments, or a number that waits for one."""
    leaves = nest.flatten(args, expand_composites=True)
    return any(isinstance(each, (SymbolicTensor, SymbolicValue)) for each in leaves)


class _Filled:
    """A function whose plain arguments may wait for tensors: they are handed to it besides."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function
        self.__name__ = getattr(function, "__name__", "function")

    def __call__(self, args: Any, kwargs: Any, waited: Sequence[Any]) -> Any:
        if not LOCAL.state.target.is_eager:
            raise SymbolicValueError(
                f"{self.__name__} looks at values that only running the graph tells."
            )
        values = {i: x.numpy().tolist() for i, x in enumerate(waited)}
        args, kwargs = filled_in((args, kwargs), lambda each: each.value(values[each.tensor]))
        try:
            return self.function(*args, **kwargs)
        except IndexError as error:  # as kernels tell of places that are not there
            raise invalid_argument(str(error)) from error


def call_value_dependent(target: Any, function: Callable[..., Any], args: Any, kwargs: Any) -> Any:
    """A deferred call of `function`, which fails where values are not known.

    Raises:
        Exception: what the function raises for samples of its arguments.
    """
    waiting: dict[int, tuple[int, Any]] = {}
    for each in symbolic_values([args, kwargs]):
        waiting.setdefault(id(each.tensor), (len(waiting), each.tensor))
    args, kwargs = filled_in(
        (args, kwargs), lambda each: SymbolicValue(waiting[id(each.tensor)][0], each.place)
    )
    waited = [tensor for _, tensor in waiting.values()]
    call = DeferredCall(_Filled(function), (args, kwargs, waited), {})
    tensors = [target.taken(x) for x in call.tensors()]
    answers, size, is_blind = _answers_of_numbers(call.function, (args, kwargs, waited))
    leaves = zip(*[_tensors(each) for each in answers], strict=True)
    specs = [_shared([x.shape.sizes for x in same], same[0].dtype, size) for same in leaves]
    if is_blind:
        specs = [
            Spec((None,) * len(x.dims) if x.dims is not None else None, x.dtype) for x in specs
        ]
    return record_call(target, call, tensors, _outline(answers, size), specs)


def _answers_of_numbers(
    function: Callable[..., Any], arguments: Sequence[Any]
) -> tuple[list[Any], int | None, bool]:
    """What the function returns for each sample; the size of all samples, if it is one; and
    whether its numbers had to be 0 in all of them, so that sizes tell nothing.
    """
    args, kwargs, waited = arguments
    is_numbered = bool(waited) or any(map(_is_number, nest.flatten((args, kwargs))))
    for numbers in _NUMBERS if is_numbered else ():
        samples = [
            sample._replace(number=number) for sample, number in zip(_SAMPLES, numbers, strict=True)
        ]
        with contextlib.suppress(Exception):  # other numbers may do
            return *_answers(function, arguments, samples), False
    return *_answers(function, arguments, _SAMPLES), is_numbered


def _is_number(each: object) -> bool:
    """Whether a tensor of a graph may be one integer."""
    return isinstance(each, SymbolicTensor) and each.dtype.is_integer and not each.dims


def _answers(
    function: Callable[..., Any], arguments: Sequence[Any], usual: Sequence[_Sample]
) -> tuple[list[Any], int | None]:
    """What the function returns for each sample. Where values that are there ask for a number of
    rows, that number is the size of all samples, and returned too.
    """
    try:
        return _attempt(function, arguments, usual), None
    except _UnknownRankError as error:
        return _answers_of_ranks(function, arguments, usual, error), None
    except Exception as error:
        is_even = getattr(error, "samples", None) == EVEN_ROWS
        for samples, size in _other_samples(arguments, usual, is_even):
            try:
                return _attempt(function, arguments, samples), size
            except Exception:  # the first error tells
                continue
        raise error from None


def _attempt(
    function: Callable[..., Any], arguments: Sequence[Any], samples: Sequence[_Sample]
) -> list[Any]:
    """What the function returns for samples, or for such as its error asks for."""
    try:
        return [_answer(function, arguments, sample) for sample in samples]
    except Exception as error:
        change = _CHANGES.get(getattr(error, "samples", None))
        if change is None:
            raise
    return [_answer(function, arguments, change(sample)) for sample in samples]


def _other_samples(
    arguments: Sequence[Any], usual: Sequence[_Sample], is_even: bool
) -> Iterator[tuple[list[_Sample], int]]:
    """Samples for functions that refuse the usual ones, and a size that all have, which is that of
    something there: of the first dimension or of all, or of rows, if these are to be even.
    """
    for size, is_alone in itertools.product(sorted(_counts(arguments)), (False, True)):
        yield (
            [sample._replace(size=(size, sample.rows) if is_alone else size) for sample in usual],
            size,
        )
    for size in sorted(_sizes(arguments)) if is_even else ():
        yield [sample._replace(lengths=(size,)) for sample in usual], size


def _even(sample: _Sample) -> _Sample:
    """The same with rows that are as long as dimensions are."""
    size = sample.size[1] if isinstance(sample.size, tuple) else sample.size
    return sample._replace(lengths=(size,))


def _smaller(sample: _Sample) -> _Sample:
    return sample._replace(last=0)


_CHANGES: dict[str | None, Callable[[_Sample], _Sample]] = {
    EVEN_ROWS: _even, SMALLER_INTEGERS: _smaller,
}  # fmt: skip


class _UnknownRankError(ValueError):
    """A tensor of unknown rank stands for nothing in particular."""


def _answers_of_ranks(
    function: Callable[..., Any], arguments: Sequence[Any], usual: Sequence[_Sample],
    refusal: Exception,
) -> list[Any]:  # fmt: skip
    """What the function returns for samples of each rank that it takes.

    Raises:
        Exception: `refusal`, where it takes none, or returns other kinds of values for each.
    """
    made: list[Any] = []
    for rank in _RANKS:
        samples = [sample._replace(rank=rank) for sample in usual]
        with contextlib.suppress(Exception):  # another rank may do
            made += _attempt(function, arguments, samples)
    kinds = {tuple(type(each) for each in nest.flatten(answer)) for answer in made}
    if len(kinds) != 1:
        raise refusal
    return made


def _counts(arguments: Sequence[Any]) -> set[int]:
    """The numbers of rows that arguments have which are there."""
    found = set()
    for each in nest.flatten(arguments):
        if isinstance(each, RaggedTensor) and each._rows() is not None:
            found.add(each._rows())
        elif isinstance(each, Tensor) and each.shape.sizes:
            found.add(each.shape.sizes[0])
    args, kwargs, _ = arguments
    found |= {len(each) for each in (*args, *kwargs.values()) if isinstance(each, (list, tuple))}
    return {each for each in found if each is not None}


def _sizes(arguments: Sequence[Any]) -> set[int]:
    """The sizes that are known of dense tensors among the arguments."""
    dense = [each.shape.sizes for each in nest.flatten(arguments) if isinstance(each, Tensor)]
    return {size for sizes in dense if sizes is not None for size in sizes if size is not None}


def _outline(answers: Sequence[Any], size: int | None) -> Any:
    """The structure of all answers: where rows of one length have another in another answer, they
    have any.
    """
    leaves = [nest.flatten(each) for each in answers]
    merged = [
        _of_any_length(same, size) if isinstance(same[0], RaggedTensor) else same[0]
        for same in zip(*leaves, strict=True)
    ]
    return nest.pack_sequence_as(answers[0], merged) if nest.is_nested(answers[0]) else merged[0]


def _of_any_length(same: Sequence[RaggedTensor], size: int | None) -> RaggedTensor:
    made: Any = same[0].flat_values
    for levels in reversed(list(zip(*[each.levels() for each in same], strict=True))):
        lengths = {level.uniform_length for level in levels}
        uniform = lengths.pop() if len(lengths) == 1 and size not in lengths else None
        made = RaggedTensor(made, levels[0].row_splits, internal=True, uniform=uniform)
    return made  # type: ignore[no-any-return]


def _tensors(answer: object) -> list[Any]:
    return [x for x in nest.flatten(answer, expand_composites=True) if isinstance(x, Tensor)]


def _shared(dims: Sequence[Dims | None], dtype: DType, size: int | None) -> Spec:
    known = dims[0]
    for each in dims[1:]:
        known = common(known, each)
    if known is not None and size is not None:  # all samples had this size
        known = tuple(None if each in (size, size + 1) else each for each in known)
    return Spec(known, dtype)


def _answer(function: Callable[..., Any], arguments: Sequence[Any], sample: _Sample) -> Any:
    state = LOCAL.state
    before = state.target, state.scope, state.tapes
    state.target, state.scope, state.tapes = EAGER, HOST_SCOPE, ()
    try:
        args, kwargs, waited = arguments
        made = nest.map_structure(lambda each: _sampled(each, sample), (args, kwargs))
        return function(*made, [_waited(each, sample) for each in waited])
    finally:
        state.target, state.scope, state.tapes = before


def _waited(each: SymbolicTensor, sample: _Sample) -> Tensor:
    """What stands for numbers that are plain when the graph runs."""
    values = _sampled(each, sample).numpy()
    if not each.dtype.is_integer or not sample.number:
        return to_tensor(values)
    return to_tensor(np.full_like(values, sample.number))


def _sampled(each: object, sample: _Sample) -> Any:
    """What stands for an argument."""
    if isinstance(each, RaggedTensor):
        return _ragged(each, sample)
    if isinstance(each, SparseTensor):
        return _sparse(each, sample)
    if isinstance(each, SymbolicTensor):
        return _filled(each.dims, each.dtype, sample)
    return each


def _filled(dims: Dims | None, dtype: DType, sample: _Sample) -> Tensor:
    """A tensor of numbers that are small enough to be places, and texts."""
    if dims is None:
        if not sample.rank:
            raise _UnknownRankError("A tensor of unknown rank stands for nothing in particular.")
        dims = (None,) * sample.rank
    shape = _known(dims, sample.size)
    if dtype is dtypes.string:
        return to_tensor(np.full(shape, b"a" * sample.lengths[0], object))
    values = np.zeros(shape, dtype.as_numpy_dtype)
    flat = values.reshape(-1)
    if dtype is dtypes.bool_ or not dtype.is_integer:
        flat[: sample.lengths[0]] = 1
    elif flat.size > 1:
        flat[-1] = sample.last
    elif not shape and (sample.number >= 0 or not dtype.is_unsigned):
        flat[0] = sample.number
    return to_tensor(values)


def _ragged(each: RaggedTensor, sample: _Sample) -> Any:
    splits: list[Any] = []
    rows = each._rows()
    count = sample.rows if rows is None else rows
    for level in each.levels():
        cycle = itertools.cycle(sample.lengths)
        told = level.uniform_length
        own = [next(cycle) if told is None else told for _ in range(count)]
        ends = np.cumsum([0, *own]).astype(level.row_splits.dtype.as_numpy_dtype)
        splits.append(to_tensor(ends))
        count = int(ends[-1])
    flat = each.flat_values
    dims = flat.shape.sizes
    if dims is None and sample.rank:
        dims = (None,) * sample.rank
    inner = None if dims is None else (count, *dims[1:])
    return each.with_components([_filled(inner, flat.dtype, sample), *splits])


def _sparse(each: SparseTensor, sample: _Sample) -> Any:
    dims = each.shape.sizes
    if dims is None:
        if not sample.rank:
            raise _UnknownRankError("A sparse tensor of unknown rank stands for nothing.")
        dims = (None,) * sample.rank
    shape = _known(dims, sample.size)
    count = min(sample.lengths[0], shape[-1]) if shape else 1
    places = np.zeros((count, len(shape)), np.int64)
    places[:, -1:] = np.arange(count)[:, None]
    return SparseTensor(places, _filled((count,), each.dtype, sample), shape)


def _known(dims: Dims, size: int | tuple[int, int]) -> tuple[int, ...]:
    """The sizes of a sample."""
    first, others = size if isinstance(size, tuple) else (size, size)
    told = (first, *[others] * len(dims))
    return tuple(told[i] if each is None else each for i, each in enumerate(dims))
