"""The public functions that promote types: which they are, and what each becomes.

A function of one value takes it as a tensor of its kind, and answers with a weak tensor where that
is weak; one of two values takes both as tensors of their common kind.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

from ...base import dtypes
from ...base.typing import TensorLike
from ...core.tensor import Tensor
from ...ops.convert import to_tensor
from ...ops.numpy.types import type_by_numpy
from .values import NotPromotedError, as_kind, common_dtype, of_kind, result_kind
from .weak_tensor import WeakTensor, strong

Function = Callable[..., Any]

UNARY = """
abs acos acosh asin asinh atan atanh cos cosh debugging.check_numerics exp
expand_dims floor identity image.adjust_brightness image.adjust_gamma image.extract_patches
image.random_brightness image.stateless_random_brightness linalg.diag linalg.diag_part
linalg.matrix_transpose linalg.tensor_diag_part linalg.trace
math.abs math.acos math.acosh math.angle math.asin math.asinh math.atan math.atanh math.bessel_i0
math.bessel_i0e math.bessel_i1 math.bessel_i1e math.ceil math.conj math.cos math.cosh math.digamma
math.erf math.erfc math.erfinv math.exp math.expm1 math.floor math.imag math.lgamma
math.log math.log1p math.log_sigmoid math.log_softmax math.ndtri math.negative math.real
math.reciprocal math.reciprocal_no_nan math.reduce_euclidean_norm math.reduce_max math.reduce_mean
math.reduce_min math.reduce_prod math.reduce_std math.reduce_sum math.reduce_variance math.rint
math.round math.rsqrt math.sigmoid math.sign math.sin math.sinh math.softplus
math.special.bessel_i0 math.special.bessel_i0e math.special.bessel_i1 math.special.bessel_i1e
math.special.bessel_j0 math.special.bessel_j1 math.special.bessel_k0 math.special.bessel_k0e
math.special.bessel_k1 math.special.bessel_k1e math.special.bessel_y0 math.special.bessel_y1
math.special.dawsn math.special.expint math.special.fresnel_cos math.special.fresnel_sin
math.special.spence math.sqrt math.square math.tan math.tanh negative nn.depth_to_space
nn.leaky_relu nn.log_softmax nn.relu6 nn.sigmoid nn.silu nn.softplus
nn.space_to_depth nn.swish nn.tanh ones_like reduce_max reduce_mean reduce_min reduce_prod
reduce_sum reshape round sigmoid sign sin sinh sqrt square squeeze stop_gradient tan tanh transpose
zeros_like
"""
UNARY_OF_TF2 = "math.reduce_logsumexp nn.gelu reduce_logsumexp"
UNARY_OF_TF1 = """
angle ceil check_numerics conj depth_to_space diag_part digamma erf erfc expm1
extract_image_patches imag image.extract_image_patches lgamma linalg.transpose log log1p
log_sigmoid manip.reshape matrix_diag matrix_diag_part matrix_transpose real reciprocal rint rsqrt
space_to_depth trace
"""
UNARY_OF_NUMPY = """
abs absolute amax amin angle arange arccos arcsin arcsinh arctan arctanh around array asanyarray
asarray ascontiguousarray average bitwise_not cbrt ceil conj conjugate copy cos cosh cumprod cumsum
deg2rad diag diagflat diagonal diff empty_like exp exp2 expand_dims expm1 fabs fix flatten flip
fliplr flipud floor full_like imag log log10 log1p log2 max mean min moveaxis nanmean negative
ones_like positive prod rad2deg ravel real reciprocal repeat reshape rot90 round sin sinc sinh sort
sqrt square squeeze std sum swapaxes tan tanh trace transpose triu vander var zeros_like
"""
#: By NumPy's rules, in which a weak tensor is as strong as any.
BINARY_OF_NUMPY = """
add allclose arctan2 bitwise_and bitwise_or bitwise_xor cross divide divmod dot float_power
floor_divide gcd heaviside inner isclose lcm logaddexp2 maximum minimum mod multiply nextafter outer
polyval power remainder subtract tensordot true_divide
"""
#: Composed of functions that promote: they hand weakness on, too.
COMPOSED_OF_NUMPY = "ptp sign"
PARTS_OF_NUMPY = "atleast_1d atleast_2d atleast_3d ix_"
BINARY = """
add divide linalg.matmul math.add math.divide math.divide_no_nan math.floormod math.mod
math.multiply math.multiply_no_nan matmul multiply realdiv truncatediv truncatemod
subtract math.subtract pow math.pow truediv math.truediv math.floordiv
"""
BINARY_OF_TF1 = "div_no_nan floor_div floormod mod floordiv"
#: What they answer is never weak.
COMPARING = "maximum minimum math.maximum math.minimum equal math.equal"


def unary(function: Function, parameter: str = "") -> Function:
    """A function of one value, the first or the one of a name, that hands weakness on."""
    signature = inspect.signature(function)
    first = parameter or next(iter(signature.parameters))

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        bound = signature.bind(*args, **kwargs)
        x = bound.arguments.get(first)
        if isinstance(x, Tensor) or bound.arguments.get("dtype") is not None:
            return function(*args, **kwargs)
        try:
            dtype, is_weak = result_kind(x)
        except NotPromotedError:
            return function(*args, **kwargs)
        bound.arguments[first] = as_kind(x, dtype)
        return of_kind(function(*bound.args, **bound.kwargs), is_weak)

    return call


def wide(function: Function) -> Function:
    """`tf.math.erfcinv`, which is computed in float64 of a float64 of its own."""
    own = unary(function)

    @functools.wraps(function)
    def call(x: Any, name: str | None = None) -> Any:
        try:
            dtype, is_weak = result_kind(x)
        except NotPromotedError:
            return function(x, name)
        if dtype is not dtypes.float32 and not dtype.is_integer:
            return own(x, name)
        result_kind(0.5, dtype)  # it multiplies by one half
        return of_kind(function(as_kind(x, dtypes.float64), name), is_weak)

    return call


def binary(function: Function, is_comparing: bool = False) -> Function:
    """A function of two values that promotes them."""
    signature = inspect.signature(function)
    first, second, *_ = signature.parameters

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        bound = signature.bind(*args, **kwargs)
        x, y = bound.arguments.get(first), bound.arguments.get(second)
        try:
            dtype, is_weak = result_kind(x, y)
        except NotPromotedError:
            return function(*args, **kwargs)
        bound.arguments[first], bound.arguments[second] = as_kind(x, dtype), as_kind(y, dtype)
        return of_kind(function(*bound.args, **bound.kwargs), is_weak and not is_comparing)

    return call


def of_sequences(function: Function) -> Function:
    """A function of `tf.experimental.numpy` of two values, which promotes by NumPy's rules, but
    where one is a sequence.
    """

    @functools.wraps(function)
    def call(x1: TensorLike, x2: TensorLike, *args: object, **kwargs: object) -> Any:
        if isinstance(x1, (list, tuple)) or isinstance(x2, (list, tuple)):
            dtype = common_dtype(x1, x2)
        else:
            for each in (x1, x2):
                result_kind(each)  # refuses what int32 cannot hold
            dtype = type_by_numpy(strong(x1), strong(x2))
        return function(as_kind(x1, dtype), as_kind(x2, dtype), *args, **kwargs)

    return call


def apart(function: Function) -> Function:
    """A function of two values, each of which becomes an array of its own before they meet."""
    own = binary(function)

    @functools.wraps(function)
    def call(x1: TensorLike, x2: TensorLike) -> Any:
        for each in (x1, x2):
            result_kind(each)  # refuses a sequence that has no type
        return own(x1, x2)

    return call


def of_logarithms(function: Function) -> Function:
    """`tf.experimental.numpy.logaddexp`, which computes in float64 where integers are weak."""
    own = of_sequences(function)

    @functools.wraps(function)
    def call(x1: TensorLike, x2: TensorLike) -> Any:
        kinds = [result_kind(each) for each in (x1, x2)]
        weak = [is_weak or dtype is dtypes.bool_ for dtype, is_weak in kinds]
        is_float = any(dtype.is_floating or dtype.is_complex for dtype, _ in kinds)
        if all(weak) and any(is_weak for _, is_weak in kinds) and not is_float:
            x1, x2 = as_kind(x1, dtypes.float64), as_kind(x2, dtypes.float64)
        return own(x1, x2)

    return call


def in_parts(function: Function) -> Function:
    """A function of any number of arrays, each of whose results is as weak as its array."""

    @functools.wraps(function)
    def call(*arrays: TensorLike) -> Any:
        made = function(*arrays)
        if isinstance(made, (list, tuple)):
            parts = zip(made, arrays, strict=True)
            return type(made)(of_kind(each, result_kind(of)[1]) for each, of in parts)
        return of_kind(made, result_kind(*arrays)[1])

    return call


def of_held(function: Function) -> Function:
    """A function that is given the tensor which a weak one holds."""

    @functools.wraps(function)
    def call(value: TensorLike, *args: object, **kwargs: object) -> Any:
        return function(strong(value), *args, **kwargs)

    return call


def stacking(function: Function) -> Function:
    """`tf.stack`, in which NumPy's arrays keep their types."""

    @functools.wraps(function)
    def call(values: Any, *args: Any, **kwargs: Any) -> Any:
        if isinstance(values, (list, tuple)):
            values = [to_tensor(x) if hasattr(x, "__array_interface__") else x for x in values]
        return function(values, *args, **kwargs)

    return call


