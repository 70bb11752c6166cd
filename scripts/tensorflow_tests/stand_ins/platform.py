"""Modules of `platform`: what test files take from TensorFlow's `test` and `googletest`."""

from __future__ import annotations

import os
import unittest.mock
from typing import Any

from absl import flags
from absl.testing import absltest

import emplace.tensorflow as tf

from .. import test_util


class Benchmark:
    """Stands for `tf.test.Benchmark`; its methods are no tests."""


def gpu_available(*_: Any, **__: Any) -> bool:
    """Whether there are GPUs; asking starts the devices."""
    return bool(tf.config.list_logical_devices("GPU"))


def test_src_dir_path(path: str) -> str:
    """A path below TensorFlow's sources."""
    return os.path.join(os.environ["TEST_SRCDIR"], "tensorflow", path)


class _Server:
    """A server of a cluster: only a test that uses it is refused."""

    def __getattr__(self, name: str) -> Any:
        return tf.test.create_local_cluster(1, 0)


def create_local_cluster(num_workers: int, num_ps: int, **_: Any) -> Any:
    """Workers and parameter servers; some classes of tests make them for one of their tests."""
    return [_Server()] * num_workers, [_Server()] * num_ps


def _no(*_: Any, **__: Any) -> bool:
    return False


_TEST: dict[str, Any] = {
    "Benchmark": Benchmark,
    "GetTempDir": test_util.get_temp_dir,
    "StubOutForTesting": None,
    "TensorFlowTestCase": test_util.TensorFlowTestCase,
    "TestCase": test_util.TensorFlowTestCase,
    "assert_equal_graph_def": test_util.assert_equal_graph_def,
    "benchmark": None,
    "create_local_cluster": create_local_cluster,
    "disable_with_predicate": test_util.disable_with_predicate,
    "get_temp_dir": test_util.get_temp_dir,
    "googletest": absltest,
    "gpu_device_name": tf.test.gpu_device_name,
    "is_built_with_cuda": _no,
    "is_built_with_gpu_support": _no,
    "is_built_with_rocm": _no,
    "is_built_with_xla": _no,
    "is_gpu_available": gpu_available,
    "logging": tf.compat.v1.logging,
    "main": absltest.main,
    "mock": unittest.mock,
    "test_src_dir_path": test_src_dir_path,
}
_OF_ABSL = {name: value for name, value in vars(absltest).items() if not name.startswith("__")}
_FLAGS = {
    name: getattr(flags, name)
    for name in dir(flags)
    if name.startswith(("DEFINE", "mark")) or name == "FLAGS"
}

NAMES: dict[str, dict[str, Any]] = {
    "eager.test": _TEST,
    "platform.app": {"run": lambda *args, **kwargs: None},
    "platform.flags": _FLAGS,
    "platform.googletest": _OF_ABSL
    | {name: value for name, value in _TEST.items() if name not in ("TestCase", "main")},
    "platform.test": _TEST,
}
