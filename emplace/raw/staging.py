"""Rows of raw ops on staging areas and on maps of them: storage without a handle, found by name.

Nothing here waits: to take what is not there, or to put into what is full, is refused.
"""

from __future__ import annotations

import functools
import threading
from typing import Any

import torch

from ..base.dtypes import DType, int64
from ..base.errors import invalid_argument
from ..core.context import at_reset
from ..core.tensor import kept
from ..ops.infer import Spec, nothing
from .rows import Row, kernel

Raw = Any
_LOCK = threading.RLock()
_AREAS: dict[tuple[str, str, str], Any] = {}
at_reset(_AREAS.clear)


class Area:
    """Elements by the order in which they came, or by keys; `partial` have not all parts yet."""

    def __init__(self) -> None:
        self.queue: list[tuple[Any, ...]] = []
        self.entries: dict[int, list[Any]] = {}
        self.partial: dict[int, list[Any]] = {}


def _area(kind: str, container: str, shared_name: str) -> Area:
    if not shared_name:
        raise NotImplementedError(
            f"tf.raw_ops.{kind}: Emplace finds a staging area by its name alone, got "
            "shared_name=''. Give all ops on one area the same."
        )
    with _LOCK:
        return _AREAS.setdefault((kind, container, shared_name), Area())  # type: ignore[no-any-return]


def _would_wait(name: str, why: str) -> Exception:
    return NotImplementedError(
        f"tf.raw_ops.{name} would wait: {why}. Emplace's staging areas do not; use tf.queue."
    )


def stage_kernel(
    *values: Raw, capacity: int, memory_limit: int, container: str, shared_name: str
) -> None:
    """Puts one element in."""
    area = _area("Stage", container, shared_name)
    with _LOCK:
        if 0 < capacity <= len(area.queue):
            raise _would_wait("Stage", f"{capacity} elements are in it")
        area.queue.append(tuple(map(kept, values)))


def unstage_kernel(*, dtypes: tuple[DType, ...], container: str, shared_name: str) -> Any:
    """Takes the oldest element."""
    area = _area("Stage", container, shared_name)
    with _LOCK:
        if not area.queue:
            raise _would_wait("Unstage", "nothing is in it")
        return area.queue.pop(0)


def peek_kernel(index: Raw, *, dtypes: tuple[DType, ...], container: str, shared_name: str) -> Any:
    """Looks at an element."""
    area = _area("Stage", container, shared_name)
    with _LOCK:
        if int(index) >= len(area.queue):
            raise _would_wait("StagePeek", f"{len(area.queue)} elements are in it")
        return area.queue[int(index)]


def size_kernel(*, container: str, shared_name: str) -> Raw:
    """How many elements there are."""
    return torch.tensor(len(_area("Stage", container, shared_name).queue), dtype=torch.int32)


def clear_kernel(*, container: str, shared_name: str) -> None:
    """Forgets all."""
    _area("Stage", container, shared_name).queue.clear()


def map_stage_kernel(
    kind: str, key: Raw, indices: Raw, *values: Raw, dtypes: tuple[DType, ...], capacity: int,
    container: str, shared_name: str,
) -> None:  # fmt: skip
    """Puts parts of an element under a key."""
    area, number = _area(kind, container, shared_name), int(key)
    with _LOCK:
        if number in area.entries:
            raise invalid_argument(f"The key '{number}' is already in the map")
        if 0 < capacity <= len(area.entries):
            raise _would_wait(f"{kind}Stage", f"{capacity} elements are in it")
        parts = area.partial.setdefault(number, [None] * len(dtypes))
        for place, value in zip(indices.tolist(), values, strict=True):
            if not 0 <= place < len(dtypes):
                raise invalid_argument(
                    f"Index '{place}' for key '{number}' was out of bounds '{len(dtypes)}'."
                )
            if parts[place] is not None:
                raise invalid_argument(f"The tensor for index '{place}' was already staged")
            parts[place] = kept(value)
        if all(each is not None for each in parts):
            area.entries[number] = area.partial.pop(number)


