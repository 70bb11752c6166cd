"""`tf.raw_ops`: every op by its own name, made from its record when it is first asked for.

A raw op takes keywords only: the tensors of the record, then what the kernel wants besides them.
Where TensorFlow names an argument otherwise, has a default that the kernel has not, or an
argument that changes nothing here, a table below says so.
"""

from __future__ import annotations

import functools
import inspect
import re
from collections import namedtuple
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from ..base import dtypes
from ..base.dtypes import DType, as_dtype
from ..base.errors import invalid_argument
from ..base.shapes import TensorShape
from ..base.typing import TensorLike
from ..core.composite import CompositeTensor
from ..core.symbolic_value import SymbolicValue
from ..core.tensor import Tensor
from .arguments import (
    check_index_types,
    host_value,
    is_symbolic,
    one_int,
    one_number,
    only_number,
    static_ints,
)
from .array.gathering import batches_from_front
from .array.slicing import key_of
from .composite import takes_composite
from .convert import is_tensor_like, tensors, to_tensor
from .likeness import alike
from .op import REGISTRY, Arg, Op, apply
from .random.raw import RANDOM, Prepare
from .raw_numbers import check_numbers
from .sampling.raw import SAMPLING

REQUIRED = inspect.Parameter.empty

# Keywords of kernels that TensorFlow calls otherwise.
RENAMED: dict[str, dict[str, str]] = {
    "ExpandDims": {"dim": "axis"},
    "ReduceJoin": {"axis": "reduction_indices"},
    "Squeeze": {"squeeze_dims": "axis"},
}

# Defaults that kernels leave to the public function.
DEFAULTS: dict[str, dict[str, Any]] = {
    "ArgMax": {"output_type": dtypes.int64},
    "ArgMin": {"output_type": dtypes.int64},
    "BatchMatMulV3": {"adj_x": False, "adj_y": False},
    "IRFFT": {"Treal": dtypes.float32},
    "IRFFT2D": {"Treal": dtypes.float32},
    "IRFFT3D": {"Treal": dtypes.float32},
    "Lu": {"output_idx_type": dtypes.int32},
    "OneHot": {"axis": -1},
    "Pack": {"axis": 0},
    "Squeeze": {"axis": ()},
    "RFFT": {"Tcomplex": dtypes.complex64},
    "RFFT2D": {"Tcomplex": dtypes.complex64},
    "RFFT3D": {"Tcomplex": dtypes.complex64},
    "RaggedRange": {"Tsplits": dtypes.int64},
    "StringFormat": {"placeholder": "%s", "template": "%s"},
    "StringJoin": {"separator": ""},
    "StringLength": {"unit": "BYTE"},
    "StringLower": {"encoding": ""},
    "SerializeManySparse": {"out_type": dtypes.string},
    "SerializeSparse": {"out_type": dtypes.string},
    "StringToNumber": {"out_type": dtypes.float32},
    "StringUpper": {"encoding": ""},
    "Unpack": {"axis": 0, "num": REQUIRED},
}

# Arguments of TensorFlow that change nothing here, with their defaults.
IGNORED: dict[str, dict[str, Any]] = {
    "ResourceGatherNd": {"dtype": REQUIRED},
    "BatchMatMulV2": {"grad_x": False, "grad_y": False},
    "BatchMatMulV3": {"grad_x": False, "grad_y": False},
    "Cast": {"Truncate": False},
    "ComputeAccidentalHits": {"seed": 0, "seed2": 0},
    "Conv2D": {"use_cudnn_on_gpu": True},
    "Conv2DBackpropFilter": {"use_cudnn_on_gpu": True},
    "Conv2DBackpropInput": {"use_cudnn_on_gpu": True},
    "Equal": {"incompatible_shape_error": True},
    "MatMul": {"grad_a": False, "grad_b": False},
    "NotEqual": {"incompatible_shape_error": True},
    "SplitV": {"num_split": REQUIRED},
}

