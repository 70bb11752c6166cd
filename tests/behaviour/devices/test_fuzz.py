"""Generated names, specs and `tf.config` calls: each gives a result or one of TensorFlow's errors,
never another one, and the runtime works afterwards.

The examples are the same in every run: two thousand, and twenty thousand in slow tests. `TF_ERRORS`
are the classes that TensorFlow raises.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from device_cases import spellings
from hypothesis import HealthCheck, given, settings, strategies as st

import emplace
import emplace.tensorflow as tf
from emplace.core.context import LOCAL
from emplace.ops.op import lift_restrictions

TF_ERRORS = (ValueError, TypeError, RuntimeError, KeyError, AttributeError, OverflowError)
NAMES, MEMORY_NAMES, SPECS, CONFIGS = 1_000, 500, 200, 300
"""Examples of each kind, those of the last kind with up to six calls each."""
SLOW = 10
"""A slow test has so many times as many."""

pytestmark = pytest.mark.gpus(4, memory="1MB")


def fuzz(examples: int, *strategies: st.SearchStrategy[Any]) -> Any:
    """Makes of what holds for every example a test of so many, and a slow one of more."""

    def of(holds: Callable[..., None]) -> Callable[[int], None]:
        more = pytest.param(SLOW * examples, marks=pytest.mark.slow)

        @pytest.mark.parametrize("count", [examples, more])
        def test(count: int) -> None:
            of_so_many = settings(
                max_examples=count,
                derandomize=True,
                database=None,
                deadline=None,
                suppress_health_check=list(HealthCheck),
            )
            of_so_many(given(*strategies)(holds))()

        return test

    return of


def tried(call: Callable[[], Any]) -> Any:
    """What `call` returns, or None if it raises an error that TensorFlow would raise.

    Subclasses (RecursionError, UnicodeError, IndexError ...) are not TensorFlow's.
    """
    try:
        return call()
    except Exception as error:
        if type(error) in TF_ERRORS or isinstance(error, tf.errors.OpError):
            return None
        raise


def here() -> str:
    """Where an op runs now, such as "GPU:1"."""
    return str(tf.add(tf.constant([1.0]), 1.0).device).rsplit("device:")[-1]


# Names by the grammar, most of them bent a little, and any text.
names = st.deferred(lambda: st.sampled_from(spellings.corpus(20_000, seed=5)))
name = names | st.text(max_size=12)
outer = st.sampled_from([None, "", "/gpu:1", "/cpu", "/job:worker", "/gpu:9", "/device:*:2"])


@fuzz(NAMES, outer, name, st.booleans())
def test_any_device_name_names_a_device_or_is_refused(
    around: str | None, text: str, soft: bool
) -> None:
    tf.config.set_soft_device_placement(soft)
    spec = tried(lambda: tf.DeviceSpec.from_string(text))
    if spec is not None:
        assert tf.DeviceSpec.from_string(spec.to_string()) == spec

    def nested() -> str:
        with tf.device(around), tf.device(text):
            return here()

    where = tried(nested)
    assert where in (None, "CPU:0", "GPU:0", "GPU:1", "GPU:2", "GPU:3")
    assert LOCAL.state.scopes == []
    assert here() == "GPU:0"


@fuzz(MEMORY_NAMES, name | st.binary(max_size=8) | st.none() | st.integers())
def test_any_name_has_memory_statistics_or_is_refused(device: Any) -> None:
    usage = tried(lambda: tf.config.experimental.get_memory_info(device))
    assert usage is None or usage.keys() == {"current", "peak"}
    tried(lambda: tf.config.experimental.reset_memory_stats(device))
    assert tf.config.experimental.get_memory_info("GPU:3") == {"current": 0, "peak": 0}


# Values of every type. (Threads between ops are not set here: torch cannot take them back.)
scalar = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.integers(0, 9),
    st.floats(),
    name,
    st.binary(max_size=3),
    st.sampled_from([np.True_, np.int64(2), np.float32(1.5), np.array([1, 2]), object(), int, {}]),
)
value = st.recursive(
    scalar,
    lambda inner: st.lists(inner, max_size=3) | st.tuples(inner, inner),
    max_leaves=3,
)


def mostly(*right: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """One of the right strategies, or in one case of ten any value."""
    return st.integers(0, 9).flatmap(lambda i: st.one_of(*right) if i else value)


text = mostly(st.none(), st.sampled_from(["localhost", "a", "cpu", "GPU", "Foo", ""]))
whole = mostly(st.none(), st.integers(0, 9), st.sampled_from(["0", "3", -1, 2.5, 2**70]))


@fuzz(SPECS, text, whole, whole, text, whole)
def test_any_spec_is_made_or_refused(
    job: Any, replica: Any, task: Any, device_type: Any, device_index: Any
) -> None:
    for kind in (tf.DeviceSpec, tf.compat.v1.DeviceSpec):
        spec = tried(lambda kind=kind: kind(job, replica, task, device_type, device_index))
        if spec is not None:
            assert spec.make_merged_spec(spec) == spec
            assert spec.replace(job="a").job == "a"
            tried(lambda spec=spec: tf.DeviceSpec.from_string(spec.to_string()))


def physical(*names: str) -> st.SearchStrategy[Any]:
    devices = [tf.config.PhysicalDevice(f"/physical_device:{n}", n[:3]) for n in names]
    return st.sampled_from(devices)


experimental, threads, alpha = tf.config.experimental, tf.config.threading, tf.config.gpu
gpu = physical("GPU:0", "GPU:1", "GPU:2", "GPU:3")
device = mostly(gpu, gpu, physical("CPU:0"), physical("GPU:9", "CPU:1", "TPU:0"))
devices = mostly(st.lists(gpu, max_size=4), gpu, st.lists(device, max_size=2))
kind = mostly(st.sampled_from(["GPU", "GPU", "CPU", None]))
switch = mostly(st.booleans())
limit = mostly(st.integers(1, 64), st.sampled_from([None, 0, 1.5, -1, "64", float("inf")]))
configuration = st.builds(tf.config.LogicalDeviceConfiguration, limit) | st.builds(
    tf.config.LogicalDeviceConfiguration, mostly(st.none()), mostly(st.none(), st.integers(0, 2))
)
configurations = mostly(st.lists(configuration, max_size=3))
policy = mostly(st.sampled_from(["silent", "warn", "explicit", "silent_for_int32", None]))
types = mostly(st.sampled_from([["CPU"], ["GPU"], ["GPU", "CPU"], None, []]))
CALLS: dict[Callable[..., Any], list[st.SearchStrategy[Any]]] = {
    tf.config.list_physical_devices: [kind],
    tf.config.get_visible_devices: [kind],
    tf.config.set_visible_devices: [devices, kind],
    tf.config.list_logical_devices: [kind],
    tf.config.get_logical_device_configuration: [device],
    tf.config.set_logical_device_configuration: [device, configurations],
    tf.config.get_soft_device_placement: [],
    tf.config.set_soft_device_placement: [switch],
    tf.debugging.get_log_device_placement: [],
    experimental.get_memory_growth: [device],
    experimental.set_memory_growth: [device, switch],
    experimental.get_device_details: [device],
    experimental.get_device_policy: [],
    experimental.set_device_policy: [policy],
    experimental.get_synchronous_execution: [],
    experimental.set_synchronous_execution: [switch],
    experimental.enable_tensor_float_32_execution: [switch],
    threads.get_intra_op_parallelism_threads: [],
    threads.set_intra_op_parallelism_threads: [mostly(st.integers(-1, 8))],
    tf.config.optimizer.set_jit: [switch],
    tf.config.optimizer.set_experimental_options: [
        mostly(st.dictionaries(name, scalar, max_size=2))
    ],
    alpha.set_per_process_memory_growth: [switch],
    alpha.set_per_process_memory_fraction: [mostly(st.floats(0, 1), st.floats())],
    emplace.set_op_devices: [st.sampled_from(["AddV2", "Cast", "x"]), types],
    emplace.virtual_gpus: [mostly(st.integers(-1, 3)), mostly(st.sampled_from(["1MB", None, 0]))],
    tf.device: [name | value],
}
STARTING = (here, lambda: tf.config.list_logical_devices(), lambda: tf.Variable([1.0]))
one_call = st.one_of(
    *[st.tuples(st.just(call), *arguments) for call, arguments in CALLS.items()],
    *[st.tuples(st.just(call)) for call in STARTING],
)


def fresh_gpus() -> None:
    emplace.reset(virtual=True)
    lift_restrictions()
    emplace.virtual_gpus(4, memory="1MB")


@fuzz(CONFIGS, st.lists(one_call, min_size=1, max_size=6))
def test_any_calls_of_tf_config_give_a_result_or_an_error_of_tensorflows(
    calls: list[Any],
) -> None:
    fresh_gpus()
    for call, *arguments in calls:
        tried(lambda call=call, arguments=arguments: call(*arguments))
    tried(here)
    fresh_gpus()
    assert here() == "GPU:0"
