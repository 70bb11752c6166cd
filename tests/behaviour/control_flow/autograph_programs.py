"""Small programs with Python control flow, run by TensorFlow and by Emplace.

`tf` is put here by whoever runs them. A program has lists of arguments; `outcome` is what a call
gives, as plain data, so that TensorFlow's can be kept in `tests/data/autograph_answers.json`.
"""

from __future__ import annotations

import contextlib
import functools
import io
import re
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

tf: Any = None

CASES: list[tuple[str, Callable[..., Any], tuple[Any, ...]]] = []


def case(*calls: Any) -> Any:
    """Enters a program with some calls: each a tuple of arguments, given to tf.constant."""

    def entered(function: Any) -> Any:
        for i, args in enumerate(calls or ((),)):
            CASES.append((f"{function.__name__}-{i}", function, args))
        return function

    return entered


class Plain:
    """An argument that stays a Python value."""

    def __init__(self, value: Any) -> None:
        self.value = value


def outcome(function: Any, args: Any, flat: Any) -> dict[str, Any]:
    """What a traced function returns, prints while traced, or raises."""
    printed = io.StringIO()
    given = [a.value if isinstance(a, Plain) else tf.constant(a) for a in args]
    try:
        with contextlib.redirect_stdout(printed):
            VARIABLES.clear()
            result = tf.function(function)(*given)
    except Exception as error:
        return {"error": type(error).__name__, "text": told(error)}
    return {"value": [value_of(each) for each in flat(result)], "printed": printed.getvalue()}


def told(error: Exception) -> str:
    """The part of an error's text that is about the program."""
    text = str(getattr(error, "message", error)).split("[[")[0].rstrip()
    kept = [line.strip() for line in text.split("\n") if line.strip()]
    if kept[0] == "Graph execution error:":
        return re.sub(r"pyfunc_\d+", "pyfunc_N", kept[-1])
    at = [i for i, line in enumerate(kept) if line.startswith('File "')]
    text = "\n".join(kept[at[-1] + 2 :] if at and kept[0].startswith("in user code") else kept)
    text = re.sub(r'Tensor\("[^"]*"', 'Tensor("..."', text.split("\nFirst structure:")[0])
    return text.split(" See https://")[0].split("\nSee https://")[0].strip()


def value_of(x: Any) -> Any:
    if x is None:
        return None
    array = x.numpy()
    if hasattr(array, "tolist"):
        array = array.tolist()
    if isinstance(array, bytes):
        array = array.decode()
    return [x.dtype.name, list(x.shape), array]


# -- if --------------------------------------------------------------------------------------------


@case((3.0,), (-3.0,))
def if_else(x):
    if x > 0:
        y = x * 2.0
    else:
        y = -x
    return y


@case((3.0,), (-3.0,))
def if_only(x):
    y = x
    if x > 0:
        y = y + 1.0
    return y


@case((3,), (0,), (-1,))
def if_chain(x):
    if x > 0:
        name = "more"
    elif x == 0:
        name = "zero"
    else:
        name = "less"
    return name


@case((3,), (-3,))
def nested_if(x):
    y = 0
    if x > 0:
        if x > 2:
            y = 1
        else:
            y = 2
    return y


@case((3.0,), (-3.0,))
def early_return(x):
    if x > 0:
        return x
    return -x


@case((3.0,), (0.5,), (-3.0,))
def two_early_returns(x):
    if x < 0:
        return x * 10.0
    if x < 1:
        return x * 100.0
    return x


@case((3.0,))
def return_in_one_branch_only(x):
    if x > 0:
        return x


@case((3.0,))
def undefined_in_else(x):
    if x > 0:
        y = x
    return y


@case((3.0,))
def undefined_in_if(x):
    if x > 0:
        pass
    else:
        y = x
    return y


@case((3.0,))
def undefined_but_unused(x):
    if x > 0:
        y = x
        z = y
    else:
        z = x
    return z


@case((3.0,))
def none_in_one_branch(x):
    y = None
    if x > 0:
        y = x
    return y