# Reductions work on all axes if the axis is None; TensorFlow's raw ops want to be told.
for _name in ("Sum", "Mean", "Prod", "Max", "Min", "All", "Any", "EuclideanNorm"):
    DEFAULTS[_name] = {"axis": REQUIRED}

_MASKS = ("begin_mask", "end_mask", "ellipsis_mask", "new_axis_mask", "shrink_axis_mask")


def _slice_key(inputs: Sequence[Any], given: dict[str, Any]) -> dict[str, Any]:
    """The key of a StridedSlice, from bounds and from masks with one bit per entry."""
    bounds = [static_ints(given[name], name) for name in ("begin", "end", "strides")]
    entries: list[Any] = []
    for i, (begin, end, stride) in enumerate(zip(*bounds, strict=True)):
        no_begin, no_end, rest, new, one = (given[name] >> i & 1 for name in _MASKS)
        if rest:
            entries.append(Ellipsis)
        elif new:
            entries.append(None)
        elif one:
            entries.append(begin)
        else:
            entries.append(slice(None if no_begin else begin, None if no_end else end, stride))
    return {"key": key_of(tuple(entries))}


def _from_front(inputs: Sequence[Any], given: dict[str, Any]) -> dict[str, Any]:
    batch_dims = batches_from_front(inputs[1].shape.rank, given["batch_dims"])
    rank = inputs[0].shape.rank
    if rank is None:
        return {**given, "batch_dims": batch_dims}
    rank, axis = max(1, rank), given["axis"]
    axis = axis % rank if -rank <= axis < rank else axis
    return {**given, "axis": axis, "batch_dims": batch_dims}


def _one_band(inputs: Sequence[Any], given: dict[str, Any]) -> dict[str, Any]:
    """Diagonals from one to another; one number stands for both."""
    k = static_ints(given["k"], "k")
    if len(k) not in (1, 2):
        raise invalid_argument(
            f"diag_index must have only one or two elements, received {len(k)} elements."
        )
    names = [name for name in ("num_rows", "num_cols") if name in given]
    sizes: dict[str, Any] = {name: one_number(given[name], name) for name in names}
    return {**given, "k": (k[0], k[-1]), **sizes}


def _any_scale(inputs: Sequence[Any], given: dict[str, Any]) -> dict[str, Any]:
    """A transform of given axes, as raw ops do it: scaled when it goes back."""
    sizes = {name: static_ints(given[name], name) for name in ("fft_length", "axes")}
    return {**sizes, "norm": None}


def _check_lengths(op_name: str, x: Any, lengths: Any) -> None:
    """TF: the raw transforms of real numbers do not fill up what is too short, as others do."""
    dims = x.shape.as_list() if x.shape.rank is not None else ()
    if is_symbolic(lengths) or None in dims or 0 in dims:
        return
    wanted = list(static_ints(lengths, "fft_length"))
    if op_name.startswith("I") and wanted:  # of these half is enough: the rest is their mirror
        wanted[-1] = wanted[-1] // 2 + 1
    for i, (least, size) in enumerate(zip(wanted, dims[-len(wanted) :], strict=False)):
        if size < least:
            raise invalid_argument(
                f"Input dimension {i} must have length of at least {least} but got: {size} "
                f"[Op:{op_name}] name: "
            )


def _whole_shape(inputs: Sequence[Any], given: dict[str, Any]) -> dict[str, Any]:
    return {"shape": TensorShape(given["shape"])}


def _slice_grad_key(inputs: Sequence[Any], given: dict[str, Any]) -> dict[str, Any]:
    return {"dims": static_ints(given["shape"], "shape"), **_slice_key(inputs, given)}


def _of_bounds_dtype(inputs: Sequence[Any], given: dict[str, Any]) -> dict[str, Any]:
    """The dtype of a Range: its bounds'."""
    bounds = tensors([given[name] for name in ("start", "limit", "delta")])
    numbers = [each.numpy().item() for each in bounds]
    names = ("start", "limit", "delta")
    return {**dict(zip(names, numbers, strict=True)), "dtype": bounds[0].dtype}


