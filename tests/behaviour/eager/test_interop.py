"""NumPy, torch and DLPack, in and out: which share memory and which copy."""

from __future__ import annotations

import array
from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np
import pytest
import torch

import emplace.tensorflow as tf

gpus = pytest.mark.gpus(2, memory="64MB")
on_the_host = pytest.mark.gpus(0)
dlpack = tf.experimental.dlpack

NUMPY_TYPES = (
    np.float16, np.float32, np.float64, np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16,
    np.uint32, np.uint64, np.bool_, np.complex64, np.complex128, ml_dtypes.bfloat16,
    ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e5m2,
)  # fmt: skip


def place(x: Any) -> str:
    return str(x.device).split("device:")[1]


# From NumPy

MAKERS: dict[str, Callable[[Any], Any]] = {
    "constant": tf.constant,
    "convert_to_tensor": tf.convert_to_tensor,
    "constant with a shape": lambda x: tf.constant(x, shape=[2, 2]),
    "an op": tf.identity,
    "a list of arrays": lambda x: tf.constant([x])[0],
    "a variable": lambda x: tf.Variable(x).value(),
}


@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS.keys())
def test_numpy_arrays_are_copied_in(make: Callable[[Any], Any]) -> None:
    source = np.array([1.0, 2.0, 3.0, 4.0], np.float32)
    tensor = make(source)
    source[:] = 99
    assert tf.reshape(tensor, [-1]).numpy().tolist() == [1, 2, 3, 4]


@gpus
@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS.keys())
def test_numpy_arrays_are_copied_in_to_a_gpu(make: Callable[[Any], Any]) -> None:
    source = np.array([1.0, 2.0, 3.0, 4.0], np.float32)
    with tf.device("/GPU:1"):
        tensor = make(source)
    source[:] = 99
    assert place(tensor) == "GPU:1"
    assert tf.reshape(tensor, [-1]).numpy().tolist() == [1, 2, 3, 4]


def read_only(x: Any) -> Any:
    x = x.copy()
    x.setflags(write=False)
    return x


FLOATS = np.arange(6, dtype=np.float32).reshape(2, 3)

LAYOUTS: dict[str, Any] = {
    "C order": FLOATS,
    "Fortran order": np.asfortranarray(FLOATS),
    "read-only": read_only(FLOATS),
    "negative strides": FLOATS[::-1, ::-1],
    "every other column": FLOATS[:, ::2],
    "stretched": np.broadcast_to(FLOATS[0], (4, 3)),
    "big-endian": FLOATS.astype(">f4"),
    "big-endian and read-only": read_only(FLOATS.astype(">f4")),
    "a masked array": np.ma.array(FLOATS),
    "nothing": FLOATS[:0],
    "a scalar": np.array(3.0, np.float32),
    "not aligned": np.frombuffer(b"\0" + FLOATS.tobytes(), np.uint8)[1:].view(np.float32),
}


@pytest.mark.parametrize("source", LAYOUTS.values(), ids=LAYOUTS.keys())
@pytest.mark.parametrize("dtype", [None, tf.float64], ids=str)
def test_arrays_of_every_layout_keep_their_values_and_shape(source: Any, dtype: Any) -> None:
    tensor = tf.constant(source, dtype)
    assert tensor.dtype is (dtype or tf.float32)
    assert tuple(tensor.shape) == source.shape
    assert np.array_equal(tensor.numpy(), source)


@pytest.mark.parametrize("dtype", NUMPY_TYPES, ids=lambda dtype: dtype.__name__)
def test_arrays_of_every_dtype_come_back_as_they_went_in(dtype: Any) -> None:
    source = np.array([0, 1, 2]).astype(dtype)
    tensor = tf.constant(source)
    assert tensor.dtype.name == np.dtype(dtype).name
    assert tensor.numpy().dtype == np.dtype(dtype)
    assert tensor.numpy().tobytes() == source.tobytes()
    assert type(tf.constant(source[1]).numpy()) is dtype


@gpus
@pytest.mark.parametrize("dtype", NUMPY_TYPES, ids=lambda dtype: dtype.__name__)
def test_arrays_of_every_dtype_come_back_from_a_gpu(dtype: Any) -> None:
    source = np.array([[0, 1], [2, 3]]).astype(dtype)
    tensor = tf.transpose(tf.constant(source))
    assert place(tensor) == "GPU:0"
    assert tensor.numpy().tolist() == source.T.tolist()


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (np.array(["a", "é"]), [b"a", "é".encode()]),
        (np.array([b"a", b"bcd"]), [b"a", b"bcd"]),
        (np.array(["a", b"bcd"], object), [b"a", b"bcd"]),
        (np.str_("ab"), b"ab"),
        (np.bytes_(b"ab"), b"ab"),
    ],
)
def test_texts_become_strings(source: Any, expected: Any) -> None:
    tensor = tf.constant(source)
    assert tensor.dtype is tf.string
    found = tensor.numpy()
    assert (found.tolist() if isinstance(found, np.ndarray) else found) == expected


