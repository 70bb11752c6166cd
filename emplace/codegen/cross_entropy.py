"""The cross entropy of rows of scores with a class for each row, and its gradient, as machine code:
one pass over rows that stay in a processor's nearest cache, where torch takes several over all.
"""

from __future__ import annotations

import ctypes
import functools
import math
from collections.abc import Iterator, Sequence

import torch

from ..base import flags
from . import exponential
from .code import Loop, compiled_text, lanes
from .kernel_text import KernelText
from .team import PartCall, packed, run_ranges
from .worth import DoneOtherwise

# To compile takes as long as torch needs for so many scores, and each call of its kernels costs as
# much as some thousand.
NUMBERS_BEFORE = 1 << 20
_NUMBERS_OF_A_CALL = 1 << 12
# With fewer numbers one thread is done before another one has come.
LEAST_SHARED = 1 << 16
_PARTS_PER_THREAD = 4

_DONE = DoneOtherwise()
_HOST = torch.device("cpu")
#: The machine code, by how many classes there are and the dtype of labels. One lookup: what Python
#: does between two large products is slow, for they have taken its code's place in the caches.
_READY: dict[tuple[int, torch.dtype], Loop] = {}


def cross_entropy(
    scores: torch.Tensor, labels: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor] | None:
    """-log(softmax(scores)) of each row's label, and softmax(scores) less 1 at each row's label, on
    as many threads as torch has.

    Args:
        scores: shape (rows, classes), float32, on the host, with a row and a class at least.
        labels: shape (rows,), int32 or int64.

    Returns:
        Tensors of shapes (rows,) and (rows, classes). None if machine code cannot compute them, or
        not yet, or if a label is none of the classes.
    """
    rows, classes = scores.shape
    loop = _READY.get((classes, labels.dtype)) or _prepared(rows, classes, labels.dtype)
    if loop is None:
        return None
    scores, labels = scores.contiguous(), labels.contiguous()
    loss = torch.empty((rows,), dtype=torch.float32, device=_HOST)
    gradient = torch.empty((rows, classes), dtype=torch.float32, device=_HOST)
    wrong = ctypes.c_int64()
    fixed = (
        scores.data_ptr(), labels.data_ptr(), loss.data_ptr(), gradient.data_ptr(),
        ctypes.addressof(wrong),
    )  # fmt: skip
    if rows * classes < LEAST_SHARED:
        loop(0, packed(fixed), packed((rows, classes)), 0)
    else:
        _share(loop, fixed, rows, classes)
    return None if wrong.value else (loss, gradient)


def _prepared(rows: int, classes: int, dtype: torch.dtype) -> Loop | None:
    """The machine code, once it pays to have made it."""
    what = classes > lanes(), dtype
    if not lanes() or not flags.MACHINE_CODE_SWITCH.is_on():
        return None
    if _DONE.add(rows * classes + _NUMBERS_OF_A_CALL, what) < NUMBERS_BEFORE:
        return None
    loop = _kernel(*what)
    if loop is not None:
        _READY[classes, dtype] = loop
    return loop


def _share(loop: Loop, fixed: Sequence[int], rows: int, classes: int) -> None:
    threads = torch.get_num_threads()
    count = min(rows, threads * _PARTS_PER_THREAD)
    run_ranges(loop, PartCall(0, fixed, (classes,)), rows, count, threads)


@functools.cache
def _kernel(is_wide: bool, dtype: torch.dtype) -> Loop | None:
    try:
        source = _CrossEntropyText(
            lanes(), is_wide, "i32" if dtype is torch.int32 else "i64"
        ).function_text()
    except LookupError:  # torch lends no logarithm
        return None
    return compiled_text(source)


