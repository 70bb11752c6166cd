"""`ConfigProto`: what a session's configuration does to devices, and the mapping it logs.

The messages are TensorBoard's compiled ones. Devices belong to the process: the first session
decides how they look, unless they are in use already.
"""

from __future__ import annotations

import importlib
from typing import Any

from ...base.errors import AlreadyExistsError, invalid_argument
from ...core.settings import strips_checks
from ...devices.config import (
    set_logical_device_configuration,
    set_memory_growth,
    set_per_process_memory_fraction,
)
from ...devices.inventory import (
    INVENTORY,
    LogicalDeviceConfiguration,
    PhysicalDevice,
)
from ..placement.log_lines import tell

_MODULES = {
    "ConfigProto": "config_pb2", "GPUOptions": "config_pb2", "GraphOptions": "config_pb2",
    "OptimizerOptions": "config_pb2", "RunOptions": "config_pb2", "RunMetadata": "config_pb2",
    "CallableOptions": "config_pb2", "ThreadPoolOptionProto": "config_pb2",
    "SessionMetadata": "config_pb2", "ClusterDef": "cluster_pb2", "JobDef": "cluster_pb2",
    "RewriterConfig": "rewriter_config_pb2", "SessionLog": "event_pb2", "Event": "event_pb2",
    "LogMessage": "event_pb2", "TaggedRunMetadata": "event_pb2", "Summary": "summary_pb2",
    "SummaryDescription": "summary_pb2", "SummaryMetadata": "summary_pb2",
    "HistogramProto": "histogram_pb2",
    "GraphDef": "graph_pb2", "NodeDef": "node_def_pb2", "AttrValue": "attr_value_pb2",
    "NameAttrList": "attr_value_pb2", "MetaGraphDef": "meta_graph_pb2",
    "TensorInfo": "meta_graph_pb2",
}  # fmt: skip


def message(name: str) -> Any:
    """The protobuf message of that name; None if it is none of a session's configuration."""
    module = _MODULES.get(name)
    if module is None:
        return None
    return getattr(importlib.import_module(f"tensorboard.compat.proto.{module}"), name)


def start(config: Any, logs_placement: bool) -> None:
    """Lets a configuration take effect when a session is made.

    Raises:
        InvalidArgumentError: `visible_device_list` or `device_count` makes no sense.
        AlreadyExistsError: devices are in use and look otherwise.
    """
    if config is not None:
        wanted = _gpus(config)
        if INVENTORY.is_initialized:
            _check_mapping(config, wanted)
        else:
            _apply(config, wanted)
    if logs_placement:
        _log_mapping()


def strips(config: Any) -> bool:
    """Whether a session runs graphs without what only checks or prints; without a configuration it
    does as functions do.
    """
    if config is None:
        return strips_checks()
    options = config.graph_options.rewrite_options
    return bool(options.debug_stripper == options.ON and not options.disable_meta_optimizer)


def _gpus(config: Any) -> list[PhysicalDevice]:
    """The physical GPUs that a configuration leaves, in its order."""
    gpus = [each for each in INVENTORY.physical() if each.device_type == "GPU"]
    text = config.gpu_options.visible_device_list
    if text:
        gpus = [gpus[number] for number in _numbers(text, len(gpus))]
    counts = dict(config.device_count)
    return gpus[: counts["GPU"]] if "GPU" in counts else gpus


def _numbers(text: str, count: int) -> list[int]:
    numbers: list[int] = []
    for entry in text.split(","):
        if not entry.strip().isdigit():
            raise invalid_argument(
                f"Could not parse entry in 'visible_device_list': '{entry}'. "
                f"visible_device_list = {text}"
            )
        number = int(entry)
        if number >= count:
            raise invalid_argument(
                f"'visible_device_list' listed an invalid Device id '{number}' but visible device "
                f"count is {count}"
            )
        if number in numbers:
            raise invalid_argument(f"visible_device_list contained a duplicate entry: {text}")
        numbers.append(number)
    return numbers


def _apply(config: Any, gpus: list[PhysicalDevice]) -> None:
    others = [each for each in INVENTORY.physical() if each.device_type != "GPU"]
    INVENTORY.requests.visible = [*others, *gpus]
    INVENTORY.requests.gpu_order = gpus
    options = config.gpu_options
    for gpu in gpus:
        if options.allow_growth:
            set_memory_growth(gpu, True)
    if options.per_process_gpu_memory_fraction:
        set_per_process_memory_fraction(options.per_process_gpu_memory_fraction)
    for gpu, virtual in zip(gpus, options.experimental.virtual_devices, strict=False):
        limits = [LogicalDeviceConfiguration(memory_limit=mb) for mb in virtual.memory_limit_mb]
        if limits:
            set_logical_device_configuration(gpu, limits)
    cpus = dict(config.device_count).get("CPU", 1)
    if cpus > 1:
        (cpu,) = (each for each in others if each.device_type == "CPU")
        set_logical_device_configuration(cpu, [LogicalDeviceConfiguration()] * cpus)
    INVENTORY.requests.intra_op_threads = config.intra_op_parallelism_threads or None


def _check_mapping(config: Any, gpus: list[PhysicalDevice]) -> None:
    """TF: a second session must see the same hardware under each name."""
    if not (config.gpu_options.visible_device_list or "GPU" in config.device_count):
        return
    present = [INVENTORY.physical_of(d) for d in INVENTORY.devices() if d.type == "GPU"]
    for i, (wanted, there) in enumerate(zip(gpus, present, strict=False)):
        if wanted != there:
            raise AlreadyExistsError(
                None,
                None,
                f"TensorFlow device (GPU:{i}) is being mapped to multiple devices "
                f"({_number(wanted)} now, and {_number(there)} previously), which is not "
                "supported. This may be the result of providing different GPU configurations "
                "(ConfigProto.gpu_options, for example different visible_device_list) when "
                "creating multiple Sessions in the same process. This is not currently "
                "supported, see https://github.com/tensorflow/tensorflow/issues/19083",
            )


def _number(device: PhysicalDevice) -> str:
    return device.name.rsplit(":", 1)[-1]


def _log_mapping() -> None:
    """What a session that logs placement tells of the devices when it is made."""
    lines = [
        f"{device.name} -> {INVENTORY.description(device)}"
        for device in INVENTORY.devices()
        if device.type != "CPU"
    ]
    tell("Device mapping:\n" + "\n".join(lines) if lines else "Device mapping: no known devices.")
