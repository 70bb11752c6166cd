"""The import hook: `import tensorflow` means Emplace, in this process only."""

from __future__ import annotations

import importlib
import pickle
import sys
from collections.abc import Iterator
from types import ModuleType

import pytest

import emplace
import emplace.hook
import emplace.tensorflow as facade
from emplace.private import device_lib


@pytest.fixture(autouse=True)
def as_before() -> Iterator[None]:
    """Begins without the hook and what is imported through it, and leaves what was there."""
    finders, served = list(sys.meta_path), _served()
    sys.meta_path[:] = [each for each in finders if not getattr(each, "serves", None)]
    for name in served:
        del sys.modules[name]
    yield
    sys.meta_path[:] = finders
    for name in _served():
        del sys.modules[name]
    sys.modules.update(served)


def _served() -> dict[str, ModuleType]:
    return {name: m for name, m in sys.modules.items() if name.split(".")[0] == "tensorflow"}


def test_without_the_hook_the_name_is_not_served() -> None:
    assert "tensorflow" not in sys.modules
    assert not any(getattr(finder, "serves", None) for finder in sys.meta_path)


def test_tensorflow_is_the_facade() -> None:
    emplace.install()
    import tensorflow as tf

    assert tf is facade
    assert tf.__name__ == "emplace.tensorflow"
    assert tf.__spec__.name == "emplace.tensorflow"


def test_submodules_are_the_facades() -> None:
    emplace.install()
    import tensorflow.compat.v1 as v1
    import tensorflow.errors
    from tensorflow.errors import InvalidArgumentError
    from tensorflow.math import reduce_sum

    assert sys.modules["tensorflow.errors"] is facade.errors
    assert tensorflow.errors is facade.errors
    assert v1 is facade.compat.v1
    assert InvalidArgumentError is facade.errors.InvalidArgumentError
    assert reduce_sum is facade.reduce_sum


def test_private_paths_that_programs_import_from_are_served() -> None:
    emplace.install()
    from tensorflow.python.framework import dtypes, errors
    from tensorflow.python.framework.errors import OpError
    from tensorflow.python.framework.ops import reset_default_graph
    from tensorflow.python.ops import array_ops, rnn, rnn_cell
    from tensorflow.python.platform import gfile

    v1 = facade.compat.v1
    assert reset_default_graph is v1.reset_default_graph
    assert (array_ops.concat, gfile.Exists) == (v1.concat, v1.gfile.Exists)
    assert (rnn.dynamic_rnn, rnn_cell.GRUCell) == (v1.nn.dynamic_rnn, v1.nn.rnn_cell.GRUCell)
    assert errors is facade.errors
    assert dtypes is facade.dtypes
    assert OpError is facade.errors.OpError


@pytest.mark.gpus(2, memory="64MB")
def test_programs_can_count_gpus_with_device_lib() -> None:
    emplace.install()
    assert importlib.import_module("tensorflow.python.client.device_lib") is device_lib
    cpu, *gpus = device_lib.list_local_devices()
    assert (cpu.name, cpu.device_type, cpu.physical_device_desc) == ("/device:CPU:0", "CPU", "")
    assert [gpu.name for gpu in gpus] == ["/device:GPU:0", "/device:GPU:1"]
    assert [gpu.memory_limit for gpu in gpus] == [64 << 20] * 2
    assert gpus[1].physical_device_desc.startswith("device: 1, name: ")


@pytest.mark.gpus(2)
def test_device_lib_tells_as_many_devices_as_a_configuration_counts() -> None:
    config = facade.compat.v1.ConfigProto(device_count={"GPU": 1})
    told = device_lib.list_local_devices(config)
    assert [device.name for device in told] == ["/device:CPU:0", "/device:GPU:0"]


@pytest.mark.parametrize(
    ("name", "missing"),
    [
        ("tensorflow.no_such_thing", "tensorflow.no_such_thing"),
        ("tensorflow.no.such.thing", "tensorflow.no"),
        ("tensorflow.python.nothing", "tensorflow.python.nothing"),
    ],
)
def test_a_module_that_is_missing_is_named(name: str, missing: str) -> None:
    emplace.install()
    with pytest.raises(ModuleNotFoundError) as raised:
        importlib.import_module(name)
    assert raised.value.name == missing
    assert str(raised.value) == (
        f"Emplace does not provide the module {missing!r}. "
        "See docs/DIFFERENCES.md for what it provides."
    )


def test_a_name_that_is_missing_is_named() -> None:
    emplace.install()
    with pytest.raises(ImportError, match="cannot import name 'no_such_thing'"):
        from tensorflow import no_such_thing  # noqa: F401


def test_other_modules_are_not_touched() -> None:
    emplace.install()
    with pytest.raises(ModuleNotFoundError, match="No module named 'tensorflow_of_another_kind'"):
        importlib.import_module("tensorflow_of_another_kind")


def test_the_real_tensorflow_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "tensorflow", ModuleType("tensorflow"))
    with pytest.raises(RuntimeError) as raised:
        emplace.install()
    assert str(raised.value) == (
        "The real TensorFlow is already imported in this process. Call emplace.install() "
        "before anything imports tensorflow, or start the program with `emplace run`."
    )


def test_installing_twice_installs_once() -> None:
    emplace.install()
    import tensorflow  # noqa: F401

    emplace.install()
    assert sum(hasattr(finder, "serves") for finder in sys.meta_path) == 1


def test_installing_again_after_a_reload_installs_once() -> None:
    emplace.install()
    importlib.reload(emplace.hook).install()
    assert sum(hasattr(finder, "serves") for finder in sys.meta_path) == 1


def test_reloading_keeps_the_module_and_what_is_in_it() -> None:
    emplace.install()
    import tensorflow as tf

    float32, tensor = tf.float32, tf.Tensor
    assert importlib.reload(tf) is facade
    assert importlib.reload(sys.modules["tensorflow"]) is facade
    assert (tf.float32, tf.Tensor) == (float32, tensor)
    assert float(tf.constant(1.0) + 1.0) == 2.0


@pytest.mark.parametrize("name", ["tensorflow", "emplace.tensorflow"])
def test_errors_and_dtypes_are_pickled_under_either_name(name: str) -> None:
    emplace.install()
    tf = importlib.import_module(name)
    error = tf.errors.ResourceExhaustedError(None, None, "no memory")
    copied = pickle.loads(pickle.dumps(error))
    assert type(copied) is facade.errors.ResourceExhaustedError
    assert (copied.message, copied.error_code) == ("no memory", 8)
    assert pickle.loads(pickle.dumps(tf.bfloat16)) is facade.bfloat16


def test_a_pickle_does_not_need_the_hook() -> None:
    emplace.install()
    import tensorflow as tf

    pickled = pickle.dumps([tf.errors.NotFoundError(None, None, "gone"), tf.int32])
    assert b"emplace.base.errors" in pickled
    assert b"tensorflow" not in pickled


def test_an_error_keeps_its_code_in_a_pickle() -> None:
    error = facade.errors.OpError(None, None, "odd", 77)
    assert pickle.loads(pickle.dumps(error)).error_code == 77