def test_an_object_array_of_texts_is_copied_in_and_out() -> None:
    source = np.array([b"a", b"b"], object)
    tensor = tf.constant(source)
    source[0] = b"changed"
    out = tensor.numpy()
    out[1] = b"changed"
    assert tensor.numpy().tolist() == [b"a", b"b"]
    assert not np.asarray(tensor).flags.writeable


OTHERS: dict[str, tuple[Any, Any, list[Any]]] = {
    "a range": (range(3), tf.int32, [0, 1, 2]),
    "a bytearray": (bytearray(b"ab"), tf.int32, [97, 98]),
    "a memoryview": (memoryview(b"ab"), tf.int32, [97, 98]),
    "array('d')": (array.array("d", [1, 2]), tf.float32, [1.0, 2.0]),
    "array('q')": (array.array("q", [1, 2]), tf.int32, [1, 2]),
    "a torch tensor": (torch.tensor([1.0, 2.0]), tf.float32, [1.0, 2.0]),
    "a list of torch tensors": ([torch.tensor(1.0), torch.tensor(2.0)], tf.float32, [1.0, 2.0]),
    "a list of arrays": ([np.float64(1), np.float64(2)], tf.float64, [1.0, 2.0]),
    "a shape": (tf.TensorShape([1, 2]), tf.int32, [1, 2]),
}


@pytest.mark.parametrize(("source", "dtype", "expected"), OTHERS.values(), ids=OTHERS.keys())
def test_other_sequences_become_tensors_as_in_tensorflow(
    source: Any, dtype: Any, expected: list[Any]
) -> None:
    tensor = tf.constant(source)
    assert (tensor.dtype, tensor.numpy().tolist()) == (dtype, expected)


def test_objects_that_know_how_to_be_an_array_become_tensors() -> None:
    class Table:
        def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
            return np.array([1.0, 2.0])

    assert tf.constant(Table()).numpy().tolist() == [1.0, 2.0]


REFUSED: dict[str, tuple[Any, str]] = {
    "a set": ({1, 2}, r"Attempt to convert a value \(\{1, 2\}\) with an unsupported type"),
    "a dict": ({"a": 1}, r"\(<class 'dict'>\) to a Tensor\."),
    "None": (None, r"Attempt to convert a value \(None\) with an unsupported type"),
    "an object": (object(), r"unsupported type \(<class 'object'>\)"),
    "objects in an array": (
        np.array([1, 2], object),
        r"Failed to convert a NumPy array to a Tensor \(Unsupported object type int\)\.",
    ),
    "dates": (np.array(["2020-01-01"], "datetime64[D]"), "Unsupported numpy type: datetime64"),
    "wide floats": (np.array([1], np.longdouble), "Unsupported numpy type: "),
    "a sparse torch tensor": (torch.eye(2).to_sparse(), "unsupported type"),
    "a torch tensor without values": (torch.ones(2, device="meta"), "unsupported type"),
}


@pytest.mark.parametrize(("source", "text"), REFUSED.values(), ids=REFUSED.keys())
def test_what_cannot_be_a_tensor_is_refused(source: Any, text: str) -> None:
    with pytest.raises(ValueError, match=text):
        tf.constant(source)


# To NumPy


def test_numpy_is_a_writable_copy() -> None:
    tensor = tf.constant([1.0, 2.0])
    for _ in range(2):
        out = tensor.numpy()
        out[0] = 50.0
    assert tensor.numpy().tolist() == [1.0, 2.0]


@on_the_host
def test_np_asarray_shares_the_memory_of_a_cpu_tensor_and_is_read_only() -> None:
    tensor = tf.constant([1.0, 2.0])
    first, second = np.asarray(tensor), np.asarray(tensor)
    assert np.shares_memory(first, second)
    with pytest.raises(ValueError, match="read-only"):
        first[0] = 50.0


@gpus
def test_np_asarray_of_a_gpu_tensor_is_a_copy() -> None:
    tensor = tf.constant([1.0, 2.0])
    array = np.asarray(tensor)
    array[0] = 50.0
    assert tensor.numpy().tolist() == [1.0, 2.0]


def test_np_array_copies_and_casts() -> None:
    tensor = tf.constant([1.0, 2.0])
    assert np.array(tensor).flags.writeable
    assert np.asarray(tensor, np.float64).dtype == np.float64
    assert np.array(tensor, np.int32).tolist() == [1, 2]


@gpus
def test_numpy_may_ask_that_nothing_be_copied() -> None:
    with tf.device("/CPU:0"):
        tensor = tf.constant([1.0, 2.0])
    assert np.asarray(tensor, copy=False).tolist() == [1.0, 2.0]
    for impossible in (tf.constant([1.0]), tensor):
        with pytest.raises(ValueError, match="Unable to avoid copy"):
            np.asarray(impossible, np.float64 if impossible is tensor else None, copy=False)


def test_scalars_come_out_as_numpy_scalars() -> None:
    assert type(tf.constant(1.5).numpy()) is np.float32
    assert tf.constant("abc").numpy() == b"abc"


