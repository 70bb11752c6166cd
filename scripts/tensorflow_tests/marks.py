"""Decorators of `framework.test_util`, which say in what modes a test runs."""

from __future__ import annotations

import functools
import inspect
import unittest
from collections.abc import Callable, Sequence
from typing import Any

import emplace.tensorflow as tf

Method = Callable[..., Any]

#: The seed that TensorFlow's tests begin with.
SEED = 87654321


def gpus() -> list[Any]:
    """The GPUs; asking for physical ones does not start the devices."""
    return list(tf.config.list_physical_devices("GPU"))


def for_tests(
    decorate: Callable[[Method], Method], besides: Sequence[str] = ()
) -> Callable[..., Any]:
    """Makes of a decorator of methods one of methods and classes, with arguments or without.

    Args:
        decorate: the decorator.
        besides: other methods of a class that it is for, where the class itself has them.
    """

    def apply(f: Any) -> Any:
        if not isinstance(f, type):
            return decorate(f)
        for name, value in list(vars(f).items()):
            is_test = name.startswith(unittest.TestLoader.testMethodPrefix) or name in besides
            if callable(value) and is_test and name != "test_session":
                setattr(f, name, decorate(value))
        return f

    def outer(f: Any = None, *_: Any, **__: Any) -> Any:
        return apply if f is None or isinstance(f, str | bool) else apply(f)

    return outer


def skipper(when: Callable[[], bool], why: str) -> Callable[..., Any]:
    """A decorator of tests that are skipped when something holds."""

    def decorate(f: Method) -> Method:
        @functools.wraps(f)
        def run(self: Any, *args: Any, **kwargs: Any) -> Any:
            if when():
                self.skipTest(why)
            return f(self, *args, **kwargs)

        return run

    return for_tests(decorate)


def _in_graph(f: Any) -> Any:
    """In a graph, unless one is there; a test in that of its `setUp`, if this has one."""
    if not callable(f):
        return f
    sets_up = getattr(f, "__name__", "") == "setUp"

    @functools.wraps(f)
    def run(self: Any, *args: Any, **kwargs: Any) -> Any:
        if not tf.executing_eagerly():
            return f(self, *args, **kwargs)
        graph = vars(self).pop("_graph_of_set_up", None) or tf.Graph()
        if sets_up:
            self._graph_of_set_up = graph
        with graph.as_default():
            tf.compat.v1.set_random_seed(SEED)
            return f(self, *args, **kwargs)

    return run


_TWICE: list[Any] = []  # the test that runs in both modes now


def _in_both(f: Method) -> Method:
    """In a graph with a session, and then eagerly, as if it were two tests; once, if both a test
    and its class ask for it.
    """
    if inspect.isgeneratorfunction(f) or getattr(f, "runs_in_both_modes", False):
        return f

    @functools.wraps(f)
    def run(self: Any, *args: Any, **kwargs: Any) -> None:
        if self in _TWICE:  # its class and the test itself are marked
            f(self, *args, **kwargs)
            return
        _TWICE.append(self)
        try:
            twice(self, *args, **kwargs)
        finally:
            _TWICE.remove(self)

    def twice(self: Any, *args: Any, **kwargs: Any) -> None:
        try:
            with tf.Graph().as_default(), self.test_session():
                f(self, *args, **kwargs)
        except unittest.SkipTest:
            pass  # it may be skipped in graphs only
        self.tearDown()
        self._tempdir = None
        self.setUp()
        with tf.init_scope():
            f(self, *args, **kwargs)

    run.runs_in_both_modes = True  # type: ignore[attr-defined]
    return run


def build_as_function_and_v1_graph(f: Method) -> Method:
    """Builds a test's graph twice: as one of TensorFlow 1, and as that of a function."""

    @functools.wraps(f)
    def run(self: Any, *args: Any, **kwargs: Any) -> None:
        with tf.Graph().as_default():
            f(self, *args, **kwargs)

        def build() -> None:
            f(self, *args, **kwargs)

        tf.function(build, autograph=False).get_concrete_function()

    return run


run_deprecated_v1 = for_tests(_in_graph, besides=("setUp",))
deprecated_graph_mode_only = run_deprecated_v1
run_all_in_deprecated_graph_mode_only = for_tests(_in_graph)
run_all_in_graph_and_eager_modes = for_tests(_in_both)


def run_in_graph_and_eager_modes(func: Any = None, *_: Any, **__: Any) -> Any:
    """Runs a test twice."""
    return run_all_in_graph_and_eager_modes(func)


def run_v2_only(func: Any = None, reason: str | None = None) -> Any:
    """Behaviour is always TensorFlow 2's."""
    return for_tests(lambda f: f)(func)


def run_v1_only(reason: Any = None, func: Any = None) -> Any:
    """Skips a test."""
    decorate = skipper(lambda: True, "v1 only")
    if callable(reason):
        return decorate(reason)
    return decorate if func is None else decorate(func)


run_gpu_only = run_cuda_only = skipper(lambda: not gpus(), "needs a GPU")


def run_gpu_or_tpu(func: Any = None, **_: Any) -> Any:
    """Hands a test the type of its device."""

    def decorate(f: Method) -> Method:
        @functools.wraps(f)
        def run(self: Any, *args: Any, **kwargs: Any) -> Any:
            if not gpus():
                self.skipTest("needs a GPU")
            return f(self, "GPU", *args, **kwargs)

        return run

    return decorate(func) if func else decorate


def disable_with_predicate(pred: Callable[[], bool], skip_message: str) -> Any:
    """Skips tests when a function says so."""
    return skipper(pred, skip_message)


def skip_if(condition: Any) -> Any:
    """Skips tests by a value or a function."""
    return skipper(condition if callable(condition) else lambda: bool(condition), "skip_if")


def for_all_test_methods(decorator: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """Decorates each test of a class."""

    def apply(cls: type) -> type:
        for name, value in list(vars(cls).items()):
            if callable(value) and name.startswith("test"):
                setattr(cls, name, decorator(*args, **kwargs)(value))
        return cls

    return apply


def plain(*args: Any, **kwargs: Any) -> Any:
    """A decorator that changes nothing, with arguments or without."""
    if len(args) == 1 and not kwargs and callable(args[0]):
        return args[0]
    return lambda f: f


def plain_with_arguments(*_: Any, **__: Any) -> Any:
    """A decorator that changes nothing and always has arguments."""
    return lambda f: f


#: Names of decorators that ask for what makes no difference here. Besides, all that begins so.
PLAIN = [
    "for_all_test_methods_",
    "no_xla_auto_jit",
    "run_eagerly",
    "set_xla_env_flag",
    "xla_allow_fallback",
]
PLAIN_PREFIXES = ("assert_no", "disable_", "enable_", "run_", "with_")
PLAIN_WITH_ARGUMENTS = [
    "run_all_without_tensor_float_32",
    "run_without_tensor_float_32",
    "with_forward_compatibility_horizons",
]
