"""Cases about tf.config: every call with every kind of argument, and calls in random order."""

from __future__ import annotations

import random
from collections.abc import Iterator

PRELUDE = """
config, experimental, threading = tf.config, tf.config.experimental, tf.config.threading
cpu, *gpus = config.list_physical_devices()
stranger = config.PhysicalDevice("/physical_device:GPU:9", "GPU")
split = config.LogicalDeviceConfiguration
config.set_soft_device_placement(True)

def limits(*sizes):
    return [split(memory_limit=size) for size in sizes]

def grow(*values):
    for gpu, value in zip(gpus, values):
        experimental.set_memory_growth(gpu, value)

def here():
    return tf.add(tf.constant([1.0]), tf.constant([1.0])).device

def under(name):
    with tf.device(name):
        return here()
"""

# What each argument may be: four right values first, then others, most of them wrong.
_ARGUMENTS = {
    "devices": [
        "gpus", "gpus[0]", "gpus[1:]", "[]", "[gpus[3], gpus[1]]", "[cpu]", "cpu", "[cpu, *gpus]",
        "[gpus[0], gpus[0]]", "[*gpus, cpu]", "None", "'GPU:0'", "'/physical_device:GPU:0'",
        "(gpus[0],)", "3", "stranger", "[stranger]", "[gpus]", "{}", "b'GPU:0'", "1.5", "[None]",
        "{gpus[0]}",
    ],
    "kind": ["'GPU'", "'CPU'", "None", "'GPU'", "'gpu'", "'TPU'", "''", "3", "b'GPU'", "[]"],
    "device": [
        "gpus[0]", "gpus[1]", "gpus[3]", "cpu", "stranger", "None", "'GPU:0'", "gpus", "[gpus[0]]",
        "3", "''", "b'GPU:0'", "{}", "1.5", "('a', 'GPU')",
    ],
    "growth": ["True", "False", "True", "True", "None", "1", "0"],
    "growths": ["True, True, True, True", "False, False, False, False", "True", "None, True"],
    "configs": [
        "limits(64)", "limits(64, 64)", "limits(64, 32, 16)", "[]", "limits(None)", "None", "3",
        "limits(64, None)", "limits(0)", "limits(-1)", "limits(1.5)", "limits('64')", "limits([])",
        "'x'", "[None]", "[64]", "limits(64)[0]", "{}", "[split()]", "[split()] * 2",
        "[split(64, 1)]", "[split(None, 1)]", "[split(None, None, 1)]",
        "[split(64, None, 1), *limits(64)]",
    ],
    "soft": ["True", "False", "1", "0"],
    "policy": [
        "'silent'", "'warn'", "'explicit'", "'silent_for_int32'", "None", "'bogus'", "''", "3",
        "True", "b'silent'", "1.5",
    ],
    "threads": ["0", "1", "2", "7", "None"],
    "jit": ["True", "False", "'autoclustering'", "''", "None", "1", "0"],
    "options": [
        "{'constant_folding': True}", "{'min_graph_nodes': 3}", "{'no_such_option': 1}", "{}",
        "{'layout_optimizer': False, 'debug_stripper': None}", "{'disable_meta_optimizer': 1}",
        "{3: 4}", "None", "3", "[]",
    ],
    "flag": ["True", "False", "1", "0", "None", "'yes'", "''", "[]", "gpus[0]"],
    "name": ["'GPU:0'", "'/gpu:1'", "'CPU:0'", "'GPU'", "'GPU:9'", "''", "'x'", "'gpu:0'"],
    "place": ["'/gpu:0'", "'/gpu:2'", "'/gpu:9'", "'/cpu:0'", "'/cpu:1'", "None", "''"],
}  # fmt: skip

