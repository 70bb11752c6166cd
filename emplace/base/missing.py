"""Names of TensorFlow's that Emplace does not serve: they exist, and say what to use instead."""

from __future__ import annotations

from typing import Any, NoReturn


class Missing(type):
    """A class that stands for a function or a class that is not there. Using it raises.

    It may be imported, and nothing is an instance of it.

    >>> export = Missing.of("tf.lite.Export", "Save the model with `model.save`.")
    >>> isinstance(1, export)
    False
    >>> export()
    Traceback (most recent call last):
    NotImplementedError: Emplace has no tf.lite.Export. Save the model with `model.save`.
    """

    _text: str
    _instead: str

    @staticmethod
    def of(name: str, instead: str) -> Missing:
        """What stands for `name`; `instead` is a sentence."""
        about = {"__doc__": f"Not served (`{name}`). {instead}"}
        made = Missing(name.rsplit(".", 1)[-1], (), about)
        type.__setattr__(made, "_text", name)
        type.__setattr__(made, "_instead", instead)
        return made

    def __call__(cls, *args: Any, **kwargs: Any) -> NoReturn:
        """Refuses."""
        raise NotImplementedError(f"Emplace has no {cls._text}. {cls._instead}")

    def __getattr__(cls, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return Missing.of(f"{cls._text}.{name}", cls._instead)
