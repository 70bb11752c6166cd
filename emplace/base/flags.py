"""Every environment variable Emplace reads, in one table.

Variables are read when they are asked for, not at import, so that a program or a test can set
them before its first use of a device. What a variable means is said here and nowhere else.
"""

from __future__ import annotations

import os
from typing import NamedTuple


class Flag(NamedTuple):
    """One environment variable: its name, its default text, and what it does."""

    name: str
    default: str
    does: str

    def get(self) -> str:
        """The text in the environment, or the default."""
        return os.environ.get(self.name, self.default)

    def is_on(self) -> bool:
        """True for 1, true, yes, on (any case)."""
        return self.get().strip().lower() in ("1", "true", "yes", "on")


GPUS = Flag("EMPLACE_GPUS", "", "virtual GPUs: '4', '4x1GB' or '2x8GB,2x4GB'")
REPORT = Flag(
    "EMPLACE_REPORT", "", "a file for the report of `emplace run`, as its option --report"
)
VISIBLE = Flag("CUDA_VISIBLE_DEVICES", "", "which real GPUs exist here (read by the CUDA driver)")
FORCE_GROWTH = Flag(
    "TF_FORCE_GPU_ALLOW_GROWTH", "", "'true' or 'false': overrides memory growth of every GPU"
)
MIN_SYSTEM_MEMORY = Flag(
    "TF_DEVICE_MIN_SYS_MEMORY_IN_MB", "", "MiB of each real GPU left to others by the default limit"
)
INTRA_OP_THREADS = Flag("TF_NUM_INTRAOP_THREADS", "0", "threads inside one op; 0 leaves torch's")
INTER_OP_THREADS = Flag("TF_NUM_INTEROP_THREADS", "0", "threads between ops; 0 leaves torch's")
KEEP_MEMORY = Flag(
    "EMPLACE_KEEP_MEMORY", "1", "0 lets freed host memory go back to the system at once (Linux)"
)
JIT_BACKEND = Flag(
    "EMPLACE_JIT_BACKEND", "inductor",
    "what torch.compile hands functions with jit_compile=True to: 'inductor' makes machine code; "
    "'aot_eager' and 'eager' compile quickly, run slowly, and tell where an error comes from",
)  # fmt: skip
MACHINE_CODE = Flag(
    "EMPLACE_MACHINE_CODE", "1",
    "0 lets torch's kernels do what llvmlite would compile for the host: loops of small "
    "operations, local responses",
)  # fmt: skip
SPIN_COUNT = Flag(
    "GOMP_SPINCOUNT", "",
    "how often a thread of a torch kernel looks for the others before it falls asleep (read by "
    "torch's OpenMP on Linux when torch is loaded); 200 unless this or OMP_WAIT_POLICY is set",
)  # fmt: skip
WAIT_POLICY = Flag(
    "OMP_WAIT_POLICY", "", "'active' or 'passive': as GOMP_SPINCOUNT with numbers of OpenMP's own"
)
MIN_LOG_LEVEL = Flag(
    "TF_CPP_MIN_LOG_LEVEL", "0", "1 hides the 'Executing op' lines on standard error"
)
WORKERS_START = Flag(
    "EMPLACE_WORKERS_START_SECONDS", "300",
    "how long a worker waits at its start for the others of its cluster",
)  # fmt: skip
WORKERS_STEP = Flag(
    "EMPLACE_WORKERS_STEP_SECONDS", "600",
    "how long a worker waits in a step for the others of its cluster; one that has ended is "
    "noticed at once, one whose machine is silent after 30 seconds or this, whichever is less",
)  # fmt: skip
TF_CONFIG = Flag(
    "TF_CONFIG", "{}", "JSON: the processes that work together, and which of them this one is"
)
CLUSTER_WAIT = Flag(
    "EMPLACE_CLUSTER_WAIT", "300", "seconds that the tasks of parameter servers wait for each other"
)

TABLE: tuple[Flag, ...] = (
    GPUS,
    REPORT,
    VISIBLE,
    FORCE_GROWTH,
    MIN_SYSTEM_MEMORY,
    INTRA_OP_THREADS,
    INTER_OP_THREADS,
    KEEP_MEMORY,
    JIT_BACKEND,
    MACHINE_CODE,
    SPIN_COUNT,
    WAIT_POLICY,
    MIN_LOG_LEVEL,
    WORKERS_START,
    WORKERS_STEP,
    TF_CONFIG,
    CLUSTER_WAIT,
)
