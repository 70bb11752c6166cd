"""Variables: what was read never changes; where they live; what they accept; what they say."""

from __future__ import annotations

import copy
import operator
import pickle
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

import emplace
import emplace.tensorflow as tf

gpus = pytest.mark.gpus(4, memory="64MB")


def place(x: Any) -> str:
    """The end of a device name: "GPU:1"."""
    return str(x.device).split("device:")[1]


def memory_of(variable: Any) -> int:
    """The address of a variable's elements."""
    return int(variable.handle._value.value.untyped_storage().data_ptr())


# What was read before stays what it was

HOLDERS: dict[str, Callable[[Any], Any]] = {
    "v + 0": lambda v: v + 0.0,
    "value()": lambda v: v.value(),
    "read_value()": lambda v: v.read_value(),
    "identity": tf.identity,
    "convert_to_tensor": tf.convert_to_tensor,
    "identity of identity": lambda v: tf.identity(tf.identity(v)),
    "a slice": lambda v: v[1:3],
    "an element": lambda v: v[0],
    "every other element": lambda v: v[::2],
    "a reversed slice": lambda v: v[::-1],
    "reshape": lambda v: tf.reshape(v, [2, 2]),
    "expand_dims": lambda v: tf.expand_dims(v, 0),
    "transpose of reshape": lambda v: tf.transpose(tf.reshape(v, [2, 2])),
    "broadcast_to": lambda v: tf.broadcast_to(v, [3, 4]),
    "a view of a view": lambda v: tf.reshape(v, [2, 2])[1],
    "unstack": lambda v: tf.unstack(v)[2],
    "numpy()": lambda v: v.numpy(),
    "np.asarray": np.asarray,
    "np.asarray of value()": lambda v: np.asarray(v.value()),
    "a NumPy view of value()": lambda v: np.asarray(v.value()).reshape(2, 2)[0],
    "another variable": tf.Variable,
    "a deep copy": copy.deepcopy,
}

SHARED: dict[str, Callable[[Any], Any]] = {
    "np.from_dlpack": lambda v: np.from_dlpack(v.value()),
    "torch.from_dlpack": lambda v: torch.from_dlpack(v.value()),
    "a slice of torch.from_dlpack": lambda v: torch.from_dlpack(v.value())[1:],
    "a DLPack round trip": lambda v: tf.experimental.dlpack.from_dlpack(
        tf.experimental.dlpack.to_dlpack(v.value())
    ),
}

DLPACK = pytest.mark.not_strict("DLPack shares memory, which the host and hardware can")
HELD = [
    *(pytest.param(hold, id=name) for name, hold in HOLDERS.items()),
    *(pytest.param(hold, id=name, marks=DLPACK) for name, hold in SHARED.items()),
]

CHANGES: dict[str, Callable[[Any], Any]] = {
    "assign": lambda v: v.assign([9.0, 9.0, 9.0, 9.0]),
    "assign_add": lambda v: v.assign_add([1.0, 1.0, 1.0, 1.0]),
    "assign_sub": lambda v: v.assign_sub([1.0, 1.0, 1.0, 1.0]),
    "an element": lambda v: v[0].assign(9.0),
    "all elements": lambda v: v[:].assign(9.0),
}


def elements(x: Any) -> Any:
    return x.numpy().tolist() if hasattr(x, "numpy") else np.asarray(x).tolist()


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES.keys())
@pytest.mark.parametrize("hold", HELD)
def test_what_was_read_stays_what_it_was(
    hold: Callable[[Any], Any], change: Callable[[Any], Any]
) -> None:
    v = tf.Variable([1.0, 2.0, 3.0, 4.0])
    v.assign_add([1.0, 1.0, 1.0, 1.0])  # from here on it owns its memory
    held = hold(v)
    before = elements(held)
    change(v)
    change(v)
    assert elements(held) == before


@gpus
@pytest.mark.parametrize("hold", HELD)
def test_what_was_read_on_a_gpu_stays_what_it_was(hold: Callable[[Any], Any]) -> None:
    with tf.device("/GPU:1"):
        v = tf.Variable([1.0, 2.0, 3.0, 4.0])
        held = hold(v)
    before = elements(held)
    for change in CHANGES.values():
        change(v)
    assert elements(held) == before


