"""`tf.compat.v1.Print`: what it writes, and how often."""

from __future__ import annotations

import pytest

import emplace.tensorflow as tf

v1 = tf.compat.v1
M = [[0.0, 1.0, 2.0, 3.0], [4.0, 5.0, 6.0, 7.0]]


# What TensorFlow 2.21 writes.
@pytest.mark.parametrize(
    ("data", "options", "wanted"),
    [
        ([list(range(10)), M, "a\nb", ["x y", "b"]], {}, "[0 1 2...][[0 1 2...]...][a\\nb][x y b]"),
        ([list(range(10))], {"summarize": 5}, "[0 1 2 3 4...]"),
        ([list(range(4))], {"summarize": -1}, "[0 1 2 3]"),
        ([M, 3.5, True], {"summarize": 100}, "[[0 1 2 3][4 5 6 7]][3.5][1]"),
        ([], {}, ""),
        ([1e-8, 1.1, float("nan")], {}, "[1e-08][1.1][nan]"),
        ([[1, 2], [3, 4]], {}, "[1 2][3 4]"),
    ],
)
def test_it_writes_the_first_elements(data, options, wanted, capsys):
    passed = v1.Print(M, data, "it: ", **options)
    assert passed.numpy().tolist() == M
    assert capsys.readouterr().err == f"it: {wanted}\n"
    tf.raw_ops.Print(input=M, data=data, message="it: ", first_n=-1,
                     summarize=options.get("summarize", 3))  # fmt: skip
    assert capsys.readouterr().err == f"it: {wanted}\n"


def test_it_writes_first_n_times_in_sessions_functions_and_eager_mode(capsys):
    with tf.Graph().as_default(), v1.Session() as session:
        x = v1.placeholder(tf.float32, [None])
        twice = v1.Print(x, [x, tf.shape(x)], "graph ", first_n=2)
        never = v1.Print(x, [x], "never", first_n=0)
        for _ in range(3):
            session.run([twice, never], {x: [1.0, 2.0]})
        assert (twice.op.type, twice.shape.as_list()) == ("Print", [None])
    assert capsys.readouterr().err == "graph [1 2][2]\n" * 2

    @tf.function
    def f(x):
        return v1.Print(x, [x], "function ", first_n=3)

    for i in range(4):
        assert f(tf.constant(i)).numpy() == i
    assert capsys.readouterr().err == "function [0]\nfunction [1]\nfunction [2]\n"
    for _ in range(4):
        v1.Print(1, [2], "eager, two times ", first_n=2)
    assert capsys.readouterr().err == "eager, two times [2]\n" * 2


def test_gradients_pass_it(capsys):
    x = tf.constant(M)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = v1.Print(x, [x, x * 2.0], "x: ") * 3.0
    assert tape.gradient(y, x).numpy().tolist() == [[3.0] * 4] * 2


TEXT = b'it\'s "q" \\\n\t\r\x01\x7f \xc3\xa9\xff'
SHOWN = b'it\\\'s \\"q\\" \\\\\\n\\t\\r\\001\\177 \xc3\xa9\xff'


def test_strings_are_written_as_in_c(capsys):
    assert tf.strings.format("{}", tf.constant(TEXT)).numpy() == b'"' + SHOWN + b'"'
    assert tf.strings.format("{}", tf.constant([TEXT])).numpy() == b'["' + SHOWN + b'"]'
    tf.print("it's", tf.constant("it's"), tf.constant(["\n"]))
    tf.print(tf.constant("it's\n"))
    assert capsys.readouterr().err == 'it\'s "it\\\'s" ["\\n"]\nit\'s\n\n'


def test_failed_assertions_show_them_so_too():
    @tf.function
    def f(x):
        tf.debugging.Assert(x > 5, ["it's", tf.constant(["a\nb"])])
        return x

    with pytest.raises(tf.errors.InvalidArgumentError) as told:
        f(tf.constant(1))
    assert r"assertion failed: [it\'s] [a\nb]" in told.value.message
