"""The state around an op: per thread what is being done, per process how.

`LOCAL.state` is this thread's state: one slotted object, read once per op. Scopes live per
thread and a new thread starts without any. Settings live in `PROCESS` and are the same for all
threads. Every decision that settings or observers influence is cached in `PROCESS.routes`, and
whoever changes one of them calls `forget_routes`.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, Protocol

from ..base import flags
from ..base.arguments import as_switch
from ..base.dtypes import DType
from ..devices.inventory import INVENTORY, LogicalDevice
from ..devices.late import forget as forget_late_checks
from ..devices.name import LOCALHOST, DeviceSpec, DeviceSpecV2
from . import missing_devices
from .ending import Here
from .tensor import Tensor


class Target(Protocol):
    """Who takes an op: eager execution runs it now, a graph records it."""

    is_eager: bool

    def apply(self, state: ThreadState, op: Any, inputs: tuple[Any, ...], attrs: Any) -> Tensor:
        """Runs or records `op`; returns its output, a list of outputs, or None."""

    def apply_few(
        self, state: ThreadState, op: Any, x: Any, y: Any = None, attrs: Any = None
    ) -> Tensor:
        """The same for one tensor or two, which need no tuple: eager mode saves time by that."""

    def constant(self, state: ThreadState, raw: Any, dtype: DType, borrowed: bool) -> Tensor:
        """A tensor of a raw host value; `borrowed` if somebody else may change its memory."""

    def scalar(self, state: ThreadState, value: Any, dtype: DType) -> Tensor:
        """A tensor of a Python number or string."""

    def call(self, function: Any, args: Any, kwargs: Any) -> Any:
        """What a function returns that looks at shapes or values of its arguments."""

    def call_value_dependent(self, function: Any, args: Any, kwargs: Any) -> Any:
        """What a function returns that looks at values of ragged tensors."""

    def source(self, handle: Any) -> Any:
        """What stands for a variable's handle on a tape."""

    def variable(self, kind: Any, args: Any, kwargs: Any) -> Any:
        """A variable of class `kind`, made with these arguments."""


class AppliesAlike:
    """A target to which it is all one how many tensors an op takes."""

    __slots__ = ()
    apply: Callable[..., Any]

    def apply_few(
        self, state: ThreadState, op: Any, x: Any, y: Any = None, attrs: Any = None
    ) -> Any:
        """As `apply`."""
        return self.apply(state, op, (x,) if y is None else (x, y), attrs)


class Scope:
    """A device asked for, as a full name. There is one per name, so scopes hash by identity.

    `is_gradient` marks the scope that a tape sets so that a gradient runs where its op ran.
    `chain` is what applies after it to an operation of a graph, from the inside out: a function
    of the operation, and the scope around that; None where only names have been asked for.
    """

    __slots__ = ("chain", "is_gradient", "name", "spec")

    def __init__(self, spec: DeviceSpecV2, is_gradient: bool) -> None:
        self.spec = spec
        self.name = spec.to_string()
        self.is_gradient = is_gradient
        self.chain: tuple[Callable[[Any], Any], Scope | None] | None = None

    def __repr__(self) -> str:
        return f"<Scope {self.name}>"


class ThreadState:
    """What one thread is doing.

    `scope` is the device asked for, None for automatic placement; `is_going_back` says whether what
    is made are gradients; `scopes` the stack of
    (scope object, scope before) that leads there; `tapes` the gradient tapes that record;
    `policy` what to do about inputs on other devices; `target` who takes ops; `names` the name
    scope of eager mode, which names variables; `draws` how far the random operations of the
    session that runs have come; `strategy` what a strategy makes of this thread, one replica or all
    of them (`distribute/replicas/contexts.py`), None outside of strategies.
    """

    __slots__ = (
        "draws", "is_going_back", "names", "policy", "scope", "scopes", "strategy", "tapes",
        "target",
    )  # fmt: skip

    def __init__(self) -> None:
        self.target: Target = PROCESS.default_target
        self.scope: Scope | None = None
        self.scopes: list[tuple[Any, Scope | None]] = []
        self.tapes: tuple[Any, ...] = ()
        self.policy = PROCESS.default_policy
        self.names = ""
        self.is_going_back = False
        self.draws: dict[Any, int] | None = None
        self.strategy: Any = PROCESS.default_strategy


class ProcessState:
    """Settings of the process, and the decisions that depend on them.

    `routes` maps (op, scope, kinds of the inputs) to how to run that: see `eager/route.py`.
    `scalars` keeps the tensors of Python numbers, which programs use again and again. `epoch` is
    another object whenever routes have been forgotten; plans of graphs are good for one epoch.
    `observers` hear about events: see `events.py`. `default_policy` is what new threads do about
    inputs on other devices, `default_strategy` what a strategy makes of them. `logs_placement` says
    whether the program wants to read where ops run. `soft_switch` is what the environment says of
    soft placement, None before anybody has looked.
    """

    __slots__ = (
        "default_policy", "default_strategy", "default_target", "deterministic", "epoch",
        "logs_placement", "observers", "routes", "scalars", "soft_placement",
        "soft_switch",
    )  # fmt: skip

    def __init__(self) -> None:
        self.default_target: Target = _NoTarget()
        self.default_policy = "silent"
        self.default_strategy: Any = None
        self.routes: dict[Any, Any] = {}
        self.scalars: dict[Any, Any] = {}
        self.epoch = object()
        self.observers: tuple[Any, ...] = ()
        self.soft_placement: bool | None = None
        self.soft_switch: bool | None = None
        self.deterministic = False
        self.logs_placement = False


