"""Uniform random numbers of Philox 4x32-10 as machine code: the same bits as `ops/random/philox.py`
makes, at a tenth of the time.

A vector has the same word of eight groups of four, in 64 bits each, so that products keep all bits.
"""

from __future__ import annotations

import functools

import numpy as np
import torch

from ..base import flags
from .code import Loop, compiled_text
from .kernel_text import NAME
from .worth import DoneOtherwise

# To compile takes as long as NumPy needs for so many numbers.
NUMBERS_BEFORE = 1 << 20
# NumPy takes as long for a call as for so many numbers.
_NUMBERS_OF_A_CALL = 1 << 14
_LANES = 8
_AT_ONCE = 4 * _LANES
_ROUNDS = 10
_FACTORS = 0xD2511F53, 0xCD9E8D57
_WEYL = 0x9E3779B9, 0xBB67AE85
_LOW = 0xFFFFFFFF
_MANTISSA = (1 << 23) - 1
_ONE = 0x3F800000

_DONE = DoneOtherwise()


def uniforms(key: int, counter: int, count: int) -> torch.Tensor | None:
    """`count` numbers of float32 from 0 up to, not including, 1, of the counters from `counter` on;
    None where machine code cannot be made, or not yet.

    Args:
        key: 64 bits.
        counter: 128 bits; the lower half does not run over.
        count: how many numbers.
    """
    if torch.compiler.is_compiling():
        return None
    if _DONE.add(max(count, _NUMBERS_OF_A_CALL)) < NUMBERS_BEFORE:
        return None
    loop = _loop() if flags.MACHINE_CODE_SWITCH.is_on() else None
    if loop is None or counter % (1 << 64) + count // 4 + _LANES >= 1 << 64:
        return None
    made = torch.empty(count, dtype=torch.float32, device="cpu")
    whole = count // _AT_ONCE
    _fill(loop, key, counter, made.data_ptr(), whole)
    done = whole * _AT_ONCE
    if done < count:
        rest = torch.empty(_AT_ONCE, dtype=torch.float32, device="cpu")
        _fill(loop, key, counter + done // 4, rest.data_ptr(), 1)
        made[done:] = rest[: count - done]
    return made


def _fill(loop: Loop, key: int, counter: int, address: int, times: int) -> None:
    low = counter % (1 << 64)
    words = np.array([key % (1 << 64), low, counter >> 64], np.uint64)
    loop(times, words.ctypes.data, address, 0)


@functools.cache
def _loop() -> Loop | None:
    """`loop(times, words, numbers, _)`: 32 numbers each time; the words are the key and the two
    halves of the first counter.
    """
    return compiled_text(_text())


def _text() -> str:
    """The text of the loop."""
    lines = [
        f"define void @{NAME}(i64 %times, ptr %words, ptr %numbers, ptr %_) {{\nentry:",
        "  %key = load i64, ptr %words",
        "  %low_at = getelementptr i64, ptr %words, i64 1\n  %low = load i64, ptr %low_at",
        "  %high_at = getelementptr i64, ptr %words, i64 2\n  %high = load i64, ptr %high_at",
        f"  %k0 = and i64 %key, {_LOW}\n  %k1 = lshr i64 %key, 32",
        f"  %u2 = and i64 %high, {_LOW}\n  %u3 = lshr i64 %high, 32",
        *_spread("x2", "u2"), *_spread("x3", "u3"),
    ]  # fmt: skip
    for i in range(_ROUNDS):
        for j in (0, 1):
            lines.append(f"  %k{j}_{i}_s = add i64 %k{j}, {i * _WEYL[j] & _LOW}")
            lines.append(f"  %k{j}_{i}_l = and i64 %k{j}_{i}_s, {_LOW}")
            lines += _spread(f"k{j}_{i}", f"k{j}_{i}_l")
    lines.append("  br label %loop\nloop:")
    lines.append("  %t = phi i64 [0, %entry], [%next, %body]")
    lines.append("  %more = icmp ult i64 %t, %times")
    lines.append("  br i1 %more, label %body, label %done\nbody:")
    lines.append(f"  %far = mul i64 %t, {_LANES}\n  %start = add i64 %low, %far")
    lines += _spread("starts", "start")
    lanes = ", ".join(f"i64 {i}" for i in range(_LANES))
    lines.append(f"  %places = add {_VECTOR} %starts, <{lanes}>")
    lines.append(f"  %x0 = and {_VECTOR} %places, {_all(_LOW)}")
    lines.append(f"  %x1 = lshr {_VECTOR} %places, {_all(32)}")
    words = ["%x0", "%x1", "%x2", "%x3"]
    for i in range(_ROUNDS):
        words = _round(lines, words, i)
    lines += _stored(words)
    lines.append("  %next = add i64 %t, 1\n  br label %loop\ndone:\n  ret void\n}\n")
    return "\n".join(lines)


_VECTOR = f"<{_LANES} x i64>"


def _all(number: int) -> str:
    """The same number in all lanes."""
    return f"<{', '.join([f'i64 {number}'] * _LANES)}>"


def _spread(name: str, number: str) -> list[str]:
    """Lines that put a number into all lanes."""
    return [
        f"  %{name}_1 = insertelement {_VECTOR} undef, i64 %{number}, i32 0",
        f"  %{name} = shufflevector {_VECTOR} %{name}_1, {_VECTOR} undef, "
        f"<{_LANES} x i32> zeroinitializer",
    ]


def _round(lines: list[str], words: list[str], i: int) -> list[str]:
    """The words after a round."""
    x0, x1, x2, x3 = words
    for name, x, factor in (("f", x0, _FACTORS[0]), ("s", x2, _FACTORS[1])):
        lines.append(f"  %{name}{i} = mul {_VECTOR} {x}, {_all(factor)}")
        lines.append(f"  %{name}h{i} = lshr {_VECTOR} %{name}{i}, {_all(32)}")
        lines.append(f"  %{name}l{i} = and {_VECTOR} %{name}{i}, {_all(_LOW)}")
    for name, half, x, key in (("a", "sh", x1, "k0"), ("c", "fh", x3, "k1")):
        lines.append(f"  %{name}x{i} = xor {_VECTOR} %{half}{i}, {x}")
        lines.append(f"  %{name}{i} = xor {_VECTOR} %{name}x{i}, %{key}_{i}")
    return [f"%a{i}", f"%sl{i}", f"%c{i}", f"%fl{i}"]


def _stored(words: list[str]) -> list[str]:
    """Lines that store the words of each group one after the other, as fractions of 23 bits."""
    half, whole = 2 * _LANES, _AT_ONCE
    lines = [
        f"  %w{i} = trunc {_VECTOR} {word} to <{_LANES} x i32>" for i, word in enumerate(words)
    ]
    joined = ", ".join(f"i32 {i}" for i in range(half))
    for name, first, second in (("w01", 0, 1), ("w23", 2, 3)):
        lines.append(
            f"  %{name} = shufflevector <{_LANES} x i32> %w{first}, <{_LANES} x i32> %w{second}, "
            f"<{half} x i32> <{joined}>"
        )
    order = ", ".join(f"i32 {i % 4 * _LANES + i // 4}" for i in range(whole))
    lines.append(
        f"  %bits = shufflevector <{half} x i32> %w01, <{half} x i32> %w23, "
        f"<{whole} x i32> <{order}>"
    )
    kept, one = (", ".join([f"i32 {number}"] * whole) for number in (_MANTISSA, _ONE))
    ones = ", ".join(["float 1.0"] * whole)
    return [
        *lines,
        f"  %kept = and <{whole} x i32> %bits, <{kept}>",
        f"  %raw = or <{whole} x i32> %kept, <{one}>",
        f"  %above = bitcast <{whole} x i32> %raw to <{whole} x float>",
        f"  %made = fsub <{whole} x float> %above, <{ones}>",
        f"  %skip = mul i64 %t, {whole}\n  %to = getelementptr float, ptr %numbers, i64 %skip",
        f"  store <{whole} x float> %made, ptr %to, align 4",
    ]
