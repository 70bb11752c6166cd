"""A program ends in peace, whatever its threads do at that moment."""

from __future__ import annotations

from pathlib import Path

import pytest
from programs import new_emplace

BATCH = """
import tensorflow as tf
made = tf.tanh(tf.random_normal([100, 100]))
batch = tf.train.batch([made], 4, capacity=100)
session = tf.Session()
tf.train.start_queue_runners(session)
for _ in range(3):
    session.run(batch)
"""
THREADS = """
import threading, time
import tensorflow as tf

x = tf.random.normal([100, 100])
function = tf.function(lambda x: tf.tanh(tf.tanh(tf.tanh(tf.tanh(x)))))
function(x)

def gradient():
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.tanh(x)
    tape.gradient(y, x)

def start(work):
    def run():
        while True:
            work()
    threading.Thread(target=run, daemon=True).start()
"""
ALL_KINDS = f"""{THREADS}
start(lambda: tf.tanh(x))
start(lambda: function(x))
start(gradient)
tf.compat.v1.train.LooperThread.loop(tf.train.Coordinator(), None, target=lambda: tf.tanh(x))
data = tf.data.Dataset.range(10**6).map(lambda i: tf.tanh(tf.random.normal([100, 100])))
for _ in data.batch(4).prefetch(2):
    break
time.sleep(0.3)
"""
STUBBORN = f"""{THREADS}
def stubborn():
    try:
        tf.tanh(x)
    except:
        pass

start(stubborn)
time.sleep(0.3)
"""
FAILING = f"""{THREADS}
def failing():
    try:
        tf.tanh(x)
    finally:
        if threading.main_thread().is_alive() is False:
            raise KeyError("what was being done is half done")

start(failing)
time.sleep(0.3)
"""
SLEEPING = f"""{THREADS}
import os

def cleaned():
    try:
        tf.tanh(x)
    finally:
        open("closed", "a").close()

os.chdir(os.path.dirname(os.path.realpath(__file__)))
start(cleaned)
start(lambda: tf.py_function(lambda: (time.sleep(1000), 1)[1], [], tf.int32))
time.sleep(0.3)
"""


def ends(folder: Path, text: str, *options: str) -> None:
    """Runs a program that must end well and say nothing."""
    script = folder / "program.py"
    script.write_text(text)
    done = new_emplace("run", *options, script, TF_CPP_MIN_LOG_LEVEL="1")
    assert (done.returncode, done.stderr, done.stdout) == (0, "", "")


def test_a_session_program_ends_while_its_queue_runners_compute(tmp_path: Path) -> None:
    ends(tmp_path, BATCH, "--tf1")


@pytest.mark.slow
def test_a_program_ends_while_daemon_threads_compute(tmp_path: Path) -> None:
    ends(tmp_path, ALL_KINDS)


@pytest.mark.slow
def test_a_program_ends_though_a_thread_catches_everything(tmp_path: Path) -> None:
    ends(tmp_path, STUBBORN)


@pytest.mark.slow
def test_a_program_ends_without_a_word_of_errors_that_come_of_leaving(tmp_path: Path) -> None:
    ends(tmp_path, FAILING)


@pytest.mark.slow
def test_threads_clean_up_at_the_end_and_those_that_sleep_are_left_alone(tmp_path: Path) -> None:
    ends(tmp_path, SLEEPING)
    assert (tmp_path / "closed").exists()
