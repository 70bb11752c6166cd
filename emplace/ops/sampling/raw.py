"""How raw candidate samplers get their keys: of two seeds, as random ops do."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..random.raw import REQUIRED, Given, Prepare, seeded
from .candidates import RESERVED, seen_by


def _reserved(inputs: Sequence[Any], given: Given) -> tuple[Any, int | None]:
    return tuple(given.values()), RESERVED * given["num_sampled"]


def _learning(name: str) -> Prepare:
    """The same for a sampler that remembers the classes that it has seen."""

    def prepare(inputs: Sequence[Any], given: Given) -> Given:
        user = (name, *given.values())
        return {**seeded(name, _reserved)(inputs, given), "seen": seen_by(user, given["range_max"])}

    return prepare


_SIZES = dict.fromkeys(("num_true", "num_sampled", "unique"), REQUIRED)
_SEEDS = {"seed": 0, "seed2": 0}
_RANGE = {**_SIZES, "range_max": REQUIRED, **_SEEDS}
_WEIGHTS = {
    "vocab_file": "", "distortion": 1, "num_reserved_ids": 0, "num_shards": 1, "shard": 0,
    "unigrams": [],
}  # fmt: skip


def _unseeded(inputs: Sequence[Any], given: Given) -> Given:
    del given["seed"], given["seed2"]
    return given


_SEEDED = {
    "FixedUnigramCandidateSampler": {**_RANGE, **_WEIGHTS},
    "LogUniformCandidateSampler": _RANGE,
    "UniformCandidateSampler": _RANGE,
}
_LEARNING = ("LearnedUnigramCandidateSampler", "ThreadUnsafeUnigramCandidateSampler")
SAMPLING: dict[str, tuple[Given, Prepare]] = {
    "AllCandidateSampler": ({**_SIZES, **_SEEDS}, _unseeded),
    **{name: (arguments, seeded(name, _reserved)) for name, arguments in _SEEDED.items()},
    **{name: (_RANGE, _learning(name)) for name in _LEARNING},
}
