"""Decorators of tests that run them in several modes (`tensorflow.python.framework.test_util`)."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from ..core.context import executing_eagerly
from ..devices.inventory import INVENTORY
from ..graph.function.function import function
from ..graph.recording.default import get_default_graph, is_tf2
from ..graph.representation.graph import Graph

Test = Callable[..., Any]


def run_in_graph_and_eager_modes(
    func: Test | None = None, config: object = None, use_gpu: bool = True,
    assert_no_eager_garbage: bool = False,
) -> Any:  # fmt: skip
    """Runs a test in a session and then in eager mode.

    Args:
        func: the test, with `setUp` and `tearDown` around each mode.
        config: of the session.
        use_gpu: whether it may use GPUs.
        assert_no_eager_garbage: not used.
    """

    def decorate(test: Test) -> Test:
        @functools.wraps(test)
        def run(self: Any, *args: object, **kwargs: object) -> None:
            if not executing_eagerly():
                test(self, *args, **kwargs)
                return
            with Graph().as_default(), self.test_session(config=config, use_gpu=use_gpu):
                test(self, *args, **kwargs)
            self.tearDown()
            self._tempdir = None
            self.setUp()
            test(self, *args, **kwargs)

        return run

    return decorate if func is None else decorate(func)


def deprecated_graph_mode_only(func: Any = None) -> Any:
    """Runs a test, or each test of a class, in a graph."""

    def decorate(test: Any) -> Any:
        if isinstance(test, type):
            return _each_test(test, decorate)

        @functools.wraps(test)
        def run(self: Any, *args: object, **kwargs: object) -> Any:
            if not executing_eagerly():
                return test(self, *args, **kwargs)
            with Graph().as_default():
                return test(self, *args, **kwargs)

        return run

    return decorate if func is None else decorate(func)


run_deprecated_v1 = deprecated_graph_mode_only
run_all_in_deprecated_graph_mode_only = deprecated_graph_mode_only


def _each_test(cls: Any, decorate: Callable[[Test], Test]) -> Any:
    for name in dir(cls):
        if name.startswith("test") and name != "test_session" and callable(getattr(cls, name)):
            setattr(cls, name, decorate(getattr(cls, name)))
    return cls


def run_all_in_graph_and_eager_modes(cls: type) -> type:
    """Runs each test of a class in a session and then in eager mode."""
    made: type = _each_test(cls, run_in_graph_and_eager_modes)
    return made


def _only_if(holds: Callable[[], bool], reason: str) -> Callable[..., Any]:
    def mark(func: Test | None = None, *args: object) -> Any:
        def decorate(test: Any) -> Any:
            if isinstance(test, type):
                return _each_test(test, decorate)

            @functools.wraps(test)
            def run(self: Any, *args: object, **kwargs: object) -> Any:
                return test(self, *args, **kwargs) if holds() else self.skipTest(reason)

            return run

        return decorate(func) if callable(func) else decorate

    return mark


run_v1_only = _only_if(lambda: not is_tf2(), "Test is only compatible with v1")
run_v2_only = _only_if(is_tf2, "Test is only compatible with v2")
run_gpu_only = _only_if(lambda: len(INVENTORY.devices()) > 1, "Test requires GPU")


def is_xla_enabled() -> bool:
    """Returns False: there is no XLA."""
    return False


def _as_it_is(description: object = None) -> Any:
    """Returns a test as it is: what this switches off is not there."""
    return description if callable(description) else lambda test: test


disable_xla = disable_tfrt = disable_mlir_bridge = enable_control_flow_v2 = _as_it_is
disable_cudnn_autotune = disable_control_flow_v2 = with_control_flow_v2 = _as_it_is
no_xla_auto_jit = xla_allow_fallback = disable_asan = disable_msan = disable_tsan = _as_it_is
run_without_tensor_float_32 = run_all_without_tensor_float_32 = _as_it_is
assert_no_new_pyobjects_executing_eagerly = assert_no_garbage_created = _as_it_is
enable_output_all_intermediates = assert_no_new_tensors = _as_it_is


def also_run_as_tf_function(f: Test) -> Test:
    """Runs a function in eager mode and once more as a `tf.function`."""

    @functools.wraps(f)
    def run(*args: object, **kwargs: object) -> None:
        f(*args, **kwargs)
        if executing_eagerly():
            function(f, autograph=False)(*args, **kwargs)

    return run


def outermost_graph() -> Any:
    """Returns the graph that takes ops outside of functions."""
    return get_default_graph()
