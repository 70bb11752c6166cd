"""What stands for `tensorflow.python.framework.test_util`."""

from __future__ import annotations

import contextlib
import itertools
import unittest
from collections.abc import Iterator
from typing import Any

import emplace.tensorflow as tf
from emplace.private import framework_config

from . import marks
from .holes import Hole
from .marks import (
    build_as_function_and_v1_graph as build_as_function_and_v1_graph,
    deprecated_graph_mode_only as deprecated_graph_mode_only,
    disable_with_predicate as disable_with_predicate,
    for_all_test_methods as for_all_test_methods,
    gpus,
    run_all_in_deprecated_graph_mode_only as run_all_in_deprecated_graph_mode_only,
    run_all_in_graph_and_eager_modes as run_all_in_graph_and_eager_modes,
    run_cuda_only as run_cuda_only,
    run_deprecated_v1 as run_deprecated_v1,
    run_gpu_only as run_gpu_only,
    run_gpu_or_tpu as run_gpu_or_tpu,
    run_in_graph_and_eager_modes as run_in_graph_and_eager_modes,
    run_v1_only as run_v1_only,
    run_v2_only as run_v2_only,
    skip_if as skip_if,
)
from .test_case import (
    CapturedWrites as CapturedWrites,
    CheckedThread as CheckedThread,
    EagerSession as EagerSession,
    TensorFlowTestCase as TensorFlowTestCase,
    get_temp_dir as get_temp_dir,
)

TestCase = TensorFlowTestCase


# Devices.


def is_gpu_available(*_: Any, **__: Any) -> bool:
    """Whether there are GPUs; asking does not start the devices."""
    return bool(gpus())


GetRunsOnGpu = is_gpu_available


def gpu_device_name() -> str:
    """The first GPU's, "" if there is none."""
    return "/device:GPU:0" if gpus() else ""


def IsMklEnabled() -> bool:
    """True, as TensorFlow's own builds for x86 say."""
    return True


def _no() -> bool:
    return False


IsBuiltWithROCm = IsBuiltWithXLA = IsBuiltWithNvcc = _no
is_xla_enabled = is_mlir_bridge_enabled = is_tfrt_enabled = _no
is_asan_enabled = is_msan_enabled = is_tsan_enabled = is_ubsan_enabled = _no
GpuSupportsHalfMatMulAndConv = IsCudaSupportedOnCPU = CudaSupportsHalfMatMulAndConv = _no


@contextlib.contextmanager
def use_gpu() -> Iterator[bool]:
    """A scope on a GPU, if there is one; says whether."""
    if not gpus():
        yield False
        return
    with tf.device("/device:GPU:0"):
        yield True


def force_gpu() -> Any:
    """A scope on a GPU."""
    return tf.device("/device:GPU:0")


def force_cpu() -> Any:
    """A scope on the host."""
    return tf.device("/device:CPU:0")


def device(use_gpu: bool) -> Any:
    """A scope on a GPU, if it is wanted and there, else on the host."""
    return force_gpu() if use_gpu and gpus() else force_cpu()


# Gradients.


class _GradientsOfGraph:
    """`tf.gradients`, called as a tape is."""

    def __enter__(self) -> _GradientsOfGraph:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def watch(self, x: Any) -> None:
        """Nothing: a graph knows all of its operations."""

    def gradient(self, y: Any, x: Any, grad_ys: Any = None) -> Any:
        """The gradients of y by x, in a list where x is one."""
        gradients = tf.gradients(y, x, grad_ys)
        return gradients if isinstance(x, list | tuple) else gradients[0]


def AbstractGradientTape(use_tape: bool, persistent: bool = False) -> Any:
    """A tape, or what asks `tf.gradients` in the place of one."""
    return tf.GradientTape(persistent=persistent) if use_tape else _GradientsOfGraph()


# Settings.

matmul_without_tf32 = tf.matmul  # virtual GPUs do not round as TensorFloat-32 does


@contextlib.contextmanager
def deterministic_ops() -> Iterator[None]:
    """A scope in which ops are deterministic."""
    tf.config.experimental.enable_op_determinism()
    try:
        yield
    finally:
        framework_config.disable_op_determinism()


@contextlib.contextmanager
def run_functions_eagerly(run_eagerly: bool) -> Iterator[None]:
    """A scope in which functions run op by op."""
    before = tf.config.functions_run_eagerly()
    tf.config.run_functions_eagerly(run_eagerly)
    try:
        yield
    finally:
        tf.config.run_functions_eagerly(before)


def skip_if_error(*_: Any, **__: Any) -> Any:
    """A scope that skips nothing."""
    return contextlib.nullcontext()


# Graphs, clusters, layouts, parameters.


def assert_equal_graph_def_v2(expected: Any, actual: Any, *_: Any, **__: Any) -> None:
    """Compares texts."""
    assert str(expected) == str(actual), "graphs differ"


assert_equal_graph_def = assert_equal_graph_def_v1 = assert_equal_graph_def_v2


def create_local_cluster(*_: Any, **__: Any) -> Any:
    """Skips the test."""
    raise unittest.SkipTest("a cluster of servers")


def NHWCToNCHW(x: Any) -> Any:
    """An image, or a list of sizes, with its channels in front."""
    if isinstance(x, tf.Tensor):
        rank = x.shape.rank
        return tf.transpose(x, [0, rank - 1, *range(1, rank - 1)])
    return [x[0], x[-1], *x[1:-1]]


def NCHWToNHWC(x: Any) -> Any:
    """The same, the other way round."""
    if isinstance(x, tf.Tensor):
        return tf.transpose(x, [0, *range(2, x.shape.rank), 1])
    return [x[0], *x[2:], x[1]]


def _alphanumeric(value: Any) -> str:
    return "".join(filter(str.isalnum, str(value)))


def generate_combinations_with_testcase_name(**kwargs: Any) -> list[dict[str, Any]]:
    """Parameters of tests: each choice with each, and a name for it."""
    names = sorted(kwargs)
    choices = [kwargs[name] for name in names]
    lists = [each if isinstance(each, list | tuple) else [each] for each in choices]
    combinations = []
    for values in itertools.product(*lists):
        row = dict(zip(names, values, strict=True))
        words = [f"_{_alphanumeric(name)}_{_alphanumeric(value)}" for name, value in row.items()]
        combinations.append({**row, "testcase_name": "".join(words)})
    return combinations


def __getattr__(name: str) -> Any:
    """Whatever else TensorFlow's has: decorators that change nothing, or a hole."""
    if name.startswith("__"):
        raise AttributeError(name)
    if name in marks.PLAIN_WITH_ARGUMENTS:
        return marks.plain_with_arguments
    if name in marks.PLAIN or name.startswith(marks.PLAIN_PREFIXES):
        return marks.plain
    return Hole(f"test_util.{name}")
