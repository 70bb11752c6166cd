"""When memory is refused, who holds it is known: ten models, each until it does not fit."""

from __future__ import annotations

from collections.abc import Callable

import memory_models
import pytest
from memory_models import MODELS

import emplace
import emplace.tensorflow as tf
from emplace.holders import refusals
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


@pytest.mark.gpus(2, memory="16MB")
@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.__name__)
def test_what_fills_a_gpu_has_names_and_lines(
    model: Callable[[], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[tuple[Refusal, int]] = []

    def note(refusal: Refusal) -> None:
        seen.append((refusal, refusal.budget.usage().in_use))

    monkeypatch.setattr(refusals, "_ADVISERS", [*refusals._ADVISERS, note])
    tried = pytest.raises(tf.errors.ResourceExhaustedError)
    with emplace.try_anyway(), tried as caught:  # not before it runs: when it is full
        model()
    refusal, in_use = seen[0]
    held = refusal.holders
    assert sum(each.nbytes for each in held) == in_use
    named = [
        each for each in held
        if each.name and each.line is not None and each.line.file == memory_models.__file__
    ]  # fmt: skip
    share = sum(each.nbytes for each in named) / in_use
    assert share >= LEAST_SHARE, [each for each in held if each not in named]
    assert refusal.line is not None
    assert refusal.line.file == memory_models.__file__
    assert in_use > MOST_BYTES // 8
    assert {"parameters", *KINDS.get(model.__name__, ())} <= {each.kind for each in held}
    assert "[Op:" in str(caught.value)
    now = emplace.memory().to_dict()["devices"]
    for device in now.values():
        assert sum(each["bytes"] for each in device["holders"]) == device["in_use_bytes"]
