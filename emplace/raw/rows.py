"""Rows of the table of raw ops: how an op by TensorFlow's name is computed with what is there.

    "Fact": composed(lambda: constant("..."))      public functions, called with tensors
    "SigmoidGrad": kernel(sigmoid_grad_kernel)     a kernel on raw values, as an op of its own
    "Inv": version("Reciprocal")                   another op, with arguments that stay the same

A row's function takes the op's arguments by keyword. Those it has no parameter for must be listed:
in `ignored`, if they change nothing here whatever their value, or in `fixed`, if any other value
than TensorFlow's default is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ..base.dtypes import DType
from ..ops.op import Op

Types = Mapping[str, tuple[DType, ...]]


@dataclass(frozen=True, slots=True)
class Composed:
    """A function of ours. Inputs in `host` reach it as the program gave them."""

    run: Callable[..., Any]
    host: tuple[str, ...] = ()
    ignored: tuple[str, ...] = ()
    fixed: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Kernel:
    """A kernel: tensors by position, `ints` and `scalars`, which are inputs of TensorFlow's, and
    attributes by keyword. `infer` is its shape rule: "kernel" to ask the kernel itself. `on_host`
    says that it runs on CPUs alone, `makes_resource` that a session keeps what it makes,
    `wait_reason` why the host waits for a GPU in it.
    """

    run: Callable[..., Any]
    infer: Callable[..., Any] | str | None = "kernel"
    ints: tuple[str, ...] = ()
    scalars: tuple[str, ...] = ()
    ignored: tuple[str, ...] = ()
    fixed: tuple[str, ...] = ()
    types: Types = field(default_factory=dict)
    on_host: bool = False
    makes_resource: bool = False
    wait_reason: str | None = None


@dataclass(frozen=True, slots=True)
class Version:
    """Another op of Emplace, by its name or its record: `renamed` from this one's arguments to that
    one's, `constants` that it is given besides, `outputs` the places of its outputs that this one
    has.
    """

    of: Op | str
    renamed: Mapping[str, str]
    constants: Mapping[str, Any]
    ignored: tuple[str, ...] = ()
    fixed: tuple[str, ...] = ()
    outputs: tuple[int, ...] | None = None


Row = Composed | Kernel | Version

HOST_NUMBERS = "the host lays its work out by numbers that are tensors"
"""Why some kernels wait for a GPU: for steps, scales and the like, which other ops take as plain
numbers.
"""


def composed(
    run: Callable[..., Any], host: str = "", ignored: str = "", fixed: str = ""
) -> Composed:
    """A row of public functions. Names of arguments stand in a text, with blanks between them."""
    return Composed(run, tuple(host.split()), tuple(ignored.split()), tuple(fixed.split()))


def kernel(
    run: Callable[..., Any],
    infer: Callable[..., Any] | str | None = "kernel",
    *,
    ints: str = "",
    scalars: str = "",
    ignored: str = "",
    fixed: str = "",
    types: Types | None = None,
    on_host: bool = False,
    makes_resource: bool = False,
    wait_reason: str | None = None,
) -> Kernel:
    """A row with a kernel of its own."""
    return Kernel(
        run,
        infer,
        tuple(ints.split()),
        tuple(scalars.split()),
        tuple(ignored.split()),
        tuple(fixed.split()),
        types or {},
        on_host,
        makes_resource,
        wait_reason,
    )


def version(
    of: Op | str,
    renamed: Mapping[str, str] | None = None,
    *,
    ignored: str = "",
    fixed: str = "",
    outputs: tuple[int, ...] | None = None,
    **constants: Any,
) -> Version:
    """A row that is another raw op with some arguments fixed or named otherwise."""
    unused = tuple(ignored.split()), tuple(fixed.split())
    return Version(of, renamed or {}, constants, *unused, outputs)
