"""Tests per combination of arguments (`tf.__internal__.test.combinations`)."""

from __future__ import annotations

import functools
import unittest
from collections import OrderedDict
from typing import Any

import pytest
from absl.testing import parameterized

import emplace.tensorflow as tf

combinations: Any = tf.__internal__.test.combinations


def test_combine_and_times() -> None:
    made = combinations.combine(b=[1, 2], a=["x", "y"])
    assert made == [OrderedDict(a=a, b=b) for a, b in [("x", 1), ("x", 2), ("y", 1), ("y", 2)]]
    assert combinations.combine() == [OrderedDict()]
    both = combinations.times(combinations.combine(a=[1, 2]), combinations.combine(b=3))
    assert both == [OrderedDict(a=1, b=3), OrderedDict(a=2, b=3)]
    with pytest.raises(ValueError, match="Keys need to not overlap"):
        combinations.times(both, both)


def _run(made: type[unittest.TestCase]) -> tuple[list[str], unittest.TestResult]:
    found = unittest.defaultTestLoader.getTestCaseNames(made)
    names = [name for name in found if name != "test_session"]  # which TestCase has itself
    result = unittest.TestResult()
    unittest.TestSuite(map(made, names)).run(result)
    assert [*result.errors, *result.failures] == []
    return names, result


def test_classes_and_methods_run_once_per_combination() -> None:
    seen: list[Any] = []

    @combinations.generate(combinations.combine(mode=["graph", "eager"]))
    class OfClass(tf.test.TestCase, parameterized.TestCase):
        def test_mode(self) -> None:
            seen.append(tf.executing_eagerly())

    names, _ = _run(OfClass)
    assert names == ["test_mode_test_mode_eager", "test_mode_test_mode_graph"]
    assert seen == [True, False]
    seen.clear()

    class OfMethod(tf.test.TestCase, parameterized.TestCase):
        @combinations.generate(
            combinations.times(
                combinations.combine(mode="eager"),
                combinations.combine(size=[1, combinations.NamedObject("two", 2)]),
            )
        )
        def test_size(self, size: Any) -> None:
            seen.append((str(size), tf.executing_eagerly()))

    names, _ = _run(OfMethod)
    assert names == ["test_size_test_mode_eager_size_1", "test_size_test_mode_eager_size_two"]
    assert seen == [("1", True), ("two", True)]


def test_versions_and_libraries_own_arguments() -> None:
    class Doubled(combinations.ParameterModifier):  # type: ignore[misc]
        def modified_arguments(self, kwargs: Any, requested_parameters: Any) -> Any:
            return {"size": kwargs["size"] * 2}

    class Scaled(combinations.TestCombination):  # type: ignore[misc]
        def parameter_modifiers(self) -> Any:
            return [Doubled(), Doubled()]

    defaults = combinations.generate.keywords["test_combinations"]
    generate = functools.partial(combinations.generate, test_combinations=(*defaults, Scaled()))
    seen: list[Any] = []

    @generate(combinations.combine(tf_api_version=[1, 2], size=3))
    class OfVersions(tf.test.TestCase, parameterized.TestCase):
        def test_size(self, size: int) -> None:
            seen.append(size)

    _, result = _run(OfVersions)
    assert seen == [6]
    assert [reason for _, reason in result.skipped] == [
        " - Skipping a TF1.x test when TF2 is enabled."
    ]


def test_arguments_that_do_not_fit_are_told() -> None:
    @combinations.generate(combinations.combine(size=1))
    class Wrong(tf.test.TestCase, parameterized.TestCase):
        def test_none(self) -> None: ...

        def test_more(self, size: int, more: int) -> None: ...

    with pytest.raises(ValueError, match=r"does not take .* passed : \{'size'\} "):
        Wrong("test_none_test_size_1").test_none_test_size_1()
    with pytest.raises(ValueError, match=r"arguments were not passed: \{'more'\} "):
        Wrong("test_more_test_size_1").test_more_test_size_1()


strategies: Any = tf.__internal__.distribute.combinations


def test_strategies_of_tests_have_tensorflows_names_and_devices() -> None:
    assert repr(strategies.mirrored_strategy_with_one_cpu) == "Mirrored1CPU"
    made = strategies.mirrored_strategy_with_one_cpu.strategy
    assert isinstance(made, tf.distribute.MirroredStrategy)
    assert made.extended.worker_devices == ("/job:localhost/replica:0/task:0/device:CPU:0",)
    assert strategies.default_strategy.strategy is tf.distribute.get_strategy()
    assert isinstance(strategies.one_device_strategy.strategy, tf.distribute.OneDeviceStrategy)
    assert strategies.tpu_strategy.required_tpu
    assert not strategies.one_device_strategy.required_tpu
    assert strategies.mirrored_strategy_with_two_gpus.required_gpus == 2
    assert strategies.parameter_server_strategy_3worker_2ps_cpu.num_ps == 2
    with pytest.raises(NotImplementedError, match="emplace launch"):
        _ = strategies.multi_worker_mirrored_2x1_cpu.strategy


@pytest.mark.parametrize("gpus", [0, 1, 2])
def test_tests_run_with_the_strategies_that_the_machine_has(gpus: int, virtual_gpus: Any) -> None:
    if gpus:
        virtual_gpus(gpus)
    seen: list[Any] = []
    named = [
        strategies.mirrored_strategy_with_one_cpu, strategies.mirrored_strategy_with_gpu_and_cpu,
        strategies.central_storage_strategy_with_two_gpus, strategies.tpu_strategy,
        strategies.multi_worker_mirrored_2x1_cpu,
    ]  # fmt: skip

    class Made(tf.test.TestCase, parameterized.TestCase):
        @strategies.generate(combinations.combine(distribution=named, mode=["eager"]))
        def test(self, distribution: Any) -> None:
            seen.append((type(distribution).__name__, distribution.num_replicas_in_sync))

    names, result = _run(Made)
    assert "test_test_distribution_Mirrored1CPU_mode_eager" in names
    both = ("MirroredStrategy", 1), ("MirroredStrategy", 2), ("CentralStorageStrategy", 2)
    assert sorted(seen) == sorted(both[: gpus + 1])
    assert sorted(reason for _, reason in result.skipped if "GPU" in reason) == [
        f" - Only {gpus} of {needed} required GPUs are available." for needed in (1, 2)[gpus:]
    ]
    assert " - Test requires a TPU, but it's not available." in [r for _, r in result.skipped]


def test_decorated_tests_take_what_they_took_before() -> None:
    seen: list[Any] = []

    def decorated(function: Any) -> Any:
        @functools.wraps(function)
        def wrapper(*args: Any, **kwargs: Any) -> Any:
            return function(*args, **kwargs)

        return tf.__internal__.decorator.make_decorator(function, wrapper)

    class Made(tf.test.TestCase, parameterized.TestCase):
        @combinations.generate(combinations.combine(mode=["eager"], size=[1, 2]))
        @decorated
        def test(self, size: int) -> None:
            seen.append(size)

    _run(Made)
    assert seen == [1, 2]
