"""Rows of raw ops that call functions, choose between them, repeat them; and of those that pass
values on, check or print them.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

import torch

from ..base import dtypes
from ..base.errors import invalid_argument
from ..core.context import LOCAL, device
from ..core.tensor import Tensor
from ..grads.rules import RULES
from ..graph.control_flow.branches import cond as cond_
from ..graph.control_flow.loops.functional import map_fn
from ..graph.control_flow.loops.while_loops import while_loop
from ..graph.control_flow.switch import switch_case
from ..ops import infer
from ..ops.arguments import host_value
from ..ops.array.making import constant, zeros
from ..ops.array.shaping import ensure_shape, identity, shape, size
from ..ops.debugging.checks import ASSERT
from ..ops.debugging.print_through import print_through
from ..ops.math.elementwise import cast, less, logical_and, logical_or, not_equal
from ..ops.math.reduction import reduce_any, reduce_prod
from ..ops.op import apply_any
from .rows import Row, composed, kernel

Function = Callable[..., Any]


def _results(answer: Any) -> list[Any]:
    """What a function returned, as a list of tensors."""
    if answer is None:
        return []
    if isinstance(answer, dict):
        answer = [answer[key] for key in sorted(answer)]
    return list(answer) if isinstance(answer, (list, tuple)) else [answer]


def _checked(name: str, function: Any) -> Function:
    if not callable(function):
        raise NotImplementedError(
            f"tf.raw_ops.{name}: Emplace calls functions, got {function!r}. Hand in a "
            "tf.function, or what its get_concrete_function returns."
        )
    return function  # type: ignore[no-any-return]


def _called(args: Sequence[Tensor], f: Any) -> list[Any]:
    return _results(_checked("PartitionedCall", f)(*args))


def _truth(value: Tensor) -> Any:
    """A condition of any type: numbers are true unless they are 0, others if there are any."""
    if value.dtype not in _CONDITIONS:
        raise invalid_argument(f"{value.dtype.name} cannot be converted to a boolean")
    rank, count = value.shape.rank, value.shape.num_elements()
    if rank and count is not None:
        return constant(bool(count))
    is_true = value
    if value.dtype is not dtypes.bool_:
        is_true = not_equal(value, "" if value.dtype is dtypes.string else cast(0, value.dtype))
    if rank == 0:
        return is_true
    sizes = shape(value)  # there are none of a number, whose product is 1
    return logical_and(reduce_prod(sizes) > 0, logical_or(size(sizes) > 0, reduce_any(is_true)))


def _branch(name: str, function: Any, values: Sequence[Tensor]) -> Callable[[], tuple[Any, ...]]:
    call = _checked(name, function)
    return lambda: tuple(_results(call(*values)))


def _if(cond: Tensor, input: Sequence[Tensor], then_branch: Any, else_branch: Any) -> list[Any]:
    yes, no = (_branch("If", each, input) for each in (then_branch, else_branch))
    return _results(cond_(_truth(cond), yes, no))


def _case(branch_index: Tensor, input: Sequence[Tensor], branches: Sequence[Any]) -> list[Any]:
    """The last branch stands for numbers that are too large or negative as well."""
    if branch_index.shape.rank is None:
        branch_index = ensure_shape(branch_index, [])
    elif branch_index.shape.rank:
        raise invalid_argument("branch_index must be scalar")
    made = [_branch("Case", each, input) for each in branches]
    return _results(switch_case(branch_index, made, default=made[-1]))


def _while(
    input: Sequence[Tensor], cond: Any, body: Any, parallel_iterations: int = 10
) -> list[Any]:
    test, step = _checked("While", cond), _checked("While", body)
    return _results(
        while_loop(
            lambda *values: _truth(_results(test(*values))[0]),
            lambda *values: tuple(_results(step(*values))),
            tuple(input),
        )
    )


def _for(start: Tensor, limit: Tensor, delta: Tensor, input: Sequence[Tensor], body: Any) -> Any:
    step = _checked("For", body)
    made = while_loop(
        lambda i, *values: less(i, limit) if _is_up(delta) else less(limit, i),
        lambda i, *values: (i + delta, *_results(step(i, *values))),
        (start, *input),
    )
    return _results(made)[1:]


def _is_up(delta: Tensor) -> bool:
    step = int(host_value(delta))
    if not step:
        raise invalid_argument("delta must not be 0")
    return step > 0


def _mapped(
    arguments: Sequence[Tensor], captured_inputs: Sequence[Tensor], f: Any, output_types: Any
) -> Any:
    """A function of each row."""
    call = _checked("MapDefun", f)
    return _results(
        map_fn(
            lambda rows: tuple(_results(call(*rows, *captured_inputs))),
            tuple(arguments),
            fn_output_signature=tuple(output_types),
        )
    )


def _switch(data: Tensor, pred: Tensor) -> Any:
    """The value on the side that is chosen; the other one is dead, which eager mode shows empty."""
    _only_eager("Switch")
    dead = zeros([0])
    return (dead, data) if bool(pred.numpy()) else (data, dead)


def _only_eager(name: str) -> None:
    if not LOCAL.state.target.is_eager:
        raise NotImplementedError(
            f"tf.raw_ops.{name}: Emplace's graphs have branches and loops in one piece, without "
            "dead tensors. Use tf.cond and tf.while_loop."
        )


def _passed(name: str, value: Tensor) -> Any:
    _only_eager(name)
    return identity(value)


def _merge(inputs: Sequence[Tensor]) -> Any:
    _only_eager("Merge")
    return identity(inputs[0]), constant(0, dtypes.int32)


def _nothing(name: str) -> None:
    _only_eager(name)


def _assert(condition: Tensor, data: Sequence[Tensor], summarize: int) -> Any:
    if LOCAL.state.target.is_eager:  # nothing comes of it that somebody would read later
        with device("/CPU:0"):
            condition, data = identity(condition), [identity(each) for each in data]
    return apply_any(ASSERT, (condition, *data), {"summarize": summarize})


def kept_kernel(input: Any, *, message: str) -> Any:
    """The value itself."""
    return input.clone() if isinstance(input, torch.Tensor) else input.copy()


def _prevented(call: Any, *grads: Any) -> NoReturn:
    raise LookupError(f"Gradient explicitly disabled. Reason: {call.attrs['message'].encode()!r}")


RULES["PreventGradient"] = _prevented


_CONDITIONS = (
    dtypes.bool_, dtypes.string, dtypes.float32, dtypes.float64, dtypes.int8, dtypes.int16,
    dtypes.int32, dtypes.int64, dtypes.uint8,
)  # fmt: skip
_UNUSED = "config config_proto executor_type Tout"

ROWS: dict[str, Row] = {
    "Assert": composed(_assert),
    "Case": composed(_case, ignored="Tout output_shapes"),
    "ControlTrigger": composed(functools.partial(_nothing, "ControlTrigger")),
    "Enter": composed(
        lambda data: _passed("Enter", data), ignored="frame_name is_constant parallel_iterations"
    ),
    "Exit": composed(lambda data: _passed("Exit", data)),
    "FakeParam": composed(lambda dtype, shape: zeros(shape.as_list(), dtype)),
    "For": composed(_for),
    "If": composed(_if, ignored="Tout output_shapes"),
    "LoopCond": composed(lambda input: _passed("LoopCond", input)),
    "MapDefun": composed(_mapped, ignored="output_shapes max_intra_op_parallelism Tcaptured"),
    "Merge": composed(_merge),
    "NextIteration": composed(lambda data: _passed("NextIteration", data)),
    "PartitionedCall": composed(_called, ignored=_UNUSED),
    "PreventGradient": kernel(kept_kernel, infer.same),
    "Print": composed(print_through),
    "RemoteCall": composed(lambda target, args, f: _called(args, f), ignored="Tout"),
    "StatefulPartitionedCall": composed(_called, ignored=_UNUSED),
    "StatelessCase": composed(_case, ignored="Tout output_shapes"),
    "StatelessIf": composed(_if, ignored="Tout output_shapes"),
    "StatelessWhile": composed(_while, ignored="output_shapes"),
    "Switch": composed(_switch),
    "While": composed(_while, ignored="output_shapes"),
}
