"""What a graph knows of the shapes of an operation's outputs.

Shape rules are written for known sizes. Where sizes are unknown, a rule is asked twice, with
different sizes in the unknown places: what is the same in both answers is known, the rest is not.
Sizes that are all the same may leave a number by chance, as a window as large as its image leaves
one place, so each is another one for once.
A wrong size can make a rule refuse what would run, so a refusal counts only where all is known.
Where a number is unknown, which may be an axis, small ones are tried as well.
"""

from __future__ import annotations

import inspect
import itertools
from collections.abc import Sequence
from typing import Any

from ...base.dtypes import ALL, DType, int32
from ...base.errors import OpError
from ...base.shapes import Dims, TensorShape, common, difference
from ...core.symbolic_value import SymbolicValue, filled_in, symbolic_values
from ...ops import infer
from ...ops.array.select import select_spec
from ...ops.array.shaping import transpose_spec
from ...ops.array.slicing import expanded_key
from ...ops.infer import Spec
from ...ops.math.elementwise import clip_spec
from ...ops.op import Op
from .array_shapes import ARRAYS
from .counted_shapes import COUNTED
from .merged_shapes import MERGED
from .sparse_shapes import RULES as SPARSE_RULES

# Two sizes that nearly every reshape, split and stride divides; then smaller and odder ones.
_SAMPLES = ((10080, 20160), (24, 48), (7, 11))
# Up to so many unknown sizes are tried in all ways, above one by one.
_MOST_TIED = 6
# And so many are varied, each on its own.
_MOST_VARIED = 16
# What a number may also be that waits for the graph to run: an axis, or nothing at all.
_NUMBERS = (0, 1, 2, 3, -1, -2)
_RANKS = (2, 4, 3, 1, 5, 0)
_MOST_RANK = 8  # of tensors that ops of a fixed rank are told from

# Rules that know what to do with unknown dimensions.
_LENIENT: set[Any] = {
    infer.same, infer.broadcast, infer.compare, infer.nothing, infer.cast, infer.reduce,
    infer.matmul, select_spec, clip_spec,
}  # fmt: skip

# Ops whose tensors have as many axes as they have strides. Channels that fit each other are rare
# among samples, so that those of other ranks do not tell it.
_SLIDING = {"Conv2D", "Conv3D", "DepthwiseConv2dNative"}

# Ops of an axis that a graph may compute, whose result has their input's shape whatever it is.
_KEEP_SHAPE = {"ReverseV2"}

Made = Spec | tuple[Spec, ...] | None


def outputs_of(op: Op, specs: Sequence[Spec], attrs: dict[str, Any], is_symbolic: bool) -> Made:
    """Shape and dtype of each output of an operation.

    Args:
        op: its op.
        specs: of its inputs.
        attrs: its attributes.
        is_symbolic: True if there is a `SymbolicValue` among them.

    Returns:
        A Spec, a tuple of them for an op with several outputs, or () for none.

    Raises:
        ValueError: the shapes do not fit, whatever the unknown sizes are.
    """
    rule = op.infer
    if rule is None:
        return _by_signature(op, specs, attrs)
    special = _SPECIAL.get(op.name)
    if is_symbolic and op.name in _KEEP_SHAPE:
        return specs[0]
    if is_symbolic and rule is infer.reduce and attrs["keep_dims"] and specs[0].dims is not None:
        return Spec((None,) * len(specs[0].dims), specs[0].dtype)
    known = not is_symbolic and all(_is_known(spec) for spec in specs)
    if not known and special is not None:
        return special(*specs, **attrs)  # type: ignore[no-any-return]
    if known or (rule in _LENIENT and not is_symbolic):
        try:
            return rule(*specs, **attrs)  # type: ignore[no-any-return]
        except OpError as error:
            raise ValueError(error.message) from None
    return _by_samples(op, specs, attrs)


def _is_known(spec: Spec) -> bool:
    return spec.dims is not None and None not in spec.dims


def _by_samples(op: Op, specs: Sequence[Spec], attrs: dict[str, Any]) -> Made:
    if any(spec.dims is None for spec in specs):
        return _unranked(op, specs, attrs)
    for pair in _SAMPLES:
        found = _shared(op, specs, attrs, pair)
        if found is not None:
            return found
    sizes = {d for spec in specs for d in spec.dims or () if d is not None and d > 1}
    for size in (*sorted(sizes), 1, 2):
        tied = _tied(op, specs, attrs, size)
        if tied is not None:
            return tied
    return _unknown(_by_signature(op, specs, attrs))


