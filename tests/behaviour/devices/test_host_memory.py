"""Freed host memory: kept for the next op, and given back when asked."""

from __future__ import annotations

from pathlib import Path

import pytest
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
# Blocks of a megabyte with a small one between any two, which stays when they go. Printed are,
# in one number, by how many MB the process shrinks when it is asked for holes, and when it is asked
# again after it has made and freed as much once more.
HOLES = """
import psutil
import emplace.tensorflow as tf
from emplace.devices.heap import give_back_holes

process = psutil.Process()
tf.ones([1]) + 1.0

def leave_holes():
    large, small = [], []
    for _ in range(100):
        large.append(tf.ones([1 << 18]))
        small.append(tf.ones([1 << 8]))
    large.clear()
    before = process.memory_info().rss
    give_back_holes()
    return small, int((before - process.memory_info().rss) / 2**20)

pinned, first = leave_holes()
again, second = leave_holes()
print(1000 * first + second)
"""


def _has_huge_pages() -> bool:
    told = Path("/sys/kernel/mm/transparent_hugepage/enabled")
    return told.is_file() and "[never]" not in told.read_text()


def number(program: str, folder: Path, *arguments: object, **environment: str) -> int:
    """What a program prints."""
    script = folder / "program.py"
    script.write_text(program)
    done = python(script, *arguments, **environment)
    assert done.returncode == 0, done.stderr
    return int(done.stdout)


@pytest.mark.slow
def test_large_temporaries_reuse_memory_that_has_its_pages(tmp_path: Path) -> None:
    # Of 160,000: a block more may have been needed while other threads held one.
    assert number(FAULTS, tmp_path, 16) < 10_000


@pytest.mark.slow
def test_a_variable_of_the_environment_lets_freed_memory_go(tmp_path: Path) -> None:
    # Of 480,000. glibc keeps blocks of up to 32 MB by itself, where nothing lies above them.
    chosen = {"EMPLACE_KEEP_MEMORY": "0", "THP_MEM_ALLOC_ENABLE": "0"}
    assert number(FAULTS, tmp_path, 48, **chosen) > 400_000


@pytest.mark.skipif(not _has_huge_pages(), reason="this machine has no huge pages to ask for")
@pytest.mark.slow
def test_blocks_that_glibc_cannot_keep_have_huge_pages(tmp_path: Path) -> None:
    # Of 480,000 small ones.
    assert number(FAULTS, tmp_path, 48) < 40_000


def test_release_gives_freed_host_memory_back(tmp_path: Path) -> None:
    assert number(RELEASED, tmp_path) < 16


@pytest.mark.slow
def test_holes_are_given_back_while_the_process_grows_alone(tmp_path: Path) -> None:
    first, second = divmod(number(HOLES, tmp_path), 1000)
    assert first > 90
    assert second < 10  # the blocks were in the holes of before


@pytest.mark.slow
def test_a_variable_of_the_environment_leaves_holes_to_the_c_library(tmp_path: Path) -> None:
    first, second = divmod(number(HOLES, tmp_path, EMPLACE_KEEP_MEMORY="0"), 1000)
    assert (first, second) == (0, 0)
