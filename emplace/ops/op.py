"""The record of an op, the registry of all ops, and the one way to use an op: `apply`.

A declaration names the op as TensorFlow does, gives its signature in one line, its torch kernel,
its shape rule and the device types that have a kernel:

    MATMUL = op("MatMul", "a: T, b: T -> product: T", matmul_kernel, infer.matmul, T=dtypes.NUMBERS)

Signature: `T` is a type variable (its allowed types are given by keyword; the same letter means
the same type), a dtype's name is that dtype, `N * T` is a list of tensors, and `host` an argument
that TensorFlow passes as a tensor in host memory and Emplace as a plain value (shapes, axes).
Outputs with a type of their own that comes from an attribute are written with that attribute.

A kernel takes torch tensors by position and attributes by keyword, returns a torch tensor, a
tuple of them or None, and never looks at a device. Only ops that make values from nothing
(`is_factory=True`) are handed the device, as the keyword `device`.
"""

from __future__ import annotations

import difflib
import functools
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..base import dtypes
from ..base.dtypes import DType, runtime_name
from ..base.errors import InvalidArgumentError, NotFoundError, invalid_argument
from ..core.context import LOCAL, forget_routes
from ..core.tensor import Tensor

DEVICE_TYPES = ("GPU", "CPU")
CPU_ONLY = ("CPU",)


@dataclass(frozen=True, slots=True)
class Arg:
    """One input or output: its name and type, and whether it is a list or a plain host value."""

    name: str
    type: str
    is_list: bool = False

    @property
    def is_host(self) -> bool:
        """True for what is passed as an attribute, not as a tensor."""
        return self.type == "host"

    @property
    def logged_name(self) -> str:
        """The name in placement logs, where TensorFlow doubles underscores."""
        return self.name.replace("_", "__")


class NoRoute:
    """Stands for the route of an op that has not run yet: it fits no call."""

    first = second = scope = table = None


@dataclass(frozen=True, slots=True, eq=False)
class Op:
    """One op. `device_types` are the device types with a kernel, in order of preference;
    `last_route` is the route of its last call in eager mode that was of one or two tensors.
    """

    name: str
    kernel: Callable[..., Any]
    infer: Callable[..., Any] | None
    inputs: tuple[Arg, ...]
    outputs: tuple[Arg, ...]
    types: Mapping[str, tuple[DType, ...]]
    device_types: tuple[str, ...] = DEVICE_TYPES
    gpu_types: tuple[DType, ...] | None = None
    is_factory: bool = False
    is_transfer: bool = False
    aliases: bool | Callable[..., bool] = False
    stateful: bool = False
    is_session_resource: bool = False
    is_blocking: bool = False
    unsupported_types: tuple[DType, ...] = ()
    kernel_for: Mapping[DType, Callable[..., Any]] | None = None
    peer_access: str = ""
    wait_reason: str | None = None
    checks: bool = False
    kernel_for_dims: Callable[..., Callable[..., Any] | None] | None = None
    tensor_inputs: tuple[Arg, ...] = field(init=False)
    last_route: Any = field(init=False, repr=False, default=NoRoute())  # has no state

    def __post_init__(self) -> None:
        tensors = tuple(arg for arg in self.inputs if not arg.is_host)
        object.__setattr__(self, "tensor_inputs", tensors)

    def __repr__(self) -> str:
        return f"<Op {self.name}>"

    def signature(self) -> str:
        """The declaration's signature line."""
        return f"{_join(self.inputs)} -> {_join(self.outputs)}"


def _join(args: Sequence[Arg]) -> str:
    return ", ".join(f"{arg.name}: {'N * ' if arg.is_list else ''}{arg.type}" for arg in args)


REGISTRY: dict[str, Op] = {}


