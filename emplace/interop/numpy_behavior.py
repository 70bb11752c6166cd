"""`tf.experimental.numpy.experimental_enable_numpy_behavior`: tensors as NumPy's arrays are.

Until a program asks for it nothing is changed: it puts other operators, methods and another
`[...]` into the class of tensors, and a fresh runtime takes them out again.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..base import dtypes
from ..core.composite import CompositeTensor
from ..core.context import at_reset
from ..core.tensor import EagerTensor, Tensor
from ..eager.variable import Variable
from ..eager.variable_operators import bind_operators
from ..ops.convert import is_tensor_like
from ..ops.math import elementwise
from ..ops.numpy import arrays, elementary, indexing, math, pieces
from ..ops.numpy.types import BEHAVIOR, as_array, result_type
from .promotion.operators import COMPARING, PROMOTING, bind_weak, comparing, promoting
from .promotion.places import put, take_out
from .promotion.values import common_dtype
from .promotion.weak_tensor import register

_MODES = ("off", "legacy", "safe", "all")
_LEFT_ALONE = {"__getitem__", "__neg__", "__abs__", "__invert__"}
_OWN_MATMUL = {"__matmul__": False, "__rmatmul__": True}
_BEFORE: dict[str, Any] = {}
_BEFORE_EAGER: list[Any] = []


def experimental_enable_numpy_behavior(
    prefer_float32: bool = False, dtype_conversion_mode: str = "legacy"
) -> None:
    """Lets tensors behave like NumPy's arrays (`experimental_enable_numpy_behavior`).

    They get methods such as `reshape`, are indexed by arrays, and, in the mode "legacy", operators
    take two dtypes and find the common one by NumPy's rules.

    Args:
        prefer_float32: whether Python's floats are float32 rather than float64.
        dtype_conversion_mode: "legacy"; "off", which leaves operators as they are; "all", by which
            operators, many functions and `assign` promote types, and Python's numbers are weak:
            their type gives way to others; or "safe", which refuses promotions that may lose
            something. The last two belong at the beginning of a program.

    Raises:
        ValueError: there is no such mode.
    """
    if dtype_conversion_mode not in _MODES:
        raise ValueError(
            f"The provided promotion mode {dtype_conversion_mode} does not exist. Make sure the "
            "provided dtype conversion mode is one of the followings: ['off', 'legacy', 'safe', "
            "'all']."
        )
    _restore()
    BEHAVIOR.prefer_float32, BEHAVIOR.mode = bool(prefer_float32), dtype_conversion_mode
    _enable()


def _enable() -> None:
    changed: dict[str, Any] = dict(_METHODS)
    if BEHAVIOR.mode == "legacy":
        for name in Tensor.OVERLOADABLE_OPERATORS - _LEFT_ALONE:
            changed[name] = _promoting(name, getattr(Tensor, name))
    if BEHAVIOR.promotes:
        for name in PROMOTING:
            changed[name] = promoting(name, getattr(Tensor, name))
        for name in COMPARING:
            changed[name] = comparing(getattr(Tensor, name))
    for name, value in changed.items():
        _BEFORE[name] = vars(Tensor).get(name)
        setattr(Tensor, name, value)
    _BEFORE_EAGER.append(EagerTensor.__round__)
    EagerTensor.__round__ = _METHODS["__round__"]  # type: ignore[method-assign]
    bind_operators(Variable)
    if BEHAVIOR.promotes:
        BEHAVIOR.common = common_dtype
        register()
        bind_weak(_METHODS)
        put()


@at_reset
def _restore() -> None:
    if not _BEFORE:
        return
    for name, value in _BEFORE.items():
        if value is None:
            delattr(Tensor, name)
        else:
            setattr(Tensor, name, value)
    _BEFORE.clear()
    take_out()
    EagerTensor.__round__ = _BEFORE_EAGER.pop()  # type: ignore[method-assign]
    BEHAVIOR.reset()
    bind_operators(Variable)


def _promoting(name: str, operator: Callable[..., Any]) -> Callable[..., Any]:
    """An operator that takes operands of two dtypes."""
    is_reflected = _OWN_MATMUL.get(name)

    def promoted(self: Any, other: Any) -> Any:
        if _is_promoted(self, other):
            common = result_type(self, other)
            self, other = as_array(self, common), as_array(other, common)
            if is_reflected is not None:
                return math.matmul(other, self) if is_reflected else math.matmul(self, other)
        return operator(self, other)

    promoted.__name__ = name
    return promoted


def _is_promoted(self: Any, other: Any) -> bool:
    if isinstance(self, CompositeTensor) or self.dtype in (dtypes.string, dtypes.variant):
        return False
    if other is None or isinstance(other, (str, bytes, CompositeTensor)):
        return False
    return is_tensor_like(other) or getattr(other, "__array_priority__", 0) <= 100


def _method(function: Callable[..., Any]) -> Callable[..., Any]:
    def method(self: object, *args: Any, **kwargs: Any) -> Any:
        return function(self, *args, **kwargs)

    method.__doc__ = function.__doc__
    return method


def _reshape(self: object, *newshape: Any, **kwargs: Any) -> Any:
    if newshape and isinstance(newshape[0], int):
        return arrays.reshape(self, newshape, **kwargs)
    return arrays.reshape(self, *newshape, **kwargs)


def _astype(self: Any, dtype: Any) -> Any:
    """The elements in another dtype."""
    return elementwise.cast(self, dtype)


def _tolist(self: Any) -> Any:
    return self.numpy().tolist()


_METHODS: dict[str, Any] = {
    "__getitem__": indexing.getitem,
    "__pos__": elementary.positive,
    "__round__": _method(elementary.around),
    "T": property(lambda self: arrays.transpose(self)),
    "data": property(lambda self: self),
    "size": property(lambda self: arrays.size(self)),
    "reshape": _reshape,
    "astype": _astype,
    "tolist": _tolist,
    "transpose": _method(arrays.transpose),
    "ravel": _method(arrays.ravel),
    "flatten": _method(pieces.flatten),
    "clip": _method(math.clip),
    "max": _method(math.amax),
    "min": _method(math.amin),
    "mean": _method(math.mean),
}
