"""What the tests of TensorFlow's NumPy, and of loops that run as one, share and nobody exports."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

import emplace.tensorflow as tf

from ..holes import NotPublic

_numpy: Any = tf.experimental.numpy


def _is_number(x: Any) -> bool:
    return isinstance(x, (bool, int, float, complex, np.ndarray, np.generic))


def _as_tensors(args: Any) -> Any:
    return tf.nest.map_structure(lambda x: _numpy.asarray(x) if _is_number(x) else x, args)


def _key_of(x: Any) -> Any:
    """What stands for a static argument among the keys of a dictionary."""
    if hasattr(x, "ref"):
        return x.ref()
    return repr(x) if isinstance(x, (list, dict, np.ndarray)) else x


def _traced(
    f: Callable[..., Any], static_places: int | Sequence[int], options: Mapping[str, Any]
) -> Callable[..., tuple[Any, list[Any]]]:
    """A function that tells, for arguments of f, of the `tf.function` of those that are tensors,
    and these.
    """
    places = (static_places,) if isinstance(static_places, int) else tuple(static_places)

    functions: dict[Any, Any] = {}

    def function_of(by_place: Mapping[int, Any], count: int) -> Any:
        def run(*tensors: Any) -> Any:
            rest = iter(tensors)
            return f(*[by_place[i] if i in by_place else next(rest) for i in range(count)])

        return tf.function(run, **options)

    def of(args: Sequence[Any]) -> tuple[Any, list[Any]]:
        by_place = {i: args[i] for i in places if i < len(args)}  # the others have defaults
        key = len(args), tuple((i, _key_of(x)) for i, x in by_place.items())
        if key not in functions:
            functions[key] = function_of(by_place, len(args))
        tensors = [_as_tensors(x) for i, x in enumerate(args) if i not in places]
        return functions[key], tensors

    return of


def jit(
    f: Callable[..., Any], static_argnums: int | Sequence[int] = (),
    xla_forced_compile: bool = False, input_signature: Any = None, autograph: bool = False,
    experimental_compile: bool = False,
) -> Callable[..., Any]:  # fmt: skip
    """f as a function that is traced, for the values of its static arguments."""
    options = {
        "input_signature": input_signature, "autograph": autograph,
        "jit_compile": xla_forced_compile or experimental_compile or None,
    }  # fmt: skip
    traced = _traced(f, static_argnums, options)

    def run(*args: Any) -> Any:
        function, tensors = traced(args)
        return function(*tensors)

    return run


def eval_on_shapes(
    f: Callable[..., Any], static_argnums: int | Sequence[int] = ()
) -> Callable[..., Any]:
    """A function that tells the types and shapes of what f returns for such arguments."""
    traced = _traced(f, static_argnums, {"autograph": False})

    def run(*args: Any) -> Any:
        function, tensors = traced(args)
        specs = tf.nest.map_structure(lambda x: tf.TensorSpec(x.shape, x.dtype), tensors)
        return function.get_concrete_function(*specs).structured_outputs

    return run


def most_precise_int_dtype(x: Any) -> tf.DType | None:
    """The type that a Python number of many bits is given; None for all others."""
    if not isinstance(x, int) or isinstance(x, bool):
        return None
    return tf.int32 if -(2**31) <= x < 2**31 else tf.int64


def canonicalize_dtype(dtype: Any) -> Any:
    """The type itself: all tests allow float64, or say so first."""
    return np.dtype(dtype)


def set_allow_float64(is_allowed: bool) -> None:
    """Nothing: the public switch makes Python's floats float32, which is less."""
    if not is_allowed:
        raise NotPublic(
            "NotPublic: tensorflow.python.ops.numpy_ops.np_dtypes.set_allow_float64(False)"
        )


def is_allow_float64() -> bool:
    """Whether there may be arrays of float64."""
    return True


def grad(f: Callable[..., Any]) -> Callable[..., Any]:
    """The gradient of f by its argument."""

    def run(x: Any) -> Any:
        (x,) = _as_tensors([x])
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = f(x)
        return tape.gradient(y, x)

    return run


def pfor(
    loop_fn: Callable[[Any], Any], iters: Any, fallback_to_while_loop: bool = True,
    parallel_iterations: int | None = None, warn: bool = False,
) -> Any:  # fmt: skip
    """What a function returns for the numbers 0, 1, ..., as `tf.vectorized_map` computes it."""
    return tf.vectorized_map(loop_fn, tf.range(iters), fallback_to_while_loop)


def for_loop(
    loop_fn: Callable[[Any], Any], loop_fn_dtypes: Any, iters: Any,
    parallel_iterations: int | None = None,
) -> Any:  # fmt: skip
    """The same, one number after the other."""
    numbers = [loop_fn(tf.constant(i)) for i in range(int(tf.get_static_value(iters)))]
    if not numbers:
        return tf.nest.map_structure(lambda _: [], loop_fn_dtypes)
    return tf.nest.map_structure(lambda *values: tf.stack(values), *numbers)


NAMES: dict[str, dict[str, Any]] = {
    "ops.numpy_ops.tests.extensions": {
        each.__name__: each for each in (jit, eval_on_shapes, most_precise_int_dtype, grad)
    },
    # Which takes all that there is out of other modules.
    "ops.numpy_ops.tests.np_wrapper": {
        "bfloat16": tf.bfloat16,
        "canonicalize_dtype": canonicalize_dtype,
        **{name: getattr(_numpy, name) for name in dir(_numpy)},
    },
    "ops.numpy_ops.np_dtypes": {
        each.__name__: each for each in (canonicalize_dtype, set_allow_float64, is_allow_float64)
    },
    "ops.parallel_for.control_flow_ops": {"pfor": pfor, "for_loop": for_loop},
}
