"""How raw candidate samplers get their keys: of two seeds, as random ops do."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..random.raw import REQUIRED, Given, Prepare, seeded


def _learning(inputs: Sequence[Any], given: Given) -> Given:
    return {**seeded(inputs, given), "seen": None}


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


SAMPLING: dict[str, tuple[Given, Prepare]] = {
    "AllCandidateSampler": ({**_SIZES, **_SEEDS}, _unseeded),
    "FixedUnigramCandidateSampler": ({**_RANGE, **_WEIGHTS}, seeded),
    "LearnedUnigramCandidateSampler": (_RANGE, _learning),
    "LogUniformCandidateSampler": (_RANGE, seeded),
    "ThreadUnsafeUnigramCandidateSampler": (_RANGE, _learning),
    "UniformCandidateSampler": (_RANGE, seeded),
}