def constant(function: Function) -> Function:
    """`tf.constant`, whose numbers are weak where nobody gives them a type."""
    signature = inspect.signature(function)

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        bound = signature.bind(*args, **kwargs)
        value, wanted = bound.arguments["value"], bound.arguments.get("dtype")
        try:
            dtype, is_weak = result_kind(value, wanted)
        except NotPromotedError:
            return function(*args, **kwargs)
        bound.arguments["value"] = strong(value)
        if wanted is None:
            bound.arguments["dtype"] = dtype
        elif dtype == wanted and isinstance(value, (Tensor, WeakTensor)):
            bound.arguments["value"] = as_kind(value, dtype)
        return of_kind(function(*bound.args, **bound.kwargs), is_weak and wanted is None)

    return call


def assigning(method: Function) -> Function:
    """A method that changes a variable, whose dtype what is given must be able to take."""
    name = method.__name__

    @functools.wraps(method)
    def call(self: Any, value: Any, *args: Any, **kwargs: Any) -> Any:
        try:
            dtype, _ = result_kind(self, value)
        except NotPromotedError:
            return method(self, value, *args, **kwargs)
        if dtype is not self.dtype:
            raise TypeError(
                f"Variable dtype is immutable. Calling {name} of Variable (with dtype "
                f"{self.dtype}) on {value} requires converting {value} to {self.dtype}. This "
                "is disabled in the current promotion semantics. Please convert "
                f"{value} manually before calling {name}."
            )
        return method(self, as_kind(value, dtype), *args, **kwargs)

    return call


def clipping(function: Function) -> Function:
    """`tf.clip_by_value`, whose bounds promote the value one after the other."""
    signature = inspect.signature(function)

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        bound = signature.bind(*args, **kwargs)
        t, low, high = list(bound.arguments.values())[:3]
        try:
            dtype, is_weak = (t.dtype, False) if isinstance(t, Tensor) else result_kind(t)
            t = as_kind(t, dtype)
            for each in (high, low):
                t = as_kind(t, result_kind(t, each)[0])
            low, high = as_kind(low, t.dtype), as_kind(high, t.dtype)
        except NotPromotedError:
            return function(*args, **kwargs)
        return of_kind(function(t, low, high, *bound.args[3:]), is_weak)

    return call
