"""What programs ask of pipelines: `tf.data.Options` and what is in it.

Emplace reads `deterministic`; the rest is kept for programs that set it.
"""

from __future__ import annotations

import copy
import enum
from typing import Any, ClassVar, Self

from ...base.typing import TensorLike


class AutoShardPolicy(enum.IntEnum):
    """How a dataset is divided among workers (`tf.data.experimental.AutoShardPolicy`)."""

    OFF = -1
    AUTO = 0
    FILE = 1
    DATA = 2
    HINT = 3


class AutotuneAlgorithm(enum.Enum):
    """How parameters are tuned (`tf.data.experimental.AutotuneAlgorithm`)."""

    DEFAULT = 0
    HILL_CLIMB = 1
    GRADIENT_DESCENT = 2
    MAX_PARALLELISM = 3
    STAGE_BASED = 4


class ExternalStatePolicy(enum.Enum):
    """What to do about state that is elsewhere
    (`tf.data.experimental.ExternalStatePolicy`).
    """

    WARN = 0
    IGNORE = 1
    FAIL = 2


class _Group:
    """Options by name: `_types` says which there are, `_defaults` what they are at first."""

    _types: ClassVar[dict[str, Any]] = {}
    _defaults: ClassVar[dict[str, Any]] = {}

    def __init__(self) -> None:
        values = {name: copy.copy(self._defaults.get(name)) for name in self._types}
        object.__setattr__(self, "_values", values)
        object.__setattr__(self, "_set", set())

    def __getattr__(self, name: str) -> Any:
        values = self.__dict__.get("_values", {})
        if name in values:
            return values[name]
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def __setattr__(self, name: str, value: TensorLike) -> None:
        if self.__dict__.get("_is_read_only"):
            raise ValueError(
                "Mutating `tf.data.Options()` returned by `tf.data.Dataset.options()` has no "
                "effect. Use `tf.data.Dataset.with_options(options)` to set or update dataset "
                "options."
            )
        if name not in self._types:
            raise AttributeError(f"Cannot set the property {name} on {type(self).__name__}.")
        wanted = self._types[name]
        if value is not None and not isinstance(value, wanted):
            raise TypeError(
                f'Property "{name}" must be of type {wanted}, got: {value!r} (type: {type(value)})'
            )
        self.__dict__["_values"][name] = value
        self.__dict__["_set"].add(name)

    def merged(self, other: _Group) -> _Group:
        """These options, under what the others say."""
        made = type(self)()
        for each in (self, other):
            for name, value in each.__dict__["_values"].items():
                if isinstance(value, _Group):
                    made.__dict__["_values"][name] = made.__dict__["_values"][name].merged(value)
                elif name in each.__dict__["_set"]:
                    before = made.__dict__["_values"][name]
                    # TF: lists are joined; everything else is what was said last.
                    is_joined = isinstance(value, list) and isinstance(before, list)
                    setattr(made, name, [*before, *value] if is_joined else value)
        return made

    def read_only(self) -> Self:
        """These options, which refuse to be changed: a dataset's answer."""
        for each in self.__dict__["_values"].values():
            if isinstance(each, _Group):
                each.read_only()
        self.__dict__["_is_read_only"] = True
        return self

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, _Group) or type(self) is not type(other):
            return NotImplemented
        return bool(self.__dict__["_values"] == other.__dict__["_values"])

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = None  # type: ignore[assignment]


class AutotuneOptions(_Group):
    """Options of tuning (`tf.data.experimental.AutotuneOptions`)."""

    _types: ClassVar = {
        "autotune_algorithm": AutotuneAlgorithm, "cpu_budget": int, "enabled": bool,
        "initial_parallelism": int, "min_parallelism": int, "ram_budget": int,
    }  # fmt: skip


class DistributeOptions(_Group):
    """Options of dividing a dataset among workers (`tf.data.experimental.DistributeOptions`)."""

    _types: ClassVar = {"auto_shard_policy": AutoShardPolicy, "num_devices": int}
    _defaults: ClassVar = {"auto_shard_policy": AutoShardPolicy.AUTO}


class OptimizationOptions(_Group):
    """Options of rewriting a pipeline (`tf.data.experimental.OptimizationOptions`)."""

    _types: ClassVar = dict.fromkeys(
        ("apply_default_optimizations", "filter_fusion", "filter_parallelization",
         "inject_prefetch", "map_and_batch_fusion", "map_and_filter_fusion", "map_fusion",
         "map_parallelization", "noop_elimination", "parallel_batch", "seq_interleave_prefetch",
         "shuffle_and_repeat_fusion"),
        bool,
    )  # fmt: skip


class ServiceOptions(_Group):
    """Options of the data service (`tf.data.experimental.ServiceOptions`)."""

    _types: ClassVar = {"pinned": bool}


class ThreadingOptions(_Group):
    """Options of threads (`tf.data.ThreadingOptions`)."""

    _types: ClassVar = {"max_intra_op_parallelism": int, "private_threadpool_size": int}


class Options(_Group):
    """What is asked of a pipeline (`tf.data.Options`).

    >>> import emplace.tensorflow as tf
    >>> options = Options()
    >>> options.deterministic = False
    >>> tf.data.Dataset.range(3).with_options(options).options().deterministic
    False
    """

    _types: ClassVar = {
        "autotune": AutotuneOptions, "dataset_name": str, "deterministic": bool,
        "experimental_deterministic": bool, "experimental_distribute": DistributeOptions,
        "experimental_external_state_policy": ExternalStatePolicy,
        "experimental_optimization": OptimizationOptions, "experimental_service": ServiceOptions,
        "experimental_slack": bool, "experimental_symbolic_checkpoint": bool,
        "experimental_threading": ThreadingOptions, "experimental_warm_start": bool,
        "framework_type": list, "threading": ThreadingOptions,
    }  # fmt: skip

    def __init__(self) -> None:
        super().__init__()
        values = self.__dict__["_values"]
        for name, kind in self._types.items():
            if issubclass(kind, _Group) and name != "experimental_threading":
                values[name] = kind()

    def __getattr__(self, name: str) -> Any:
        return super().__getattr__(_RENAMED.get(name, name))

    def __setattr__(self, name: str, value: TensorLike) -> None:
        super().__setattr__(_RENAMED.get(name, name), value)

    def merge(self, options: Options) -> Options:
        """These options, under what the others say (`tf.data.Options.merge`)."""
        made = self.merged(options)
        assert isinstance(made, Options)
        return made


# Old names of options.
_RENAMED = {"experimental_threading": "threading", "experimental_deterministic": "deterministic"}
