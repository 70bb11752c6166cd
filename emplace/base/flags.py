"""Every environment variable Emplace reads, in one table.

Variables are read when they are asked for, not at import, so that a program or a test can set
them before its first use of a device. What a variable means is said here and nowhere else: the
command line's help and docs/ENVIRONMENT.md are made of this table.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, Generic, NamedTuple, TypeVar

from .sizes import VirtualGpus, parse_gpus, parse_limits

T = TypeVar("T")


class Flag(NamedTuple, Generic[T]):
    """One environment variable.

    Attributes:
        name: its name.
        default: the text that stands for it where it is not set.
        does: what it does.
        reads: makes a value of the text, or raises a ValueError that says what it may be.
    """

    name: str
    default: str
    does: str
    reads: Callable[[str], T]

    def get(self) -> str:
        """The text in the environment, or the default."""
        return os.environ.get(self.name, self.default)

    def value(self) -> T:
        """What the text in the environment means; an empty one means the default.

        Raises:
            ValueError: it means nothing. The message names the variable and says what may be there.
        """
        text = self.get().strip() or self.default
        try:
            return self.reads(text)
        except ValueError as error:
            raise ValueError(f"[{self.name}={text!r}] {error}") from None


class Switch:
    """A flag that is on or off, for kernels, which ask in every call: what its text means is found
    out again where it has changed.
    """

    def __init__(self, flag: Flag[bool]) -> None:
        self._flag = flag
        # Behind `os.environ`, which takes a microsecond.
        self._texts = getattr(os.environ, "_data", os.environ)
        self._key = os.environ.encodekey(flag.name) if self._texts is not os.environ else flag.name
        self._text: object = self
        self._is_on = False

    def is_on(self) -> bool:
        """As the flag's `value`, and with its errors."""
        text = self._texts.get(self._key)
        if text != self._text:
            self._is_on = self._flag.value()
            self._text = text
        return self._is_on


_SWITCH = {"1": True, "true": True, "yes": True, "on": True,
           "0": False, "false": False, "no": False, "off": False}  # fmt: skip


def _switch(text: str) -> bool:
    if text.lower() not in _SWITCH:
        raise ValueError("must be 1 (also true, yes, on) or 0 (also false, no, off).")
    return _SWITCH[text.lower()]


def _legacy(text: str) -> bool:
    return text in ("1", "true", "True")


def _seconds(text: str) -> float:
    try:
        found = float(text)
    except ValueError:
        found = 0.0
    if not 0 < found < float("inf"):
        raise ValueError("must be a number of seconds above 0.")
    return found


def _gpus(text: str) -> VirtualGpus | None:
    return parse_gpus(text) if text else None


def writable(path: str) -> str:
    """A path, if a file can be written there.

    Raises:
        ValueError: it cannot.
    """
    folder = os.path.dirname(os.path.abspath(path))
    if os.path.isdir(path) or not os.path.isdir(folder) or not os.access(folder, os.W_OK):
        raise ValueError(f"{path!r} cannot be written. Name a file in a folder that exists.")
    return path


def _report(text: str) -> str:
    return writable(text) if text else text


