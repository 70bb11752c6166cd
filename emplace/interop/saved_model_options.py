"""Options of SavedModels, which nothing here writes or reads. Keras 2 makes them for files of other
formats too, which take no notice of them.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping, Sequence


class VariablePolicy(enum.Enum):
    """What a SavedModel keeps of variables besides their values."""

    NONE = None
    SAVE_VARIABLE_DEVICES = "save_variable_devices"
    EXPAND_DISTRIBUTED_VARIABLES = "expand_distributed_variables"

    @staticmethod
    def from_obj(obj: object) -> VariablePolicy:
        """The policy that an option names, in letters of any case.

        Raises:
            ValueError: there is none of this name.
        """
        if obj is None or isinstance(obj, VariablePolicy):
            return obj or VariablePolicy.NONE
        found = [each for each in VariablePolicy if each.value == str(obj).lower()]
        if not found:
            raise ValueError(f"Received invalid VariablePolicy value: {obj}.")
        return found[0]


class SaveOptions:
    """How a SavedModel would be written (`tf.saved_model.SaveOptions`).

    Args:
        namespace_whitelist: names of what ops may be called after.
        save_debug_info: whether lines of the program are kept.
        function_aliases: functions by other names.
        experimental_debug_stripper: whether assertions are left out.
        experimental_io_device: who writes.
        experimental_variable_policy: what is kept of variables, or its name.
        experimental_custom_gradients: whether gradients of the program's own are kept.
        experimental_image_format: refused, as by TensorFlow's releases.
        experimental_skip_saver: whether operations that save are left out.
        experimental_sharding_callback: refused: there are no such callbacks here.
        extra_tags: more tags.

    Raises:
        TypeError: the names are in no list.
        ValueError: one of them is no string; there is no such policy; an option is refused.
    """

    __slots__ = (
        "experimental_custom_gradients", "experimental_debug_stripper",
        "experimental_image_format", "experimental_io_device", "experimental_sharding_callback",
        "experimental_skip_saver", "experimental_variable_policy", "extra_tags",
        "function_aliases", "namespace_whitelist", "save_debug_info",
    )  # fmt: skip

    def __init__(
        self, namespace_whitelist: list[str] | None = None, save_debug_info: bool = False,
        function_aliases: Mapping[str, object] | None = None,
        experimental_debug_stripper: bool = False, experimental_io_device: str | None = None,
        experimental_variable_policy: VariablePolicy | str | None = None,
        experimental_custom_gradients: bool = True, experimental_image_format: bool = False,
        experimental_skip_saver: bool = False, experimental_sharding_callback: object = None,
        extra_tags: Sequence[str] | None = None,
    ) -> None:  # fmt: skip
        self.namespace_whitelist = _names(namespace_whitelist)
        self.save_debug_info = save_debug_info
        self.function_aliases = function_aliases or {}
        self.experimental_debug_stripper = experimental_debug_stripper
        self.experimental_io_device = experimental_io_device
        self.experimental_variable_policy = VariablePolicy.from_obj(experimental_variable_policy)
        self.experimental_custom_gradients = experimental_custom_gradients
        if experimental_image_format:
            raise ValueError("The option `experimental_image_format` is disabled in OSS.")
        self.experimental_image_format = experimental_image_format
        self.experimental_skip_saver = experimental_skip_saver
        if experimental_sharding_callback is not None:
            raise ValueError(
                "The experimental_sharding_callback checkpoint option must be of type "
                f"ShardingCallback, got {type(experimental_sharding_callback)}: Emplace has none."
            )
        self.experimental_sharding_callback = experimental_sharding_callback
        self.extra_tags = extra_tags


class LoadOptions:
    """How a SavedModel would be read (`tf.saved_model.LoadOptions`).

    Args:
        allow_partial_checkpoint: whether variables may be missing.
        experimental_io_device: who reads.
        experimental_skip_checkpoint: whether variables are left out.
        experimental_variable_policy: as in `SaveOptions`.
        experimental_load_function_aliases: whether other names of functions are read.

    Raises:
        ValueError: there is no such policy.
    """

    __slots__ = (
        "allow_partial_checkpoint", "experimental_io_device",
        "experimental_load_function_aliases", "experimental_skip_checkpoint",
        "experimental_variable_policy",
    )  # fmt: skip

    def __init__(
        self, allow_partial_checkpoint: bool = False, experimental_io_device: str | None = None,
        experimental_skip_checkpoint: bool = False,
        experimental_variable_policy: VariablePolicy | str | None = None,
        experimental_load_function_aliases: bool = False,
    ) -> None:  # fmt: skip
        self.allow_partial_checkpoint = allow_partial_checkpoint
        self.experimental_io_device = experimental_io_device
        self.experimental_skip_checkpoint = experimental_skip_checkpoint
        self.experimental_variable_policy = VariablePolicy.from_obj(experimental_variable_policy)
        self.experimental_load_function_aliases = experimental_load_function_aliases


def _names(given: object) -> list[str] | None:
    """The names of a list, which TensorFlow copies.

    Raises:
        TypeError: it is no list.
        ValueError: one of them is no string.
    """
    if given is None:
        return None
    if not isinstance(given, list):
        raise TypeError(
            f"`namespace_whitelist` must be a list of strings. Got: {given} with type "
            f"{type(given)}."
        )
    for each in given:
        if not isinstance(each, str):
            raise ValueError(  # TF's class
                f"Whitelisted namespace must be a string. Got: {each} of type {type(each)}."
            )
    return list(given)