# Wrong values that TensorFlow takes and suffers from later, or never notices: not for walks,
# whose later answers would all be about them.
_LATE = {
    "devices": ["tuple(gpus[0])"],
    "device": ["tuple(gpus[0])"],
    "growth": ["'yes'", "''", "2.5", "[]", "gpus[0]"],
    "growths": ["'yes', 'yes', 'yes', 'yes'", "[], [], [], []"],
    "soft": ["None", "'yes'", "''", "2.5", "[]", "gpus[0]"],
    "threads": ["-1", "True", "'2'", "2.5", "2.0", "2**31", "2**40", "b'2'", "[]"],
    "jit": ["'x'", "2", "[]"],
}

# Calls and the kinds of their arguments. Those of the second table start the devices.
_FREE = {
    "config.list_physical_devices": ["kind"],
    "config.get_visible_devices": ["kind"],
    "config.set_visible_devices": ["devices", "kind"],
    "experimental.get_memory_growth": ["device"],
    "experimental.set_memory_growth": ["device", "growth"],
    "grow": ["growths"],
    "config.get_logical_device_configuration": ["device"],
    "config.set_logical_device_configuration": ["device", "configs"],
    "config.get_soft_device_placement": [],
    "config.set_soft_device_placement": ["soft"],
    "tf.debugging.get_log_device_placement": [],
    "experimental.get_device_policy": [],
    "experimental.set_device_policy": ["policy"],
    "threading.get_intra_op_parallelism_threads": [],
    "threading.set_intra_op_parallelism_threads": ["threads"],
    "threading.get_inter_op_parallelism_threads": [],
    "threading.set_inter_op_parallelism_threads": ["threads"],
    "config.optimizer.get_jit": [],
    "config.optimizer.set_jit": ["jit"],
    "config.optimizer.get_experimental_options": [],
    "config.optimizer.set_experimental_options": ["options"],
    "experimental.get_synchronous_execution": [],
    "experimental.set_synchronous_execution": ["flag"],
    "experimental.tensor_float_32_execution_enabled": [],
    "experimental.enable_tensor_float_32_execution": ["flag"],
    "experimental.get_device_details": ["device"],
}
_STARTING = {
    "config.list_logical_devices": ["kind"],
    "experimental.get_memory_info": ["name"],
    "here": [],
    "under": ["place"],
}
_STATE = ("config.get_visible_devices()", "config.list_logical_devices()", "here()")


def _splits_gpu(line: str) -> bool:
    # The GPUs that TensorFlow is shown cannot be split, so devices must not start afterwards.
    return "set_logical" in line and "(gpus[" in line


def calls() -> list[list[str]]:
    """Each call with each argument, before devices are started and after."""
    cases = []
    for call, kinds in {**_FREE, **_STARTING}.items():
        for arguments in _choices(kinds):
            line = f"{call}({', '.join(arguments)})"
            cases.append([line] if _splits_gpu(line) else [line, *_STATE, line])
            if call in _FREE:
                cases.append(["here()", line, line])
    return cases


def _choices(kinds: list[str]) -> Iterator[list[str]]:
    """Every value of each argument, the others being right."""
    right = [_ARGUMENTS[kind][0] for kind in kinds]
    found = {tuple(right): None}
    for i, kind in enumerate(kinds):
        for value in _ARGUMENTS[kind] + _LATE.get(kind, []):
            found[(*right[:i], value, *right[i + 1 :])] = None
    yield from (list(each) for each in found)


def walks() -> list[list[str]]:
    """Random calls one after the other."""
    rng = random.Random(4)
    return [list(_walk(rng)) for _ in range(300)]


def _walk(rng: random.Random) -> Iterator[str]:
    is_split = is_started = False
    for _ in range(rng.randint(3, 10)):
        call, kinds = rng.choice(list({**_FREE, **({} if is_split else _STARTING)}.items()))
        line = f"{call}({', '.join(_argument(rng, kind) for kind in kinds)})"
        yield line
        is_started = is_started or call in _STARTING
        is_split = is_split or (not is_started and _splits_gpu(line))
    yield from _STATE[:1] if is_split else _STATE


def _argument(rng: random.Random, kind: str) -> str:
    values = _ARGUMENTS[kind]
    return rng.choice(values[:4] if rng.random() < 0.7 else values)
