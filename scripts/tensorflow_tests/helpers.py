"""Helpers that TensorFlow's tests share, which run here as they are in its source tree."""

from __future__ import annotations

import functools
import importlib.machinery
import os
from collections.abc import Callable
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

from .holes import USES

#: Modules below `tensorflow.python`; those that a source tree lacks are served as others are.
HELPERS = {
    "autograph.core.converter_testing",
    "autograph.tests.reference_test_base",
    "data.experimental.kernel_tests.reader_dataset_ops_test_base",
    "data.kernel_tests.checkpoint_test_base",
    "data.kernel_tests.test_base",
    "data.kernel_tests.tf_record_test_base",
    "distribute.combinations",
    "distribute.strategy_combinations",
    "distribute.strategy_test_lib",
    "distribute.test_util",
    "eager.benchmarks_test_base",
    "eager.polymorphic_function.polymorphic_function_test_lib",
    "framework.combinations",
    "framework.function_test_lib",
    "framework.test_combinations",
    "kernel_tests.array_ops.gather_test_lib",
    "kernel_tests.control_flow.control_flow_test_lib",
    "kernel_tests.linalg.linear_operator_test_util",
    "kernel_tests.nn_ops.bias_op_base",
    "kernel_tests.nn_ops.cudnn_deterministic_base",
    "kernel_tests.nn_ops.depthwise_conv_op_base",
    "kernel_tests.nn_ops.pooling_ops_test_lib",
    "kernel_tests.nn_ops.xent_op_test_base",
    "kernel_tests.random.util",
    "ops.gradient_checker",
    "ops.gradient_checker_v2",
    "ops.gradients_test_lib",
    "ops.numpy_ops.tests.config",
    "ops.numpy_ops.tests.test_util",
    "ops.parallel_for.test_util",
    "ops.linalg.linear_operator_test_util",
    "ops.ragged.ragged_tensor_test_ops",
    "ops.ragged.ragged_test_util",
    "training.saver_test_utils",
    "util.decorator_utils",
    "util.keras_deps",
    "util.numpy_compat",
    "util.object_identity",
    "util.protobuf.compare",
    "util.tf_contextlib",
    "util.tf_decorator",
    "util.tf_inspect",
}

# What helpers use of private attributes, and what does the same in public, or is not needed.
_IN_HELPERS = (
    ("iterator._next_internal", "iterator.get_next"),
    ("self._next_internal", "self.get_next"),
    ("mirrored_lib.MirroredStrategyV1._collective_key_base += 100000", "pass"),
    ("mirrored_lib.MirroredStrategy._collective_key_base += 100000", "pass"),
)

# The same in test files: a field of an internal class keeps all of one from being imported.
_IN_TESTS = {
    "resource_variable_ops_test": (
        ("  v: resource_variable_ops.ResourceVariable", "  v: tensor_lib.Tensor"),
    ),
}


class SourceLoader(importlib.machinery.SourceFileLoader):
    """Runs a file of TensorFlow's source tree, with some words replaced; no bytecode is kept."""

    def __init__(self, fullname: str, path: str, words: tuple[tuple[str, str], ...]) -> None:
        super().__init__(fullname, path)
        self._words = words

    def get_code(self, fullname: str) -> CodeType:
        text = Path(self.path).read_text()
        for old, new in self._words:
            text = text.replace(old, new)
        # Annotations mean in it what they mean in TensorFlow, whatever this file imports.
        return compile(text, self.path, "exec", dont_inherit=True)


def helper_loader(fullname: str, path: Path) -> SourceLoader:
    """For a helper."""
    return SourceLoader(fullname, str(path), _IN_HELPERS)


@functools.cache
def _module_of_source(short: str) -> ModuleType:
    """A module below `tensorflow.python`, run under a name that nobody imports."""
    path = Path(os.environ["TEST_SRCDIR"], "tensorflow", "python", *short.split("."))
    name = f"source_of_{short.replace('.', '_')}"
    loader = helper_loader(name, path.with_suffix(".py"))
    module = ModuleType(name)
    before, USES.importing = USES.importing, True
    try:
        exec(loader.get_code(name), vars(module))
    finally:
        USES.importing = before
    return module


def of_source(short: str, name: str) -> Callable[..., Any]:
    """A function out of a file of TensorFlow's, of which all the rest is served in public names.

    Args:
        short: its module below `tensorflow.python`.
        name: the function.
    """

    def call(*args: Any, **kwargs: Any) -> Any:
        return getattr(_module_of_source(short), name)(*args, **kwargs)

    call.__name__ = name
    return call


def test_loader(fullname: str, path: Path, on_tensorflow: bool) -> SourceLoader:
    """For a file of tests, which is left as it is on TensorFlow itself."""
    words = () if on_tensorflow else _IN_TESTS.get(path.stem, ())
    return SourceLoader(fullname, str(path), words)