_REAL_TRANSFORMS = ("RFFT", "RFFT2D", "RFFT3D", "IRFFT", "IRFFT2D", "IRFFT3D")

_BOUNDS = dict.fromkeys(("begin", "end", "strides"), REQUIRED) | dict.fromkeys(_MASKS, 0)

# Host arguments whose dtype counts: they reach what prepares them as they are.
TYPED = ("start", "limit", "delta", "minval", "maxval")

# What only a graph's run may tell of random numbers.
_HINTS = {"shape": "tuple[int, ...]"}

# Host arguments that must be scalars, and what TensorFlow says of others.
SCALARS = {"num_segments": "num_segments should be a scalar, not shape {shape}"}

# Ops whose kernel wants other things than TensorFlow's arguments: those, and what makes the
# kernel's keywords of them.
_BAND = {"k": REQUIRED, "align": "RIGHT_LEFT"}
_AXES = {"fft_length": REQUIRED, "axes": REQUIRED}
PREPARED: dict[str, tuple[dict[str, Any], Prepare]] = (
    RANDOM
    | SAMPLING
    | {
        "EnsureShape": ({"shape": REQUIRED}, _whole_shape),
        "FFTND": (_AXES, _any_scale),
        "GatherV2": ({"axis": REQUIRED, "batch_dims": 0}, _from_front),
        "IFFTND": (_AXES, _any_scale),
        "IRFFTND": ({**_AXES, "Treal": dtypes.float32}, _any_scale),
        "MatrixDiagPartV3": ({**_BAND, "padding_value": REQUIRED}, _one_band),
        "MatrixDiagV3": (
            {**_BAND, **dict.fromkeys(("num_rows", "num_cols", "padding_value"), REQUIRED)},
            _one_band,
        ),
        "MatrixSetDiagV3": (_BAND, _one_band),
        "RFFTND": ({**_AXES, "Tcomplex": dtypes.complex64}, _any_scale),
        "Range": ({"start": REQUIRED, "limit": REQUIRED, "delta": REQUIRED}, _of_bounds_dtype),
        "StridedSlice": (_BOUNDS, _slice_key),
        "StridedSliceGrad": ({"shape": REQUIRED, **_BOUNDS}, _slice_grad_key),
    }
)


# Host arguments that share a type: those, the types that they may have, and the first one's place.
BOUNDS = {
    "Slice": (("begin", "size"), dtypes.INDICES, 1),
    "StridedSlice": (("begin", "end", "strides"), dtypes.ANY_INDICES, 1),
    "StridedSliceGrad": (("shape", "begin", "end", "strides"), dtypes.INDICES, 0),
    "TopKV2": (("k",), dtypes.ANY_INDICES, 1),
}

# Ops that take the handle of a variable, and whose arguments Emplace knows.
_ON_VARIABLES = frozenset(
    {
        "VarIsInitializedOp", "ResourceGatherNd",
        "ResourceScatterAdd", "ResourceScatterSub", "ResourceScatterMul", "ResourceScatterDiv",
        "ResourceScatterMin", "ResourceScatterMax", "ResourceScatterUpdate",
    }
)  # fmt: skip


def has_raw_form(op: Op) -> bool:
    """True for ops of TensorFlow that work on tensors or on a variable; not for our own, nor for
    those that hold other state.
    """
    own = op.name.startswith("_") or op.name.endswith("Grad_")
    touches = any(arg.type == "resource" for arg in (*op.inputs, *op.outputs))
    return not own and (not touches or op.name in _ON_VARIABLES)


def attributes_of(op: Op) -> dict[str, Any]:
    """The arguments of a raw op that are no tensors: name to default, or to `REQUIRED`."""
    if op.name in PREPARED:
        return dict(PREPARED[op.name][0])
    renamed, defaults = RENAMED.get(op.name, {}), DEFAULTS.get(op.name, {})
    found = {}
    for each in _keywords(op).values():
        name = renamed.get(each.name, each.name)
        found[name] = defaults.get(name, each.default)
    return found | IGNORED.get(op.name, {})