GPUS = Flag(
    "EMPLACE_GPUS", "", "virtual GPUs: '4', '4x1GB', '2x8GB,2x4GB' or '2x1GB:strict'", _gpus
)
LIMIT = Flag(
    "EMPLACE_LIMIT", "",
    "what GPUs may hold at most, as the program numbers them: 'GPU:0=3GB,GPU:1=512MB'",
    parse_limits,
)  # fmt: skip
REPORT = Flag(
    "EMPLACE_REPORT", "", "a file for the report of `emplace run`, as its option --report", _report
)
VISIBLE = Flag(
    "CUDA_VISIBLE_DEVICES", "", "which real GPUs exist here (read by the CUDA driver)", str
)
FORCE_GROWTH = Flag(
    "TF_FORCE_GPU_ALLOW_GROWTH", "", "'true' or 'false': overrides memory growth of every GPU", str
)
MIN_SYSTEM_MEMORY = Flag(
    "TF_DEVICE_MIN_SYS_MEMORY_IN_MB", "",
    "MiB of each real GPU left to others by the default limit", str,
)  # fmt: skip
INTRA_OP_THREADS = Flag(
    "TF_NUM_INTRAOP_THREADS", "0", "threads inside one op; 0 leaves torch's", str
)
INTER_OP_THREADS = Flag("TF_NUM_INTEROP_THREADS", "0", "threads between ops; 0 leaves torch's", str)
SOFT_PLACEMENT = Flag(
    "EMPLACE_SOFT_PLACEMENT", "0",
    "1 lets another device stand in for one that a program asks for and that does not exist, with "
    "a warning for each device and line; as `emplace run --soft`", _switch,
)  # fmt: skip
KEEP_MEMORY = Flag(
    "EMPLACE_KEEP_MEMORY", "1",
    "0 lets freed host memory go back to the system at once (Linux)", _switch,
)  # fmt: skip
# What JIT_BACKEND may be; torch knows of others.
JIT_BACKENDS = ("inductor", "aot_eager", "eager")
JIT_BACKEND = Flag(
    "EMPLACE_JIT_BACKEND", "inductor",
    "what torch.compile hands functions with jit_compile=True to: 'inductor' makes machine code; "
    "'aot_eager' and 'eager' compile quickly, run slowly, and tell where an error comes from",
    str,
)  # fmt: skip
MACHINE_CODE = Flag(
    "EMPLACE_MACHINE_CODE", "1",
    "0 lets torch's kernels do what llvmlite would compile for the host: loops of small "
    "operations, local responses, convolutions",
    _switch,
)  # fmt: skip
MACHINE_CODE_SWITCH = Switch(MACHINE_CODE)
FUSE = Flag(
    "EMPLACE_FUSE", "1",
    "0 lets plans run each element-wise operation by itself, for people who compare bits: in one "
    "pass a product and a sum are rounded once, and a scaled filter before it is applied",
    _switch,
)  # fmt: skip
CUDA_GRAPHS = Flag(
    "EMPLACE_CUDA_GRAPHS", "0",
    "1 lets functions whose plans can be captured (`emplace.explain` says which) run as CUDA "
    "graphs after some calls",
    _switch,
)  # fmt: skip
IMMEDIATE_CHECKS = Flag(
    "EMPLACE_IMMEDIATE_CHECKS", "0",
    "1 checks indices, shapes and finite values on GPUs at once instead of when the host waits "
    "anyway: slow, and errors come from the line that causes them",
    _switch,
)  # fmt: skip
SPIN_COUNT = Flag(
    "GOMP_SPINCOUNT", "",
    "how often a thread of a torch kernel looks for the others before it falls asleep (read by "
    "torch's OpenMP on Linux when torch is loaded); 8000 unless this or OMP_WAIT_POLICY is set",
    str,
)  # fmt: skip
WAIT_POLICY = Flag(
    "OMP_WAIT_POLICY", "",
    "'active' or 'passive': as GOMP_SPINCOUNT with numbers of OpenMP's own", str,
)  # fmt: skip
HUGE_PAGES = Flag(
    "THP_MEM_ALLOC_ENABLE", "",
    "1 lets blocks of 2 MiB and more ask for huge pages (read by torch on Linux with its first "
    "tensor); 1 unless this is set",
    str,
)  # fmt: skip
MIN_LOG_LEVEL = Flag(
    "TF_CPP_MIN_LOG_LEVEL", "0",
    "1 hides the 'Executing op' lines on standard error, 2 warnings too, 3 errors too", str,
)  # fmt: skip
AUTOGRAPH_VERBOSITY = Flag(
    "AUTOGRAPH_VERBOSITY", "0", "how much AutoGraph tells of what it does: 0 nothing, 10 all", str
)
AUTOGRAPH_STRICT = Flag(
    "AUTOGRAPH_STRICT_CONVERSION", "0",
    "1 makes an error of what AutoGraph cannot convert, instead of a warning", _switch,
)  # fmt: skip
LEGACY_KERAS = Flag(
    "TF_USE_LEGACY_KERAS", "0",
    "'1', 'true' or 'True': `tf.keras` is Keras 2, the package `tf_keras`", _legacy,
)  # fmt: skip
WORKERS_START = Flag(
    "EMPLACE_WORKERS_START_SECONDS", "300",
    "how long a worker or parameter server waits at its start for the others of its cluster",
    _seconds,
)  # fmt: skip
WORKERS_STEP = Flag(
    "EMPLACE_WORKERS_STEP_SECONDS", "600",
    "how long a worker waits in a step for the others of its cluster; one that has ended is "
    "noticed at once, one whose machine is silent after 30 seconds or this, whichever is less",
    _seconds,
)  # fmt: skip
TF_CONFIG = Flag(
    "TF_CONFIG", "{}",
    "JSON: the processes that work together, and which of them this one is", str,
)  # fmt: skip
LAUNCH_PLAN = Flag(
    "EMPLACE_LAUNCH_PLAN", "", "set by `emplace launch` for the workers that it starts", str
)

TABLE: tuple[Flag[Any], ...] = (
    GPUS,
    LIMIT,
    REPORT,
    SOFT_PLACEMENT,
    KEEP_MEMORY,
    JIT_BACKEND,
    MACHINE_CODE,
    FUSE,
    CUDA_GRAPHS,
    IMMEDIATE_CHECKS,
    WORKERS_START,
    WORKERS_STEP,
    LAUNCH_PLAN,
    VISIBLE,
    FORCE_GROWTH,
    MIN_SYSTEM_MEMORY,
    INTRA_OP_THREADS,
    INTER_OP_THREADS,
    MIN_LOG_LEVEL,
    TF_CONFIG,
    LEGACY_KERAS,
    AUTOGRAPH_VERBOSITY,
    AUTOGRAPH_STRICT,
    SPIN_COUNT,
    WAIT_POLICY,
    HUGE_PAGES,
)