def map_unstage_kernel(
    kind: str, key: Raw, indices: Raw, *, dtypes: tuple[DType, ...], container: str,
    shared_name: str,
) -> Any:  # fmt: skip
    """Takes parts of an element out."""
    found = map_peek_kernel(
        kind, key, indices, dtypes=dtypes, container=container, shared_name=shared_name
    )
    area, number = _area(kind, container, shared_name), int(key)
    with _LOCK:
        for place in indices.tolist():
            area.entries[number][place] = None
        if all(each is None for each in area.entries[number]):
            del area.entries[number]
    return found


def map_peek_kernel(
    kind: str, key: Raw, indices: Raw, *, dtypes: tuple[DType, ...], container: str,
    shared_name: str,
) -> Any:  # fmt: skip
    """Looks at parts of an element."""
    area, number = _area(kind, container, shared_name), int(key)
    with _LOCK:
        if number not in area.entries:
            raise _would_wait(f"{kind}Unstage", f"nothing is under the key {number}")
        parts = area.entries[number]
        for place in indices.tolist():
            if parts[place] is None:
                raise invalid_argument(
                    f"Tensor at index '{place}' for key '{number}' has already been removed."
                )
        return tuple(parts[place] for place in indices.tolist())


def map_any_kernel(
    kind: str, indices: Raw, *, dtypes: tuple[DType, ...], container: str, shared_name: str
) -> Any:
    """Takes parts of an element out: of the smallest key, of one that has it all."""
    area = _area(kind, container, shared_name)
    with _LOCK:
        if not area.entries:
            raise _would_wait(f"{kind}UnstageNoKey", "nothing is in it")
        number = min(area.entries) if kind == "OrderedMap" else next(iter(area.entries))
        key = torch.tensor(number)
        return key, *map_unstage_kernel(
            kind, key, indices, dtypes=dtypes, container=container, shared_name=shared_name
        )


def map_size_kernel(kind: str, *, container: str, shared_name: str) -> Raw:
    """How many elements are complete."""
    return torch.tensor(len(_area(kind, container, shared_name).entries), dtype=torch.int32)


def map_partial_kernel(kind: str, *, container: str, shared_name: str) -> Raw:
    """How many elements are not."""
    return torch.tensor(len(_area(kind, container, shared_name).partial), dtype=torch.int32)


def map_clear_kernel(kind: str, *, container: str, shared_name: str) -> None:
    """Forgets all."""
    area = _area(kind, container, shared_name)
    with _LOCK:
        area.entries.clear()
        area.partial.clear()


def _elements(*specs: Spec, dtypes: tuple[DType, ...], **attrs: Any) -> tuple[Spec, ...]:
    return tuple(Spec(None, each) for each in dtypes)


def _key_and_elements(*specs: Spec, **attrs: Any) -> tuple[Spec, ...]:
    return Spec((), int64), *_elements(*specs, **attrs)


def _row(run: Any, rule: Any, *given: str) -> Row:
    run = functools.partial(run, *given) if given else run
    return kernel(run, rule, ignored="capacity memory_limit dtypes", on_host=True)


def _rows(kind: str) -> dict[str, Row]:
    return {
        f"{kind}Clear": _row(map_clear_kernel, nothing, kind),
        f"{kind}IncompleteSize": _row(map_partial_kernel, None, kind),
        f"{kind}Peek": _row(map_peek_kernel, _elements, kind),
        f"{kind}Size": _row(map_size_kernel, None, kind),
        f"{kind}Stage": _row(map_stage_kernel, nothing, kind),
        f"{kind}Unstage": _row(map_unstage_kernel, _elements, kind),
        f"{kind}UnstageNoKey": _row(map_any_kernel, _key_and_elements, kind),
    }


ROWS: dict[str, Row] = {
    **_rows("Map"),
    **_rows("OrderedMap"),
    "Stage": _row(stage_kernel, nothing),
    "StageClear": _row(clear_kernel, nothing),
    "StagePeek": _row(peek_kernel, _elements),
    "StageSize": _row(size_kernel, None),
    "Unstage": _row(unstage_kernel, _elements),
}