def arguments_of(op: Op) -> dict[str, Any]:
    """All arguments of a raw op but `name`: name to default, or to `REQUIRED`."""
    return {arg.name: REQUIRED for arg in op.tensor_inputs} | attributes_of(op)


@functools.cache
def _keywords(op: Op) -> dict[str, inspect.Parameter]:
    """What a kernel takes besides tensors."""
    try:
        signature = inspect.signature(op.kernel, eval_str=True)
    except (ValueError, NameError):  # torch's own functions do not tell
        return {}
    listed = list(signature.parameters.values())
    plain = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    extra = [p for p in listed if p.kind in plain][len(op.tensor_inputs) :]
    only = [p for p in listed if p.kind is inspect.Parameter.KEYWORD_ONLY]
    return {p.name: p for p in (*extra, *only) if p.name != "device"}


def _plain(name: str, value: Any, hint: object) -> Any:
    """An attribute as kernels want it: a tuple of ints, an int, a dtype, a Python value."""
    text = str(hint)
    if hint is DType or isinstance(value, (DType, np.dtype)) or name == "dtype":
        return as_dtype(value)
    if value is None or isinstance(value, (bool, str)) or callable(value):
        return value
    if isinstance(value, bytes):
        return value.decode()
    if "tuple[tuple" in text:
        return _unpacked(value)
    if "tuple[int" in text or "Sequence[int" in text:
        return static_ints(value, name)
    if name in SCALARS:
        return one_int(value, SCALARS[name])
    if hint is int or text == "int | None":
        sizes = static_ints(value, name)
        if isinstance(sizes, SymbolicValue):  # of unknown rank
            return only_number(sizes)
        if len(sizes) > 1:  # none of them may be lost
            one_int(value, f"{name} must be a scalar, got shape {{shape}}")
        return sizes[0] if sizes else None
    return _unpacked(value)


def _unpacked(value: TensorLike) -> Any:
    if is_symbolic(value):  # a constant of a graph
        value = host_value(value).tolist()
    if is_tensor_like(value) or isinstance(value, (np.ndarray, np.generic)):
        value = np.asarray(value).tolist()
    return tuple(_unpacked(each) for each in value) if isinstance(value, (list, tuple)) else value


def _inputs(op: Op, given: dict[str, Any]) -> tuple[Any, ...]:
    """The tensors of a call in order, lists laid flat; types of one letter agree."""
    known: dict[str, DType] = {}
    for arg in op.tensor_inputs:
        for each in given[arg.name] if arg.is_list else (given[arg.name],):
            if is_tensor_like(each):
                known.setdefault(arg.type, each.dtype)
    flat: list[Any] = []
    for arg in op.tensor_inputs:
        values = given[arg.name] if arg.is_list else (given[arg.name],)
        for each in values:
            flat.append(_input(op, arg, each, known))
            known.setdefault(arg.type, flat[-1].dtype)
    return tuple(flat)


def _input(op: Op, arg: Arg, value: TensorLike, known: dict[str, DType]) -> Any:
    if isinstance(value, CompositeTensor) and takes_composite(op, value):
        return value
    literal = next((each for each in dtypes.ALL if each.name == arg.type), None)
    return to_tensor(value, hint=literal or known.get(arg.type) or _of_nothing(op, arg, value))


def _of_nothing(op: Op, arg: Arg, value: object) -> DType | None:
    """The dtype of an empty list where it cannot be float32: int32."""
    allowed = op.types.get(arg.type, ())
    empty = isinstance(value, (list, tuple)) and not value
    fits = dtypes.int32 in allowed and dtypes.float32 not in allowed
    return dtypes.int32 if empty and fits else None