@case((3.0,))
def other_dtypes(x):
    if x > 0:
        y = x
    else:
        y = 1
    return y


@case((3.0,))
def other_dtypes_of_tensors(x):
    if x > 0:
        y = x
    else:
        y = tf.constant(1)
    return y


@case((3.0,), (-3.0,))
def other_shapes(x):
    if x > 0:
        y = tf.zeros([2])
    else:
        y = tf.ones([3])
    return y


@case((3.0,), (-3.0,))
def other_ranks(x):
    if x > 0:
        y = tf.zeros([2])
    else:
        y = tf.ones([3, 1])
    return y


@case((3.0,))
def other_structures(x):
    if x > 0:
        y = (x, x)
    else:
        y = x
    return y


@case((3.0,))
def other_lengths(x):
    if x > 0:
        y = (x, x)
    else:
        y = (x, x, x)
    return y


@case((3.0,), (-3.0,))
def tuples(x):
    if x > 0:
        a, b = x, 1.0
    else:
        b, a = x, 2.0
    return a, b


@case((3.0,), (-3.0,))
def dicts(x):
    d = {"a": x, "b": x}
    if x > 0:
        d["a"] = x + 1.0
    return d["a"], d["b"]


class Box:
    def __init__(self, value: Any = 0) -> None:
        self.value = value

    def doubled(self, x):
        if x > 0:
            return x * 2.0
        return x - self.value

    def __call__(self, x):
        if x > 1:
            x = x * 100.0
        return x


@case((3.0,), (-3.0,))
def attributes(x):
    box = Box(x)
    if x > 0:
        box.value = x * 5.0
    return box.value


@case((3.0,), (-3.0,))
def methods(x):
    return Box(1.0).doubled(x)


@case((3.0,), (0.5,))
def callables(x):
    return Box()(x)


@case((3.0,), (-3.0,))
def ternary(x):
    return x * 2.0 if x > 0 else x * 3.0


@case((3.0,))
def ternary_dtypes(x):
    return x * 2.0 if x > 0 else 1


@case((3.0,), (-3.0,), (30.0,))
def chained_comparison(x):
    if 0 < x < 10:
        return 1
    return 0


@case((True, False), (True, True), (False, False))
def logic(a, b):
    return a and b, a or b, not a, a and not b, (a or b) and True


@case((3,), (4,))
def equality(x):
    return x == 3, x != 3


@case((3, 3), (3, 4))
def in_condition(x, y):
    if x == y and not (x != 3):
        return 1
    return 0


@case((1,), (0,))
def number_as_condition(x):
    if x:
        return 1
    return 2


@case(([True, False],))
def vector_as_condition(x):
    if x:
        return 1
    return 2


@case((1,))
def side_effects_while_tracing(x):
    print("traced")
    if x > 0:
        print("yes")
        y = 1
    else:
        print("no")
        y = 2
    return y


@case((1.0,))
def python_condition(x):
    print("tracing")
    if isinstance(x, float):
        return 1.0
    elif 3 > 2:
        return x
    return 2.0


# -- while -----------------------------------------------------------------------------------------


@case((5,), (0,))
def while_loop(n):
    i = 0
    s = 0
    while i < n:
        s += i
        i += 1
    return s, i


@case((27,), (1,))
def collatz(n):
    steps = 0
    while n != 1:
        if n % 2 == 0:
            n = n // 2
        else:
            n = 3 * n + 1
        steps += 1
    return steps


@case((10,), (2,))
def while_break(n):
    i = 0
    while i < n:
        if i == 5:
            break
        i += 1
    return i


@case((10,))
def while_true_break(n):
    i = 0
    while True:
        i += 1
        if i >= n:
            break
    return i


@case((10,))
def while_continue(n):
    i = 0
    s = 0
    while i < n:
        i += 1
        if i % 2 == 0:
            continue
        s += i
    return s


@case((10,), (2,))
def while_return(n):
    i = 0
    while i < n:
        if i * i > 10:
            return i
        i += 1
    return -1