def op(
    name: str,
    signature: str,
    kernel: Callable[..., Any],
    infer: Callable[..., Any] | None,
    *,
    device_types: tuple[str, ...] = DEVICE_TYPES,
    gpu_types: tuple[DType, ...] | None = None,
    is_factory: bool = False,
    is_transfer: bool = False,
    aliases: bool | Callable[..., bool] = False,
    stateful: bool = False,
    is_session_resource: bool = False,
    is_blocking: bool = False,
    unsupported_types: tuple[DType, ...] = (),
    kernel_for: Mapping[DType, Callable[..., Any]] | None = None,
    peer_access: str = "",
    wait_reason: str | None = None,
    checks: bool = False,
    kernel_for_dims: Callable[..., Callable[..., Any] | None] | None = None,
    is_listed: bool = True,
    **types: tuple[DType, ...],
) -> Op:
    """Declares an op and enters it into the registry.

    Args:
        name: TensorFlow's name of the op.
        signature: inputs and outputs, see the head of this file.
        kernel: the function on torch values.
        infer: the shape rule, see `infer.py`; None where only running it tells.
        device_types: device types that have a kernel, the preferred one first.
        gpu_types: element types the GPU kernel takes, where fewer than the CPU's.
        is_factory: the kernel makes values from nothing and wants to know the device.
        is_transfer: it exists to bring its input to the device, so that copy is no surprise.
        aliases: the kernel returns a view of its input, which takes no memory: always (True), or
            for the values and attributes for which this function, called as the kernel, is True.
        stateful: it reads or changes something besides its inputs; never pruned or folded.
        is_session_resource: it makes a resource that lives as long as the session that runs it.
        is_blocking: its kernel may wait for another thread; it ends when `core/cancellation.py`
            says so.
        unsupported_types: element types that the signature allows and no kernel takes, as in
            TensorFlow, which then says "Could not find device for node".
        kernel_for: kernels of their own for inputs of some element types, where the common kernel
            would be wrong (the upper half of uint64).
        peer_access: which inputs its kernel takes where they are, on whatever device: "memory"
            those in the memory of its own, "everything" all; "" none, so they are copied before.
        wait_reason: why its kernel on a GPU makes the host wait, as it does where the size of the
            result depends on values; None where it does not. One of `waiting.py`'s reasons.
        checks: its kernel checks values; where the host must not wait for them, an error comes
            later (`devices/late.py`) and names this op.
        kernel_for_dims: tells, of inputs of these sizes and no attributes, the kernel that serves
            without looking at them again; None where there is none.
        is_listed: False for what graphs need and no program calls: it is not in the registry.
        types: allowed types of each type variable.
    """
    left, right = signature.split("->")
    record = Op(
        name, kernel, infer, _parse(left), _parse(right), types,
        device_types, gpu_types, is_factory, is_transfer, aliases, stateful, is_session_resource,
        is_blocking, unsupported_types, kernel_for, peer_access, wait_reason, checks,
        kernel_for_dims,
    )  # fmt: skip
    used = {arg.type for arg in (*record.inputs, *record.outputs)}
    assert types.keys() <= used, (
        f"op {name}: {set(types) - used} are neither options nor in its types"
    )
    if is_listed:
        assert name not in REGISTRY, f"op {name} is declared twice"
        REGISTRY[name] = record
    return record


def _parse(text: str) -> tuple[Arg, ...]:
    args = []
    for part in filter(None, (piece.strip() for piece in text.split(","))):
        name, kind = (piece.strip() for piece in part.split(":"))
        is_list = kind.startswith("N *")
        args.append(Arg(name, kind.removeprefix("N *").strip(), is_list))
    return tuple(args)


def apply(op: Op, inputs: tuple[Any, ...], attrs: dict[str, Any] | None = None) -> Tensor:
    """Hands `op` to the current target: eager execution runs it, a graph records it.

    Args:
        op: the op.
        inputs: its tensors, in the order of the signature, lists laid flat.
        attrs: its attributes and host arguments by name; None where it has none.

    Returns:
        A tensor, a list of tensors for an op with several outputs, or None.
    """
    state, count = LOCAL.state, len(inputs)
    if count == 2:
        x, y = inputs
        return state.target.apply_few(state, op, x, y, attrs)
    if count == 1:
        (x,) = inputs
        return state.target.apply_few(state, op, x, None, attrs)
    return state.target.apply(state, op, inputs, attrs)


#: `apply`, for ops whose result is no single tensor: a list, an operation of a graph, or None.
apply_any: Callable[..., Any] = apply


def expand(args: Sequence[Arg], count: int) -> list[tuple[Arg, int | None]]:
    """One entry per tensor for `count` tensors: its Arg, and its place in a list argument."""
    lists = sum(arg.is_list for arg in args)
    each = (count - (len(args) - lists)) // lists if lists else 0
    entries: list[tuple[Arg, int | None]] = []
    for arg in args:
        entries += [(arg, i) for i in range(each)] if arg.is_list else [(arg, None)]
    return entries


