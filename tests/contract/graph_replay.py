"""Replays recorded cases inside of traced functions, with more or less known of the arguments.

"plain": the arrays of the expression are constants of the graph. "known": they are arguments of
the function, with full shapes. "unknown": arguments of which only rank and dtype are known.
"unranked": nothing but the dtype is. "batch": all sizes but the first. "mixed": one argument's
shape is known, the next one's is not; "mixed, others first": the other way round.
"""

from __future__ import annotations

import re
from typing import Any

from op_cases.encode import encode, encode_error
from op_cases.values import Makers, gradients, run, tensors_with

import emplace.tensorflow as tf

MODES = ("plain", "known", "unknown")
# Ways in which not everything is known.
WAYS = ("unknown", "unranked", "batch", "mixed", "mixed, others first")

# Values or state in Python, which a graph has not.
_NEEDS_EAGER = re.compile(
    r"\.numpy\(|Variable|Generator|TensorArray|\bstr\(|\brepr\(|\blen\(|\bint\(|\bfloat\(|\bnp\."
    r"|GradientTape|\bfor\b|\blist\(|\bgrad\(|to_list|random|raises|dataset|lookup|v1\.train"
)
# Arrays in the place of which no tensor of a graph may stand.
_NEEDS_ARRAY = re.compile(r"(constant|make_tensor_proto|ragged\.constant)\(\[*[a-z]+\d*\(|\)\.\w")
_MAKERS = ("f16", "bf16", "f32", "f64", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64",
           "c64", "c128", "b")  # fmt: skip


# What Emplace's raw ops do in eager mode alone.
_EAGER_ALONE = re.compile(
    r"shared_name=|raw_ops\.(Switch|Merge|Enter|Exit|NextIteration|LoopCond|ControlTrigger|Assign)\("
)
# What TensorFlow says in eager mode alone.
_OF_EAGER = re.compile("does not support eager execution|is not available in GraphDef")


def is_in_scope(expression: str, expected: Any, mode: str) -> bool:
    """Whether a graph can be asked for what the case asks for, in this mode."""
    if _NEEDS_EAGER.search(expression) or not _has_only_tensors(expected):
        return False
    if _OF_EAGER.search(expected.get("text", "")) or _EAGER_ALONE.search(expression):
        return False
    if mode == "plain":
        return True
    makes = re.search(rf"\b({'|'.join(_MAKERS)})\(", expression)
    return makes is not None and not _NEEDS_ARRAY.search(expression)


def _has_only_tensors(encoded: Any) -> bool:
    if not isinstance(encoded, dict):
        return False
    if "dims" in encoded or "dtype" in encoded or "bytes" in encoded or "dict" in encoded:
        return False
    return all(_has_only_tensors(each) for each in encoded.get("list", ()))


def answer(expression: str, mode: str) -> Any:
    """What a traced function answers for an expression, encoded as the recording is."""
    try:
        return encode(_traced(expression, mode))
    except Exception as error:
        return encode_error(error)


def answer_of_tensors(expression: str) -> Any:
    """What eager mode answers where tensors stand in the place of the arrays.

    Recordings are of NumPy arrays, which TensorFlow casts to the dtype of the first argument.
    """
    arrays: list[Any] = []
    _evaluate(expression, None, arrays)
    try:
        made = _evaluate(expression, iter([tf.constant(x) for x in arrays]))
        return encode(tf.nest.map_structure(_returned, made))
    except Exception as error:
        return encode_error(error)


def _returned(value: Any) -> Any:
    """A value as a function returns it: numbers are tensors."""
    return tf.constant(value) if type(value) in (int, float) else value


def _traced(expression: str, mode: str) -> Any:
    if mode == "plain":
        return tf.function(lambda: _evaluate(expression, None), autograph=False)()
    function, arrays = traced_with_arrays(expression, mode)
    return function([tf.constant(x) for x in arrays])


def traced_with_arrays(expression: str, mode: str = "known") -> tuple[Any, list[Any]]:
    """An expression as a function of the list of its arrays, and those."""
    arrays: list[Any] = []
    _evaluate(expression, None, arrays)
    specs = [_spec(x, mode, i) for i, x in enumerate(arrays)]
    function = tf.function(
        lambda given: _evaluate(expression, iter(given)), input_signature=[specs], autograph=False
    )
    return function, arrays


def _spec(array: Any, mode: str, number: int) -> Any:
    return tf.TensorSpec(_known(array.shape, mode, number), array.dtype)


def _known(dims: tuple[int, ...], mode: str, number: int) -> Any:
    """What a function is told of the shape of its argument of this number."""
    if mode == "unranked":
        return None
    if mode == "batch":
        return (None, *dims[1:])[: len(dims)]
    is_told = {"known": True, "mixed": number % 2 == 0, "mixed, others first": number % 2 == 1}
    return dims if is_told.get(mode, False) else [None] * len(dims)


def _evaluate(expression: str, given: Any, made: list[Any] | None = None) -> Any:
    """The value of an expression; its arrays are taken from `given`, or kept in `made`."""
    names = {
        "tf": tf,
        "gradient": gradients(tf),
        "run": run,
        "T": tensors_with(tf),
        **Makers(expression).names(),
    }
    for name in _MAKERS:
        names[name] = _maker(names[name], given, made)
    try:
        return eval(expression, names)
    except Exception:
        if made is None:
            raise
        return None  # only its arrays were wanted


def _maker(make: Any, given: Any, made: list[Any] | None) -> Any:
    def maker(*shape: int, **limits: Any) -> Any:
        if given is not None:
            return next(given)
        array = make(*shape, **limits)
        if made is not None:
            made.append(array)
        return array

    return maker