@case((5.0,))
def while_and(x):
    i = 0
    while x > 1.0 and i < 10:
        x = x / 2.0
        i += 1
    return x, i


@case((5,))
def while_shape_changes(n):
    v = tf.zeros([1])
    i = 0
    while i < n:
        v = tf.concat([v, [1.0]], 0)
        i += 1
    return v


@case((5,))
def while_dtype_changes(n):
    x = 0
    while n > 0:
        x = 1.5
        n -= 1
    return x


@case((5,))
def while_tensor_dtype_changes(n):
    x = tf.constant(0)
    while n > 0:
        x = tf.constant(1.5)
        n -= 1
    return x


@case((5,))
def while_undefined(n):
    while n > 0:
        x = n
        n -= 1
    return x


@case((5,), (0,))
def while_undefined_but_local(n):
    while n > 0:
        x = n - 1
        n = x
    return n


@case((5,))
def while_none(n):
    x = None
    while n > 0:
        x = n
        n -= 1
    return x


@case((5,))
def while_structure_changes(n):
    x = (n, n)
    while n > 0:
        x = (n, n, n)
        n -= 1
    return x


@case((5,))
def python_while(x):
    i = 0
    while i < 3:
        x = x * 2
        i += 1
    return x


# -- for -------------------------------------------------------------------------------------------


@case(([1, 2, 3],))
def for_tensor(x):
    s = 0
    for each in x:
        s += each
    return s


@case(([[1.0, 2.0], [3.0, 4.0]],))
def for_rows(x):
    s = tf.zeros([2])
    for row in x:
        s += row * row
    return s


@case((5,), (0,))
def for_range(n):
    s = 0
    for i in range(n):
        s += i
    return s


@case((5,), (0,))
def for_tf_range(n):
    s = 0
    for i in tf.range(n):
        s += i
    return s


@case((2, 11, 3), (11, 2, -3))
def for_range_with_step(a, b, c):
    s = 0
    for i in range(a, b, c):
        s = s * 10 + i
    return s


@case((4,))
def for_break(n):
    s = 0
    for i in tf.range(n):
        if i == 2:
            break
        s += 10
    return s


@case((6,))
def for_continue(n):
    s = 0
    for i in tf.range(n):
        if i % 2 == 0:
            continue
        s += i
    return s


@case((6,), (2,))
def for_return(n):
    for i in tf.range(n):
        if i * i > 8:
            return i
    return -1


@case((4,))
def for_else(n):
    s = 0
    for i in tf.range(n):
        s += i
    else:
        s += 100
    return s


@case((4, 3))
def nested_loops(n, m):
    s = 0
    for i in tf.range(n):
        for j in tf.range(m):
            if j > i:
                break
            s += i * j
    return s


@case((4,))
def loop_variable_afterwards(n):
    i = 100
    for i in tf.range(n):
        pass
    return i


@case((4,))
def loop_variable_undefined_before(n):
    for i in tf.range(n):
        pass
    return i


@case((4,))
def for_undefined(n):
    for i in tf.range(n):
        x = i
    return x


@case(([1.0, 2.0],))
def for_shape_changes(x):
    v = tf.zeros([0])
    for each in x:
        v = tf.concat([v, [each]], 0)
    return v


@case((3,))
def for_shape_invariants(n):
    v = tf.constant((0,))
    for i in tf.range(n):
        tf.autograph.experimental.set_loop_options(shape_invariants=[(v, tf.TensorShape([None]))])
        v = tf.concat((v, [i]), 0)
    return v


@case((30,), (2,))
def for_maximum_iterations(n):
    s = 0
    for _ in tf.range(n):
        tf.autograph.experimental.set_loop_options(maximum_iterations=3)
        s += 1
    return s


@case((30,))
def while_maximum_iterations(n):
    i = 0
    while i < n:
        tf.autograph.experimental.set_loop_options(maximum_iterations=4)
        i += 1
    return i