def test_a_numpy_array_made_of_a_variable_is_a_writable_copy_as_in_tensorflow() -> None:
    v = tf.Variable([1.0, 2.0])
    for array in (v.numpy(), np.asarray(v), np.array(v)):
        array[0] = 50.0
    assert v.numpy().tolist() == [1.0, 2.0]


def test_changing_the_source_array_does_not_change_the_variable() -> None:
    source = np.ones(4, np.float32)
    v = tf.Variable(source)
    source[:] = 5
    assert v.numpy().tolist() == [1, 1, 1, 1]
    v.assign(source)
    source[:] = 7
    assert v.numpy().tolist() == [5, 5, 5, 5]


def test_changing_the_memory_behind_a_dlpack_import_does_not_change_the_variable() -> None:
    source = np.ones(4, np.float32)
    v = tf.Variable(tf.experimental.dlpack.from_dlpack(source.__dlpack__()))
    source[:] = 5
    assert v.numpy().tolist() == [1, 1, 1, 1]


@pytest.mark.parametrize(
    "make",
    [
        lambda x: x,
        tf.constant,
        tf.identity,
        lambda x: tf.reshape(x, [4]),
        lambda x: tf.constant(x)[:],
    ],
    ids=["torch", "constant", "identity", "reshape", "slice"],
)
def test_changing_a_torch_tensor_does_not_change_the_variable_made_of_it(make: Any) -> None:
    source = torch.ones(4)
    v = tf.Variable(make(source))
    source.fill_(5)
    assert v.numpy().tolist() == [1, 1, 1, 1]
    v.assign(make(source))
    v.assign_add([1.0, 1.0, 1.0, 1.0])
    assert source.tolist() == [5, 5, 5, 5]


STARTS: dict[str, Callable[[], Any]] = {
    "a tensor": lambda: tf.constant([1.0, 2.0]),
    "a variable": lambda: tf.Variable([1.0, 2.0]),
    "a part of a tensor": lambda: tf.constant([0.0, 1.0, 2.0])[1:],
    "a stretched tensor": lambda: tf.broadcast_to(tf.constant(1.0), [2]),
    "a transposed tensor": lambda: tf.transpose(tf.constant([[1.0, 2.0]]))[:, 0],
}


@pytest.mark.parametrize("start", STARTS.values(), ids=STARTS.keys())
def test_variables_of_one_value_share_no_state(start: Callable[[], Any]) -> None:
    value = start()
    before = elements(value)
    first, second = tf.Variable(value), tf.Variable(value)
    first.assign_add([10.0, 10.0])
    second[0].assign(-1.0)
    assert elements(value) == before
    assert elements(first) == [each + 10 for each in before]
    assert elements(second) == [-1.0, before[1]]


def test_variables_of_one_python_number_share_no_state() -> None:
    first, second = tf.Variable(1.0), tf.Variable(1.0)
    first.assign_add(1.0)
    first.assign_add(1.0)
    assert (float(first), float(second), float(tf.constant(1.0))) == (3.0, 1.0, 1.0)
    second.assign(1.0)
    second.assign_sub(1.0)
    assert float(tf.constant(1.0)) == 1.0


def test_assigning_a_variable_to_another_copies_its_value_only() -> None:
    first, second = tf.Variable([1.0]), tf.Variable([2.0])
    first.assign(second)
    second.assign_add([5.0])
    first.assign_add([1.0])
    assert (elements(first), elements(second)) == ([3.0], [7.0])


def test_a_handle_is_a_scalar_everywhere() -> None:
    v = tf.Variable([[1, 2], [3, 4]])

    @tf.function
    def handed_back() -> Any:
        assert v.handle.shape == ()
        return v.handle

    for handle in v.handle, handed_back():
        assert (handle.shape, handle.ndim, handle.dtype) == ((), 0, tf.resource)
        read = tf.raw_ops.ReadVariableOp(resource=handle, dtype=tf.int32)
        assert read.shape == (2, 2)
    assert "shape=(), dtype=resource" in str(v.handle)


def test_a_variable_can_be_added_to_itself() -> None:
    v = tf.Variable([1.0, 2.0])
    v.assign_add(v)
    v.assign(v)
    v[0].assign(v[1])
    assert elements(v) == [4.0, 4.0]


# In place where nobody looks


