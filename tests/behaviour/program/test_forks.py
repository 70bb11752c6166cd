"""A child process that `os.fork` makes computes and never waits for threads of its parent."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from programs import new_emplace

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")

# Both processes do the same, the child first; what hangs is ended by the alarm.
PROGRAM = """
import os, signal, time
import tensorflow as tf

def say(text):  # a line at once: two processes write
    os.write(1, f"{text}\\n".encode())

def slow(i):
    time.sleep(0.001)
    return i

def numbers(count):
    called = lambda i: tf.py_function(slow, [i], tf.int64)
    data = tf.data.Dataset.range(count)
    return data.map(called, num_parallel_calls=2), data.prefetch(1)

def compute():
    x = tf.ones([500, 500])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.reduce_sum(tf.tanh(tf.matmul(x, x)))
    return tape.gradient(y, x)

compute()
open_ones = [iter(data) for data in numbers(1000)]
for each in open_ones:
    assert int(next(each)) == 0
child = os.fork()
if not child:
    signal.alarm(60)
compute()
for each in open_ones:
    try:
        say([int(next(each)) for _ in range(20)][-1])
    except tf.errors.FailedPreconditionError as error:
        say(error.message)
for data in numbers(3):
    say([int(i) for i in data])
if not child:
    os._exit(0)
say(f"child: {os.waitpid(child, 0)[1]}")
"""
LEFT_BEHIND = (
    "This iterator over a dataset works with threads, which stayed in the process that os.fork() "
    "copied. Make the iterator in the child process."
)


def test_a_forked_child_computes_and_reads_and_never_hangs(tmp_path: Path) -> None:
    script = tmp_path / "program.py"
    script.write_text(PROGRAM)
    done = new_emplace("run", script, OMP_NUM_THREADS="2", PYTHONWARNINGS="ignore")
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[-1] == "child: 0"
    of_child = [LEFT_BEHIND, LEFT_BEHIND, "[0, 1, 2]", "[0, 1, 2]"]
    assert sorted(lines[:-1]) == sorted([*of_child, "20", "20", "[0, 1, 2]", "[0, 1, 2]"])


def test_a_program_whose_thread_fails_ends_with_its_own_exit_code(tmp_path: Path) -> None:
    script = tmp_path / "program.py"
    script.write_text(
        "import threading\nimport tensorflow as tf\n"
        "fails = lambda: tf.reshape(tf.zeros([3]), [2])\n"
        "thread = threading.Thread(target=fails)\nthread.start()\nthread.join()\n"
        # Two threads that print at once may lose lines before Python 3.12.4: one says nothing.
        "threading.excepthook = lambda arguments: None\n"
        "threading.Thread(target=fails, daemon=True).start()\n"
        "raise ValueError('the program failed')\n"
    )
    done = new_emplace("run", script)
    assert done.returncode == 1
    assert "Input to reshape is a tensor with 3 values" in done.stderr
    assert "ValueError: the program failed" in done.stderr