@case((2.0,))
def for_list(x):
    for factor in [1.0, 2.0, 3.0]:
        x = x * factor
    return x


@case((2.0,))
def for_dict(x):
    for name in {"a": 1, "b": 2}:
        print(name)
        x += 1.0
    return x


@case((2.0,))
def list_in_python_loop(x):
    made = []
    for i in range(3):
        made.append(x + float(i))
    last = made.pop()
    return tf.stack(made), last


@case((3,))
def list_in_tensor_loop(n):
    made = []
    for i in tf.range(n):
        made.append(i)
    return made


@case((2.0,), (-2.0,))
def python_loop_with_tensor_break(x):
    for _ in range(3):
        x = x * 2.0
        if x > 5.0:
            break
    return x


@case((4,))
def tensor_array(n):
    made = tf.TensorArray(tf.int32, size=0, dynamic_size=True)
    for i in tf.range(n):
        made = made.write(i, i * i)
    return made.stack()


@case(([5, 6, 7],))
def enumerated(x):
    s = 0
    for i, each in enumerate(x):
        s += i * each
    return s


@case(([5, 6, 7], [1, 2, 3]))
def zipped(x, y):
    s = 0
    for a, b in zip(x, y, strict=False):
        s += a * b
    return s


@case((3,))
def scalar_iterated(x):
    s = 0
    for each in x:
        s += each
    return s


# -- calls -----------------------------------------------------------------------------------------


def helper(x):
    if x > 0:
        return x * 2.0
    return x


@case((3.0,), (-3.0,))
def calls_helper(x):
    return helper(x) + helper(-x)


@case((3.0,), (-3.0,))
def lambdas(x):
    f = lambda y: y * 2.0 if y > 0 else y
    return f(x)


@case((3.0,), (-3.0,))
def partials(x):
    def scaled(factor, y):
        if y > 0:
            y = y * factor
        return y

    return functools.partial(scaled, 10.0)(x)


@case((3.0,), (-3.0,))
def closures(x):
    y = x + 1.0

    def inner():
        if x > 0:
            return y
        return -y

    return inner()


@case((2.0,))
def recursion(x):
    def power(y, n):
        if n == 0:
            return 1.0
        return y * power(y, n - 1)

    return power(x, 5)


@case((3.0,), (-3.0,))
def inner_tf_function(x):
    @tf.function
    def inner(y):
        if y > 0:
            return y * 2.0
        return y

    return inner(x)


@case((3.0,))
def not_converted(x):
    @tf.autograph.experimental.do_not_convert
    def inner(y):
        if y > 0:
            return y * 2.0
        return y

    return inner(x)


@case(([1, -2, 3],))
def builtins(x):
    return len(x), abs(x), int(x[0]), float(x[1])


@case(([True, False],))
def any_and_all(x):
    return any(x), all(x)


@case(([3, 1, 2],))
def sorting(x):
    return sorted(x)


@case((3, 4))
def python_min(x, y):
    return min(x, y)


@case(([3, 4],))
def python_sum(x):
    return sum(x)


@case((3.0,))
def assert_statement(x):
    assert x > 0, "positive"
    return x


@case((3.0,), (-3.0,))
def tf_assert(x):
    tf.debugging.Assert(x > 0, [x, "is not positive"])
    return x


@case((3.0,), (-3.0,))
def tf_assert_in_branch(x):
    if x < 0:
        tf.debugging.Assert(x > -1, [x])
    return x


@case((3, 3), (3, 4))
def assert_equal(x, y):
    tf.debugging.assert_equal(x, y, message="told")
    return x


@case(([3, 3],), ([3, -4],))
def assert_positive(x):
    tf.debugging.assert_positive(x)
    return x


@case((3,))
def a_python_error(x):
    if x > 0:
        raise ValueError("no positive numbers")
    return x


@case((3,))
def an_error_in_a_helper(x):
    def inner(y):
        return y.nothing_of_that_name

    return inner(x)


@case((3,))
def a_key_error(x):
    return {"a": x}["b"]