def _tied(op: Op, specs: Sequence[Spec], attrs: dict[str, Any], size: int) -> Made:
    """The answer where as few unknown sizes as possible must be `size`, which the rule asks for,
    and the others are anything. None if the rule refuses all the same.
    """
    places = unknown_places(specs)
    most = len(places) if len(places) <= _MOST_TIED else 1
    for count in range(most + 1):
        for chosen in itertools.combinations(places, count):
            given = _with_sizes(specs, dict.fromkeys(chosen, size))
            for pair, number in itertools.product(_SAMPLES, (None, size)):
                found = _shared(op, given, attrs, pair, number)
                if found is not None:
                    ones = _with_sizes(specs, dict.fromkeys(chosen, 1))
                    stretches = _ask(op, ones, attrs, pair[0], number) is not None
                    is_proven = number is None and size != 1 and not stretches
                    found = found if is_proven else _less(found, size)
                    return _loosened(op, given, attrs, pair[0], number, chosen, found)
    return None


def _loosened(
    op: Op, specs: Sequence[Spec], attrs: dict[str, Any], size: int, number: int | None,
    tied: Sequence[tuple[int, int]], found: Made,
) -> Made:  # fmt: skip
    """What is left of an answer where a tied size may also be one more or one less: a rule that
    refuses large samples may only ask for a small size, not for this one.
    """
    for i, j in tied:
        chosen = (specs[i].dims or ())[j] or 0
        for other in (chosen - 1, chosen + 1):
            if other > 0:
                made = _ask(op, _with_sizes(specs, {(i, j): other}), attrs, size, number)
                found = found if made is None else found and _both(found, made)
    return found


def _shared(
    op: Op, specs: Sequence[Spec], attrs: dict[str, Any], pair: tuple[int, int],
    number: int | None = None,
) -> Made:  # fmt: skip
    """What the answers for two sizes share, and for any other number where one is not known. None
    if the rule refuses one of the sizes.
    """
    made = [_ask(op, specs, attrs, size, number) for size in pair]
    if None in made:
        return None
    if any(True for _ in symbolic_values(attrs)):
        others = [_ask(op, specs, attrs, pair[0], each) for each in _NUMBERS]
        others += [_ask(op, specs, attrs, pair[0], each, step=1) for each in _NUMBERS]
        made += [each for each in others if each is not None]
    found = made[0]
    for each in made[1:]:
        found = found and _both(found, each)
    places = unknown_places(specs)
    if 1 < len(places) <= _MOST_VARIED and tells_more(found, specs):
        for place in places:
            other = _ask(op, _with_sizes(specs, {place: 3 * pair[0]}), attrs, pair[0], number)
            found = found if other is None else found and _both(found, other)
    return found  # type: ignore[no-any-return]


def unknown_places(specs: Sequence[Spec]) -> list[tuple[int, int]]:
    """Where sizes are unknown: (the number of the input, that of the dimension)."""
    return [(i, j) for i, spec in enumerate(specs) for j, d in enumerate(spec.dims or ())
            if d is None]  # fmt: skip


def tells_more(made: Made, specs: Sequence[Spec]) -> bool:
    """Whether an answer has a size that stands in none of the inputs, or 1, which may be chance."""
    known = {d for spec in specs for d in spec.dims or ()} - {1}
    answers = (made,) if isinstance(made, Spec) else made or ()
    return any(d is not None and d not in known for spec in answers for d in spec.dims or ())


def _less(made: Made, size: int) -> Made:
    """The same without dimensions of `size`, where that stretches: it may have been 1 as well."""
    if isinstance(made, Spec):
        known = made.dims
        return Spec(known and tuple(None if d == size else d for d in known), made.dtype)
    return made and tuple(_less(each, size) for each in made)  # type: ignore[misc]


def _ask(
    op: Op, specs: Sequence[Spec], attrs: dict[str, Any], size: int, number: int | None = None,
    step: int = 0,
) -> Any:  # fmt: skip
    """The answer for a size in all unknown places, and a number for all unknown ones; each further
    one is larger by `step`.
    """
    assert op.infer is not None
    given = [_with_size(spec, size) for spec in specs]
    first = size if number is None else number
    seen: dict[Any, int] = {}

    def stand_in(symbolic: SymbolicValue) -> Any:
        count = seen.setdefault((id(symbolic.tensor), symbolic.place), len(seen))
        return sample(symbolic, first + count * step)

    try:
        return op.infer(*given, **filled_in(attrs, stand_in))
    except Exception:  # the sample does not fit, or the rule meets what it never does in life
        return None