def test_a_variable_nobody_holds_is_changed_in_place() -> None:
    v = tf.Variable([1.0, 2.0])
    v.assign_add([1.0, 1.0])
    address = memory_of(v)
    v.assign_add([1.0, 1.0])
    v.assign_sub([1.0, 1.0])
    v[0].assign(5.0)
    assert memory_of(v) == address
    assert elements(v) == [5.0, 3.0]


@gpus
def test_a_training_step_changes_the_weights_in_place() -> None:
    v = tf.Variable(tf.ones([4, 4]))
    x = tf.ones([2, 4])

    def step() -> None:
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.nn.relu(tf.matmul(x, v)))
        v.assign_sub(tape.gradient(loss, v) * 0.1)

    step()
    address = memory_of(v)
    for _ in range(3):
        step()
    assert memory_of(v) == address


@pytest.mark.parametrize("hold", HELD)
def test_it_is_in_place_again_when_the_holder_is_gone(hold: Callable[[Any], Any]) -> None:
    v = tf.Variable([1.0, 2.0, 3.0, 4.0])
    v.assign_add([1.0, 1.0, 1.0, 1.0])
    held = hold(v)
    del held
    address = memory_of(v)
    v.assign_add([1.0, 1.0, 1.0, 1.0])
    assert memory_of(v) == address


# Assignments


def test_assignments_return_the_variable_and_can_be_chained() -> None:
    v = tf.Variable([1.0, 2.0])
    assert repr(v.assign([3.0, 4.0])) == (
        "<tf.Variable 'UnreadVariable' shape=(2,) dtype=float32, "
        "numpy=array([3., 4.], dtype=float32)>"
    )
    assert elements(v.assign([1.0, 1.0]).assign_add([1.0, 1.0])) == [2.0, 2.0]
    assert v.assign([1.0, 1.0], read_value=False) is None


def test_assigning_another_shape_is_an_error() -> None:
    v = tf.Variable([1.0, 2.0])
    with pytest.raises(ValueError, match="Shape mismatch") as caught:
        v.assign([1.0, 2.0, 3.0])
    assert str(caught.value) == (
        "Cannot assign value to variable ' Variable:0': Shape mismatch.The variable shape (2,), "
        "and the assigned value shape (3,) are incompatible."
    )


@pytest.mark.parametrize(
    ("change", "delta", "text"),
    [
        ("assign_add", [1.0, 2.0, 3.0], "AssignAddVariableOp shape [2] [3]"),
        ("assign_add", 1.0, "AssignAddVariableOp shape [2] []"),
        ("assign_sub", [[1.0, 2.0]], "AssignSubVariableOp shape [2] [1,2]"),
    ],
)
def test_adding_another_shape_is_an_error(change: str, delta: Any, text: str) -> None:
    v = tf.Variable([1.0, 2.0])
    op, _, mine, theirs = text.split()
    with pytest.raises(tf.errors.InvalidArgumentError) as caught:
        getattr(v, change)(delta)
    assert caught.value.message == (
        f"Cannot update variable with shape {mine} using a Tensor with shape {theirs}, "
        f"shapes must be equal. [Op:{op}] name: "
    )
    assert elements(v) == [1.0, 2.0]


def test_assigning_a_tensor_of_another_dtype_is_an_error() -> None:
    v = tf.Variable([1.0, 2.0])
    for change in (v.assign, v.assign_add, v.assign_sub, v[:].assign):
        with pytest.raises(
            ValueError,
            match="Tensor conversion requested dtype float32 for Tensor with dtype int32",
        ):
            change(tf.constant([1, 2]))
    assert elements(v) == [1.0, 2.0]


@pytest.mark.parametrize(
    ("start", "value", "error", "text"),
    [
        ([1.0, 2.0], "abc", TypeError, "Cannot convert 'abc' to EagerTensor of dtype float"),
        (1, 1.5, TypeError, "Cannot convert 1.5 to EagerTensor of dtype int32"),
        (
            1.0,
            None,
            ValueError,
            "Attempt to convert a value (None) with an unsupported type (<class 'NoneType'>) "
            "to a Tensor.",
        ),
    ],
)
def test_assigning_what_cannot_have_its_dtype_is_an_error(
    start: Any, value: Any, error: type[Exception], text: str
) -> None:
    with pytest.raises(error) as caught:
        tf.Variable(start).assign(value)
    assert str(caught.value) == text


