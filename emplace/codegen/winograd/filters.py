"""The points of a filter, and the filter of points."""

from __future__ import annotations

from ..kernel_text import KernelText
from .schemes import Scheme, both_ways, turned
from .tiles import noted

#: So many vectors of channels out are a block of a filter's points, but for the last block.
TOGETHER = 2


class _Points:
    """Where the points of a vector of channels out go: (block, point, channel in, vector, lane)."""

    def __init__(
        self, code: KernelText, scheme: Scheme, start: str, inner: str, vectors: str, vector: str
    ) -> None:  # fmt: skip
        block, within = code.divided(vector, TOGETHER)
        together = code.least(code.minus(vectors, code.times(block, TOGETHER)), str(TOGETHER))
        before = code.times(block, TOGETHER * scheme.points * code.width, inner)
        self._code, self._matrix = code, scheme.of_filter
        self._start = code.at(start, before, code.times(within, code.width))
        self._row = code.times(together, code.width)
        self._apart = code.times(inner, self._row)

    def put(self, taps: list[str], channel: str) -> None:
        """Puts the points of a window, of one channel in."""
        place = self._code.at(self._start, self._code.times(channel, self._row))
        for value in both_ways(self._code, taps, self._matrix):
            self._code.store(value, place)
            place = self._code.at(place, self._apart)


def points_text(scheme: Scheme, lanes: int) -> str:
    """`loop(first vector out, (filter, points), (channels in, vectors out, the end of the vectors,
    the filter's vectors out), 0)` makes the points of a filter, of some channels out. Points may be
    those of fewer vectors than the filter has.
    """
    code = KernelText(lanes)
    filter, points, inner, vectors = code.fixed(0), code.fixed(1), code.size(0), code.size(1)
    row = code.times(code.size(3), lanes)
    tap = code.times(inner, row)
    with code.loop("%begin", code.size(2)) as vector:
        to = _Points(code, scheme, points, inner, vectors, vector.number)
        with code.loop(0, inner) as channel:
            first = code.times(channel.number, row)
            place = code.at(filter, first, code.times(vector.number, lanes))
            taps = [code.load(code.at(place, code.times(tap, i))) for i in range(scheme.taps)]
            to.put(taps, channel.number)
    return code.function_text()


def turned_points_text(scheme: Scheme, lanes: int) -> str:
    """The same for the convolution that the gradient of the image is: the filter's last tap comes
    first, and its channels out are those in. `scratch` has room for taps * lanes vectors.
    """
    code = KernelText(lanes)
    filter, points, inner, vectors = code.fixed(0), code.fixed(1), code.size(0), code.size(1)
    tap = code.times(inner, code.size(3), lanes)
    last = code.at(filter, code.times(tap, scheme.taps - 1))
    with code.loop("%begin", code.size(2)) as vector:
        to = _Points(code, scheme, points, inner, vectors, vector.number)
        first = code.times(vector.number, lanes, inner)
        with code.loop(0, inner, lanes) as channels:
            start = code.at(last, first, channels.number)
            with code.loop(0, scheme.taps) as of_tap:
                place = code.at(start, code.minus(0, code.times(of_tap.number, tap)))
                rows = [code.load(code.at(place, code.times(inner, i))) for i in range(lanes)]
                kept = code.at("%scratch", code.times(of_tap.number, lanes))
                for i, value in enumerate(code.turned(rows)):
                    code.store(value, code.at(kept, i * scheme.taps * lanes))
            with code.loop(0, lanes) as row:
                kept = code.at("%scratch", code.times(row.number, scheme.taps * lanes))
                taps = [code.load(code.at(kept, i * lanes)) for i in range(scheme.taps)]
                to.put(taps, code.plus(channels.number, row.number))
    return code.function_text()


def filter_text(scheme: Scheme, lanes: int) -> str:
    """`loop(first number, (points, filter, seen), (the end of the numbers, all numbers, parts), 0)`
    adds up the points of some parts and makes the filter that they are of. A number is one per
    channel in and out; `seen` is a vector that gets NaN if the filter is not finite.
    """
    code = KernelText(lanes)
    points, filter, seen = code.fixed(0), code.fixed(1), code.fixed(2)
    end, numbers, parts = code.size(0), code.size(1), code.size(2)
    part = code.times(scheme.points, numbers)
    with code.loop("%begin", end, lanes) as vector:
        start = code.at(points, vector.number)
        with code.loop(0, parts, sums=["zeroinitializer"] * scheme.points) as of_part:
            place, sums = code.at(start, code.times(of_part.number, part)), []
            for value in of_part.given:
                sums.append(code.two("fadd", value, code.load(place)))
                place = code.at(place, numbers)
            of_part.handed = sums
        taps = both_ways(code, of_part.ended, turned(scheme.of_filter))
        place = code.at(filter, vector.number)
        for value in taps:
            code.store(value, place)
            place = code.at(place, numbers)
        code.store(noted(code, code.load(seen), taps), seen)
    return code.function_text()