def _with_size(spec: Spec, size: int) -> Spec:
    dims = tuple(size if d is None else d for d in spec.dims or ())
    return Spec(dims, spec.dtype)


def _with_sizes(specs: Sequence[Spec], sizes: dict[tuple[int, int], int]) -> list[Spec]:
    """The same with sizes in some unknown places, by number of the input and of the dimension."""
    return [
        Spec(spec.dims and tuple(sizes.get((i, j), d) for j, d in enumerate(spec.dims)), spec.dtype)
        for i, spec in enumerate(specs)
    ]


def sample(symbolic: SymbolicValue, size: int) -> Any:
    """What may stand for a number that is not known yet."""
    known = symbolic.tensor.partial_value()
    if known is None:
        raise LookupError("not even how many numbers there are is known")
    numbers = [size if each is None else each for each in known]
    return symbolic.value(numbers)


def _both(one: Any, other: Any) -> Made:
    if isinstance(one, Spec):
        return agreed(one, other)
    if len(one) != len(other):
        return None
    return tuple(agreed(a, b) for a, b in zip(one, other, strict=True))


def agreed(one: Spec, other: Spec) -> Spec:
    """What two answers share that were given for two sizes."""
    return Spec(common(one.dims, other.dims), one.dtype)


def _unranked(op: Op, specs: Sequence[Spec], attrs: dict[str, Any]) -> Made:
    if op.name in _SLIDING:
        return _by_samples(op, _ranked(specs, len(attrs["strides"])), attrs)
    of_ranks = [_shared_of_rank(op, specs, attrs, rank) for rank in _RANKS]
    if None not in of_ranks:
        found = of_ranks[0]
        for each in of_ranks[1:]:
            found = found and _both(found, each)
        if found:
            return found
    only = _only_rank(op, specs, attrs)
    if only is not None:
        return _by_samples(op, _ranked(specs, only), attrs)
    for rank in _RANKS:
        given = _ranked(specs, rank)
        for size in (10080, 7, 1):
            made = _ask(op, given, attrs, size)
            if made is not None:
                return _unknown(made)
    return _by_signature(op, specs, attrs)


def _only_rank(op: Op, specs: Sequence[Spec], attrs: dict[str, Any]) -> int | None:
    """The one rank that the rule takes, as that of a convolution does; None if there are others."""
    fits = [
        rank
        for rank in range(_MOST_RANK + 1)
        if any(_ask(op, _ranked(specs, rank), attrs, size) is not None for size in (10080, 7, 1))
    ]
    return fits[0] if len(fits) == 1 else None


def _shared_of_rank(op: Op, specs: Sequence[Spec], attrs: dict[str, Any], rank: int) -> Made:
    tries = (_shared(op, _ranked(specs, rank), attrs, pair) for pair in _SAMPLES)
    return next((each for each in tries if each is not None), None)


def _ranked(specs: Sequence[Spec], rank: int) -> list[Spec]:
    dims: Dims = (None,) * rank
    return [Spec(dims if s.dims is None else s.dims, s.dtype) for s in specs]


def _unknown(made: Any) -> Made:
    if isinstance(made, Spec):
        return Spec(None, made.dtype)
    return tuple(Spec(None, spec.dtype) for spec in made)


_BY_NAME: dict[str, DType] = {dtype.name: dtype for dtype in ALL}


def _by_signature(op: Op, specs: Sequence[Spec], attrs: dict[str, Any]) -> Made:
    """What the declaration alone tells: the number of outputs and their dtypes."""
    special = _SPECIAL.get(op.name)
    if special is not None:
        return special(*specs, **attrs)  # type: ignore[no-any-return]
    bound: dict[str, DType] = {}
    for arg, spec in zip(_flat_args(op, len(specs)), specs, strict=False):
        bound.setdefault(arg.type, spec.dtype)
    counted = COUNTED.get(op.name)
    known = None if counted is None else counted(specs, attrs)
    # What the kernel takes where the program does not say.
    defaults = getattr(inspect.unwrap(op.kernel), "__kwdefaults__", None) or {}
    made: list[Spec] = []
    for arg, count in zip(op.outputs, _counts(op, known), strict=True):
        dtype = bound.get(arg.type) or _BY_NAME.get(arg.type) or attrs.get(arg.type)
        if not isinstance(dtype, DType):
            dtype = defaults.get(arg.type)
        found = dtype if isinstance(dtype, DType) else specs[0].dtype
        made += [Spec(None if known is None else known[len(made) + i], found)
                 for i in range(count)]  # fmt: skip
    return made[0] if len(made) == 1 else tuple(made)


