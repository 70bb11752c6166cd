"""WAV files read and written, 16 bits per sample, with TensorFlow's texts for broken ones."""

from __future__ import annotations

import struct
from typing import Any, NamedTuple, cast

import numpy as np
import torch

from ...base import dtypes
from ...base.errors import invalid_argument
from ...base.shapes import runtime_text
from ...base.typing import TensorLike
from ...core.tensor import Tensor
from ..convert import is_tensor_like, to_tensor
from ..infer import Spec
from ..op import CPU_ONLY, apply, op

_FULL = 32768.0  # what a sample of 1.0 would be
# Chunks that may stand before the format.
_SKIPPED = (b"JUNK", b"bext", b"iXML", b"qlty", b"mext", b"levl", b"link", b"axml")


class Sound(NamedTuple):
    """What a file holds: samples of shape (time, channels), and how many there are a second."""

    samples: Any
    rate: int


class _Bytes:
    """A file's bytes, read from the front."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self.place = 0

    @property
    def is_left(self) -> bool:
        return self.place < len(self._data)

    def take(self, count: int) -> bytes:
        if self.place + count > len(self._data):
            raise invalid_argument("Data too short when trying to read string")
        self.place += count
        return self._data[self.place - count : self.place]

    def number(self, code: str) -> int:
        return cast(int, struct.unpack(f"<{code}", self.take(struct.calcsize(code)))[0])

    def expect(self, text: bytes) -> None:
        found = self.take(len(text))
        if found != text:
            raise invalid_argument(
                f"Header mismatch: Expected {_shown(text)} but found {_shown(found)}"
            )


def _shown(name: bytes) -> str:
    return name.decode("latin-1")


def read(data: bytes) -> Sound:
    """The sound in the bytes of a WAV file.

    Raises:
        InvalidArgumentError: they are none, or one with samples of another kind.
    """
    file = _Bytes(data)
    file.expect(b"RIFF")
    file.take(4)
    file.expect(b"WAVE")
    _find_format(file)
    channels, rate, frame = _read_format(file)
    samples: Any = None
    while file.is_left:
        name, size = file.take(4), file.number("I")
        if size > 2**31 - 1:
            raise invalid_argument(
                f"WAV data chunk '{_shown(name)}' is too large: {size} bytes, but the limit is "
                "2147483647"
            )
        if name != b"data":
            file.place += size
            continue
        if samples is not None:
            raise invalid_argument("More than one data chunk found in WAV")
        words = np.frombuffer(file.take(size // frame * frame), "<i2")
        samples = words.reshape(-1, channels).astype(np.float32) / np.float32(_FULL)
    if samples is None:
        raise invalid_argument("No data chunk found in WAV")
    return Sound(samples, rate)


def _find_format(file: _Bytes) -> None:
    name = file.take(4)
    while name != b"fmt ":
        if name not in _SKIPPED:
            raise invalid_argument(f"Unexpected field {_shown(name)}")
        file.take(file.number("I"))
        name = file.take(4)


def _read_format(file: _Bytes) -> tuple[int, int, int]:
    """Channels, samples per second, and bytes of one sample of all channels."""
    size = file.number("I")
    if size not in (16, 18):
        raise invalid_argument(f"Bad format chunk size for WAV: Expected 16 or 18, but got{size}")
    coding = file.number("H")
    if coding != 1:
        raise invalid_argument(f"Bad audio format for WAV: Expected 1 (PCM), but got{coding}")
    channels = file.number("H")
    if channels < 1:
        raise invalid_argument(
            f"Bad number of channels for WAV: Expected at least 1, but got {channels}"
        )
    rate, per_second, frame, bits = (file.number(code) for code in "IIHH")
    _check_sizes(channels, rate, per_second, frame, bits)
    file.place += size - 16
    return channels, rate, frame


def _check_sizes(channels: int, rate: int, per_second: int, frame: int, bits: int) -> None:
    if bits != 16:
        raise invalid_argument(f"Can only read 16-bit WAV files, but received {bits}")
    if frame != 2 * channels:
        raise invalid_argument(
            f"Bad bytes per sample in WAV header: Expected {2 * channels} but got {frame}"
        )
    expected = frame * rate
    if per_second != expected:
        raise invalid_argument(
            f"Bad bytes per second in WAV header: Expected {expected} but got {per_second} "
            f"(sample_rate={rate}, bytes_per_sample={frame})"
        )


def decode_wav_kernel(
    contents: np.ndarray[Any, Any], *, desired_channels: int = -1, desired_samples: int = -1
) -> tuple[torch.Tensor, torch.Tensor]:
    """The samples, cut or filled up: with silence in time, with the last one in channels."""
    if contents.shape != ():
        raise invalid_argument(f"contents must be scalar, got shape {runtime_text(contents.shape)}")
    samples, rate = read(contents.item())
    for name, value in (("channels", desired_channels), ("samples", desired_samples)):
        if value < -1:
            raise invalid_argument(f"desired_{name} must be >= -1, got {value}")
    if desired_channels != -1:
        picked = np.minimum(np.arange(desired_channels), samples.shape[1] - 1)
        samples = samples[:, picked]
    if desired_samples != -1:
        samples = samples[:desired_samples]
        missing = desired_samples - len(samples)
        samples = np.pad(samples, ((0, missing), (0, 0)))
    count = struct.unpack("<i", struct.pack("<I", rate))[0]
    return torch.from_numpy(np.ascontiguousarray(samples)), torch.tensor(count, dtype=torch.int32)


def _decode_rule(
    contents: Spec, *, desired_channels: int = -1, desired_samples: int = -1
) -> tuple[Spec, Spec]:
    sizes = (None if size < 0 else size for size in (desired_samples, desired_channels))
    return Spec(tuple(sizes), dtypes.float32), Spec((), dtypes.int32)


def encode_wav_kernel(audio: torch.Tensor, sample_rate: torch.Tensor) -> Any:
    """The bytes of a file as a scalar string."""
    if audio.ndim != 2:
        raise invalid_argument(f"audio must be 2-dimensional{runtime_text(audio.shape)}")
    if sample_rate.ndim:
        raise invalid_argument(
            "Input sample_rate should be a scalar tensor, got "
            f"{runtime_text(sample_rate.shape)} instead."
        )
    count, channels = audio.shape
    rate = int(sample_rate)
    if rate <= 0:
        raise invalid_argument(f"sample_rate must be in (0, 2^32), got: {rate % 2**64}")
    if not 0 < channels < 2**16:
        raise invalid_argument(f"num_channels must be in (0, 2^16), got: {channels}")
    size = 2 * count * channels
    sound_format = struct.pack(
        "<IHHIIHH", 16, 1, channels, rate, 2 * channels * rate % 2**32, 2 * channels % 2**16, 16
    )
    head = b"RIFF" + struct.pack("<I", size + 36) + b"WAVEfmt " + sound_format
    text = head + b"data" + struct.pack("<I", size) + _words(audio.numpy()).tobytes()
    made = np.empty((), object)
    made[()] = text
    return made


def _words(samples: np.ndarray[Any, Any]) -> Any:
    """Samples as integers; halves are rounded away from zero, NaN is silence."""
    scaled = samples * np.float32(_FULL)
    size = np.abs(scaled)
    whole = np.floor(size)
    with np.errstate(invalid="ignore"):  # infinity minus itself
        nearest = np.copysign(whole + (size - whole >= 0.5), scaled)
    return np.nan_to_num(np.clip(nearest, -_FULL, _FULL - 1.0)).astype("<i2")


def _encode_rule(audio: Spec, sample_rate: Spec) -> Spec:
    return Spec((), dtypes.string)


DECODE_WAV = op(
    "DecodeWav", "contents: string -> audio: float32, sample_rate: int32", decode_wav_kernel,
    _decode_rule, device_types=CPU_ONLY,
)  # fmt: skip
ENCODE_WAV = op(
    "EncodeWav", "audio: float32, sample_rate: int32 -> contents: string", encode_wav_kernel,
    _encode_rule, device_types=CPU_ONLY,
)  # fmt: skip


class DecodeWav(NamedTuple):
    """What `tf.audio.decode_wav` returns."""

    audio: Any
    sample_rate: Any


def decode_wav(
    contents: TensorLike,
    desired_channels: int = -1,
    desired_samples: int = -1,
    name: str | None = None,
) -> DecodeWav:
    """Returns the sound of a WAV file of 16 bits per sample (`tf.audio.decode_wav`).

    Args:
        contents: the file's bytes, a scalar string.
        desired_channels: how many channels to return: the first ones, the last one repeated where
            the file has fewer; -1 for all.
        desired_samples: how many samples to return, silence added at the end; -1 for all.
        name: ignored.

    Returns:
        `audio`, float32 of shape (samples, channels) from -1 to 1, and `sample_rate`, an int32
        scalar in samples per second.

    Raises:
        InvalidArgumentError: contents is no such file.

    >>> decode_wav(encode_wav([[0.5], [-1.0]], 8000)).audio.numpy().tolist()
    [[0.5], [-1.0]]
    """
    attrs = {"desired_channels": int(desired_channels), "desired_samples": int(desired_samples)}
    return DecodeWav(*apply(DECODE_WAV, (to_tensor(contents, dtypes.string),), attrs))


def encode_wav(audio: TensorLike, sample_rate: TensorLike, name: str | None = None) -> Tensor:
    """A WAV file of 16 bits per sample (`tf.audio.encode_wav`).

    Args:
        audio: float32 of shape (samples, channels); what is beyond -1 and 1 is cut.
        sample_rate: an int32 scalar, in samples per second.
        name: ignored.

    Returns:
        The file's bytes, a scalar string.

    Raises:
        InvalidArgumentError: audio has no two axes, or a number is out of range.

    >>> encode_wav([[0.0]], 8000).numpy()[:4]
    b'RIFF'
    """
    sound = audio if is_tensor_like(audio) else to_tensor(audio, dtypes.float32)
    rate = to_tensor(sample_rate, dtypes.int32)
    return apply(ENCODE_WAV, (to_tensor(sound), rate))