@functools.lru_cache(maxsize=4096)
def expanded_inputs(op: Op, count: int) -> list[tuple[Arg, int | None]]:
    """`expand` for the tensors that an op takes; nobody changes the list."""
    return expand(op.tensor_inputs, count)


def kernel_of(op: Op, given: Sequence[DType]) -> Callable[..., Any]:
    """The kernel of `op` for these input types."""
    own = op.kernel_for or {}
    return next((own[dtype] for dtype in given if dtype in own), op.kernel)


def check_types(op: Op, given: Sequence[DType]) -> None:
    """Raises InvalidArgumentError, in TensorFlow's words, unless the input types fit `op`."""
    bound: dict[str, DType] = {}
    for i, ((arg, _), dtype) in enumerate(
        zip(expand(op.tensor_inputs, len(given)), given, strict=True)
    ):
        allowed = op.types.get(arg.type)
        expected = bound.get(arg.type) if allowed is not None else FIXED_TYPES.get(arg.type)
        if expected is not None and dtype is not expected:
            raise invalid_argument(
                f"cannot compute {op.name} as input #{i}(zero-based) was expected to be a "
                f"{runtime_name(expected)} tensor but is a {runtime_name(dtype)} tensor "
                f"[Op:{op.name}] name: "
            )
        if allowed is not None:
            bound[arg.type] = dtype
            if dtype not in allowed:
                raise _not_allowed(op, arg.type, dtype, allowed)


# The types that a signature names instead of a type variable.
FIXED_TYPES = {dtype.name: dtype for dtype in dtypes.ALL}


def _not_allowed(
    op: Op, letter: str, dtype: DType, allowed: Iterable[DType]
) -> InvalidArgumentError:
    names = ", ".join(runtime_name(each) for each in allowed)
    return invalid_argument(
        f"Value for attr '{letter}' of {runtime_name(dtype)} is not in the list of allowed values: "
        f"{names}\n\t; NodeDef: {{{{node {op.name}}}}} [Op:{op.name}] name: "
    )


_RESTRICTED: dict[str, tuple[str, ...]] = {}


def kernel_types(op: Op, given: Sequence[DType]) -> tuple[str, ...]:
    """The device types that have a kernel of `op` for these input types, preferred one first."""
    types = _RESTRICTED.get(op.name, op.device_types)
    if op.unsupported_types and any(dtype in op.unsupported_types for dtype in given):
        return ()
    if op.gpu_types is not None and any(dtype not in op.gpu_types for dtype in given):
        types = tuple(each for each in types if each != "GPU")
    return types


def set_op_devices(op: str, types: Sequence[str] | None) -> None:
    """Restricts an op to some device types, or lifts the restriction with None.

    `set_op_devices("Cast", ["CPU"])` makes `tf.cast` an op without a GPU kernel, as
    TensorFlow's guide describes it: it then runs on the CPU even where a GPU is asked for.

    Args:
        op: TensorFlow's name of the op ("MatMul"); `emplace.kernels()` lists them.
        types: device types out of "GPU" and "CPU", preferred one first; None for the default.

    Raises:
        NotFoundError: there is no op of that name.
        ValueError: a type is neither "GPU" nor "CPU", the op has no kernel for it, or none is left.
    """
    record = find_op(op)
    if types is None:
        _RESTRICTED.pop(op, None)
    else:
        wanted = tuple(str(each).upper() for each in types)
        missing = [each for each in wanted if each not in record.device_types]
        if missing or not wanted:
            raise ValueError(
                f"[set_op_devices] {op} has kernels for {', '.join(record.device_types)}, got "
                f"{list(types)!r}. Name at least one of those."
            )
        _RESTRICTED[op] = wanted
    forget_routes()


def find_op(name: str) -> Op:
    """The op called `name`.

    Raises:
        NotFoundError: there is none; the message names similar ones.
    """
    found = REGISTRY.get(name)
    if found is None:
        near = difflib.get_close_matches(name, REGISTRY, n=3)
        hint = f" Did you mean {', '.join(near)}?" if near else ""
        raise NotFoundError(None, None, f"There is no op {name!r}.{hint}")
    return found


def lift_restrictions() -> None:
    """Forgets every `set_op_devices`."""
    _RESTRICTED.clear()
    forget_routes()