def _counts(op: Op, known: Any) -> list[int]:
    """How many tensors each output is."""
    lists = [arg for arg in op.outputs if arg.is_list]
    if lists and known is None:
        raise ValueError(f"{op.name} does not tell how many outputs it has before it runs.")
    each = (len(known) - len(op.outputs) + len(lists)) // len(lists) if lists else 1
    return [each if arg.is_list else 1 for arg in op.outputs]


def _flat_args(op: Op, count: int) -> list[Any]:
    args: list[Any] = []
    for arg in op.tensor_inputs:
        args += [arg] * (count - len(op.tensor_inputs) + 1) if arg.is_list else [arg]
    return args


# -- ops whose outputs need rules of their own in graphs ------------------------------------------


def _where(condition: Spec, **attrs: Any) -> Spec:
    rank = None if condition.dims is None else len(condition.dims)
    return Spec((None, rank), _BY_NAME["int64"])


def _scalar(value: Spec, **attrs: Any) -> Spec:
    return Spec((), value.dtype)


def _partition(data: Spec, partitions: Spec, *, num_partitions: int, **attrs: Any) -> Any:
    rank = 0 if partitions.dims is None else len(partitions.dims)
    if data.dims is not None and partitions.dims is not None:
        wrong = difference(data.dims[:rank], partitions.dims)
        if wrong is not None:
            raise ValueError(wrong)
    rest = None if data.dims is None or partitions.dims is None else (None, *data.dims[rank:])
    return tuple(Spec(rest, data.dtype) for _ in range(num_partitions))


def _segments(data: Spec, segment_ids: Spec, **attrs: Any) -> Spec:
    return Spec(None if data.dims is None else (None, *data.dims[1:]), data.dtype)


def _reshape(tensor: Spec, *, shape: Sequence[Any]) -> Spec:
    dims = _host_dims(shape)
    if dims is None:
        return Spec(None, tensor.dtype)
    if -1 in dims and tensor.dims is not None and None not in tensor.dims and None not in dims:
        return infer.Spec(TensorShape(_filled(tensor.dims, dims)).sizes, tensor.dtype)
    return Spec(tuple(None if d == -1 else d for d in dims), tensor.dtype)


