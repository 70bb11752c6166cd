"""Dispatch on types for all functions of a kind at once: those that compute each element of a
tensor, or of two, by itself, and assertions about two tensors.
"""

from __future__ import annotations

import functools
import importlib
from collections.abc import Callable
from typing import Any

from ..base.missing import Missing
from ..graph.recording.scopes import name_scope
from .type_dispatch import (
    HANDLERS,
    REGISTERED,
    Dispatcher,
    checker_of,
    dispatcher_of,
    without_name,
)

# Imported by name: the facade stands below this module. One name per function is enough.
_FACADE = "emplace.tensorflow"

_UNARY = """
abs acos acosh asin asinh atan atanh cast clip_by_value cos cosh exp floor ones_like round
saturate_cast sigmoid sign sin sinh sqrt square tan tanh zeros_like as_string
compat.v1.ones_like compat.v1.zeros_like compat.v1.to_float compat.v1.to_double compat.v1.to_int32
compat.v1.to_int64 compat.v1.to_bfloat16 compat.v1.to_complex64 compat.v1.to_complex128
compat.v1.substr compat.v1.strings.length compat.v1.strings.substr compat.v1.string_to_hash_bucket
bitwise.invert debugging.check_numerics
image.adjust_brightness image.adjust_gamma image.convert_image_dtype image.random_brightness
image.stateless_random_brightness
io.decode_base64 io.decode_compressed io.encode_base64
math.angle math.bessel_i0 math.bessel_i0e math.bessel_i1 math.bessel_i1e math.ceil math.conj
math.digamma math.erf math.erfc math.erfcinv math.erfinv math.expm1 math.imag math.is_finite
math.is_inf math.is_nan math.lgamma math.log math.log1p math.log_sigmoid math.logical_not
math.ndtri math.negative math.nextafter math.real math.reciprocal math.reciprocal_no_nan
math.rint math.rsqrt math.softplus
math.special.bessel_j0 math.special.bessel_j1 math.special.bessel_k0 math.special.bessel_k0e
math.special.bessel_k1 math.special.bessel_k1e math.special.bessel_y0 math.special.bessel_y1
math.special.dawsn math.special.expint math.special.fresnel_cos math.special.fresnel_sin
math.special.spence
nn.elu nn.gelu nn.leaky_relu nn.log_softmax nn.relu nn.relu6 nn.selu nn.silu nn.softsign
strings.length strings.lower strings.regex_full_match strings.regex_replace strings.strip
strings.substr strings.to_hash_bucket strings.to_hash_bucket_fast strings.to_hash_bucket_strong
strings.to_number strings.unicode_script strings.unicode_transcode strings.upper
"""

_BINARY = """
add multiply subtract pow divide equal not_equal greater greater_equal less less_equal maximum
minimum truncatediv truncatemod realdiv complex
bitwise.bitwise_and bitwise.bitwise_or bitwise.bitwise_xor bitwise.left_shift bitwise.right_shift
compat.v1.div compat.v1.floor_div compat.v1.scalar_mul
math.atan2 math.divide_no_nan math.floordiv math.floormod math.logical_and math.logical_or
math.logical_xor math.multiply_no_nan math.scalar_mul math.squared_difference math.truediv
math.xdivy math.xlog1py math.xlogy math.zeta
nn.sigmoid_cross_entropy_with_logits
"""

_ASSERTIONS = " ".join(
    f"{where}debugging.assert_{what}"
    for where in ("", "compat.v1.")
    for what in ["equal", "none_equal", "near", "less", "less_equal", "greater", "greater_equal"]
)


def _functions(names: str) -> list[Callable[..., Any]]:
    """The public functions of some names, those that are here."""
    found: list[Any] = []
    facade = importlib.import_module(_FACADE)
    for name in names.split():
        try:
            value: Any = functools.reduce(getattr, name.split("."), facade)
        except AttributeError:
            continue
        if value not in found and not isinstance(value, Missing):
            found.append(value)
    return found