def test_python_numbers_and_numpy_arrays_take_the_dtype_of_the_variable() -> None:
    v = tf.Variable([1.0, 2.0])
    assert elements(v.assign([1, 2])) == [1.0, 2.0]
    assert elements(v.assign(np.array([3.0, 4.0]))) == [3.0, 4.0]
    assert elements(v.assign_add(np.array([1, 1]))) == [4.0, 5.0]


def test_a_part_is_assigned_and_a_single_value_fills_it() -> None:
    v = tf.Variable([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    v[0].assign([7.0, 8.0, 9.0])
    v[1, ::2].assign(0.0)
    v[..., 1].assign([1.0, 1.0])
    v[::-1, 0].assign([3.0, 4.0])
    assert elements(v) == [[4.0, 1.0, 9.0], [3.0, 1.0, 0.0]]


def test_a_part_of_another_shape_is_an_error_and_changes_nothing() -> None:
    v = tf.Variable([1.0, 2.0])
    with pytest.raises(tf.errors.InvalidArgumentError) as caught:
        v[0].assign([9.0, 8.0])
    assert caught.value.message == (
        "Cannot broadcast input shape [2] into final shape [] [Op:ResourceStridedSliceAssign] "
        "name: "
    )
    with pytest.raises(
        tf.errors.InvalidArgumentError, match="slice index 5 of dimension 0 out of bounds"
    ):
        v[5].assign(1.0)
    assert elements(v) == [1.0, 2.0]


def test_elements_cannot_be_set_with_brackets() -> None:
    v = tf.Variable([1.0, 2.0])
    with pytest.raises(TypeError, match="does not support item assignment"):
        v[0] = 3.0  # type: ignore[index]


IN_PLACE = {
    operator.iadd: "`variable += value` with `tf.Variable`s is not supported. Use "
    "`variable.assign_add(value)` to modify the variable, or `out = variable + value` if you need "
    "to get a new output Tensor.",
    operator.imul: "`var *= value` with `tf.Variable`s is not supported. Use "
    "`var.assign(var * value)` to modify the variable, or `out = var * value` if you need to get "
    "a new output Tensor.",
    operator.isub: "`variable -= value` with `tf.Variable`s is not supported.",
    operator.itruediv: "`var /= value` with `tf.Variable`s is not supported.",
    operator.ipow: "`var **= value` with `tf.Variable`s is not supported.",
}


@pytest.mark.parametrize(("change", "text"), IN_PLACE.items(), ids=lambda x: str(x)[:12])
def test_in_place_operators_are_refused(change: Callable[..., Any], text: str) -> None:
    with pytest.raises(RuntimeError) as caught:
        change(tf.Variable(1.0), 2.0)
    assert str(caught.value).startswith(text)


@pytest.mark.parametrize("dtype", ["int32", "int64", "uint8", "float16", "bfloat16", "complex64"])
def test_numbers_of_every_kind_are_added_and_subtracted(dtype: str) -> None:
    v = tf.Variable(5, dtype=dtype)
    assert v.assign_add(10).numpy() == 15
    assert v.assign_sub(5).numpy() == 10


def test_small_integers_wrap_around() -> None:
    assert tf.Variable(250, dtype=tf.uint8).assign_add(10).numpy() == 4


@pytest.mark.parametrize("start", [True, "a"])
def test_bools_and_strings_can_be_assigned_but_not_added(start: Any) -> None:
    v = tf.Variable(start)
    v.assign(start)
    with pytest.raises(tf.errors.InvalidArgumentError, match="Op:AssignAddVariableOp"):
        v.assign_add(start)


# Creation


def test_a_variable_needs_an_initial_value() -> None:
    with pytest.raises(ValueError, match=r"The `initial_value` arg to `tf\.Variable` must be"):
        tf.Variable()


def test_a_function_may_make_the_initial_value() -> None:
    assert float(tf.Variable(lambda: 3.0)) == 3.0


def test_the_initial_value_must_fit_the_shape() -> None:
    with pytest.raises(ValueError, match="not compatible") as caught:
        tf.Variable([1.0, 2.0], shape=[3])
    assert str(caught.value) == (
        "In this `tf.Variable` creation, the initial value's shape ((2,)) is not compatible with "
        "the explicitly supplied `shape` argument ([3])."
    )


def test_a_wider_shape_allows_values_of_other_sizes() -> None:
    v = tf.Variable([1.0, 2.0], shape=[None])
    v.assign([1.0, 2.0, 3.0])
    assert v.shape.as_list() == [None]
    assert elements(v) == [1.0, 2.0, 3.0]
    anything = tf.Variable([1.0], shape=tf.TensorShape(None))
    assert elements(anything.assign([[1.0]])) == [[1.0]]


def test_a_tensor_of_another_dtype_is_no_initial_value() -> None:
    with pytest.raises(
        ValueError, match="initial_value: Tensor conversion requested dtype float32 for Tensor"
    ):
        tf.Variable(tf.constant(1), dtype=tf.float32)
    assert tf.Variable(np.array([1, 2]), dtype=tf.float32).dtype is tf.float32


def test_names_are_given_and_not_made_unique() -> None:
    assert tf.Variable(1.0).name == "Variable:0"
    assert [tf.Variable(1.0, name="w").name for _ in range(2)] == ["w:0", "w:0"]


# What they say


def test_repr_and_str_show_the_value() -> None:
    v = tf.Variable([1.0, 2.0])
    assert repr(v) == str(v)
    assert repr(v) == (
        "<tf.Variable 'Variable:0' shape=(2,) dtype=float32, numpy=array([1., 2.], dtype=float32)>"
    )
    assert (
        repr(tf.Variable("abc")) == "<tf.Variable 'Variable:0' shape=() dtype=string, numpy=b'abc'>"
    )


def test_a_variable_is_no_key_but_its_ref_is() -> None:
    v = tf.Variable(1.0)
    with pytest.raises(TypeError) as caught:
        hash(v)
    assert str(caught.value) == (
        "Variable is unhashable. Instead, use variable.ref() as the key. "
        "(Variable: <tf.Variable 'Variable:0' shape=() dtype=float32, numpy=1.0>)"
    )
    assert v.ref() == v.ref() != tf.Variable(1.0).ref()
    assert {v.ref(): "found"}[v.ref()] == "found"
    assert v.ref().deref() is v


OPERATORS: dict[str, tuple[Callable[[Any], Any], Any]] = {
    "v + 1": (lambda v: v + 1, [3.0, 5.0]),
    "1 + v": (lambda v: 1 + v, [3.0, 5.0]),
    "v - v": (lambda v: v - v, [0.0, 0.0]),
    "1 - v": (lambda v: 1 - v, [-1.0, -3.0]),
    "v * np": (lambda v: v * np.array([1.0, 2.0]), [2.0, 8.0]),
    "np * v": (lambda v: np.array([1.0, 2.0]) * v, [2.0, 8.0]),
    "v / 2": (lambda v: v / 2, [1.0, 2.0]),
    "v // 3": (lambda v: v // 3, [0.0, 1.0]),
    "v % 3": (lambda v: v % 3, [2.0, 1.0]),
    "v ** 2": (lambda v: v**2, [4.0, 16.0]),
    "2 ** v": (lambda v: 2**v, [4.0, 16.0]),
    "-v": (lambda v: -v, [-2.0, -4.0]),
    "abs(-v)": (lambda v: abs(tf.Variable(-v)), [2.0, 4.0]),
    "v < 3": (lambda v: v < 3, [True, False]),
    "v >= v": (lambda v: v >= v, [True, True]),
    "v == [2, 5]": (lambda v: v == [2, 5], [True, False]),
    "v != [2, 5]": (lambda v: v != [2, 5], [False, True]),
    "v == None": (lambda v: tf.constant(v == None), False),  # noqa: E711
    "v[1]": (lambda v: v[1], 4.0),
    "v + tensor": (lambda v: v + tf.constant([1.0, 1.0]), [3.0, 5.0]),
    "tensor + v": (lambda v: tf.constant([1.0, 1.0]) + v, [3.0, 5.0]),
}


@pytest.mark.parametrize(("compute", "expected"), OPERATORS.values(), ids=OPERATORS.keys())
def test_operators_compute_with_the_value(compute: Callable[[Any], Any], expected: Any) -> None:
    result = compute(tf.Variable([2.0, 4.0]))
    assert isinstance(result, tf.Tensor)
    assert elements(result) == expected


def test_operators_do_not_mix_dtypes() -> None:
    with pytest.raises(tf.errors.InvalidArgumentError) as caught:
        tf.Variable([1.0]) + tf.constant([1])
    assert caught.value.message == (
        "cannot compute AddV2 as input #1(zero-based) was expected to be a float tensor but is a "
        "int32 tensor [Op:AddV2] name: "
    )


def test_scalars_are_python_numbers_where_one_is_asked_for() -> None:
    assert (float(tf.Variable(1.5)), int(tf.Variable(3)), bool(tf.Variable(False))) == (
        1.5,
        3,
        False,
    )
    assert [float(each) for each in tf.Variable([1.0, 2.0])] == [1.0, 2.0]
    with pytest.raises(TypeError, match="Cannot iterate over a scalar tensor"):
        list(tf.Variable(1.0))
    with pytest.raises(TypeError, match="has no len"):
        len(tf.Variable([1.0]))


def test_a_deep_copy_has_its_own_value_and_settings() -> None:
    v = tf.Variable([1.0, 2.0], trainable=False, name="w", shape=[None])
    other = copy.deepcopy(v)
    other.assign([5.0])
    assert elements(v) == [1.0, 2.0]
    assert (other.name, other.trainable, other.shape.as_list()) == ("w:0", False, [None])
    twice = copy.deepcopy([v, v])
    assert twice[0] is twice[1]


def test_a_shallow_copy_is_the_same_variable() -> None:
    v = tf.Variable([1.0, 2.0])
    copy.copy(v).assign([7.0, 7.0])
    assert elements(v) == [7.0, 7.0]


def test_a_variable_can_be_pickled() -> None:
    v = tf.Variable([1.0, 2.0], trainable=False, name="w")
    other = pickle.loads(pickle.dumps(v))
    assert repr(other) == repr(v)
    assert other.trainable is False


# Where they live


@gpus
def test_a_variable_lives_where_it_was_made() -> None:
    assert place(tf.Variable(1.0)) == "GPU:0"
    for name in ("GPU:2", "CPU:0"):
        with tf.device(f"/{name}"):
            assert place(tf.Variable(1.0)) == name


@gpus
def test_a_variable_on_the_cpu_is_changed_there_and_its_value_used_where_asked() -> None:
    with tf.device("/CPU:0"):
        v = tf.Variable(10.0)
    with tf.device("/GPU:1"):
        assigned, total, value = v.assign(1.0), v + 1.0, v.value()
        read, same = v.read_value(), tf.identity(v)
    assert [place(x) for x in (assigned, total, value, read, same, v)] == [
        "CPU:0", "GPU:1", "CPU:0", "GPU:1", "GPU:1", "CPU:0",
    ]  # fmt: skip


@gpus
def test_the_scope_around_an_assignment_does_not_move_the_variable() -> None:
    with tf.device("/GPU:1"):
        v = tf.Variable(10.0)
    with tf.device("/GPU:3"):
        v.assign(3.0)
        v.assign_add(1.0)
    with tf.device("/CPU:0"):
        on_cpu, value = v + 1.0, v.value()
    assert (place(v), place(v.handle), float(v)) == ("GPU:1", "GPU:1", 4.0)
    assert (place(on_cpu), place(value), place(v + 1.0)) == ("CPU:0", "GPU:1", "GPU:0")


@gpus
def test_explain_says_why_an_assignment_ran_where_it_did() -> None:
    with tf.device("/CPU:0"):
        v = tf.Variable(10.0)
    with tf.device("/GPU:1"):
        value = v.value()
    told = emplace.explain(value)
    assert (told.device, told.op) == ("CPU:0", "ReadVariableOp")
    assert told.reason == "it works on a variable, and ops on a variable run where the variable is"


@gpus
def test_an_assigned_part_stays_on_the_variables_device() -> None:
    with tf.device("/GPU:1"):
        v = tf.Variable([1.0, 2.0])
    with tf.device("/GPU:2"):
        part = v[0]
        v[1:].assign([5.0])
    assert (place(part), place(v)) == ("GPU:2", "GPU:1")
    assert elements(v) == [1.0, 5.0]


@gpus
def test_integers_live_where_they_are_asked_for_and_strings_on_the_cpu() -> None:
    with tf.device("/GPU:1"):
        number, text = tf.Variable(1), tf.Variable("abc")
    assert (place(number), place(text)) == ("GPU:1", "CPU:0")
    value = number.value()
    assert (place(value), value.backing_device) == ("GPU:1", value.device)
    assert text.assign("x").numpy() == b"x"


@gpus
def test_a_variable_made_of_another_ones_value_lives_where_the_scope_says() -> None:
    with tf.device("/GPU:2"):
        v = tf.Variable([1.0, 2.0])
    with tf.device("/GPU:1"):
        there = tf.Variable(v)
    assert (place(tf.Variable(v)), place(there)) == ("GPU:0", "GPU:1")
    assert place(copy.deepcopy(v)) == "GPU:2"


# Threads


@pytest.mark.parametrize("hold", [False, True], ids=["alone", "read by others"])
def test_no_addition_of_any_thread_is_lost_and_no_value_is_torn(hold: bool) -> None:
    v = tf.Variable(tf.zeros([10_000]))
    one = tf.ones([10_000])
    torn: list[Any] = []
    done = threading.Event()

    def add() -> None:
        for _ in range(100):
            v.assign_add(one)

    def read() -> None:
        while not done.is_set():
            seen = v.numpy()
            if seen.min() != seen.max():
                torn.append(seen)

    adders = [threading.Thread(target=add) for _ in range(4)]
    readers = [threading.Thread(target=read) for _ in range(2 if hold else 0)]
    for thread in (*adders, *readers):
        thread.start()
    for thread in adders:
        thread.join()
    done.set()
    for thread in readers:
        thread.join()
    assert torn == []
    assert set(elements(v)) == {400.0}


def test_a_value_kept_by_one_thread_survives_the_changes_of_another() -> None:
    v = tf.Variable(tf.zeros([1000]))
    one = tf.ones([1000])
    wrong: list[Any] = []

    def keep() -> None:
        for _ in range(300):
            held = v.value()
            before = float(held[0])
            total = float(tf.reduce_sum(held))
            if total != before * 1000:
                wrong.append((before, total))

    threads = [threading.Thread(target=keep) for _ in range(3)]
    for thread in threads:
        thread.start()
    for _ in range(300):
        v.assign_add(one)
    for thread in threads:
        thread.join()
    assert wrong == []


def test_a_finalizer_that_uses_the_variable_inside_a_change_does_not_hang() -> None:
    v = tf.Variable([1.0])
    ran = []

    class Noisy:
        def __del__(self) -> None:
            v.assign_add([1.0])
            ran.append(float(v[0]))

    with v.handle._value.lock:
        noisy = Noisy()
        del noisy
    assert ran == [2.0]


def test_ops_on_variables_have_raw_forms() -> None:
    v = tf.Variable([1.0, 2.0])
    raw, handle = tf.raw_ops, v.handle
    raw.AssignVariableOp(resource=handle, value=[3.0, 4.0])
    raw.AssignAddVariableOp(resource=handle, value=[1.0, 1.0])
    raw.AssignSubVariableOp(resource=handle, value=tf.constant([0.5, 0.5]))
    assert raw.ReadVariableOp(resource=handle, dtype=tf.float32).numpy().tolist() == [3.5, 4.5]
    raw.ResourceScatterUpdate(resource=handle, indices=[0], updates=[9.0])
    raw.ResourceScatterMul(resource=handle, indices=[1], updates=[2.0])
    assert v.numpy().tolist() == [9.0, 9.0]
    assert bool(raw.VarIsInitializedOp(resource=handle))
    found = raw.ResourceGatherNd(resource=handle, indices=[[1]], dtype=tf.float32)
    assert found.numpy().tolist() == [9.0]
    function = tf.function(lambda: raw.ReadVariableOp(resource=v.handle, dtype=tf.float32))
    assert function().numpy().tolist() == [9.0, 9.0]


def test_a_variable_whose_name_is_no_text_is_refused() -> None:
    with pytest.raises(ValueError, match="name for name_scope must be a string"):
        tf.Variable(1.0, name=b"x")


def test_what_an_assignment_returns_has_a_name_of_its_own() -> None:
    # TensorFlow's names.
    v = tf.Variable(1.0, name="v")
    assert [v.assign(2.0).name, v.assign_add(1.0).name, v.name] == ["UnreadVariable"] * 2 + ["v:0"]
    with tf.Graph().as_default():
        w = tf.Variable(1.0, name="w")
        assert [w.assign_add(1.0).name, w.name] == ["AssignAddVariableOp", "w:0"]
