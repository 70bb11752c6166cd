"""Patterns in strings: matching and replacing, with RE2's patterns (see `patterns.py`)."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from ...base import dtypes
from ...base.errors import invalid_argument
from ...base.shapes import runtime_text
from ...base.typing import TensorLike
from ...core.tensor import Tensor
from .. import infer
from ..convert import to_tensor
from ..infer import Spec
from ..op import CPU_ONLY, apply, op
from .basic import as_texts, changed
from .patterns import compiled


def _decoded(text: bytes) -> str:
    return text.decode("utf-8", "surrogateescape")


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


def full_match_kernel(input: np.ndarray[Any, Any], *, pattern: str) -> torch.Tensor:
    """Whether a pattern matches the whole of each string."""
    match = compiled(pattern.encode()).fullmatch
    found = [match(_decoded(text)) is not None for text in input.reshape(-1).tolist()]
    return torch.from_numpy(np.array(found, bool)).reshape(input.shape)


FULL_MATCH = op(
    "StaticRegexFullMatch", "input: string -> output: bool", full_match_kernel,
    infer.as_type(dtypes.bool_), device_types=CPU_ONLY,
)  # fmt: skip


def replace_kernel(
    input: np.ndarray[Any, Any], *, pattern: str, rewrite: str, replace_global: bool = True
) -> Any:
    """What a pattern matches, replaced; everywhere or once."""
    found = compiled(pattern.encode())
    write = _writer(rewrite, found.groups)
    if write is None:
        return input
    change = _everywhere(found, write) if replace_global else _once(found, write)
    return changed(input, lambda text: _encoded(change(_decoded(text))))


Match = re.Match[str]


def _writer(rewrite: str, groups: int) -> Callable[[Match], str] | None:
    r"""What stands for a match: `\0` to `\9` are its groups. None where it asks for one too many.

    Like RE2, it ends at the first backslash that means nothing.
    """
    if "\\" not in rewrite:
        return lambda match: rewrite
    parts: list[str | int] = []
    rest = iter(rewrite)
    for sign in rest:
        if sign != "\\":
            parts.append(sign)
            continue
        following = next(rest, "")
        if following.isdigit():
            if int(following) > groups:
                return None
            parts.append(int(following))
        elif following == "\\":
            parts.append("\\")
        else:
            break
    return lambda match: "".join(p if isinstance(p, str) else match[p] or "" for p in parts)


class _MatchedNothingError(Exception):
    pass


def _once(found: re.Pattern[str], write: Callable[[Match], str]) -> Callable[[str], str]:
    return lambda text: found.sub(write, text, count=1)


def _everywhere(found: re.Pattern[str], write: Callable[[Match], str]) -> Callable[[str], str]:
    def checked(match: Match) -> str:
        if match.start() == match.end():
            raise _MatchedNothingError
        return write(match)

    def change(text: str) -> str:
        try:
            return found.sub(checked, text)
        except _MatchedNothingError:
            return _with_empty_matches(found, write, text)

    return change


def _with_empty_matches(found: re.Pattern[str], write: Callable[[Match], str], text: str) -> str:
    """RE2 takes no empty match right behind another match; Python does."""
    made, place, last = [], 0, -1
    while place <= len(text):
        match = found.search(text, place)
        if match is None:
            break
        made.append(text[place : match.start()])
        if match.start() == match.end() == last:
            made.append(text[match.start() : match.start() + 1])
            place = match.start() + 1
            continue
        made.append(write(match))
        place = last = match.end()
    return "".join(made) + text[place:]


REPLACE = op(
    "StaticRegexReplace", "input: string -> output: string", replace_kernel, infer.same,
    device_types=CPU_ONLY,
)  # fmt: skip


def _scalar(value: Any, what: str) -> str:
    if value.ndim:
        raise invalid_argument(f"{what} must be scalar, but received {runtime_text(value.shape)}")
    return _decoded(value[()])


def any_match_kernel(input: np.ndarray[Any, Any], pattern: np.ndarray[Any, Any]) -> torch.Tensor:
    """As the static op, with the pattern in a tensor."""
    return full_match_kernel(input, pattern=_scalar(pattern, "Pattern"))


def any_replace_kernel(
    input: np.ndarray[Any, Any],
    pattern: np.ndarray[Any, Any],
    rewrite: np.ndarray[Any, Any],
    *,
    replace_global: bool = True,
) -> Any:
    """As the static op, with pattern and rewrite in tensors."""
    words = {"pattern": _scalar(pattern, "Pattern"), "rewrite": _scalar(rewrite, "Rewrite")}
    return replace_kernel(input, **words, replace_global=replace_global)


def _full_match_spec(input: Spec, *others: Spec) -> Spec:
    return Spec(input.dims, dtypes.bool_)


ANY_MATCH = op(
    "RegexFullMatch", "input: string, pattern: string -> output: bool", any_match_kernel,
    _full_match_spec, device_types=CPU_ONLY,
)  # fmt: skip
ANY_REPLACE = op(
    "RegexReplace", "input: string, pattern: string, rewrite: string -> output: string",
    any_replace_kernel, infer.same, device_types=CPU_ONLY,
)  # fmt: skip


def regex_full_match(input: TensorLike, pattern: TensorLike, name: str | None = None) -> Tensor:
    """Whether a pattern matches the whole of each string (`tf.strings.regex_full_match`).

    Raises:
        InvalidArgumentError: the pattern is none.

    >>> regex_full_match(["abc", "ab"], "ab.").numpy().tolist()
    [True, False]
    """
    if isinstance(pattern, (str, bytes)):
        return apply(FULL_MATCH, (as_texts(input),), {"pattern": _as_str(pattern)})
    return apply(ANY_MATCH, (as_texts(input), to_tensor(pattern)))


def _as_str(value: str | bytes) -> str:
    return value if isinstance(value, str) else _decoded(value)


def regex_replace(
    input: TensorLike,
    pattern: TensorLike,
    rewrite: TensorLike,
    replace_global: bool = True,
    name: str | None = None,
) -> Tensor:
    r"""Returns what a pattern matches, replaced (`tf.strings.regex_replace`).

    Args:
        input: strings.
        pattern: a pattern of RE2.
        rewrite: what to write instead; `\1` is the first group, `\0` all of the match.
        replace_global: everywhere, or once.
        name: a name in graphs.

    Raises:
        InvalidArgumentError: the pattern is none.

    >>> regex_replace("a1b2", "[0-9]", "-").numpy()
    b'a-b-'
    """
    if isinstance(pattern, (str, bytes)) and isinstance(rewrite, (str, bytes)):
        words = {"pattern": _as_str(pattern), "rewrite": _as_str(rewrite)}
        return apply(REPLACE, (as_texts(input),), {**words, "replace_global": replace_global})
    given = (as_texts(input), to_tensor(pattern), to_tensor(rewrite))
    return apply(ANY_REPLACE, given, {"replace_global": replace_global})
