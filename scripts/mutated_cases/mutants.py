"""Makes mutants of expressions."""

from __future__ import annotations

import random
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests" / "contract"))

import op_cases

# What draws without a seed, writes files, or keeps something from one case to the next.
_LEFT_OUT = {
    "audio", "checks", "decoding", "files", "image_codecs", "image_random", "lookup", "nest",
    "queues", "random", "raw_control", "raw_dataset_versions", "raw_datasets", "raw_lists",
    "raw_random", "raw_refused", "raw_state", "raw_storage", "raw_tables", "raw_training",
    "resource", "sampling", "tensor_array", "tf1_functions", "training",
}  # fmt: skip
_LONGEST = 600
_WHOLE = ("0", "1", "-1", "2", "3", "4", "5", "-2", "-3", "7")
_FRACTIONS = (
    "0.0", "-0.0", "1.0", "-1.0", "0.5", "-1.5", "1e30", "1e-30", "100.0", "nan", "inf", "-inf",
)  # fmt: skip
_MAKERS = ("f16", "bf16", "f32", "f64", "i8", "i32", "i64", "u8", "c64")
_DTYPES = ("float32", "float64", "float16", "bfloat16", "int32", "int64", "uint8", "bool")
_WORDS = (("SAME", "VALID"), ("REFLECT", "SYMMETRIC"), ("NHWC", "NCHW"), ("bilinear", "nearest"))

_Change = Callable[[random.Random, str], str]


def _of(*choices: str) -> _Change:
    return lambda rng, text: rng.choice(choices)


def _number(rng: random.Random, text: str) -> str:
    return rng.choice(_FRACTIONS if set(text) & set(".e") else _WHOLE)


# Where something can be changed, into what, and how often that is chosen beside the others.
_CHANGES: list[tuple[re.Pattern[str], _Change, int]] = [
    (re.compile(r"(?<![\w.'\"])-?\d+\.?\d*(?:e-?\d+)?(?![\w'\"])"), _number, 1),
    (re.compile(r"\b(?:f16|bf16|f32|f64|i8|i16|i32|i64|u8|c64|c128|b)(?=\()"), _of(*_MAKERS), 2),
    (re.compile(r"(?<=\btf\.)(?:float|int|uint|bfloat|complex)\d+\b"), _of(*_DTYPES), 1),
    (re.compile(r"\bTrue\b"), _of("False"), 2),
    (re.compile(r"\bFalse\b"), _of("True"), 2),
    *[(re.compile(f"(?<=['\"]){a}(?=['\"])"), _of(b), 2) for pair in _WORDS
      for a, b in (pair, pair[::-1])],
]  # fmt: skip


def mutants(seed: int, families: Sequence[str] = ()) -> Iterator[tuple[str, str]]:
    """Families with expressions: one for each recorded case that can be changed."""
    rng = random.Random(seed)
    for family in families or sorted(set(op_cases.families()) - _LEFT_OUT):
        known = {case.expression for case in op_cases.cases_of(family)}
        for expression in sorted(known):
            mutant = expression
            for _ in range(rng.choice((1, 1, 2))):
                mutant = _changed(rng, mutant)
            if mutant not in known and len(mutant) <= _LONGEST:
                known.add(mutant)
                yield family, mutant


def _changed(rng: random.Random, expression: str) -> str:
    """The expression with one thing changed, if there is one."""
    places = [
        (match, change)
        for pattern, change, weight in _CHANGES
        for match in list(pattern.finditer(expression)) * weight
    ]
    if not places:
        return expression
    match, change = rng.choice(places)
    return expression[: match.start()] + change(rng, match.group()) + expression[match.end() :]
