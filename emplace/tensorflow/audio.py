"""`tf.audio`."""

from ..ops.audio.wav import decode_wav, encode_wav
