"""Functions of pairs of types that are asked about under the type promotion "safe" and "all".

`scripts/record_oracle/type_promotion.py` asks TensorFlow, `test_type_promotion.py` compares. This
module imports nothing of either: it is given `tf`, and what makes a weak tensor of a tensor.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import ml_dtypes
import numpy as np

assert ml_dtypes

MODES = ("safe", "all")
STRONG = ("bool", "uint8", "uint16", "uint32", "uint64", "int8", "int16", "int32", "int64",
          "bfloat16", "float16", "float32", "float64", "complex64", "complex128")  # fmt: skip
WEAK = ("int32*", "int64*", "float32*", "float64*", "complex128*")
KINDS = (*STRONG, *WEAK)
#: What is no tensor, as Python.
OTHERS = ("True", "2", "2.5", "1.5j", "[1, 2]", "[1, 2.5]", "[True, 2]",
          "np.array([1, 2], np.int16)", "np.float64(2.5)", "np.float32(2.5)", "np.int8(2)",
          "(2.5, 1j)", "3000000000", "'a'", "[tf.constant(1, tf.int8), 2.5]")  # fmt: skip

OPERATORS = {
    f"x {sign} y": eval(f"lambda tf, x, y: x {sign} y")
    for sign in (
        "+",
        "-",
        "*",
        "/",
        "//",
        "%",
        "**",
        "&",
        "|",
        "^",
        "<",
        "<=",
        ">",
        ">=",
        "==",
        "!=",
    )
}
_FUNCTIONS = """
add subtract multiply divide truediv pow maximum minimum equal not_equal less greater_equal realdiv
truncatediv truncatemod bitwise.bitwise_and bitwise.left_shift
math.floordiv math.floormod math.mod math.divide_no_nan math.multiply_no_nan math.scalar_mul
math.squared_difference math.xlogy math.atan2 math.add math.subtract math.multiply math.maximum
math.pow math.truediv
compat.v1.div compat.v1.floor_div compat.v1.floordiv compat.v1.mod compat.v1.add
compat.v1.div_no_nan
experimental.numpy.add experimental.numpy.subtract experimental.numpy.multiply
experimental.numpy.divide experimental.numpy.maximum experimental.numpy.power
experimental.numpy.floor_divide experimental.numpy.mod experimental.numpy.equal
experimental.numpy.less experimental.numpy.true_divide experimental.numpy.bitwise_and
experimental.numpy.logical_and experimental.numpy.result_type
experimental.numpy.append experimental.numpy.arctan2 experimental.numpy.bitwise_or
experimental.numpy.dot experimental.numpy.float_power
experimental.numpy.gcd experimental.numpy.greater experimental.numpy.heaviside
experimental.numpy.hypot experimental.numpy.inner experimental.numpy.isclose
experimental.numpy.kron
experimental.numpy.minimum experimental.numpy.nextafter experimental.numpy.outer
experimental.numpy.polyval experimental.numpy.remainder experimental.numpy.vdot
"""
FUNCTIONS = {
    name: eval(f"lambda tf, x, y: tf.{name}(x, y)") for name in _FUNCTIONS.split()
} | {
    name: eval(f"lambda tf, x, y: tf.{name}([x], [[v] for v in y] if isinstance(y, list) else "
               "tf.reshape(y, [-1, 1]))")
    for name in ("matmul", "linalg.matmul", "experimental.numpy.matmul")
} | {
    "x @ y": lambda tf, x, y: tf.reshape(x, [1, -1]) @ tf.reshape(y, [-1, 1]),
    "clip": lambda tf, x, y: tf.clip_by_value(x, y, y),
    "where": lambda tf, x, y: tf.where([True, False], x, y),
    "concat": lambda tf, x, y: tf.concat([x, y], 0),
    "constant": lambda tf, x, y: tf.constant(x, y.dtype),
    "convert_to_tensor": lambda tf, x, y: tf.convert_to_tensor(x, y.dtype),
    "cast": lambda tf, x, y: tf.cast(x, y.dtype),
    "variable": lambda tf, x, y: tf.Variable(x, dtype=y.dtype),
}  # fmt: skip
#: Of a variable of x.
METHODS = {
    name: eval(f"lambda tf, x, y: {text}")
    for name, text in {
        "assign": "x.assign(y).value()", "assign_add": "x.assign_add(y).value()",
        "assign_sub": "x.assign_sub(y).value()", "variable + y": "x + y", "y * variable": "y * x",
        "variable == y": "x == y", "tf.add of a variable": "tf.add(x, y)",
        "x < variable": "y < x",
    }.items()
}  # fmt: skip

_ARGUMENTS = {
    "clip_by_value": "0, 2", "reshape": "[2, 1]", "expand_dims": "0",
    "debugging.check_numerics": "''",
    "experimental.numpy.reshape": "(2, 1)", "experimental.numpy.expand_dims": "0",
    "experimental.numpy.full_like": "1", "experimental.numpy.repeat": "2",
    "experimental.numpy.moveaxis": "0, 0", "experimental.numpy.swapaxes": "0, 0",
    "image.adjust_gamma": "2.0", "image.adjust_brightness": "0.5",
}  # fmt: skip
_UNARY = """
math.abs math.softplus math.sign math.real math.imag math.angle math.round math.sigmoid
math.log_sigmoid math.conj math.reciprocal_no_nan math.erfinv math.ndtri math.erfcinv math.ceil
math.sqrt math.exp math.rsqrt math.acos math.floor bitwise.invert math.acosh math.asin math.asinh
math.atan math.atanh math.cos math.cosh math.digamma math.erf math.erfc math.expm1 math.lgamma
math.log math.log1p math.negative math.reciprocal math.rint math.sin math.sinh math.square
math.tan math.tanh zeros_like ones_like debugging.check_numerics nn.relu6 nn.leaky_relu nn.gelu
nn.log_softmax nn.silu nn.elu nn.relu nn.selu nn.softsign clip_by_value math.special.dawsn
math.special.expint math.special.fresnel_cos math.special.spence math.bessel_i0
math.special.bessel_k1 math.special.bessel_j0 math.reduce_euclidean_norm reduce_logsumexp
reduce_max reduce_mean reduce_min reduce_prod math.reduce_std reduce_sum math.reduce_variance
reshape expand_dims identity linalg.diag squeeze stop_gradient transpose compat.v1.zeros_like
compat.v1.ones_like compat.v1.reduce_sum compat.v1.reduce_mean compat.v1.expand_dims
compat.v1.squeeze compat.v1.transpose convert_to_tensor math.cumsum nn.softmax nn.sigmoid nn.tanh
math.is_nan math.logical_not linalg.norm nn.l2_normalize nn.l2_loss sigmoid tanh square sqrt exp
sin negative sign experimental.numpy.abs experimental.numpy.angle experimental.numpy.arccos
experimental.numpy.arctan experimental.numpy.bitwise_not experimental.numpy.cbrt
experimental.numpy.ceil experimental.numpy.conj experimental.numpy.cos experimental.numpy.deg2rad
experimental.numpy.exp experimental.numpy.exp2 experimental.numpy.expm1 experimental.numpy.fabs
experimental.numpy.fix experimental.numpy.floor experimental.numpy.log experimental.numpy.negative
experimental.numpy.rad2deg experimental.numpy.reciprocal experimental.numpy.sin
experimental.numpy.sqrt experimental.numpy.tanh experimental.numpy.nanmean experimental.numpy.log2
experimental.numpy.log10 experimental.numpy.log1p experimental.numpy.positive
experimental.numpy.sinc experimental.numpy.square experimental.numpy.diff experimental.numpy.sort
experimental.numpy.average experimental.numpy.amax experimental.numpy.amin
experimental.numpy.around experimental.numpy.array experimental.numpy.asarray
experimental.numpy.asanyarray experimental.numpy.ascontiguousarray experimental.numpy.copy
experimental.numpy.cumprod experimental.numpy.cumsum experimental.numpy.diag
experimental.numpy.diagflat experimental.numpy.empty_like experimental.numpy.expand_dims
experimental.numpy.flip experimental.numpy.full_like experimental.numpy.imag
experimental.numpy.max experimental.numpy.mean experimental.numpy.min experimental.numpy.moveaxis
experimental.numpy.ones_like experimental.numpy.prod experimental.numpy.ravel
experimental.numpy.real experimental.numpy.reshape experimental.numpy.repeat
experimental.numpy.round experimental.numpy.squeeze experimental.numpy.std experimental.numpy.sum
experimental.numpy.swapaxes experimental.numpy.transpose experimental.numpy.vander
experimental.numpy.var experimental.numpy.zeros_like experimental.numpy.argmax
experimental.numpy.argsort experimental.numpy.nansum experimental.numpy.arcsinh
experimental.numpy.result_type experimental.numpy.isnan experimental.numpy.sign
experimental.numpy.signbit experimental.numpy.all experimental.numpy.count_nonzero
experimental.numpy.ptp experimental.numpy.atleast_2d experimental.numpy.absolute
experimental.numpy.arccosh experimental.numpy.arcsin experimental.numpy.arctanh
experimental.numpy.atleast_1d experimental.numpy.conjugate experimental.numpy.cosh
experimental.numpy.nansum experimental.numpy.diagonal experimental.numpy.flatten
experimental.numpy.fliplr experimental.numpy.flipud experimental.numpy.floor
experimental.numpy.isfinite experimental.numpy.isreal experimental.numpy.logical_not
experimental.numpy.nanprod experimental.numpy.rot90 experimental.numpy.sinh
experimental.numpy.size experimental.numpy.tan experimental.numpy.tril experimental.numpy.triu
experimental.numpy.vstack
"""
_EXPRESSIONS = (
    "abs(x)", "round(x)", "tf.constant(x)", "tf.Variable(x).value()", "tf.cast(x, tf.float32)",
    "tf.stack([x, x])", "x.mean()", "x.astype(tf.float16)", "-x", "x.T",
    "tf.constant([1, 2])[0] + x", "x[0]", "x.reshape(2, 1)", "tf.range(tf.reshape(x, [-1])[0])",
    "tf.fill([2], tf.reshape(x, [-1])[0])", "tf.add_n([x, x])", "[each for each in x][0]", "+x",
    "tf.math.segment_sum(x, [0, 0])", "tf.unique(x)[0]", "tf.reverse(x, [0])", "tf.roll(x, 1, 0)",
    "tf.tile(x, [2])", "tf.gather(x, 0)", "tf.boolean_mask(x, [True, False])", "tf.one_hot(x, 3)",
    "tf.experimental.numpy.concatenate([x, x])", "tf.experimental.numpy.average(x, weights=[1, 2])",
    "tf.experimental.numpy.clip(x, 1, 2)", "tf.experimental.numpy.where([True, False], x, 2)",
    "tf.experimental.numpy.stack([x, [1, 2]])", "tf.experimental.numpy.concatenate([x, [1.5]])",
    "tf.experimental.numpy.take(x, 0)", "tf.experimental.numpy.linspace(1, 2, 3) * x[0]",
    "tf.experimental.numpy.einsum('i,i->', x, [1, 2])", "tf.experimental.numpy.trace([x, x])",
    "tf.experimental.numpy.full(2, x[0])", "tf.experimental.numpy.tile(x, 2)",
    "tf.experimental.numpy.var(x, ddof=1)", "tf.experimental.numpy.ix_(x)[0]",
    "tf.experimental.numpy.arange(tf.reshape(x, [-1])[0])", "tf.experimental.numpy.stack([x, x])",
)  # fmt: skip
UNARY = {
    name: eval(f"lambda tf, x: tf.{name}(x, {_ARGUMENTS.get(name, '')})") for name in _UNARY.split()
} | {text: eval(f"lambda tf, x: {text}") for text in _EXPRESSIONS}

Weaken = Callable[[Any], Any]


def value(tf: Any, weaken: Weaken, kind: str, numbers: list[int]) -> Any:
    """A tensor of a kind, such as "int8" or, weak, "int32*", or an expression's value."""
    if kind in STRONG:
        return tf.cast(tf.convert_to_tensor(np.array(numbers, np.int32)), kind)
    if kind in WEAK:
        return weaken(value(tf, weaken, kind[:-1], numbers))
    return eval(kind, {"tf": tf, "np": np})