def call(op: Op, given: dict[str, Any], run_as: Op | None = None) -> Any:
    """The answer of a raw op, from all of its arguments by name; `run_as` is the record that stands
    for it where another version of it has the same kernel.
    """
    check_numbers(run_as.name if run_as else op.name, given)
    inputs = alike(op.name, _inputs(op, given))
    if op.name in _REAL_TRANSFORMS:
        _check_lengths(op.name, inputs[0], given["fft_length"])
    if op.name in BOUNDS:
        names, allowed, start = BOUNDS[op.name]
        check_index_types(op.name, [given[name] for name in names], allowed, start)
    rest = {name: value for name, value in given.items() if name not in _names(op)}
    if op.name in PREPARED:
        hints = _HINTS if op.name in RANDOM else {}
        plain = {n: v if n in TYPED else _plain(n, v, hints.get(n)) for n, v in rest.items()}
        attrs = PREPARED[op.name][1](inputs, plain)
    else:
        attrs = {}
        renamed = RENAMED.get(op.name, {})
        for keyword in _keywords(op).values():
            value = rest[renamed.get(keyword.name, keyword.name)]
            attrs[keyword.name] = _plain(keyword.name, value, keyword.annotation)
    answer = apply(run_as or op, inputs, attrs or None)
    return answer if run_as else _shaped(op, answer)


def _names(op: Op) -> set[str]:
    return {arg.name for arg in op.tensor_inputs}


def _shaped(op: Op, answer: Sequence[Tensor] | Tensor) -> Any:
    """Several outputs as a named tuple, as TensorFlow returns them."""
    if len(op.outputs) < 2 or any(arg.is_list for arg in op.outputs):
        return answer
    return _answers(op)(*answer)


@functools.cache
def _answers(op: Op) -> Any:
    # Names of outputs are the record's, known only now; nothing is lost by the lack of types.
    return namedtuple(op.name, [arg.name for arg in op.outputs])


def python_name(name: str) -> str:
    """The name TensorFlow's errors use: MatMul is mat_mul."""
    words = re.sub(r"(.)([A-Z][a-z]+)", r"\1_\2", name)
    return re.sub(r"([a-z0-9])([A-Z])", r"\1_\2", words).lower()


@functools.cache
def raw_op(name: str) -> Callable[..., Any]:
    """The function `tf.raw_ops.<name>`.

    Raises:
        KeyError: there is no such op.
    """
    op = REGISTRY[name]
    if not has_raw_form(op):
        raise KeyError(name)
    arguments = {**arguments_of(op), "name": None}
    called = python_name(name)

    def raw(*positional: Any, **keywords: Any) -> Any:
        return call(op, keyword_arguments(called, arguments, positional, keywords))

    raw.__name__ = raw.__qualname__ = name
    raw.__doc__ = f"The op {op.name}: {op.signature()}."
    raw.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [
            inspect.Parameter(argument, inspect.Parameter.KEYWORD_ONLY, default=default)
            for argument, default in arguments.items()
        ]
    )
    return raw


def keyword_arguments(
    called: str, arguments: Mapping[str, Any], positional: Sequence[Any],
    keywords: Mapping[str, Any],
) -> dict[str, Any]:  # fmt: skip
    """All arguments of a call by name, `name` left out.

    Args:
        called: what errors call the raw op.
        arguments: its arguments by name with their defaults, or `REQUIRED`.
        positional: what the call gives by position.
        keywords: what it gives by name.

    Raises:
        TypeError: one is given by position, unknown or missing.
    """
    if positional:
        raise TypeError(
            f"{called} only takes keyword args (possible keys: {list(arguments)}). Please pass "
            "these args as kwargs instead."
        )
    for keyword in keywords:
        if keyword not in arguments:
            raise TypeError(f"{called}() got an unexpected keyword argument {keyword!r}")
    missing = [n for n, d in arguments.items() if d is REQUIRED and n not in keywords]
    if missing:
        raise TypeError(_missing_text(called, missing))
    filled = {**arguments, **keywords}
    del filled["name"]
    return filled


def _missing_text(called: str, missing: list[str]) -> str:
    """Python's own text for arguments left out."""
    quoted = [repr(name) for name in missing]
    listed = " and ".join([", ".join(quoted[:-1]), quoted[-1]] if len(quoted) > 1 else quoted)
    plural = "s" if len(missing) > 1 else ""
    return f"{called}() missing {len(missing)} required positional argument{plural}: {listed}"
