"""Freed host memory: kept for the next op, and given back when asked."""

from __future__ import annotations

from pathlib import Path

from programs import python

# What is printed: page faults of ten steps of temporaries, once there have been three such.
FAULTS = """
import resource
import sys
import emplace.tensorflow as tf

x = tf.ones([int(sys.argv[1]) << 18])

def step():
    a, b, c = x + x, x + x, x + x
    d = a * b

def faults():
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt

for _ in range(3):
    step()
before = faults()
for _ in range(10):
    step()
print(faults() - before)
"""
RELEASED = """
import psutil
import emplace
import emplace.tensorflow as tf

process = psutil.Process()
tf.ones([1]) + 1.0
before = process.memory_info().rss
kept = [tf.ones([4 << 20]) for _ in range(8)]
assert process.memory_info().rss - before > 100 << 20
kept.clear()
emplace.release()
print((process.memory_info().rss - before) >> 20)
"""


def number(program: str, folder: Path, *arguments: object, **environment: str) -> int:
    """What a program prints."""
    script = folder / "program.py"
    script.write_text(program)
    done = python(script, *arguments, **environment)
    assert done.returncode == 0, done.stderr
    return int(done.stdout)


def test_large_temporaries_reuse_memory_that_has_its_pages(tmp_path: Path) -> None:
    # Of 160,000: a block more may have been needed while other threads held one.
    assert number(FAULTS, tmp_path, 16) < 10_000


def test_a_variable_of_the_environment_lets_freed_memory_go(tmp_path: Path) -> None:
    # Of 480,000. glibc keeps blocks of up to 32 MB by itself, where nothing lies above them.
    assert number(FAULTS, tmp_path, 48, EMPLACE_KEEP_MEMORY="0") > 400_000


def test_release_gives_freed_host_memory_back(tmp_path: Path) -> None:
    assert number(RELEASED, tmp_path) < 16
