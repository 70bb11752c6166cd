"""Strategies by the names that tests ask for (`tf.__internal__.distribute.combinations`), and which
of them this machine has.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

from ..devices.config import list_logical_devices, list_physical_devices
from ..distribute.strategies.central_storage import CentralStorageStrategy
from ..distribute.strategies.mirrored import MirroredStrategy
from ..distribute.strategies.one_device import OneDeviceStrategy
from ..distribute.strategies.strategy import get_strategy
from .test_combinations import (
    Combination,
    OptionalParameter,
    ParameterModifier,
    TestCombination,
    generate_with,
)

_NO_TPU = "Test requires a TPU, but it's not available."
_OTHER_PROCESSES = (
    "Tests do not start workers in other processes here. Run the program with `emplace launch`."
)


class NamedDistribution:
    """A strategy that is made when a test runs, and what it needs.

    Args:
        name: what names of tests say for it.
        distribution_fn: makes it.
        required_gpus: how many GPUs it needs, logical ones too.
        required_physical_gpus: how many physical ones.
        required_tpu: whether it needs a TPU: tests with it are skipped.
        num_workers: on how many workers it is.
        num_ps: how many parameter servers it needs.
        why_not: why tests with it are skipped; "" if they are not.
    """

    use_cloud_tpu = has_chief = no_xla = False

    def __init__(
        self,
        name: str,
        distribution_fn: Callable[[], Any],
        required_gpus: int | None = None,
        required_physical_gpus: int = 0,
        required_tpu: bool = False,
        num_workers: int = 1,
        num_ps: int = 0,
        why_not: str = "",
    ) -> None:
        self._name = name
        self._make = distribution_fn
        self.required_gpus = required_gpus
        self.required_physical_gpus = required_physical_gpus
        self.required_tpu = required_tpu
        self.num_workers, self.num_ps = num_workers, num_ps
        self.why_not = _NO_TPU if required_tpu else why_not

    @property
    def strategy(self) -> Any:
        """The strategy, a new one.

        Raises:
            NotImplementedError: there is none of its kind here.
        """
        if self.why_not:
            raise NotImplementedError(f"[{self._name}] {self.why_not}")
        return self._make()

    def __repr__(self) -> str:
        return self._name


class DistributionParameter(ParameterModifier):
    """Makes strategies of their names."""

    def modified_arguments(
        self, kwargs: dict[str, Any], requested_parameters: Sequence[str]
    ) -> dict[str, Any]:
        """See the base."""
        return {
            name: value.strategy
            for name, value in kwargs.items()
            if isinstance(value, NamedDistribution)
        }


class DistributionCombination(TestCombination):
    """Arguments that are strategies, `required_gpus` and `required_physical_gpus`; a test that
    needs what the machine lacks is skipped.
    """

    def should_execute_combination(self, kwargs: dict[str, Any]) -> tuple[bool, str | None]:
        """See the base."""
        named = [value for value in kwargs.values() if isinstance(value, NamedDistribution)]
        for each in named:
            if each.why_not:
                return False, each.why_not
        asked = kwargs.get("required_gpus") or 0, kwargs.get("required_physical_gpus") or 0
        physical = max([asked[1], *[each.required_physical_gpus for each in named]])
        wanted = max([*asked, physical, *[each.required_gpus or 0 for each in named]])
        available = len(list_logical_devices("GPU")) if wanted else 0
        if available < wanted:
            return False, f"Only {available} of {wanted} required GPUs are available."
        if physical and len(list_physical_devices("GPU")) < physical:
            return False, f"Only {available} of {physical} required physical GPUs are available."
        return True, None

    def parameter_modifiers(self) -> list[Any]:
        """See the base."""
        return [
            DistributionParameter(),
            OptionalParameter("required_gpus"),
            OptionalParameter("required_physical_gpus"),
        ]


def generate(
    combinations: Sequence[Combination], test_combinations: Sequence[TestCombination] = ()
) -> Callable[[Any], Any]:
    """Makes a decorator that runs a test, or all tests of a class, once per combination
    (`tf.__internal__.distribute.combinations.generate`).

    Args:
        combinations: the arguments, as `combine` and `times` make them.
        test_combinations: what they mean besides strategies, GPUs, `mode` and `tf_api_version`.
    """
    return generate_with(combinations, (*test_combinations, DistributionCombination()))


def in_main_process() -> bool:
    """Returns True: tests start no other processes."""
    return True


def _mirrored(name: str, *devices: str, physical: int = 0) -> NamedDistribution:
    gpus = sum(device.startswith("/gpu") for device in devices)
    make = functools.partial(MirroredStrategy, devices)
    return NamedDistribution(name, make, None if physical else gpus, physical)


def _on_tpu(name: str) -> NamedDistribution:
    return NamedDistribution(name, get_strategy, required_tpu=True)


def _on_workers(name: str, gpus: int | None = None, workers: int = 1, ps: int = 0) -> Any:
    return NamedDistribution(
        name, get_strategy, gpus, num_workers=workers, num_ps=ps, why_not=_OTHER_PROCESSES
    )


default_strategy = NamedDistribution("Default", get_strategy)
one_device_strategy = NamedDistribution("OneDeviceCPU", lambda: OneDeviceStrategy("/cpu:0"))
one_device_strategy_gpu = NamedDistribution("OneDeviceGPU", lambda: OneDeviceStrategy("/gpu:0"), 1)
mirrored_strategy_with_one_cpu = _mirrored("Mirrored1CPU", "/cpu:0")
mirrored_strategy_with_one_gpu = _mirrored("Mirrored1GPU", "/gpu:0")
mirrored_strategy_with_gpu_and_cpu = _mirrored("MirroredCPUAndGPU", "/gpu:0", "/cpu:0")
mirrored_strategy_with_two_cpus = _mirrored("Mirrored2CPUs", "/cpu:0", "/cpu:1")
mirrored_strategy_with_cpu_1_and_2 = _mirrored("Mirrored2CPU", "/cpu:1", "/cpu:2")
mirrored_strategy_with_two_gpus = _mirrored("Mirrored2GPUs", "/gpu:0", "/gpu:1")
mirrored_strategy_with_two_gpus_no_merge_call = _mirrored(
    "Mirrored2GPUsNoMergeCall", "/gpu:0", "/gpu:1", physical=2
)
central_storage_strategy_with_two_gpus = NamedDistribution(
    "CentralStorage2GPUs", lambda: CentralStorageStrategy(["/gpu:0", "/gpu:1"]), 2
)
central_storage_strategy_with_gpu_and_cpu = NamedDistribution(
    "CentralStorageCPUAndGPU", lambda: CentralStorageStrategy(["/gpu:0", "/cpu:0"]), 1
)
cloud_tpu_strategy = _on_tpu("CloudTPU")
tpu_strategy = _on_tpu("TPU")
tpu_strategy_one_core = _on_tpu("TPUOneCore")
tpu_strategy_packed_var = _on_tpu("TPUPackedVar")
multi_worker_mirrored_2x1_cpu = _on_workers("MultiWorkerMirrored2x1CPU", None, 2)
multi_worker_mirrored_2x1_gpu = _on_workers("MultiWorkerMirrored2x1GPU", 1, 2)
multi_worker_mirrored_2x1_gpu_noshare = _on_workers("MultiWorkerMirrored2x1GPUNoShare", 1, 2)
multi_worker_mirrored_2x2_gpu = _on_workers("MultiWorkerMirrored2x2GPU", 2, 2)
multi_worker_mirrored_2x2_gpu_no_merge_call = _on_workers(
    "MultiWorkerMirrored2x2GPUNoMergeCall", 2, 2
)
parameter_server_strategy_1worker_2ps_1gpu = _on_workers("ParameterServer1Worker2PS1GPU", 1, 1, 2)
parameter_server_strategy_1worker_2ps_cpu = _on_workers("ParameterServer1Worker2PSCPU", 0, 1, 2)
parameter_server_strategy_3worker_2ps_1gpu = _on_workers("ParameterServer3Worker2PS1GPU", 1, 3, 2)
parameter_server_strategy_3worker_2ps_cpu = _on_workers("ParameterServer3Worker2PSCPU", 0, 3, 2)