class _CrossEntropyText(KernelText):
    """`loop(first row, fixed, sizes, scratch)`. `fixed`: scores, labels, losses, gradients, and a
    whole number of 64 bits, which becomes 1 if a label is wrong. `sizes`: the end of the rows, and
    how many classes there are: if not `is_wide`, no more than a vector has numbers.
    """

    def __init__(self, lanes: int, is_wide: bool, label_type: str) -> None:
        super().__init__(lanes)
        self._label_type = label_type
        self._scores, self._labels, self._losses, self._gradients, self._wrong = map(
            self.fixed, range(5)
        )
        self._classes = self.size(1)
        #: Which places of the last vector of a row are classes.
        self._whole = self.times(self.divided(self.minus(self._classes, 1), lanes)[0], lanes)
        self._last = self.below(self.minus(self._classes, self._whole))
        with self.loop("%begin", self.size(0)) as row:
            (self._wide_row if is_wide else self._short_row)(row.number)

    def _short_row(self, row: str) -> None:
        begin = self.times(row, self._classes)
        label = self._label(row)
        x = self._with(self.load_some(self.at(self._scores, begin), self._last), -math.inf)
        most = self._across_most(self._larger(self.literal(-math.inf), x))
        less = self.two("fsub", x, most)
        powers = exponential.exp(self, less)
        total = self._across_sum(powers)
        self._put_loss(row, begin, label, most, total)
        shares = self.two("fmul", powers, self.two("fdiv", self.number(1.0), total))
        made = self._less_one(shares, label, "0")
        self.store_some(made, self.at(self._gradients, begin), self._last)

    def _wide_row(self, row: str) -> None:
        begin = self.times(row, self._classes)
        label = self._label(row)
        scores, gradients = self.at(self._scores, begin), self.at(self._gradients, begin)
        whole = self._whole
        # What is left beside whole vectors comes first: there is always some.
        rest = self._with(self.load_some(self.at(scores, whole), self._last), -math.inf)
        first = self._larger(self.literal(-math.inf), rest)
        with self.loop(0, whole, self.width, sums=[first]) as part:
            x = self.load(self.at(scores, part.number))
            part.handed = [self._larger(part.given[0], x)]
        most = self._across_most(part.ended[0])
        powers = exponential.exp(self, self.two("fsub", rest, most))
        self.store_some(powers, self.at(gradients, whole), self._last)
        with self.loop(0, whole, self.width, sums=[powers]) as part:
            x = self.load(self.at(scores, part.number))
            made = exponential.exp(self, self.two("fsub", x, most))
            self.store(made, self.at(gradients, part.number))
            part.handed = [self.two("fadd", part.given[0], made)]
        total = self._across_sum(part.ended[0])
        self._put_loss(row, begin, label, most, total)
        share = self.two("fdiv", self.number(1.0), total)
        with self.loop(0, whole, self.width) as part:
            place = self.at(gradients, part.number)
            made = self.two("fmul", self.load(place), share)
            self.store(self._less_one(made, label, part.number), place)
        made = self._less_one(self.two("fmul", powers, share), label, whole)
        self.store_some(made, self.at(gradients, whole), self._last)

    # -- labels ---------------------------------------------------------------------------------

    def _label(self, row: str) -> str:
        """A row's label; 0 for a wrong one, which is told of."""
        type = self._label_type
        place = self.add(f"getelementptr {type}, ptr {self._labels}, i64 {row}")
        label = self.add(f"load {type}, ptr {place}")
        if type != "i64":
            label = self.add(f"sext {type} {label} to i64")
        is_class = self.is_below(label, self._classes)
        is_wrong = self.add(f"xor i1 {is_class}, true")
        with self.where(is_wrong):
            self.lines.append(f"  store i64 1, ptr {self._wrong}")
        return self.add(f"select i1 {is_class}, i64 {label}, i64 0")

    def _put_loss(self, row: str, begin: str, label: str, most: str, total: str) -> None:
        """log(total) - (score of the label - most)."""
        own = self.two("fsub", self.same(self.at(self._scores, begin, label)), most)
        loss = self.two("fsub", self.function("log", total), own)
        one = self.add(f"extractelement {self.type} {loss}, i32 0")
        self.lines.append(f"  store float {one}, ptr {self.at(self._losses, row)}, align 4")

    def _less_one(self, values: str, label: str, first: str) -> str:
        """Values of the classes from `first` on, less 1 at the label."""
        type = f"<{self.width} x i64>"
        places = ", ".join(f"i64 {i}" for i in range(self.width))
        one = self.add(f"insertelement {type} poison, i64 {self.minus(label, first)}, i32 0")
        zeros = f"<{self.width} x i32> zeroinitializer"
        same = self.add(f"shufflevector {type} {one}, {type} poison, {zeros}")
        is_label = self.add(f"icmp eq {type} {same}, <{places}>")
        less = self.two("fsub", values, self.number(1.0))
        return self.add(
            f"select <{self.width} x i1> {is_label}, {self.type} {less}, {self.type} {values}"
        )

    # -- vectors --------------------------------------------------------------------------------

    def _with(self, values: str, other: float) -> str:
        """The last vector of a row, with another number at places that are no classes."""
        return self.add(
            f"select <{self.width} x i1> {self._last}, {self.type} {values}, "
            f"{self.type} {self.literal(other)}"
        )

    def _larger(self, x: str, y: str) -> str:
        """The larger ones; x where y is not a number."""
        return self.choose("ogt", y, x, y, x)

    def _across_most(self, x: str) -> str:
        for other in self._apart():
            x = self._larger(x, self._moved(x, other))
        return x

    def _across_sum(self, x: str) -> str:
        for other in self._apart():
            x = self.two("fadd", x, self._moved(x, other))
        return x

    def _apart(self) -> Iterator[int]:
        apart = self.width // 2
        while apart:
            yield apart
            apart //= 2

    def _moved(self, x: str, apart: int) -> str:
        places = ", ".join(f"i32 {i ^ apart}" for i in range(self.width))
        return self.add(
            f"shufflevector {self.type} {x}, {self.type} poison, <{self.width} x i32> <{places}>"
        )
