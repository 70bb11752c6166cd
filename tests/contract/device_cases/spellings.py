"""Device strings: right ones, nearly right ones, and nasty ones, always the same for a seed."""

from __future__ import annotations

import random
from collections.abc import Iterator

# Spellings that programs use, and edges of the grammar that a random walk seldom meets.
KNOWN = (
    "", "", "/", "//", ":", "/:0", "/:", "cpu", "CPU", "Cpu", "/cpu", "cpu:0", "/cpu:0", "/Cpu:0",
    "//cpu:0", "/cpu:0/", "/cpu:0//", "gpu", "/gpu:0", "GPU:0", "/GPU:*", "/gpu:3", "/gpu:4",
    "/gpu:9", "/gpu:00", "/gpu:+1", "/gpu:-1", "/gpu:-0", "/gpu: 1", "/gpu:1 ", "/gpu:1_0",
    "/gpu:0_1", "/gpu:0x1", "/gpu:1e0", "/gpu:1.0", "/gpu:", "/gpu:x", "/gpu:**", "/gpu:1:2",
    "/cpu:1", "/cpu:*", "/tpu:0", "/TPU", "/custom:0", "/epu:0", "/XLA_CPU:0", "/xla_gpu:0",
    "/device:XLA_CPU:0", "/device:cpu:0", "/device:CPU:0", "/device:gpu:1", "/device:Gpu:1",
    "/device:GPU", "/device:GPU:", "/device:GPU:*", "/device:*:0", "/device:*:*", "/device::0",
    "/device::", "/device", "/device:", "/Device:CPU:0", "/DEVICE:CPU:0", "/device:FOO:0",
    "/device:CPU:0:1", "/device:2:0", "/device:C PU:0", "/device:CPU: 0", "/job:a", "/job:",
    "/job", "/job:*", "/job:localhost", "/JOB:a", "/job:a:b", "/job:a/job:b", "/job:A B",
    "/job:localhost/cpu:0", "/job:worker/replica:1/task:2/cpu:3",
    "/job:localhost/replica:0/task:0/device:GPU:1", "job:ps/task:1",
    "/job:localhost/replica:0/task:0/gpu:1", "/replica:0", "/replica:1", "/replica:*",
    "/replica:x", "/replica:", "/replica", "/task:0", "/task:1", "/task:*", "/task:-1", "/task:x",
    "/task:", "/task", "/task:0/task:1", "/replica:0/replica:1", "/cpu:0/gpu:0", "/cpu:0/cpu:1",
    "/cpu:0/device:CPU:0", "/device:CPU:0/cpu:0", "/cpu/gpu", "/gpu/job:localhost", " /cpu:0",
    "/cpu:0 ", " cpu:0", "/ cpu:0", "/cpu :0", "\t/cpu:0", "/cpu:0\n", "\n", "\u0000",
    "/cpu:0\u0000", "/cpu\u0000:0", "/foo", "/foo:0", "localhost", "/localhost",
    "/physical_device:GPU:0", "GPU", "gpu:0", "GPU:9", "/gpu:\u0661", "/gpu:\u0967",
    "/gpu:\uff11", "/gpu:\u00b2", "/gpu:\u2460", "/\u0261pu:0", "/\uff27\uff30\uff35:0",
    "/cp\u00fc:0", "/device:C\u00dfU:0", "/\u017fcpu:0", "/gpu:2147483647", "/gpu:2147483648",
    "/gpu:4294967296", "/gpu:4294967297", "/gpu:9223372036854775808", "/gpu:18446744073709551616",
    "/gpu:99999999999999999999999", "/gpu:-99999999999", "/task:4294967296",
    "/replica:4294967296", "/job:localhost/task:18446744073709551616/gpu:0",
    "/gpu:0000000000000000000001", "/device:gPU:0", "/device:cPu:0", "/device:GPU:\u0661",
    "/device:GPU:-1", "/device:GPU:+1", "/device:GPU:1_0",
    "/job:localhost/replica:0/task:0/device:GPU:9",
    "/job:localhost/replica:0/task:0/device:CPU:0/", "/job:local host/cpu:0", "/job:1/cpu:0",
    "/job:_a/cpu:0", "/job:a-b/cpu:0", "/job:\u00e9/cpu:0", "/job:*/gpu:1",
    "/gpu:1/job:localhost/replica:0", "gpu:1/task:0", "task:0/gpu:1", "/task:0gpu:1",
    "/gpu:1task:0", "/gpu:1;/cpu:0", "\\\\cpu:0", "/cpu;0", "/cpu,0", "'/cpu:0'", "\"/cpu:0\"",
    "/device:GPU:0,/device:GPU:1", "/gpu:0-3", "/gpu:{}", "/gpu:%d", "None", "/gpu|0",
    "/replica:x/replica:1", "/task:y/replica:x", "/gpu:x/replica:y", "/replica:y/gpu:x",
    "/replica:y/foo", "/task:*/task:1", "/device:*:2", "/device:*:9", "/cpu:0/replica:-1",
)  # fmt: skip

