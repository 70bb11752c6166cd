"""`ops/audio`: files have no gradients."""

from __future__ import annotations

from ..ops.audio.wav import DECODE_WAV, ENCODE_WAV
from .rules import not_differentiable

not_differentiable(DECODE_WAV, ENCODE_WAV)
