"""Choices between more than two functions: chains of `If`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ...base import dtypes, nest
from ...base.errors import invalid_argument
from ...base.typing import TensorLike
from ...core.context import LOCAL
from ...core.tensor import EagerTensor, Tensor
from ...ops.array.shaping import identity
from ...ops.infer import nothing
from ...ops.math.elementwise import cast, equal, less_equal
from ...ops.math.reduction import add_n
from ...ops.op import apply, op
from ..recording.scopes import control_dependencies
from .branches import branches, cond


def check_kernel(condition: Any, *preds: Any, text: str) -> None:
    """Raises unless the first value is true."""
    if not condition.item():
        shown = " ".join(str(int(pred.item())) for pred in preds)
        raise invalid_argument(f"assertion failed: [{text}] [{shown}]")


CHECK = op(
    "CheckChoice_", "condition: bool, preds: N * bool ->", check_kernel, nothing, stateful=True,
    is_listed=False,
)  # fmt: skip


def case(
    pred_fn_pairs: Any,
    default: Callable[[], Any] | None = None,
    exclusive: bool = False,
    strict: bool = False,
    name: str = "case",
) -> Any:
    """Returns what the function of the first predicate that holds returns (`tf.case`).

    Args:
        pred_fn_pairs: a list of pairs of a scalar bool tensor and a function without arguments.
        default: what is called if none holds; without it, one must.
        exclusive: at most one predicate may hold.
        strict: a list of one element stays a list.
        name: a name in graphs.

    Raises:
        TypeError: a pair is none, a predicate is no bool tensor, a function is not callable.
        InvalidArgumentError: no predicate holds and there is no default, or several hold.

    >>> import emplace.tensorflow as tf
    >>> case([(tf.constant(False), lambda: 1), (tf.constant(True), lambda: 2)])
    2
    """
    pairs = _checked_pairs(pred_fn_pairs)
    checks = [_check_exclusive([pred for pred, _ in pairs])] if exclusive else []
    if default is None:
        default = _Otherwise([pred for pred, _ in pairs], pairs[-1][1])
        pairs = pairs[:-1] if not LOCAL.state.target.is_eager else pairs
    if LOCAL.state.target.is_eager:
        return _chain(pairs, default, name)
    with control_dependencies(checks):
        return _chain(pairs, default, name)


def _chain(
    pairs: Sequence[Any], default: Callable[[], Any], name: str, are_numbered: bool = False
) -> Any:
    following = default
    for i, (pred, fn) in reversed(list(enumerate(pairs))):
        roles = (f"branch {i}", f"branch {i + 1}") if are_numbered else ("true_fn", "false_fn")
        following = _Choice(pred, fn, following, name, roles)
    return following()


class _Choice:
    """One `tf.cond` of a chain."""

    def __init__(
        self, pred: TensorLike, yes: Callable[..., Any], no: Any, name: str, roles: tuple[str, str]
    ) -> None:
        self.pred, self.yes, self.no, self.name, self.roles = pred, yes, no, name, roles

    def __call__(self) -> Any:
        if LOCAL.state.target.is_eager:
            return cond(self.pred, self.yes, self.no, self.name)
        return branches(self.pred, self.yes, self.no, self.name, self.roles)


class _Otherwise:
    """The last function, after a check that one of the predicates holds."""

    def __init__(self, preds: Sequence[Any], last: Any) -> None:
        self.preds, self.last = preds, last

    def __call__(self) -> Any:
        if LOCAL.state.target.is_eager:
            raise invalid_argument(
                "Expected 'tf.Tensor(False, shape=(), dtype=bool)' to be true. Summarized data: "
                "b'Input error: None of conditions evaluated as True:'\n"
                + ", ".join(str(bool(pred)) for pred in self.preds)
            )
        text = "Input error: None of conditions evaluated as True:"
        check = apply(CHECK, (self.preds[-1], *self.preds), {"text": text})
        with control_dependencies([check]):
            return nest.map_structure(
                lambda y: identity(y) if isinstance(y, Tensor) else y, self.last()
            )


def _check_exclusive(preds: Sequence[Any]) -> Any:
    names = ", ".join("?" if isinstance(p, EagerTensor) else p.name for p in preds)
    text = f"Input error: exclusive=True: more than 1 conditions ({names}) evaluated as True:"
    if LOCAL.state.target.is_eager:
        if sum(map(bool, preds)) > 1:
            raise invalid_argument(
                "Expected 'tf.Tensor(False, shape=(), dtype=bool)' to be true. Summarized data: "
                f"b'{text}'\n" + ", ".join(str(bool(pred)) for pred in preds)
            )
        return None
    count = add_n([cast(pred, "int32") for pred in preds])
    return apply(CHECK, (less_equal(count, 1), *preds), {"text": text})


def _checked_pairs(pairs: Sequence[Any]) -> list[Any]:
    if not isinstance(pairs, (list, tuple, dict)):
        raise TypeError(f"'pred_fn_pairs' must be a list, tuple, or dict. Received: {type(pairs)}")
    if isinstance(pairs, Mapping):
        pairs = list(pairs.items())
        pairs = [(getattr(key, "deref", lambda key=key: key)(), fn) for key, fn in pairs]
    for pair in pairs:
        if not isinstance(pair, tuple) or len(pair) != 2:
            raise TypeError(f"Each entry in 'pred_fn_pairs' must be a 2-tuple. Received {pair}.")
        pred, fn = pair
        if not isinstance(pred, Tensor):
            raise TypeError(f"pred must be a Tensor, got: {pred}")
        shown = pred.name if not isinstance(pred, EagerTensor) else pred
        if pred.dtype is not dtypes.bool_:
            raise TypeError(f"pred must be Tensor of type bool: {shown}")
        if not callable(fn):
            raise TypeError(f"fn for pred {shown} must be callable.")
    if not pairs:
        raise ValueError("not enough values to unpack (expected 2, got 0)")
    return list(pairs)


def switch_case(
    branch_index: Tensor, branch_fns: Sequence[Any], default: Callable[[], Any] | None = None,
    name: str = "switch_case",
) -> Any:  # fmt: skip
    """Returns what the function of an index returns (`tf.switch_case`).

    Args:
        branch_index: a scalar integer tensor.
        branch_fns: a list of functions without arguments, or pairs or a dict of index and
            function; indices are 0, 1 ... without gaps.
        default: what is called for every other index; the last function if None.
        name: a name in graphs.

    Raises:
        TypeError: an argument is of the wrong kind.
        ValueError: there is no function, or indices have gaps.
        InvalidArgumentError: the index is no scalar.

    >>> import emplace.tensorflow as tf
    >>> switch_case(tf.constant(1), [lambda: "a", lambda: "b"])
    'b'
    """
    if not isinstance(branch_index, Tensor):
        raise TypeError(f"'branch_index' must be a Tensor, got {type(branch_index)}")
    if not branch_index.dtype.is_integer:
        raise TypeError(f"'branch_index' must be an integer Tensor, got {branch_index.dtype}")
    if branch_index.shape.rank:
        raise invalid_argument(
            f"The branch index must be a scalar, but it has shape {branch_index.shape}."
        )
    functions = _checked_branches(branch_fns)
    if default is not None:
        if not callable(default):
            raise TypeError(f"{type(default).__name__!r} object is not callable")
        functions.append(default)
    if isinstance(branch_index, EagerTensor) and LOCAL.state.target.is_eager:
        i = int(branch_index)
        return functions[i if 0 <= i < len(functions) else -1]()
    pairs = [(equal(branch_index, i), fn) for i, fn in enumerate(functions[:-1])]
    return _chain(pairs, functions[-1], name, are_numbered=True)


def _checked_branches(branches: Sequence[Any]) -> list[Any]:
    if not isinstance(branches, (list, tuple, dict)):
        raise TypeError("'branch_fns' must be a list, tuple, or dict")
    if isinstance(branches, dict):
        pairs = list(branches.items())
    elif branches and all(callable(each) for each in branches):
        pairs = list(enumerate(branches))
    else:
        pairs = list(branches)
    if not pairs:
        raise ValueError("Must provide at least one item in 'branch_fns'")
    for pair in pairs:
        if not isinstance(pair, tuple) or len(pair) != 2:
            raise TypeError(f"Each entry in 'branch_fns' must be a 2-tuple. Received {pair}.")
        key, fn = pair
        if not isinstance(key, int):
            raise TypeError(f"key must be a Python `int`, got {type(key)}")
        if not callable(fn):
            raise TypeError(f"fn for key {key} must be callable.")
    found = sorted(key for key, _ in pairs)
    if found != list(range(len(pairs))):
        raise ValueError(
            "branch indices (keys) must form contiguous range of "
            f"[0 to {len(pairs)}) but found {{{','.join(map(str, found))}}}"
        )
    return [fn for _, fn in sorted(pairs, key=lambda pair: pair[0])]