_JOBS = ("localhost", "worker", "ps", "a", "", "*", "1", "a_b", "a-b", "A")
_NUMBERS = ("0", "1", "2", "3", "4", "9", "00", "01", "-1", "+1", " 1", "1 ", "*", "", "x", "1_0",
            "1.5", "0x1", "\u0661", "\uff12", "2147483648", "4294967296", "9" * 20)  # fmt: skip
_TYPES = ("cpu", "CPU", "Cpu", "gpu", "GPU", "gPu", "TPU", "tpu", "CUSTOM", "XLA_CPU", "FOO",
          "*", "", "C-PU", "2")  # fmt: skip
_NASTY = (
    "/:* \t\n\x00_-+.,;\\'\"0123456789aAcCdDeEgGpPuUxX"
    "\u00e9\u0130\u0131\u017f\u0661\u00b2\uff10\u200b\U0001f5a5"
)


def corpus(count: int, seed: int) -> list[str]:
    """`count` different device strings: the known ones, then random ones."""
    found = dict.fromkeys(KNOWN)
    for text in _walk(random.Random(seed)):
        if len(found) >= count:
            return list(found)
        found[text] = None
    raise AssertionError("the walk never ends")


def _walk(rng: random.Random) -> Iterator[str]:
    while True:
        text = _sentence(rng) if rng.random() < 0.8 else rng.choice(KNOWN)
        for _ in range(rng.choice((0, 0, 0, 0, 0, 1, 1, 2, 3))):
            text = _mutated(rng, text)
        yield text


def _sentence(rng: random.Random) -> str:
    """A device string by the grammar, with parts that are often right."""
    segments = []
    if rng.random() < 0.4:
        job = rng.choice(_JOBS) if rng.random() < 0.4 else "localhost"
        segments.append(f"job:{job}")
    segments += [f"{part}:{_number(rng)}" for part in ("replica", "task") if rng.random() < 0.3]
    segments += [_device(rng) for _ in range(rng.choice((0, 1, 1, 1, 1, 1, 1, 1, 1, 2)))]
    if rng.random() < 0.2:
        rng.shuffle(segments)
    return rng.choice(("/", "/", "/", "/", "", "//")) + "/".join(segments)


def _device(rng: random.Random) -> str:
    kind = rng.choice(_TYPES[:5]) if rng.random() < 0.85 else rng.choice(_TYPES)
    form = rng.choice(("{}", "{}:{}", "{}:{}", "device:{}:{}", "device:{}:{}"))
    return form.format(kind, _number(rng))


def _number(rng: random.Random) -> str:
    if rng.random() < 0.6:
        return "0"
    return rng.choice(_NUMBERS[:5]) if rng.random() < 0.6 else rng.choice(_NUMBERS)


def _mutated(rng: random.Random, text: str) -> str:
    at = rng.randrange(len(text) + 1)
    kind = rng.randrange(5)
    if kind == 0:
        return text[:at] + rng.choice(_NASTY) + text[at:]
    if kind == 1:
        return text[:at] + text[at + 1 :]
    if kind == 2:
        return text[:at] + text[at:].swapcase()
    if kind == 3:
        return text[:at] + text[at : at + 1].swapcase() + text[at + 1 :]
    return text[:at] + rng.choice(_NASTY) + text[at + 1 :]
