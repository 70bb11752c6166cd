"""The eager target: takes an op and runs it now; keeps constants where they belong."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch

from ..base.dtypes import DType
from ..base.typing import TensorLike
from ..core.context import (
    HOST_SCOPE,
    LOCAL,
    PROCESS,
    AppliesAlike,
    Scope,
    ThreadState,
    set_default_target,
)
from ..core.tensor import EagerTensor, Tensor, out_of_scope_text
from ..devices.device import Kind
from ..devices.inventory import INVENTORY
from ..devices.phantom import STANDING
from ..ops.array.shaping import EAGER_CONST
from ..ops.composite import compose, holds_composite
from ..ops.host_values import raw_of, scalar_array
from ..ops.op import Op
from .failure import fail
from .kernel import run_kernel, wrapped
from .route import Route, find_route

_MOST_SCALARS = 1024
# All else of an op stays what it is.
_note_last_route: Callable[[Op, Route], None] = Op.last_route.__set__  # type: ignore[misc]


class EagerTarget:
    """Finds the route of an op, runs its kernel, lets tapes record it."""

    __slots__ = ()
    is_eager = True

    def apply_few(
        self, state: ThreadState, op: Op, x: EagerTensor, y: EagerTensor | None = None,
        attrs: dict[str, Any] | None = None,
    ) -> Any:  # fmt: skip
        """Runs `op` now: the second of the hot path's three functions.

        Args:
            state: what this thread is doing.
            op: the op.
            x: its first tensor.
            y: its second one, if it takes two.
            attrs: the attributes by name, or None.

        Returns:
            A tensor, a list of tensors, or None.

        Raises:
            OpError: every failure of a kernel, as the class TensorFlow raises.
        """
        route = op.last_route  # most calls of an op are like its last one
        try:
            if (
                route.first is not x._kind or route.second is not (None if y is None else y._kind)
                or route.scope is not state.scope or route.table is not PROCESS.routes
            ):  # fmt: skip
                kinds = (x._kind,) if y is None else (x._kind, y._kind)
                route = _route_of(op, state.scope, kinds)
                _note_last_route(op, route)
        except AttributeError as error:
            return _composed(op, (x,) if y is None else (x, y), attrs, error)
        if route.is_plain:
            try:
                if y is None:
                    value = route.kernel(x._value, **attrs) if attrs else route.kernel(x._value)
                elif attrs is None:
                    value = route.kernel(x._value, y._value)
                else:
                    value = route.kernel(x._value, y._value, **attrs)
            except Exception as error:
                fail(error, route, (x,) if y is None else (x, y), attrs)
            if route.result_kind is not None:
                outputs = EagerTensor()
                outputs._value = value
                outputs._kind = route.result_kind
                outputs._origin = route
            else:
                outputs = wrapped(value, route)
        else:
            outputs = run_kernel(route, (x,) if y is None else (x, y), attrs)
        if state.tapes:
            inputs = (x,) if y is None else (x, y)
            for tape in state.tapes:
                tape.record(op, inputs, attrs, outputs, route)
        return outputs

    def apply(
        self,
        state: ThreadState,
        op: Op,
        inputs: tuple[EagerTensor, ...],
        attrs: dict[str, Any] | None,
    ) -> Any:
        """The same for any number of tensors."""
        if len(inputs) == 2:
            return self.apply_few(state, op, inputs[0], inputs[1], attrs)
        if len(inputs) == 1:
            return self.apply_few(state, op, inputs[0], None, attrs)
        try:
            kinds = tuple([x._kind for x in inputs])
        except AttributeError as error:
            return _composed(op, inputs, attrs, error)
        made = attrs.get("dtype") if attrs and not inputs else None
        return _run(_route_of(op, state.scope, kinds, made), state, inputs, attrs)

    def constant(
        self, state: ThreadState, raw: object, dtype: DType, borrowed: bool
    ) -> EagerTensor:
        """A tensor of a raw host value.

        Under the host's own scope the value is the tensor; elsewhere the op _EagerConst brings it
        to its device, so that logs show it.
        """
        tensor = EagerTensor()  # as `make_tensor`, without calls on the way
        tensor._value = raw
        tensor._kind = INVENTORY.devices()[0].kinds[dtype.raw]
        tensor._origin = None
        if state.scope is not HOST_SCOPE:
            tensor = self.apply_few(state, EAGER_CONST, tensor)
        if borrowed and tensor._value is raw:
            tensor._value = raw.clone() if isinstance(raw, torch.Tensor) else raw.copy()
        return tensor

    def scalar(self, state: ThreadState, value: TensorLike, dtype: DType) -> EagerTensor:
        """A tensor of a Python number or string, made once per value, dtype and scope."""
        # Zeros go by their text: 0.0 and -0.0 are equal and are not the same.
        key = (value or repr(value), type(value), dtype.as_datatype_enum, state.scope)
        scalars = PROCESS.scalars
        tensor: EagerTensor | None = scalars.get(key)
        if tensor is None:
            raw = raw_of(scalar_array(value, dtype))
            tensor = self.constant(state, raw, dtype, borrowed=False)
            if value != value:  # no NaN would be found again
                return tensor
            if len(scalars) >= _MOST_SCALARS:
                scalars.clear()
            scalars[key] = tensor
        return tensor

    def call(self, function: Any, args: Any, kwargs: Any) -> Any:
        """The function's own result: here all shapes and values are known."""
        return function(*args, **kwargs)

    call_value_dependent = call

    def source(self, handle: Any) -> Any:
        """The handle itself."""
        return handle

    def variable(self, kind: Any, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
        """A variable that has its value at once."""
        return type.__call__(kind, *args, **kwargs)


def _route_of(
    op: Op, scope: Scope | None, kinds: tuple[Kind, ...], made: DType | None = None
) -> Route:
    """The route of a call that is not like the op's last one: found by the op, the scope, and what
    the inputs are, or what it makes where there are none.
    """
    routes = PROCESS.routes
    key = op, scope, made, *kinds
    route: Route | None = routes.get(key)
    if route is None:
        route = find_route(op, scope, kinds, made)
        route.table = routes
        routes[key] = route
    return route


def _run(
    route: Route, state: ThreadState, inputs: tuple[EagerTensor, ...], attrs: dict[str, Any] | None
) -> Any:
    """What an op gives by a route; tapes record it."""
    outputs = run_kernel(route, inputs, attrs)
    for tape in state.tapes:
        tape.record(route.op, inputs, attrs, outputs, route)
    return outputs


def _composed(
    op: Op, inputs: tuple[Any, ...], attrs: dict[str, Any] | None, error: AttributeError
) -> Any:
    """What `compose` makes of composites, which have no kind.

    Raises:
        TypeError: there is a tensor of a graph among them, which has no value.
        AttributeError: there is no composite either.
    """
    if not holds_composite(inputs):
        _refuse_symbols(inputs)
        raise error
    return compose(op, inputs, attrs)


def _refuse_symbols(inputs: tuple[Any, ...]) -> None:
    """Raises TypeError, in TensorFlow's words, for a tensor of a graph, which has no value."""
    for x in inputs:
        if isinstance(x, Tensor) and not isinstance(x, EagerTensor):
            raise TypeError(out_of_scope_text(x))


class PhantomTarget(AppliesAlike, EagerTarget):
    """Runs ops on the devices that a thread stands in, whose routes are nobody else's."""

    __slots__ = ("_routes",)

    def __init__(self) -> None:
        self._routes: dict[Any, Any] = {}

    def apply(
        self,
        state: ThreadState,
        op: Op,
        inputs: tuple[EagerTensor, ...],
        attrs: dict[str, Any] | None,
    ) -> Any:
        """As on real devices."""
        if not all(isinstance(x, EagerTensor) for x in inputs):
            if not holds_composite(inputs):
                _refuse_symbols(inputs)
            return compose(op, inputs, attrs)
        assert STANDING.world is not None
        inputs = tuple([STANDING.world.tensor(x) for x in inputs])
        made = (attrs or {}).get("dtype") if not inputs else None
        key = op, state.scope, made, *[x._kind for x in inputs]
        route = self._routes.get(key)
        if route is None:
            route = find_route(op, state.scope, tuple([x._kind for x in inputs]), made)
            self._routes[key] = route
        return _run(route, state, inputs, attrs)

    def scalar(self, state: ThreadState, value: TensorLike, dtype: DType) -> EagerTensor:
        """A tensor of a Python number or string."""
        return self.constant(state, raw_of(scalar_array(value, dtype)), dtype, borrowed=False)


EAGER = EagerTarget()
# The same under a strategy. There the short way to call a function, which looks at its tensors
# only, is not taken: what it reads depends on the replica.
EAGER_WITHIN = EagerTarget()


def eager_target(is_within: bool = False) -> EagerTarget:
    """What takes ops of eager mode in this thread, under a strategy or not."""
    standing = STANDING.target
    if standing is not None:
        return standing  # type: ignore[no-any-return]
    return EAGER_WITHIN if is_within else EAGER


set_default_target(EAGER)


def eagerly(function: Callable[..., Any], *arguments: Any) -> Any:
    """What Python code of the program returns in eager mode, also while a session runs."""
    state = LOCAL.state
    if state.target.is_eager:
        return function(*arguments)
    before, state.target = (state.target, state.scope), EAGER
    state.scope = HOST_SCOPE
    try:
        return function(*arguments)
    finally:
        state.target, state.scope = before
