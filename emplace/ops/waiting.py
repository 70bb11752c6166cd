"""Why kernels make the host wait for a GPU, where they must: the reasons that ops declare.

Every other op only puts work into the GPU's queue. `tests/contract/test_waits.py` holds all of
them to what they declare.
"""

from __future__ import annotations

RESULT_SIZE = "the size of the result depends on values"
"""The host must know a size to make a tensor of it."""

SIZE_ARGUMENT = "a size of the result is itself a tensor"
"""As `RESULT_SIZE`, and it is computed by other ops."""

HOST_TYPES = "the host holds quantized types: only to and from those"
"""Torch computes with none of them."""

HOST_LENGTHS = "torch's kernel takes the lengths from the host"
"""It lays its work out by them."""

AT_ONCE = "the error that ends a loop comes at once"
"""A program counts until it is raised."""

DRAWN_ON_HOST = "the host draws the numbers, so that a seed gives TensorFlow's"
"""How many draws a number takes depends on what is drawn, so they follow one another."""