def _dispatch_elements(what: str, names: str, kinds: tuple[Any, ...]) -> Callable[..., Any]:
    """A decorator of what handles all functions of a kind, whose first arguments have types."""

    def decorate(handler: Callable[..., Any]) -> Callable[..., Any]:
        if (what, *kinds) in HANDLERS:
            shown = kinds[0] if len(kinds) == 1 else f"({', '.join(map(str, kinds))})"
            raise ValueError(
                f"A {what} dispatch handler ({HANDLERS[what, *kinds]}) has already been "
                f"registered for {shown}."
            )
        HANDLERS[(what, *kinds)] = handler
        for api in _functions(names):
            found = dispatcher_of(api)
            checker = checker_of(found.signature, dict(enumerate(kinds)))
            found.targets.append((checker, _handled(handler, found, len(kinds))))
            REGISTERED.setdefault(handler, []).append(found)
        return handler

    return decorate


def _handled(handler: Callable[..., Any], found: Dispatcher, count: int) -> Callable[..., Any]:
    """What stands in for one function: the handler, which gets that function of what it changes."""
    names = list(found.signature.parameters)

    @functools.wraps(found.api)
    def call(*args: Any, **kwargs: Any) -> Any:
        name = None
        if "name" in names:
            args, kwargs, name = without_name(args, kwargs, names.index("name"))
        values = [*args[:count], *(kwargs.pop(each) for each in names[len(args[:count]) : count])]
        rest = args[count:]
        plain = found.wrapper()

        def api(*changed: Any) -> Any:
            return plain(*changed, *rest, **kwargs)

        if name is None:
            return handler(api, *values)
        with name_scope(name):
            return handler(api, *values)

    call.handler = handler  # type: ignore[attr-defined]
    return call


def dispatch_for_unary_elementwise_apis(x_type: object) -> Any:
    """Lets a function handle all functions of one tensor's elements for a type
    (`tf.experimental.dispatch_for_unary_elementwise_apis`).

    Args:
        x_type: the type of their first argument: a class, or a Union of classes.

    Returns:
        A decorator of the handler, which gets the function, as one of a single argument, and the
        argument.

    Raises:
        ValueError: there is a handler for the type.

    >>> import emplace.tensorflow as tf
    >>> class Celsius(tf.experimental.ExtensionType):
    ...     degrees: tf.Tensor
    >>> @dispatch_for_unary_elementwise_apis(Celsius)
    ... def of_degrees(function, x):
    ...     return Celsius(function(x.degrees))
    >>> float(tf.abs(Celsius(-3.0)).degrees)
    3.0
    """
    return _dispatch_elements("unary elementwise", _UNARY, (x_type,))


def dispatch_for_binary_elementwise_apis(x_type: object, y_type: object) -> Any:
    """Lets a function handle all functions of two tensors' elements for two types
    (`tf.experimental.dispatch_for_binary_elementwise_apis`).

    Args:
        x_type: the type of their first argument.
        y_type: the type of the second one.

    Returns:
        A decorator of the handler, which gets the function and the two arguments.

    Raises:
        ValueError: there is a handler for the types.
    """
    return _dispatch_elements("binary elementwise", _BINARY, (x_type, y_type))


def dispatch_for_binary_elementwise_assert_apis(x_type: object, y_type: object) -> Any:
    """Lets a function handle `tf.debugging.assert_equal` and its like for two types
    (`tf.experimental.dispatch_for_binary_elementwise_assert_apis`).

    Args:
        x_type: the type of their first argument.
        y_type: the type of the second one.

    Returns:
        A decorator of the handler, which gets the assertion and the two arguments.

    Raises:
        ValueError: there is a handler for the types.
    """
    return _dispatch_elements("binary elementwise assert", _ASSERTIONS, (x_type, y_type))
