"""What a budget charges a storage with: how many bytes, for whom, made by what, from which line.

A charge pays for the line with a short walk up the stack and keeps a code object and a number, no
frame; they become a line when somebody asks.
"""

from __future__ import annotations

import threading
import weakref
from types import CodeType
from typing import TYPE_CHECKING

import torch

from ..base.late_binding import LateBinding
from ..base.lines import Line, seen_line

if TYPE_CHECKING:
    from .memory import Budget


#: What memory is held for, in the order in which it is told.
PARAMETERS, GRADIENTS, SLOTS = "parameters", "gradients", "optimizer slots"
ACTIVATIONS, DATASETS = "activations kept for gradients", "datasets"
CONSTANTS, OTHER = "constants", "other"
KINDS = PARAMETERS, GRADIENTS, SLOTS, ACTIVATIONS, DATASETS, CONSTANTS, OTHER


class Maker:
    """What makes a value, where more than the op is known before it runs.

    Attributes:
        op_name: the op.
        name: the operation's name in its graph, "" for none.
        line: the program's line that made the operation; None looks for one when it runs.
        kind: what its values are for, one of `KINDS`; "" if that shows in other ways.
        is_gradient: whether it is part of a way back.
        is_kept: whether a way back uses what it makes.
        made: what charges keep of it where the line is known.
    """

    __slots__ = ("is_gradient", "is_kept", "kind", "line", "made", "name", "op_name")

    def __init__(
        self, op_name: str, name: str = "", line: Line | None = None, kind: str = "",
        is_gradient: bool = False,
    ) -> None:  # fmt: skip
        self.op_name = op_name
        self.name = name
        self.line = line
        self.kind = kind
        self.is_gradient = is_gradient
        self.is_kept = False
        self.made: Made = (self, None, 0, "", is_gradient, False)


#: Who made a value; the code object and the instruction of the program's line, None where the maker
#: knows it; the name scope around it; whether it was made on a way back; whether a tape recorded.
Made = tuple[Maker | str, CodeType | None, int, str, bool, bool]


def _made_nowhere(maker: Maker | str, depth: int) -> Made:
    return maker, None, 0, "", False, False


#: Given the maker, and how many functions up the stack the program may begin.
MADE: LateBinding[[Maker | str, int], Made] = LateBinding(
    "find the program's line", "core/places.py", _made_nowhere
)


#: Held by a thread that looks for holders: meanwhile it keeps alive what others let go.
SEARCHING = threading.RLock()
_LONGEST_SEARCH_S = 1.0


def let_searches_end() -> None:
    """Waits for other threads that look for holders, but not for ever."""
    if SEARCHING.acquire(timeout=_LONGEST_SEARCH_S):
        SEARCHING.release()


class Charge(weakref.ref[torch.UntypedStorage]):
    """The bytes one living storage is charged with, to whom, and who asked for them."""

    __slots__ = ("dtype", "made", "nbytes", "owner", "shape")

    dtype: torch.dtype
    made: Made
    nbytes: int
    owner: Budget
    shape: tuple[int, ...]

    # References are equal where what they refer to is; charges are told apart by themselves.
    __hash__ = object.__hash__
    __eq__ = object.__eq__
    __ne__ = object.__ne__

    @property
    def maker(self) -> Maker | None:
        """What made it, where more than its op is known."""
        maker = self.made[0]
        return maker if isinstance(maker, Maker) else None

    @property
    def op_name(self) -> str:
        """The op that made it."""
        maker = self.made[0]
        return maker if isinstance(maker, str) else maker.op_name

    @property
    def line(self) -> Line | None:
        """The program's line that made it."""
        return line_of(self.made)


def line_of(made: Made) -> Line | None:
    """The program's line that made something."""
    maker, code, instruction, *_ = made
    if code is not None:
        return seen_line(code, instruction)
    return None if isinstance(maker, str) else maker.line