# -- variables and gradients -----------------------------------------------------------------------


VARIABLES: dict[str, Any] = {}


def variable(name: str, value: Any) -> Any:
    """A variable that only the first trace makes."""
    if name not in VARIABLES:
        VARIABLES[name] = tf.Variable(value)
    return VARIABLES[name]


@case((3.0,), (-3.0,))
def assigning_in_a_branch(x):
    v = variable("branch", 1.0)
    v.assign(1.0)
    if x > 0:
        v.assign_add(x)
    else:
        v.assign(0.0)
    return v.read_value()


@case((4,))
def assigning_in_a_loop(n):
    v = variable("loop", 1)
    v.assign(1)
    for i in tf.range(n):
        v.assign_add(i)
    return v.read_value()


@case((3.0,), (-3.0,))
def gradient_of_if(x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        if x > 0:
            y = x * x
        else:
            y = x * 5.0
    return tape.gradient(y, x)


@case((1.5, 4))
def gradient_of_for(x, n):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x
        for _ in tf.range(n):
            y = y * x
    return tape.gradient(y, x)


@case((1.5,))
def gradient_of_while(x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x
        while y < 100.0:
            if y > 10.0:
                y = y * x * x
            else:
                y = y * x
    return y, tape.gradient(y, x)


@case((1.5,))
def gradient_with_break(x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x
        for _ in tf.range(100):
            y = y * x
            if y > 20.0:
                break
    return y, tape.gradient(y, x)


@case(([1.0, 2.0, 3.0],))
def gradient_of_rows(x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = 1.0
        for each in x:
            y = y * each
    return tape.gradient(y, x)


# -- printing and Python functions -----------------------------------------------------------------


def printed_by(*values: Any, **options: Any) -> Any:
    """What tf.print writes, by way of a file."""
    path = tempfile.mktemp(suffix=".txt")
    printing = tf.print(*values, output_stream=f"file://{path}", **options)
    with tf.control_dependencies([printing]):
        return tf.py_function(lambda: _text(path), [], tf.string)


def _text(path: str) -> str:
    text = Path(path).read_text(encoding="utf-8")
    Path(path).unlink()
    return text


@case(([1, 2, 3, 4, 5, 6, 7, 8],))
def prints_a_vector(x):
    return printed_by("x:", x, "and", 3, 2.5, True, None)


@case(([[1.5, 2.0], [3.25, 1e10]],))
def prints_a_matrix(x):
    return printed_by(x)


@case(("text", True))
def prints_scalars(x, y):
    return printed_by(x, y, {"a": x, "b": (1, y)}, [x, "plain"], end="!", sep="|")


@case(([1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0],))
def prints_summaries(x):
    return printed_by(x, summarize=1), printed_by(x, summarize=-1)


@case((["a", "b"],))
def prints_strings(x):
    return printed_by(x)


@case((3.0,))
def py_function(x):
    return tf.py_function(lambda y: y * y + 1.0, [x], tf.float32)


@case((3.0,))
def py_function_gradient(x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.py_function(lambda y: y * y * y, [x], tf.float32)
    return tape.gradient(y, x)


@case(([1.0, 2.0],))
def numpy_function(x):
    return tf.numpy_function(lambda y: y[::-1] * 2, [x], tf.float32)


@case((3.0,))
def numpy_function_with_two_results(x):
    return tf.numpy_function(lambda y: (y, y + 1), [x], [tf.float32, tf.float32])


@case((3.0,))
def numpy_function_of_wrong_type(x):
    return tf.numpy_function(lambda y: y, [x], tf.int64)


@case((3,))
def variable_in_a_while_loop(x):
    v = variable("while", 0)
    v.assign(0)
    while v < 5:
        v.assign_add(2)
    return v.read_value()


@case((3.0,), (-3.0,))
def py_function_in_a_branch(x):
    if x > 0:
        x = tf.py_function(lambda y: y + 1.0, [x], tf.float32)
    return x


# -- more errors and corners -----------------------------------------------------------------------


@case((3,))
def number_as_loop_condition(n):
    while n:
        n -= 1
    return n


@case((3,))
def becomes_none_in_a_loop(n):
    x = n
    while n > 0:
        x = None
        n -= 1
    return x


@case((0,))
def undefined_without_a_round(n):
    while n > 0:
        x = n
        n -= 1
    return x


@case((3,))
def sometimes_defined_in_a_loop(n):
    while n > 0:
        if n == 2:
            x = n
        n -= 1
    return x


@case((3,), (-3,))
def ternary_with_none(x):
    return x if x > 0 else None


@case((3, 4))
def numbers_with_and(x, y):
    return x and y


@case((3,))
def not_a_number(x):
    return not x


@case(([3, 1, 2],))
def sorted_reversed(x):
    return sorted(x, reverse=True)


@case(([[3, 1], [2, 0]],))
def sorted_matrix(x):
    return sorted(x)


@case(("12",))
def numbers_of_text(x):
    return int(x), float(x)


@case((-2,))
def negative_range(n):
    s = 0
    for i in range(n):
        s += i
    return s


@case((3,))
def python_print(x):
    print(x)
    return x


@case((3.0,))
def unbound(x):
    if x > 100:
        y = x
    return x


@case((3,))
def continue_in_nested_loops(n):
    s = 0
    for i in tf.range(n):
        for j in tf.range(n):
            if i == j:
                continue
            if j > 1:
                break
            s += 10 * i + j
    return s


@case((3,))
def while_in_if(n):
    if n > 2:
        while n > 0:
            n -= 2
    else:
        n = n * 100
    return n


@case((3.0,))
def float_range(x):
    s = 0.0
    for each in tf.range(0.0, x, 0.5):
        s += each
    return s


@case((4,))
def loop_over_two_names(n):
    s = 0
    for a, b in zip(range(3), [n, n, n], strict=False):
        s += a * b
    return s


@case((4,))
def loop_over_rows_of_pairs(n):
    s = 0
    for row in tf.reshape(tf.range(n), [2, 2]):
        s += row[0] * row[1]
    return s


@case((2.0,))
def gradient_of_nested_loops(x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x
        for i in tf.range(2):
            for _ in tf.range(i + 1):
                y = y * x
    return y, tape.gradient(y, x)


@case((2.0,), (-2.0,))
def gradient_of_early_return(x):
    def inner(v):
        if v > 0:
            return v * v * v
        return v * 7.0

    with tf.GradientTape() as tape:
        tape.watch(x)
        y = inner(x)
    return tape.gradient(y, x)


@case((2.0,))
def gradient_through_a_variable_in_a_loop(x):
    v = variable("in loop", 3.0)
    with tf.GradientTape() as tape:
        y = x
        for _ in tf.range(3):
            y = y * v
    return tape.gradient(y, v)


# -- variables that branches and loops leave -------------------------------------------------------


@case((1,), (0,))
def a_variable_or_a_number(n):
    v = variable("held", 3)
    a = v if n > 0 else n
    v.assign_add(1)
    return a


@case((1,), (0,))
def one_variable_or_the_other(n):
    v, u = variable("one", 3), variable("other", 10)
    a = v
    if n > 0:
        a = u
    v.assign_add(1)
    u.assign_add(1)
    return a


@case((1,), (0,))
def the_same_variable_in_both_branches(n):
    v = variable("same", 3)
    if n > 0:
        a = v
    else:
        a = v
    v.assign_add(1)
    return a


@case((1,), (0,))
def a_variable_that_one_branch_replaces(n):
    v = variable("replaced", 3)
    a = v
    if n > 0:
        a = a + 1
    v.assign(7)
    return a


@case((1,), (0,))
def returns_of_variables(n):
    v, u = variable("first", 3), variable("second", 10)
    if n > 0:
        return v
    return u


@case((1,), (0,))
def variables_in_a_dict(n):
    v, u = variable("in", 3), variable("out", 10)
    d = {"a": v, "b": n}
    if n > 0:
        d = {"a": u, "b": n}
    v.assign_add(1)
    u.assign_add(1)
    return d["a"], d["b"]


@case((2,), (0,))
def a_loop_that_starts_with_a_variable(n):
    v = variable("start", 3)
    a = v
    i = 0
    while i < n:
        i += 1
        v.assign_add(1)
        a = a + 0
    return a


@case((2,), (0,))
def a_loop_that_ends_with_a_variable(n):
    v = variable("end", 3)
    a = n
    for _ in tf.range(n):
        a = v
    v.assign_add(1)
    return a


@case((2,), (0,))
def a_loop_that_keeps_a_variable(n):
    v = variable("kept", 3)
    a = v
    for _ in tf.range(n):
        a = v
    v.assign_add(1)
    return a


# -- loops that do not begin, and options of loops -------------------------------------------------


@case((0,), (3,))
def the_variable_of_a_range(n):
    for i in tf.range(4, 4 + n):
        n += 1
    return i, n


@case((0,), (3,))
def the_variable_of_a_range_that_is_left(n):
    for i in tf.range(n):
        if i > 1:
            break
    return i


@case((0,), (3,))
def the_variable_of_a_tensor(n):
    for x in tf.zeros([n], tf.int32) + 4:
        n += x
    return x, n


@case((0,), (3,))
def the_variable_of_a_range_and_another(n):
    for i in tf.range(n):
        y = i + 1
    return i, y


@case((1,))
def a_dataset_has_no_maximum_of_iterations(n):
    for _ in tf.data.Dataset.range(5):
        tf.autograph.experimental.set_loop_options(maximum_iterations=2)
        n += 1
    for _ in iter(tf.data.Dataset.range(5)):
        tf.autograph.experimental.set_loop_options(maximum_iterations=2)
        n += 10
    return n


@case((1,))
def a_ragged_tensor_of_two_axes(n):
    for rows in tf.ragged.constant([[[1], [2, 3]], [[4]], []], ragged_rank=2):
        n += tf.reduce_sum(rows) * tf.cast(rows.nrows(), tf.int32)
    return n


# -- functions of Python on what is no plain tensor ------------------------------------------------


@case((2,))
def numbers_of_rows(n):
    ragged = tf.ragged.range([n, 2, 3])
    sparse = tf.sparse.from_dense([[1, 0], [0, n]])
    return len(ragged), len(sparse), int(sparse).values, float(ragged * n).values


@case((2,))
def not_of_a_ragged_tensor(n):
    return (not (tf.ragged.constant([[1], [2, 3]]) < n)).values, abs(
        tf.sparse.from_dense([[-n]])
    ).values


@case((1,))
def sorted_by_a_key(n):
    x = tf.constant([3, 1, 2])
    return sorted(x, key=lambda q: (q - n) % 3), sorted(x, key=lambda q: q % 2, reverse=True)


@case((2,))
def enumerated_from_a_number(n):
    s = tf.constant(0, tf.int64)
    for i, x in enumerate(tf.data.Dataset.range(3), 5):
        s += x * i
    return s


@case((2,))
def all_and_any_of_a_dataset(n):
    some, none = tf.data.Dataset.from_tensor_slices([True, False]), tf.data.Dataset.range(0)
    empty = none.map(lambda x: x > 0)
    return all(some), any(some), all(empty), any(empty)


@case((2,))
def any_of_a_dataset_of_numbers(n):
    return any(tf.data.Dataset.range(3))


@case((2,))
def abs_of_a_dataset(n):
    return abs(tf.data.Dataset.from_tensor_slices([-1, 2])).reduce(n, lambda a, b: a + b)


@case((0,), (5,))
def lengths_of_datasets(n):
    data = tf.data.Dataset.range(tf.cast(n, tf.int64)).batch(2)
    return len(data), len(data.map(lambda x: x).repeat(3)), data.cardinality()


@case((3,))
def length_of_a_filtered_dataset(n):
    return len(tf.data.Dataset.range(3).filter(lambda x: x > 0))
