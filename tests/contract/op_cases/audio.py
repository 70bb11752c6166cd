"""Cases of `ops/audio/`."""

from __future__ import annotations

import struct
from typing import Any

_A = "tf.audio"
_TWO = "[[0.1, -0.2], [0.5, 1.0], [-1.0, 2.0], [-3.0, 1.5 / 32768], [2.5 / 32768, -1.5 / 32768]]"


def _file(
    size: int = 16, coding: int = 1, channels: int = 2, rate: int = 8000, frame: int | None = None,
    bits: int = 16, data: bytes = b"\1\0\2\0\xff\xff\0\x80", before: bytes = b"",
    between: bytes = b"", after: bytes = b"", per_second: int | None = None,
) -> bytes:  # fmt: skip
    frame = bits * channels // 8 if frame is None else frame
    per_second = rate * frame if per_second is None else per_second
    parts = struct.pack("<IHHIIHH", size, coding, channels, rate, per_second, frame, bits)
    parts += b"\0\0" * (size == 18) + between + b"data" + struct.pack("<I", len(data)) + data
    body = b"WAVE" + before + b"fmt " + parts + after
    return b"RIFF" + struct.pack("<I", len(body)) + body


_PLAIN = _file()
_FILES: list[Any] = [
    _PLAIN, _file(18), _file(20), _file(40), _file(coding=3), _file(channels=0), _file(bits=8),
    _file(frame=3), _file(per_second=7), _file(before=b"JUNK\4\0\0\0abcd"),
    _file(before=b"bext\2\0\0\0ab"), _file(before=b"LIST\2\0\0\0ab"),
    _file(between=b"LIST\2\0\0\0ab"), _file(after=b"LIST\2\0\0\0ab"), _file(after=b"LI"),
    _file(after=b"LIST\x20\0\0\0ab"), _file(after=b"data\0\0\0\0"), _file(data=b"\1\0\2\0\3\0"),
    _PLAIN[:-2], _PLAIN[:36], _PLAIN[:20], b"", b"RIFX" + _PLAIN[4:],
    _PLAIN[:8] + b"AVI " + _PLAIN[12:], _file(data=b""), _file(channels=1),
    b"RIFF\0\0\0\0WAVEfmt", _PLAIN[:-12] + b"\xff\xff\xff\xff" + _PLAIN[-8:],
    _file(before=b"JUNK\xff\xff\xff\xff"), _file(rate=2**31 + 5, per_second=20),
]  # fmt: skip

CASES = [
    *[f"{_A}.decode_wav({data!r})" for data in _FILES],
    *[
        f"{_A}.decode_wav({_PLAIN!r}, {channels}, {samples})"
        for channels, samples in ((1, 3), (4, 7), (0, 0), (-2, -1), (-1, -2), (-1, 1), (3, -1))
    ],
    f"{_A}.decode_wav([{_PLAIN!r}])",
    f"{_A}.decode_wav(3)",
    f"{_A}.encode_wav({_TWO}, 8000)",
    f"{_A}.decode_wav({_A}.encode_wav({_TWO}, 44100))",
    f"{_A}.encode_wav(f32(50, 3), 16000)",
    f"{_A}.encode_wav([[nan, inf, -inf]], 10)",
    f"{_A}.encode_wav([[0.49999997 / 32768, 0.99998, -0.99999]], 10)",
    f"{_A}.encode_wav([[1, 2]], 10)",
    f"{_A}.encode_wav(f32(2), 8000)",
    *[f"{_A}.encode_wav(f32(2, 1), {rate})" for rate in ("0", "-1", "[10]", "2.0", "2**31")],
    f"{_A}.encode_wav(f32(2, 0), 10)",
    f"{_A}.encode_wav(f32(0, 2), 10)",
    f"{_A}.encode_wav(tf.constant([[1.0]], tf.float64), 10)",
    f"tf.raw_ops.DecodeWav(contents={_PLAIN!r})",
    f"tf.raw_ops.EncodeWav(audio={_TWO}, sample_rate=8000)",
    f"gradient(lambda x: {_A}.decode_wav({_A}.encode_wav(x, 10)).audio, {_TWO})",
]