def told(call: Callable[[], Any], is_weak: Callable[[Any], bool]) -> Any:
    """What a call answers: [type, "*" if it is weak, numbers], or its error's class and text."""
    try:
        answer = call()
        if isinstance(answer, np.ndarray):  # as TensorFlow's are in places
            return [answer.dtype.name, repr(answer.tolist())]
        if not hasattr(answer, "numpy"):
            return ["plain", str(getattr(answer, "name", answer))]
        array = np.asarray(answer.numpy())
        mark = "*" if is_weak(answer) else ""
        return [str(answer.dtype.name) + mark, repr(array.astype(_wide(array)).tolist())]
    except Exception as error:
        return [
            "error",
            type(error).__name__,
            str(error)[:330] if "promotion" in str(error) else "",
        ]


def _wide(array: Any) -> Any:
    return np.float64 if array.dtype.name in ("bfloat16", "float16") else array.dtype


def questions(tf: Any, weaken: Weaken) -> Iterator[tuple[str, str, Callable[[], Any]]]:
    """(function, kinds, call) of each question."""

    def of(kind: str, numbers: list[int]) -> Any:
        return value(tf, weaken, kind, numbers)

    for name, function in (OPERATORS | FUNCTIONS).items():
        for a in KINDS:
            for b in KINDS:
                yield (
                    name,
                    f"{a}, {b}",
                    lambda f=function, a=a, b=b: f(tf, of(a, [1, 2]), of(b, [2, 1])),
                )
    for name in ("x + y", "x - y", "x * y", "x / y", "x ** y", "x < y", "x == y", "add", "subtract",
                 "truediv", "maximum", "equal", "math.floordiv", "experimental.numpy.add",
                 "experimental.numpy.result_type", "experimental.numpy.append",
                 "experimental.numpy.divide", "experimental.numpy.hypot",
                 "experimental.numpy.minimum",
                 "experimental.numpy.kron", "clip"):  # fmt: skip
        function = (OPERATORS | FUNCTIONS)[name]
        for a in KINDS:
            for b in OTHERS:
                yield (
                    name,
                    f"{a}, {b}",
                    lambda f=function, a=a, b=b: f(tf, of(a, [1, 2]), of(b, [])),
                )
                yield (
                    name,
                    f"{b}, {a}",
                    lambda f=function, a=a, b=b: f(tf, of(b, []), of(a, [1, 2])),
                )
    for name, function in METHODS.items():
        for a in STRONG:
            for b in (*KINDS, *OTHERS):
                yield (
                    name,
                    f"{a}, {b}",
                    lambda f=function, a=a, b=b: f(tf, tf.Variable(of(a, [1, 2])), of(b, [2, 1])),
                )
    for name, function in UNARY.items():
        for a in (*KINDS, *OTHERS):
            yield name, a, lambda f=function, a=a: f(tf, of(a, [1, 2]))


def answers(tf: Any, weaken: Weaken, is_weak: Callable[[Any], bool]) -> dict[str, dict[str, Any]]:
    """All answers, by the function and the kinds of its arguments."""
    found: dict[str, dict[str, Any]] = {}
    for name, kinds, call in questions(tf, weaken):
        found.setdefault(name, {})[kinds] = told(call, is_weak)
    return found