class _NoTarget:
    is_eager = True

    def apply(self, *args: Any) -> Any:
        raise AssertionError("eager/target.py has not been imported")

    apply_few = constant = scalar = call = call_value_dependent = source = variable = apply


class _Local(threading.local):
    def __init__(self) -> None:
        self.state = ThreadState()
        self.here = Here()


PROCESS = ProcessState()
LOCAL = _Local()

_SCOPES: dict[tuple[str, bool], Scope] = {}
# The scope that a name leads to depends on the scope around it: both are looked up together.
_RESOLVED: dict[tuple[str | None, Scope | None, bool], Scope | None] = {}


def forget_routes() -> None:
    """Drops all cached decisions; running ops finish with the ones they hold."""
    PROCESS.routes = {}
    PROCESS.scalars = {}
    PROCESS.epoch = object()


def set_default_target(target: Target) -> None:
    """Makes `target` take the ops of this thread and of all new ones."""
    PROCESS.default_target = target
    LOCAL.state.target = target


def intern_scope(spec: DeviceSpecV2, is_gradient: bool = False) -> Scope:
    """The one Scope with this name."""
    key = spec.to_string(), is_gradient
    scope = _SCOPES.get(key)
    if scope is None:
        scope = _SCOPES.setdefault(key, Scope(spec, is_gradient))
    return scope


def executing_eagerly() -> bool:
    """True if ops run now (`tf.executing_eagerly`)."""
    return LOCAL.state.target.is_eager


class DeviceScope:
    """`with tf.device(name):`. May be entered again, also inside itself."""

    __slots__ = ("_name",)

    def __init__(self, name: str | None) -> None:
        self._name = name

    def __enter__(self) -> None:
        state = LOCAL.state
        around = state.scope
        name = self._name if type(self._name) is str else _as_text(self._name)
        key = name, around, state.target.is_eager
        if around is not None and around.chain is not None:
            scope = None if name is None else _inside(name, around)
        elif key in _RESOLVED:
            scope = _RESOLVED[key]
        else:
            scope = _RESOLVED[key] = _resolve(*key)
        state.scopes.append((self, around))
        state.scope = scope

    def __exit__(self, *exc: object) -> None:
        state = LOCAL.state
        if not state.scopes or state.scopes[-1][0] is not self:
            end = "" if state.target.is_eager else "."
            raise RuntimeError(f"Exiting device scope without proper scope nesting{end}")
        _, state.scope = state.scopes.pop()


class DeviceFunctionScope(DeviceScope):
    """`with tf.compat.v1.device(function):`. The function tells the device of each operation."""

    __slots__ = ("_function",)

    def __init__(self, function: Callable[[Any], Any]) -> None:
        super().__init__("")
        self._function = function

    def __enter__(self) -> None:
        state = LOCAL.state
        around = state.scope
        state.scopes.append((self, around))
        state.scope = Scope(_ANYWHERE, False)
        state.scope.chain = self._function, around


def device(device_name: Any) -> DeviceScope:
    """A scope in which ops run on `device_name` (`tf.device`). Starts the devices, in eager mode.

    Args:
        device_name: a name such as "/GPU:1", a DeviceSpec, a LogicalDevice, or None for automatic
            placement. Parts that are left open are taken from the scope around it.

    Raises:
        RuntimeError: at once, for a function.
        ValueError: on entering, for anything else that is no device name.

    >>> with device("/CPU:0"):
    ...     pass
    """
    if callable(device_name):
        raise RuntimeError("tf.device does not support functions.")
    if LOCAL.state.target.is_eager:
        INVENTORY.devices()
    if PROCESS.soft_placement is None and device_name is not None and is_soft():
        missing_devices.note_asked(_as_text(device_name) or "")
    return DeviceScope(device_name)


def device_v1(device_name_or_function: Any) -> DeviceScope:
    """A scope in which operations of a graph are on a device (`tf.compat.v1.device`).

    Args:
        device_name_or_function: a name as for `device`, or a function of an operation that returns
            the whole of its device. Scopes apply from the inside out: a name fills in what is
            still open, a function replaces what there is (it sees it as `op.device`).

    Raises:
        RuntimeError: at once, for a function in eager mode.
    """
    if not callable(device_name_or_function):
        return device(device_name_or_function)
    if LOCAL.state.target.is_eager:
        raise RuntimeError("tf.device does not support functions when eager execution is enabled.")
    return DeviceFunctionScope(device_name_or_function)