def _filled(dims: Sequence[Any], shape: list[Any]) -> list[Any]:
    count = 1
    for d in dims:
        count *= d
    rest = 1
    for d in shape:
        rest *= 1 if d == -1 else d
    return [count // max(rest, 1) if d == -1 else d for d in shape]


def _host_dims(shape: Any) -> list[int | None] | None:
    """A shape argument with None for what is not known; None if its length is not."""
    if isinstance(shape, SymbolicValue):
        known: list[int | None] | None = shape.tensor.partial_value()
        return known
    dims: list[int | None] = []
    for each in shape:
        if isinstance(each, SymbolicValue):
            known = each.tensor.partial_value()
            dims.append(None if known is None else each.value(known))
        else:
            dims.append(each)
    return dims


def _ensure_shape(input: Spec, *, shape: TensorShape) -> Spec:
    merged = TensorShape(input.dims).merge_with(shape)
    return Spec(merged.sizes, input.dtype)


def _filled_spec(value: Spec, *, dims: Any) -> Spec:
    found = _host_dims(dims)
    return Spec(None if found is None else tuple(found), value.dtype)


def _stretched(input: Spec, *, shape: Sequence[Any]) -> Spec:
    found = _host_dims(shape)
    return Spec(None if found is None else tuple(found), input.dtype)


def _image_gradient(
    filter: Spec, out_backprop: Spec, *, input_sizes: Any, strides: Sequence[int], **attrs: Any
) -> Spec:
    """The gradient of what a convolution slides over. Its shape is told, whatever the rest is."""
    return Spec(_told(input_sizes, len(strides)), filter.dtype)


def _filter_gradient(
    input: Spec, out_backprop: Spec, *, filter_sizes: Any, strides: Sequence[int], **attrs: Any
) -> Spec:
    """The gradient of a convolution's filter, in the same way."""
    return Spec(_told(filter_sizes, len(strides)), input.dtype)


def _told(shape: Any, rank: int) -> Dims:
    found = _host_dims(shape)
    return (None,) * rank if found is None else tuple(found)


def _transposed(x: Spec, *, perm: Any) -> Spec:
    order = None if perm is None else _host_dims(perm)
    if order is None:
        count = None if perm is None else (perm.tensor.dims or (None,))[0]
        dims = (None,) * count if count is not None and x.dims is None else _of_rank(x.dims)
        return Spec(x.dims and x.dims[::-1] if perm is None else dims, x.dtype)
    if x.dims is None or None in order:
        return Spec((None,) * len(order), x.dtype)
    try:
        return transpose_spec(x, perm=[axis for axis in order if axis is not None])
    except OpError as error:
        raise ValueError(error.message) from None


def _same(value: Spec, **attrs: Any) -> Spec:
    return value


def _of_rank(dims: Dims | None) -> Dims | None:
    return None if dims is None else (None,) * len(dims)


def _slice(input: Spec, *, key: Any) -> Spec:
    if input.dims is None:
        return Spec(None, input.dtype)
    dims: list[int | None] = []
    sizes = iter(input.dims)
    for kind, *numbers in expanded_key(key, len(input.dims)):
        size = 1 if kind == "new" else next(sizes)
        if kind == "at":
            continue
        known = size is not None and not any(isinstance(each, SymbolicValue) for each in numbers)
        whole = kind == "slice" and all(n is None for n in numbers)
        if kind == "slice" and known and size is not None:
            size = len(range(*slice(*numbers).indices(size)))
        dims.append(size if known or whole else None)
    return Spec((*dims, *sizes), input.dtype)


def _block(input: Spec, *, begin: Sequence[Any], size: Sequence[int]) -> Spec:
    sizes, starts = _host_dims(size), _host_dims(begin)
    if sizes is None:
        return Spec(None if input.dims is None else (None,) * len(input.dims), input.dtype)
    whole: Any = input.dims or (None,) * len(sizes)
    first: Any = starts or (None,) * len(sizes)
    dims = [_extent(*each) for each in zip(whole, first, sizes, strict=True)]
    return Spec(tuple(dims), input.dtype)


def _extent(whole: int | None, start: int | None, size: int | None) -> int | None:
    """How long a block is along an axis; size -1 means all that is left."""
    if size != -1:
        return size
    return None if whole is None or start is None else whole - start


def _range(*, start: object, limit: object, delta: object, dtype: DType) -> Spec:
    return Spec((None,), dtype)


def _squeezed(x: Spec, *, squeeze_dims: Sequence[int]) -> Spec:
    """Without axes of size 1; any size that is not known may be 1."""
    dims = x.dims
    if dims is None or (not squeeze_dims and None in dims):
        return Spec(None, x.dtype)
    rank = len(dims)
    for axis in squeeze_dims:
        if not -rank <= axis < rank or dims[axis] not in (1, None):
            raise ValueError(f"Can not squeeze dim[{axis}] of a tensor of shape {dims}.")
    gone = {axis % rank for axis in squeeze_dims}
    return Spec(tuple(size for i, size in enumerate(dims) if i not in gone), x.dtype)


def _sizes(input: Spec, *, out_type: DType = int32) -> Spec:
    return Spec((None if input.dims is None else len(input.dims),), out_type)


def _count(input: Spec, *, out_type: DType = int32) -> Spec:
    return Spec((), out_type)


_SPECIAL: dict[str, Any] = {
    "Where": _where, "DynamicPartition": _partition, "SegmentSum": _segments,
    "SegmentMean": _segments, "SegmentProd": _segments, "SegmentMax": _segments,
    "SegmentMin": _segments,
    "Reshape": _reshape, "EnsureShape": _ensure_shape, "Fill": _filled_spec,
    "BroadcastTo": _stretched, "Transpose": _transposed, "ConjugateTranspose": _transposed,
    "Range": _range, "StridedSlice": _slice,
    "Slice": _block, "Squeeze": _squeezed, "_CheckScalar": _scalar,
    "_CheckThat": _same,
    "Shape": _sizes, "Size": _count, "Rank": _count,
    "Conv2DBackpropInput": _image_gradient, "Conv2DBackpropFilter": _filter_gradient,
    "Conv3DBackpropInputV2": _image_gradient, "Conv3DBackpropFilterV2": _filter_gradient,
    "DepthwiseConv2dNativeBackpropInput": _image_gradient,
    "DepthwiseConv2dNativeBackpropFilter": _filter_gradient,
    **MERGED, **ARRAYS, **SPARSE_RULES,
}  # fmt: skip


def special_rule(name: str, rule: Any) -> None:
    """Gives an op without a shape rule, or with one for known sizes only, one for graphs."""
    _SPECIAL[name] = rule
