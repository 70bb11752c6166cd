"""What device strings and `tf.DeviceSpec` mean, as TensorFlow 2.21 reads them."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import pytest

import emplace.tensorflow as tf

DeviceSpecV1 = tf.compat.v1.DeviceSpec


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("/cpu:0", "/device:CPU:0"),
        ("cpu:0", "/device:CPU:0"),
        ("/Cpu:0", "/device:CPU:0"),
        ("//cpu:0", "/device:CPU:0"),
        ("/cpu:0/", "/device:CPU:0"),
        ("GPU:0", "/device:GPU:0"),
        ("/gpu:0", "/device:GPU:0"),
        ("gpu", "/device:GPU:*"),
        ("/GPU", "/device:GPU:*"),
        ("/GPU:*", "/device:GPU:*"),
        ("/device:GPU:*", "/device:GPU:*"),
        ("/device:gpu:1", "/device:GPU:1"),
        ("/device:cPu:0", "/device:cPu:0"),
        ("/device:FOO:0", "/device:FOO:0"),
        ("/device:XLA_CPU:0", "/device:XLA_CPU:0"),
        ("/tpu:0", "/device:TPU:0"),
        ("", ""),
        ("/", ""),
        (None, ""),
        ("job:ps/task:1", "/job:ps/task:1"),
        ("/job:worker/replica:1/task:2/cpu:3", "/job:worker/replica:1/task:2/device:CPU:3"),
        ("/job:a/job:b", "/job:b"),
        ("/task:x/task:1", "/task:1"),
        ("/job:", "/job:"),
        ("/job:*", "/job:*"),
        ("/cpu:00", "/device:CPU:0"),
        ("/cpu: 0", "/device:CPU:0"),
        ("/cpu:0 ", "/device:CPU:0"),
        ("/cpu:+0", "/device:CPU:0"),
        ("/cpu:-1", "/device:CPU:-1"),
    ],
)
def test_a_device_string_has_one_canonical_text(text: str, expected: str) -> None:
    assert tf.DeviceSpec.from_string(text).to_string() == expected


UNKNOWN = "Unknown attribute '{}' is encountered while parsing the device spec: '{}'."
MULTIPLE = "Multiple device types are not allowed while parsing the device spec: {}."
NO_NUMBER = "invalid literal for int() with base 10: '{}'"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("/foo", UNKNOWN.format("foo", "/foo")),
        ("/foo:0", UNKNOWN.format("foo", "/foo:0")),
        ("localhost", UNKNOWN.format("localhost", "localhost")),
        ("/device:GPU", UNKNOWN.format("device", "/device:GPU")),
        ("/Device:CPU:0", UNKNOWN.format("Device", "/Device:CPU:0")),
        ("/JOB:a", UNKNOWN.format("JOB", "/JOB:a")),
        ("/job", UNKNOWN.format("job", "/job")),
        ("/cpu:0:1", UNKNOWN.format("cpu", "/cpu:0:1")),
        ("/device:CPU:0:1", UNKNOWN.format("device", "/device:CPU:0:1")),
        (" /cpu:0", UNKNOWN.format(" ", " /cpu:0")),
        ("/XLA_CPU:0", UNKNOWN.format("XLA_CPU", "/XLA_CPU:0")),
        ("/replica:x/foo", UNKNOWN.format("foo", "/replica:x/foo")),
        ("/cpu:0/gpu:0", MULTIPLE.format("/cpu:0/gpu:0")),
        ("/cpu:0/cpu:1", MULTIPLE.format("/cpu:0/cpu:1")),
        ("/cpu:", NO_NUMBER.format("")),
        ("/device:GPU:", NO_NUMBER.format("")),
        ("/cpu:x", NO_NUMBER.format("x")),
        ("/task:x", NO_NUMBER.format("x")),
        ("/task:*", NO_NUMBER.format("*")),
        ("/replica:y/gpu:x", NO_NUMBER.format("x")),
        ("/cpu:1.5", NO_NUMBER.format("1.5")),
    ],
)
def test_a_wrong_device_string_is_refused_with_its_reason(text: str, message: str) -> None:
    with pytest.raises(ValueError) as raised:
        tf.DeviceSpec.from_string(text)
    assert str(raised.value) == message


def test_a_short_type_needs_no_number_but_the_long_form_does() -> None:
    assert tf.DeviceSpec.from_string("/GPU").device_type == "GPU"
    with pytest.raises(ValueError, match="Unknown attribute 'device'"):
        tf.DeviceSpec.from_string("/device:GPU")


def test_a_spec_shows_all_its_fields() -> None:
    spec = tf.DeviceSpec(device_type="cpu", device_index=0)
    text = "<DeviceSpec(job=None, replica=None, task=None, device_type=CPU, device_index=0)>"
    assert (repr(spec), str(spec)) == (text, text)


def test_the_fields_of_a_spec_are_made_texts_and_numbers() -> None:
    spec = tf.DeviceSpec(job=3, replica="1", task=1.7, device_type="Gpu", device_index="2")
    assert spec.to_string() == "/job:3/replica:1/task:1/device:Gpu:2"


def test_a_number_without_a_type_is_not_shown() -> None:
    assert tf.DeviceSpec(device_index=1).to_string() == ""


def test_a_spec_cannot_be_changed() -> None:
    with pytest.raises(AttributeError, match="property 'job' of 'DeviceSpecV2' object has no sett"):
        tf.DeviceSpec().job = "a"
    assert not hasattr(tf.DeviceSpec(), "merge_from")


def test_a_spec_parses_into_a_new_one() -> None:
    spec = tf.DeviceSpec.from_string("/cpu:0")
    assert spec.parse_from_string("/gpu:1").to_string() == "/device:GPU:1"
    assert spec.to_string() == "/device:CPU:0"


def test_merging_keeps_the_number_though_the_type_changes() -> None:
    under = tf.DeviceSpec.from_string("/job:a/cpu:3")
    merged = under.make_merged_spec(tf.DeviceSpec.from_string("/gpu"))
    assert merged.to_string() == "/job:a/device:GPU:3"


def test_replace_takes_constructor_names_only() -> None:
    spec = tf.DeviceSpec.from_string("/job:a/cpu:0")
    assert spec.replace(job=None, device_index=3).to_string() == "/device:CPU:3"
    with pytest.raises(TypeError, match="unexpected keyword argument 'device'"):
        spec.replace(device="CPU")


def test_equal_specs_hash_alike() -> None:
    spec = tf.DeviceSpec.from_string("/gpu:1")
    same = tf.DeviceSpec(device_type="GPU", device_index=1)
    assert spec == same
    assert hash(spec) == hash(same)
    assert spec != tf.DeviceSpec.from_string("/gpu:2")


def test_a_spec_of_tf1_never_equals_one_of_tf2() -> None:
    one, two = DeviceSpecV1.from_string("/cpu:0"), tf.DeviceSpec.from_string("/cpu:0")
    assert one != two
    assert two != one
    assert isinstance(one, tf.DeviceSpec)


@pytest.mark.parametrize(
    "duplicate", [copy.copy, copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x))]
)
@pytest.mark.parametrize("kind", [tf.DeviceSpec, DeviceSpecV1])
def test_a_spec_can_be_copied_and_pickled(kind: Any, duplicate: Any) -> None:
    spec = kind.from_string("/job:a/gpu:1")
    assert duplicate(spec) == spec


def test_a_spec_of_tf1_can_be_changed() -> None:
    spec = DeviceSpecV1.from_string("/cpu:0")
    spec.job, spec.replica, spec.task, spec.device_type = "b", "3", 1, "gpu"
    spec.device_index = None
    assert spec.to_string() == "/job:b/replica:3/task:1/device:GPU:*"


def test_a_spec_of_tf1_parses_into_itself() -> None:
    spec = DeviceSpecV1.from_string("/cpu:0")
    assert spec.parse_from_string("/job:a/task:1") is spec
    assert spec.to_string() == "/job:a/task:1"


def test_a_spec_of_tf1_is_unchanged_by_text_it_cannot_parse() -> None:
    spec = DeviceSpecV1.from_string("/cpu:0")
    with pytest.raises(ValueError, match="invalid literal"):
        spec.parse_from_string("/job:a/task:x")
    assert spec.to_string() == "/device:CPU:0"


def test_a_spec_of_tf1_merges_into_itself() -> None:
    spec = DeviceSpecV1.from_string("/job:a/cpu:3")
    assert spec.merge_from(tf.DeviceSpec.from_string("/gpu")) is None
    assert spec.to_string() == "/job:a/device:GPU:3"


@pytest.mark.gpus(2)
def test_names_are_short_for_devices_and_full_for_tensors() -> None:
    assert tf.config.list_physical_devices("GPU")[1].name == "/physical_device:GPU:1"
    assert tf.config.list_logical_devices("GPU")[1].name == "/device:GPU:1"
    with tf.device("/gpu:1"):
        assert tf.constant(1.0).device == "/job:localhost/replica:0/task:0/device:GPU:1"


@pytest.mark.gpus(2)
@pytest.mark.parametrize(
    "name", ["GPU:0", "/gpu:0", "/GPU:0", "/device:GPU:0", "/job:localhost/device:GPU:0"]
)
def test_memory_statistics_take_these_names(name: str) -> None:
    assert tf.config.experimental.get_memory_info(name) == {"current": 0, "peak": 0}


NO_MATCH = "No matching devices found for '{}'"
NO_NAME = (
    "Failed parsing device name: '{}'. Note a valid device string should at least contain a "
    'device type and a device index, like "GPU:0".'
)
SEVERAL = (
    "Multiple devices match the provided string '{}': "
    "'/job:localhost/replica:0/task:0/device:{}' and '/job:localhost/replica:0/task:0/device:{}'."
)


@pytest.mark.gpus(2)
@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("gpu:0", NO_MATCH.format("gpu:0")),
        ("GPU:9", NO_MATCH.format("GPU:9")),
        ("GPU", NO_NAME.format("GPU")),
        ("GPU:*", NO_NAME.format("GPU:*")),
        ("CPU:", NO_NAME.format("CPU:")),
        ("x", NO_NAME.format("x")),
        ("/physical_device:GPU:0", NO_NAME.format("/physical_device:GPU:0")),
        ("", SEVERAL.format("", "CPU:0", "GPU:0")),
        ("/device:GPU:*", SEVERAL.format("/device:GPU:*", "GPU:0", "GPU:1")),
        (None, SEVERAL.format("", "CPU:0", "GPU:0")),
    ],
)
def test_memory_statistics_refuse_other_names(name: Any, message: str) -> None:
    for statistic in (
        tf.config.experimental.get_memory_info,
        tf.config.experimental.reset_memory_stats,
        tf.config.experimental.get_memory_usage,
    ):
        with pytest.raises(ValueError) as raised:
            statistic(name)
        assert str(raised.value) == message


def test_memory_statistics_take_no_objects() -> None:
    gpu = tf.config.list_physical_devices("CPU")[0]
    with pytest.raises(TypeError, match="a device name must be a str"):
        tf.config.experimental.get_memory_info(gpu)


@pytest.mark.gpus(1)
@pytest.mark.parametrize("name", ["/gpu:-1", "/job:a b", "/job:", "/device:2:0", "/task:-1"])
@pytest.mark.parametrize("soft", [False, True])
def test_a_name_that_only_the_parser_accepts_is_malformed_for_an_op(name: str, soft: bool) -> None:
    tf.config.set_soft_device_placement(soft)
    x = tf.constant([1.0])
    with (
        tf.device(name),
        pytest.raises(tf.errors.InvalidArgumentError, match=r"Malformed device .* Name: AddV2"),
    ):
        tf.add(x, x)


@pytest.mark.gpus(1)
@pytest.mark.parametrize("number", [2**31, 2**32, 2**63])
def test_a_large_number_does_not_wrap_around(number: int) -> None:
    with (
        tf.device(f"/gpu:{number}"),
        pytest.raises(RuntimeError, match=f"GPU:{number} unknown device"),
    ):
        tf.constant([1.0])