def _as_text(name: object) -> str | None:
    if name is None or isinstance(name, str):
        return name
    if isinstance(name, DeviceSpec):
        return name.to_string()
    if isinstance(name, LogicalDevice):
        return name.name
    raise ValueError(f"Expecting a string device name. Got {type(name)}({name})")


def _resolve(name: str | None, around: Scope | None, is_eager: bool) -> Scope | None:
    """The scope that a name leads to: a full name, or in a graph only what the program said."""
    if name is None:
        return None
    base = around.spec if around is not None else _HOST if is_eager else _ANYWHERE
    return intern_scope(base.make_merged_spec(DeviceSpec.from_string(name)))


def eager_scope(scope: Scope | None) -> Scope | None:
    """The scope of a graph as eager mode has it: parts that are left open are the host's."""
    return None if scope is None else intern_scope(_HOST.make_merged_spec(scope.spec))


def _inside(name: str, around: Scope) -> Scope:
    """The scope of a name inside a function's; it belongs to one program, so nobody keeps it."""
    scope = Scope(around.spec.make_merged_spec(DeviceSpec.from_string(name)), False)
    scope.chain = around.chain
    return scope


def device_of(operation: Any, scope: Scope) -> str:
    """What functions among the device scopes make of an operation's device.

    Raises:
        TypeError: a function returned no text.
    """
    text, at = scope.name, scope.chain
    while at is not None:
        operation.device = text
        function, around = at
        text, at = _device_text(function(operation)), None
        if around is not None:
            if around.name:
                text = around.spec.make_merged_spec(DeviceSpec.from_string(text)).to_string()
            at = around.chain
    return text


def _device_text(device: Any) -> str:
    if isinstance(device, DeviceSpec | DeviceSpecV2):
        return device.to_string()
    if not isinstance(device, str):
        raise TypeError(f"Expected binary or unicode string, got {device!r}")
    return device


_HOST = DeviceSpec.from_string(f"{LOCALHOST}/device:CPU:0")
_ANYWHERE = DeviceSpec.from_string("")
HOST_SCOPE = intern_scope(_HOST)


def is_soft() -> bool:
    """Whether another device stands in for a missing one: what the program has set, or else the
    switch of whole programs.
    """
    if PROCESS.soft_placement is not None:
        return PROCESS.soft_placement
    if PROCESS.soft_switch is None:  # scopes ask for it often
        PROCESS.soft_switch = flags.SOFT_PLACEMENT.value()
    return PROCESS.soft_switch


def get_soft_device_placement() -> bool:
    """True if ops asked for on a missing device run elsewhere
    (`tf.config.get_soft_device_placement`). False unless set, by the program or for all of it by
    EMPLACE_SOFT_PLACEMENT=1: see docs/DIFFERENCES.md.
    """
    return is_soft()


def set_soft_device_placement(enabled: bool | None) -> None:
    """Lets ops asked for on a missing device run on one that exists
    (`tf.config.set_soft_device_placement`). Works at any time.

    Args:
        enabled: True, False, or None for the default.

    Raises:
        TypeError: `enabled` is something else.
    """
    wanted = None if enabled is None else as_switch("set_soft_device_placement", enabled)
    PROCESS.soft_placement = wanted
    forget_routes()


_POLICIES = ("silent", "silent_for_int32", "warn", "explicit")


def get_device_policy() -> str:
    """What this thread does about inputs on other devices
    (`tf.config.experimental.get_device_policy`).
    """
    return LOCAL.state.policy


def set_device_policy(device_policy: str | None) -> None:
    """Sets what this thread does about an op's input on another device
    (`tf.config.experimental.set_device_policy`). Set before devices are first used, it also
    holds for all threads that start later.

    Args:
        device_policy: "silent" copies it, "warn" also says so, "explicit" raises
            InvalidArgumentError, "silent_for_int32" copies int32 and raises for the rest; None
            is "silent".

    Raises:
        ValueError: another text.
    """
    if device_policy is not None and device_policy not in _POLICIES:
        raise ValueError(
            f"Invalid argument `device_policy`: {device_policy!r}. Please refer to "
            "https://www.tensorflow.org/api_docs/python/tf/config/experimental/set_device_policy "
            "for valid `device_policy` arguments."
        )
    LOCAL.state.policy = policy = device_policy or "silent"
    if not INVENTORY.is_initialized:
        PROCESS.default_policy = policy


_AT_RESET: list[Callable[[], None]] = []


def at_reset(action: Callable[[], None]) -> Callable[[], None]:
    """Registers what a later layer must forget when the runtime is reset."""
    _AT_RESET.append(action)
    return action


def reset() -> None:
    """A fresh runtime: devices, requests and settings as at the start of the process.

    Tensors made before stay readable, and scopes that are open stay open.
    """
    INVENTORY.reset()
    forget_late_checks()
    PROCESS.soft_placement = PROCESS.soft_switch = None
    missing_devices.forget()
    PROCESS.deterministic = False
    LOCAL.state.policy = PROCESS.default_policy = "silent"
    forget_routes()
    for action in _AT_RESET:
        action()
