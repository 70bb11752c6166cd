"""Sizes of memory, and virtual GPUs of such sizes, as people write them."""

from __future__ import annotations

import re
from typing import NamedTuple

MOST_GPUS = 1024

_UNITS = {"": 1, "B": 1, "KB": 1 << 10, "MB": 1 << 20, "GB": 1 << 30, "TB": 1 << 40}
_SIZE = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([KMGT]?)i?(B?)\s*", re.IGNORECASE)
_GPU = re.compile(r"GPU:\d+", re.IGNORECASE)
_GROUP = re.compile(r"\s*(\d+)\s*(?:[x*]\s*(.+?))?\s*")


def parse_bytes(size: str | int) -> int:
    """A memory size in bytes: 1073741824, "1GB", "1GiB", "512 MB" (units are powers of 1024).

    Raises:
        ValueError: `size` is not a size, or is negative.
    """
    if isinstance(size, int) and not isinstance(size, bool) and size >= 0:
        return size
    match = _SIZE.fullmatch(size) if isinstance(size, str) else None
    if match is None:
        raise ValueError(
            f"{size!r} is not a memory size. Write bytes as a number or a text such as '1GB', "
            "'512MB' or '64KB'."
        )
    unit = f"{match[2]}B".upper() if match[2] else ""
    return int(float(match[1]) * _UNITS[unit])


def parse_limits(text: str) -> dict[str, int]:
    """The limits that `text` sets, in bytes by GPU: "GPU:0=3GB,GPU:1=512MB".

    Raises:
        ValueError: `text` says something else.
    """
    limits: dict[str, int] = {}
    for part in text.split(",") if text.strip() else ():
        name, _, size = part.partition("=")
        if _GPU.fullmatch(name.strip()) is None or not size.strip():
            raise ValueError(
                f"{part.strip()!r} sets no limit. Write a GPU and a size, such as 'GPU:0=3GB', or "
                "several of those between commas."
            )
        limits[name.strip().upper()] = parse_bytes(size)
    return limits


class VirtualGpus(NamedTuple):
    """Virtual GPUs as asked for: the size of each in bytes, None for a share; strict or not."""

    sizes: tuple[int | None, ...]
    is_strict: bool = False


def parse_gpus(text: str) -> VirtualGpus:
    """The virtual GPUs that `text` asks for.

    "4" is four without a size of their own, "4x1GB" four of 1 GiB, "2x8GB,2x4GB" two of each,
    "2x1GB:strict" two with memories that only copies reach.

    Raises:
        ValueError: `text` says something else.
    """
    sizes: list[int | None] = []
    groups, colon, how = text.partition(":")
    if colon and how.strip() != "strict":
        raise ValueError(
            f"{text!r} does not describe virtual GPUs: after the colon stands 'strict' or nothing, "
            f"got {how.strip()!r}."
        )
    for group in groups.split(","):
        match = _GROUP.fullmatch(group)
        if match is None:
            raise ValueError(
                f"{text!r} does not describe virtual GPUs. Write a number ('4'), a number and a "
                "size ('4x1GB'), or several of those ('2x8GB,2x4GB')."
            )
        count = int(match[1])
        if count > MOST_GPUS - len(sizes):
            raise ValueError(f"{text!r} asks for more than {MOST_GPUS} virtual GPUs.")
        size = None if match[2] is None else parse_bytes(match[2])
        sizes += [size] * count
    return VirtualGpus(tuple(sizes), bool(colon))
