"""When memory is refused, who holds it is known: ten models, each until it does not fit."""

from __future__ import annotations

from collections.abc import Callable

import memory_models
import pytest
from memory_models import MODELS, Training, each_of

import emplace
import emplace.tensorflow as tf
from emplace.holders import refusals, walkers
from emplace.holders.census import Holder
from emplace.holders.refusals import Refusal

LEAST_SHARE = 0.95
MOST_BYTES = 16_000_000
# What must be there besides parameters.
KINDS = {
    "custom_loop": ("activations kept for gradients",),
    **dict.fromkeys(
        ("mlp", "cnn", "resnet", "lstm", "transformer", "session"), ("optimizer slots",)
    ),
}


@pytest.mark.one_of(2)
@pytest.mark.gpus(2, memory="16MB")
@pytest.mark.parametrize("model", each_of(MODELS))
def test_what_fills_a_gpu_has_names_and_lines(
    model: Callable[[], Training], monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[tuple[Refusal, int]] = []

    def note(refusal: Refusal) -> None:
        seen.append((refusal, refusal.budget.usage().in_use))

    monkeypatch.setattr(refusals, "_ADVISERS", [*refusals._ADVISERS, note])
    monkeypatch.setattr(walkers, "PAUSE", 0)  # the model before was just now
    tried = pytest.raises(tf.errors.ResourceExhaustedError)
    with emplace.try_anyway(), tried as caught:  # not before it runs: when it is full
        model().until_full()
    refusal, in_use = seen[0]
    held = refusal.holders
    assert sum(holder.nbytes for holder in held) == in_use
    nameless = [holder for holder in held if not _is_named(holder)]
    share = 1 - sum(holder.nbytes for holder in nameless) / in_use
    assert share >= LEAST_SHARE, nameless
    assert refusal.line is not None
    assert refusal.line.file == memory_models.__file__
    assert in_use > MOST_BYTES // 8
    assert {"parameters", *KINDS.get(model.__name__, ())} <= {holder.kind for holder in held}
    assert "[Op:" in str(caught.value)
    now = emplace.memory().to_dict()["devices"]
    for device in now.values():
        assert sum(holder["bytes"] for holder in device["holders"]) == device["in_use_bytes"]


def _is_named(holder: Holder) -> bool:
    """Whether it has a name, and a line of the program."""
    line = holder.line
    return bool(holder.name) and line is not None and line.file == memory_models.__file__