def test_numpy_functions_take_tensors() -> None:
    tensor = tf.constant([1.0, 2.0])
    assert np.add(tensor, 1).tolist() == [2.0, 3.0]
    assert float(np.sum(tensor)) == 3.0


@pytest.mark.parametrize("other", [np.array([1.0, 2.0], np.float32), torch.tensor([1.0, 2.0])])
def test_arrays_and_torch_tensors_may_stand_on_either_side_of_an_operator(other: Any) -> None:
    tensor = tf.constant([3.0, 4.0])
    for result in (tensor * other, other * tensor):
        assert isinstance(result, tf.Tensor)
        assert result.numpy().tolist() == [3.0, 8.0]
    assert (other - tensor).numpy().tolist() == [-2.0, -2.0]


# Torch


def test_a_torch_tensor_shares_its_memory() -> None:
    source = torch.tensor([1.0, 2.0])
    tensor = tf.convert_to_tensor(source)
    source[0] = 50.0
    assert tensor.numpy().tolist() == [50.0, 2.0]
    assert place(tensor) == "CPU:0"


def test_a_torch_tensor_of_another_dtype_is_copied() -> None:
    source = torch.tensor([1.0, 2.0])
    tensor = tf.constant(source, tf.float64)
    source[0] = 50.0
    assert tensor.numpy().tolist() == [1.0, 2.0]


def test_parameters_and_conjugated_views_come_in_by_value() -> None:
    assert tf.constant(torch.nn.Parameter(torch.ones(2))).numpy().tolist() == [1, 1]
    assert tf.constant(torch.tensor([1 + 2j]).conj()).numpy().tolist() == [1 - 2j]
    assert tf.constant(torch.tensor([1.5]).to(torch.bfloat16)).dtype is tf.bfloat16


@gpus
def test_a_torch_tensor_on_the_host_is_copied_to_the_gpu_that_computes_with_it() -> None:
    source = torch.tensor([1.0, 2.0])
    there = tf.identity(tf.convert_to_tensor(source))
    source[0] = 50.0
    assert place(there) == "GPU:0"
    assert there.numpy().tolist() == [1.0, 2.0]


@on_the_host
def test_torch_takes_tensors_through_dlpack_and_shares_their_memory() -> None:
    tensor = tf.constant([1.0, 2.0])
    taken = torch.from_dlpack(tensor)
    assert taken.data_ptr() == np.asarray(tensor).ctypes.data
    assert taken.tolist() == [1.0, 2.0]


# DLPack


@on_the_host
@pytest.mark.parametrize(
    "dtype", ["float32", "float16", "bfloat16", "int8", "int64", "complex64", "bool"]
)
def test_a_round_trip_through_dlpack_keeps_values_and_dtype(dtype: str) -> None:
    tensor = tf.cast([0, 1, 2], dtype)
    back = dlpack.from_dlpack(dlpack.to_dlpack(tensor))
    assert back.dtype is tensor.dtype
    assert back.numpy().tolist() == tensor.numpy().tolist()


def test_an_import_shares_the_memory_of_its_source() -> None:
    source = np.arange(3.0)
    for tensor in (dlpack.from_dlpack(source.__dlpack__()), dlpack.from_dlpack(source)):
        source[0] += 50
        assert tensor.numpy()[0] == source[0]


@on_the_host
def test_numpy_imports_read_only_through_dlpack() -> None:
    tensor = tf.constant([1.0, 2.0])
    taken = np.from_dlpack(tensor)
    assert np.shares_memory(taken, np.asarray(tensor))
    assert not taken.flags.writeable


@on_the_host
def test_a_capsule_can_be_imported_once() -> None:
    capsule = dlpack.to_dlpack(tf.constant([1.0]))
    dlpack.from_dlpack(capsule)
    with pytest.raises(tf.errors.InvalidArgumentError, match="may be consumed at most once"):
        dlpack.from_dlpack(capsule)


def test_only_capsules_and_exporters_can_be_imported() -> None:
    with pytest.raises(TypeError, match=r"takes a DLPack capsule or an object with `__dlpack__`"):
        dlpack.from_dlpack(3)


@pytest.mark.parametrize("value", [[1], 3, np.ones(2)])
def test_only_tensors_and_variables_are_exported(value: Any) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="must be a TF tensor, not Python"):
        dlpack.to_dlpack(value)


def test_strings_cannot_be_exported() -> None:
    with pytest.raises(
        tf.errors.InvalidArgumentError, match="cannot hold a tensor of dtype string"
    ):
        dlpack.to_dlpack(tf.constant("a"))


@gpus
@pytest.mark.not_strict("DLPack shares memory, which the host and hardware can")
def test_a_tensor_of_a_virtual_gpu_is_exported_without_a_copy() -> None:
    tensor = tf.constant([1.0, 2.0])
    first, second = np.from_dlpack(tensor), np.from_dlpack(tensor)
    assert np.shares_memory(first, second)
    assert place(dlpack.from_dlpack(dlpack.to_dlpack(tensor))) == "CPU:0"
