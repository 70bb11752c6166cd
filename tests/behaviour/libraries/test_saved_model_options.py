"""Options of SavedModels, which Keras 2 makes for files of other formats too."""

from __future__ import annotations

import pytest

import emplace.tensorflow as tf

SaveOptions, LoadOptions = tf.saved_model.SaveOptions, tf.saved_model.LoadOptions


def test_options_begin_as_tensorflow_has_them():
    save, load = SaveOptions(), LoadOptions()
    assert {name: getattr(save, name) for name in SaveOptions.__slots__} == {
        "namespace_whitelist": None, "save_debug_info": False, "function_aliases": {},
        "experimental_debug_stripper": False, "experimental_io_device": None,
        "experimental_variable_policy": type(save.experimental_variable_policy).NONE,
        "experimental_custom_gradients": True, "experimental_image_format": False,
        "experimental_skip_saver": False, "experimental_sharding_callback": None,
        "extra_tags": None,
    }  # fmt: skip
    assert {name: getattr(load, name) for name in LoadOptions.__slots__} == {
        "allow_partial_checkpoint": False, "experimental_io_device": None,
        "experimental_skip_checkpoint": False, "experimental_load_function_aliases": False,
        "experimental_variable_policy": type(save.experimental_variable_policy).NONE,
    }  # fmt: skip
    assert tf.compat.v1.saved_model.SaveOptions is SaveOptions


def test_a_policy_is_named_in_letters_of_any_case():
    save = SaveOptions(experimental_variable_policy="Save_Variable_Devices")
    policy = save.experimental_variable_policy
    assert policy.value == "save_variable_devices"
    assert LoadOptions(experimental_variable_policy=policy).experimental_variable_policy is policy
    with pytest.raises(ValueError, match=r"^Received invalid VariablePolicy value: x\.$"):
        LoadOptions(experimental_variable_policy="x")


@pytest.mark.parametrize(
    ("given", "kind", "text"),
    [
        ({"namespace_whitelist": ("a",)}, TypeError, r"must be a list of strings\. Got: \('a',\)"),
        ({"namespace_whitelist": [1]}, ValueError, "must be a string. Got: 1 of type <class 'int'"),
        ({"experimental_image_format": True}, ValueError, "`experimental_image_format` is disable"),
        ({"experimental_sharding_callback": 1}, ValueError, "must be of type ShardingCallback"),
    ],
)
def test_options_refuse_what_they_cannot_be(given, kind, text):
    with pytest.raises(kind, match=text):
        SaveOptions(**given)


def test_options_do_not_make_a_format():
    with pytest.raises(NotImplementedError, match=r"no tf\.saved_model\.save\. Save a model with"):
        tf.saved_model.save(tf.Module(), "model", options=SaveOptions())
