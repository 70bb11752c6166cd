"""`tf.config` about the rest: soft placement, policies, threads, the optimizer, determinism."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

import emplace
import emplace.tensorflow as tf

experimental = tf.config.experimental
threads = tf.config.threading


def in_thread(function: Callable[[], Any]) -> Any:
    """What `function` returns in a thread of its own."""
    results: list[Any] = []
    thread = threading.Thread(target=lambda: results.append(function()))
    thread.start()
    thread.join()
    return results[0]


# Soft placement


def test_soft_placement_is_off_unless_it_is_set() -> None:
    assert tf.config.get_soft_device_placement() is False
    tf.config.set_soft_device_placement(True)
    assert tf.config.get_soft_device_placement() is True
    tf.config.set_soft_device_placement(None)
    assert tf.config.get_soft_device_placement() is False


@pytest.mark.gpus(1)
def test_soft_placement_changes_at_once_also_inside_a_scope() -> None:
    x = tf.constant([1.0])
    with tf.device("/gpu:9"):
        with pytest.raises(RuntimeError, match="unknown device"):
            tf.add(x, x)
        tf.config.set_soft_device_placement(True)
        assert tf.add(x, x).device.endswith("GPU:0")
        tf.config.set_soft_device_placement(False)
        with pytest.raises(RuntimeError, match="unknown device"):
            tf.add(x, x)


@pytest.mark.gpus(1)
def test_soft_placement_holds_for_all_threads() -> None:
    tf.config.set_soft_device_placement(True)
    x = tf.constant([1.0])

    def work() -> Any:
        with tf.device("/gpu:9"):
            return tf.add(x, x).device

    assert in_thread(work).endswith("GPU:0")


@pytest.mark.gpus(1)
def test_a_number_made_under_soft_placement_is_not_remembered_when_it_ends() -> None:
    tf.config.set_soft_device_placement(True)
    with tf.device("/gpu:9"):
        tf.constant(1.0)
    tf.config.set_soft_device_placement(False)
    with tf.device("/gpu:9"), pytest.raises(RuntimeError, match="unknown device"):
        tf.constant(1.0)


@pytest.mark.parametrize("value", [1, np.True_])
def test_soft_placement_takes_what_is_plainly_true(value: Any) -> None:
    tf.config.set_soft_device_placement(value)
    assert tf.config.get_soft_device_placement() is True


@pytest.mark.parametrize("is_started", [False, True])
@pytest.mark.parametrize("value", ["yes", "", [], 2.5])
def test_soft_placement_that_is_no_bool_is_refused(value: Any, is_started: bool) -> None:
    if is_started:
        tf.constant(1.0)
    with pytest.raises(TypeError, match=r"\[set_soft_device_placement\] expected True or False"):
        tf.config.set_soft_device_placement(value)


# Device policy (what the policies do: test_placement.py)


@pytest.mark.parametrize("policy", ["silent", "warn", "explicit", "silent_for_int32"])
def test_a_device_policy_is_kept(policy: str) -> None:
    experimental.set_device_policy(policy)
    assert experimental.get_device_policy() == policy
    experimental.set_device_policy(None)
    assert experimental.get_device_policy() == "silent"


@pytest.mark.parametrize("policy", ["bogus", "", 3, True, b"silent"])
def test_there_are_no_other_policies(policy: Any) -> None:
    with pytest.raises(ValueError) as raised:
        experimental.set_device_policy(policy)
    assert str(raised.value) == (
        f"Invalid argument `device_policy`: {policy!r}. Please refer to https://www.tensorflow.org/"
        "api_docs/python/tf/config/experimental/set_device_policy for valid `device_policy` "
        "arguments."
    )


def test_a_policy_set_in_use_is_this_threads_own() -> None:
    tf.constant(1.0)
    experimental.set_device_policy("explicit")
    assert in_thread(experimental.get_device_policy) == "silent"
    assert experimental.get_device_policy() == "explicit"


def test_a_policy_set_before_the_first_use_is_for_all_threads() -> None:
    experimental.set_device_policy("explicit")
    tf.constant(1.0)
    assert in_thread(experimental.get_device_policy) == "explicit"
    emplace.reset()
    assert in_thread(experimental.get_device_policy) == "silent"


# The placement log's switch (its lines: see the tests of the log)


def test_the_placement_log_can_be_turned_on_and_off_in_use(
    capfd: pytest.CaptureFixture[str],
) -> None:
    x = tf.constant([1.0])
    for wanted in (True, False):
        tf.debugging.set_log_device_placement(wanted)
        assert tf.debugging.get_log_device_placement() is wanted
        tf.add(x, x)
        assert ("Executing op AddV2 in device" in capfd.readouterr().err) is wanted


# Threads


def test_threads_are_torchs_choice_unless_set() -> None:
    assert threads.get_intra_op_parallelism_threads() == 0
    assert threads.get_inter_op_parallelism_threads() == 0


def test_threads_inside_an_op_are_torchs_and_a_reset_gives_them_back() -> None:
    before = torch.get_num_threads()
    threads.set_intra_op_parallelism_threads(before + 1)
    assert torch.get_num_threads() == before
    tf.constant(1.0)
    assert torch.get_num_threads() == threads.get_intra_op_parallelism_threads() == before + 1
    emplace.reset()
    assert torch.get_num_threads() == before
    assert threads.get_intra_op_parallelism_threads() == 0


def test_threads_come_from_the_environment_unless_set(monkeypatch: pytest.MonkeyPatch) -> None:
    before = torch.get_num_threads()
    monkeypatch.setenv("TF_NUM_INTRAOP_THREADS", str(before + 2))
    tf.constant(1.0)
    assert torch.get_num_threads() == before + 2


@pytest.mark.parametrize("text", ["x", "", "-1", "²", "1.5"])
def test_a_wrong_number_in_the_environment_is_no_number(
    text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = torch.get_num_threads()
    monkeypatch.setenv("TF_NUM_INTRAOP_THREADS", text)
    tf.constant(1.0)
    assert torch.get_num_threads() == before


@pytest.mark.parametrize(
    ("name", "words"), [("intra", "Intra op parallelism"), ("inter", "Inter op parallelism")]
)
def test_threads_cannot_change_once_devices_are_in_use(name: str, words: str) -> None:
    get = getattr(threads, f"get_{name}_op_parallelism_threads")
    set_ = getattr(threads, f"set_{name}_op_parallelism_threads")
    now = torch.get_num_threads() if name == "intra" else torch.get_num_interop_threads()
    set_(now)
    tf.constant(1.0)
    set_(now)
    assert get() == now
    for late in (0, None, now + 1):
        with pytest.raises(RuntimeError, match=f"^{words} cannot be modified after initializatio"):
            set_(late)


def test_even_no_threads_cannot_be_asked_for_in_use() -> None:
    tf.constant(1.0)
    with pytest.raises(RuntimeError, match="Intra op parallelism cannot be modified"):
        threads.set_intra_op_parallelism_threads(0)


@pytest.mark.parametrize("name", ["intra", "inter"])
@pytest.mark.parametrize(
    ("value", "error"),
    [("2", TypeError), (2.0, TypeError), (True, TypeError), (b"2", TypeError), (-1, ValueError),
     (2**31, ValueError)],
)  # fmt: skip
def test_a_number_of_threads_that_is_none_is_refused_at_once(
    name: str, value: Any, error: type[Exception]
) -> None:
    with pytest.raises(error, match=rf"\[set_{name}_op_parallelism_threads\] expected a"):
        getattr(threads, f"set_{name}_op_parallelism_threads")(value)
    assert getattr(threads, f"get_{name}_op_parallelism_threads")() == 0
    tf.constant(1.0)


# Optimizer, execution, precision, determinism


def test_jit_is_kept_as_text() -> None:
    optimizer = tf.config.optimizer
    assert optimizer.get_jit() == ""
    for value, kept in [(True, "autoclustering"), (False, ""), ("autoclustering", "autoclustering"),
                        (None, ""), (1, "autoclustering"), ("", "")]:  # fmt: skip
        optimizer.set_jit(value)
        assert optimizer.get_jit() == kept


@pytest.mark.parametrize("value", ["x", 2, []])
def test_jit_is_a_bool_or_autoclustering(value: Any) -> None:
    with pytest.raises(ValueError, match="Use True, False or 'autoclustering'"):
        tf.config.optimizer.set_jit(value)


def test_optimizer_options_are_kept_and_unknown_ones_ignored() -> None:
    optimizer = tf.config.optimizer
    default = {"disable_model_pruning": False, "disable_meta_optimizer": False}
    assert optimizer.get_experimental_options() == default
    optimizer.set_experimental_options({"constant_folding": True, "no_such_option": 1})
    assert optimizer.get_experimental_options() == {**default, "constant_folding": True}
    assert next(iter(optimizer.get_experimental_options())) == "constant_folding"  # TF's order
    optimizer.get_experimental_options().clear()
    assert "constant_folding" in optimizer.get_experimental_options()


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"debug_stripper": 1}, {"debug_stripper": True}),
        ({"constant_folding": "on"}, {"constant_folding": True}),
        ({"layout_optimizer": 0.0}, {"layout_optimizer": False}),
        ({"remapping": None}, {}),
        ({"disable_model_pruning": 2}, {"disable_model_pruning": True}),
        ({"disable_model_pruning": None}, {}),
        ({"min_graph_nodes": 5}, {"min_graph_nodes": 5}),
        ({"min_graph_nodes": 0}, {}),
        ({"use_plugin_optimizers": True}, {"use_plugin_optimizers": True}),
        ({"auto_mixed_precision_mkl": True}, {"auto_mixed_precision_mkl": True}),
        ({"auto_parallel": True}, {}),
    ],
)
def test_optimizer_options_are_switches_and_a_number(given: Any, told: Any) -> None:
    default = {"disable_model_pruning": False, "disable_meta_optimizer": False}
    tf.config.optimizer.set_experimental_options(given)
    assert tf.config.optimizer.get_experimental_options() == {**default, **told}


def test_synchronous_execution_is_on_and_kept() -> None:
    assert experimental.get_synchronous_execution() is True
    experimental.set_synchronous_execution(False)
    assert experimental.get_synchronous_execution() is False
    experimental.set_synchronous_execution(None)
    assert experimental.get_synchronous_execution() is True
    experimental.set_synchronous_execution(False)
    emplace.reset()
    assert experimental.get_synchronous_execution() is True


def torch_uses_tf32() -> tuple[bool, bool]:
    return torch.backends.cuda.matmul.allow_tf32, torch.backends.cudnn.allow_tf32


def test_tf32_is_on_from_the_first_use_of_a_device_until_a_reset() -> None:
    before = torch_uses_tf32()
    assert experimental.tensor_float_32_execution_enabled() is True
    tf.constant(1.0)
    assert torch_uses_tf32() == (True, True)
    emplace.reset()
    assert torch_uses_tf32() == before


@pytest.mark.parametrize("is_started", [True, False])
def test_tf32_can_be_turned_off_before_and_after_the_first_use(is_started: bool) -> None:
    if is_started:
        tf.constant(1.0)
    experimental.enable_tensor_float_32_execution(False)
    tf.constant(1.0)
    assert experimental.tensor_float_32_execution_enabled() is False
    assert torch_uses_tf32() == (False, False)


def test_tf32_is_a_switch() -> None:
    with pytest.raises(TypeError, match="expected True or False, got 'yes'"):
        experimental.enable_tensor_float_32_execution("yes")


def test_determinism_is_torchs_too_and_a_reset_gives_it_back() -> None:
    experimental.enable_op_determinism()
    assert torch.are_deterministic_algorithms_enabled()
    emplace.reset()
    assert not torch.are_deterministic_algorithms_enabled()


def test_determinism_asks_random_ops_for_a_seed() -> None:
    experimental.enable_op_determinism()
    with pytest.raises(RuntimeError, match="Random ops require a seed to be set when determinism"):
        tf.random.uniform([2])
    tf.random.set_seed(1)
    tf.random.uniform([2])


# Virtual GPUs from the environment


@pytest.mark.parametrize(
    ("text", "count"), [("4", 4), ("2x1GB", 2), ("1x64MB, 2x32MB", 3), ("0", 0), ("", 0), (" ", 0)]
)
def test_the_environment_asks_for_virtual_gpus(
    text: str, count: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EMPLACE_GPUS", text)
    emplace.reset()
    assert len(tf.config.list_physical_devices("GPU")) == count


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        *[(text, "Write a number ('4')") for text in ("four", "4y1GB", "4x", "-1", "4,,4", "1.5")],
        *[(text, "is not a memory size") for text in ("4x1QB", "4x-1GB")],
        *[(text, "asks for more than 1024") for text in ("2000000000", "1000,25")],
    ],
)
def test_nonsense_in_the_environment_is_named_and_explained(
    text: str, hint: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EMPLACE_GPUS", text)
    emplace.reset()
    for use in (tf.config.list_physical_devices, lambda: tf.constant(1.0)):
        with pytest.raises(ValueError, match=rf"^\[EMPLACE_GPUS='{text}'\] ") as raised:
            use()
        assert hint in str(raised.value)
    monkeypatch.setenv("EMPLACE_GPUS", "2")
    assert len(tf.config.list_logical_devices("GPU")) == 2


@pytest.mark.parametrize("count", [-1, 1.5, "2", True, None, 10**9])
def test_virtual_gpus_are_a_number(count: Any) -> None:
    with pytest.raises(ValueError, match="count must be a number of GPUs"):
        emplace.virtual_gpus(count)
