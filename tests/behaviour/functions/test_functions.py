"""`tf.function`: traced once per kind of arguments, run by plans, differentiated like any op."""

from __future__ import annotations

import gc
import logging
import threading

import numpy as np
import pytest

import emplace.tensorflow as tf


def test_a_function_returns_what_its_python_returns():
    @tf.function
    def affine(x, w):
        return {"y": tf.matmul(x, w) + 1.0, "none": None}

    result = affine(tf.constant([[1.0, 2.0]]), tf.constant([[3.0], [4.0]]))
    assert result["y"].numpy().tolist() == [[12.0]]
    assert result["none"] is None


def test_a_function_is_traced_once_per_shape_dtype_and_python_value():
    traces = []

    @tf.function
    def scaled(x, factor):
        traces.append((x.shape.as_list(), factor))
        return x * factor

    for factor in (2.0, 2.0, 3.0):
        scaled(tf.constant([1.0]), factor)
        scaled(tf.constant([1.0, 2.0]), factor)
    assert traces == [([1], 2.0), ([2], 2.0), ([1], 3.0), ([2], 3.0)]
    assert scaled.experimental_get_tracing_count() == 4


def test_one_trace_with_an_unknown_size_serves_all_sizes():
    traces = []

    @tf.function(input_signature=[tf.TensorSpec([None, 2])])
    def rows_and_flat(x):
        traces.append(x.shape.as_list())
        rows = tf.shape(x)[0]
        return rows, tf.reshape(x, [rows * 2]), tf.reduce_mean(x, 0)

    for count in (1, 3):
        rows, flat, mean = rows_and_flat(tf.ones([count, 2]))
        assert int(rows) == count
        assert flat.shape == [count * 2]
        assert mean.numpy().tolist() == [1.0, 1.0]
    assert traces == [[None, 2]]


def test_an_argument_that_does_not_fit_the_signature_is_refused():
    @tf.function(input_signature=[tf.TensorSpec([None], tf.float32)])
    def same(x):
        return x

    with pytest.raises(TypeError, match="Can not cast TensorSpec"):
        same(tf.constant([1, 2]))


def test_many_traces_in_a_row_name_the_argument_that_changed(caplog):
    @tf.function
    def power(x, exponent):
        return x**exponent

    for exponent in range(10):
        power(tf.constant(2.0), float(exponent))
    told = [each.getMessage() for each in caplog.records if each.name == "tensorflow"]
    assert len(told) == 2  # TF: no more for the same code
    assert told[0].startswith("5 out of the last 5 calls to ")
    assert "triggered tf.function retracing" in told[0]
    assert "What changed: argument exponent: 3.0 -> 4.0." in told[0]


def test_functions_made_again_and_again_are_told_of(caplog):
    for i in range(5):
        assert not caplog.records

        @tf.function
        def same(x):
            return x

        same(i)
    assert "5 out of the last 5 calls" in caplog.records[0].getMessage()


def test_traces_inside_of_traces_count_as_calls_of_the_outer_function_only(caplog):
    @tf.function
    def inner(x):
        return x + 1

    @tf.function
    def outer(x):
        return inner(x) * 2

    for i in range(4):
        inner(i)
    for i in range(4, 8):
        outer(i)
    assert not caplog.records


def test_assignments_happen_in_the_order_of_the_program():
    v = tf.Variable(1.0)

    @tf.function
    def step(x):
        before = v + 0.0
        v.assign_add(x)
        between = v.read_value()
        v.assign(v * 10.0)
        return before, between, v

    before, between, after = step(tf.constant(2.0))
    assert [float(before), float(between), float(after)] == [1.0, 3.0, 30.0]


def test_a_value_read_before_an_assignment_stays_what_it_was():
    v = tf.Variable([1.0, 2.0])

    @tf.function
    def read_then_change():
        alias = v.value()
        v.assign_add([1.0, 1.0])
        return alias

    assert read_then_change().numpy().tolist() == [1.0, 2.0]
    assert v.numpy().tolist() == [2.0, 3.0]


def test_a_variable_may_be_made_in_the_first_trace_only():
    made = []

    @tf.function
    def counter():
        if not made:
            made.append(tf.Variable(0.0))
        return made[0].assign_add(1.0)

    assert [float(counter()), float(counter())] == [1.0, 2.0]

    @tf.function
    def careless(x):
        return tf.Variable(1.0) + x

    with pytest.raises(ValueError, match="only supports singleton"):
        careless(tf.constant(1.0))


def test_a_tape_inside_and_a_tape_outside_find_the_same_gradients():
    v = tf.Variable([1.5, -0.5])
    x = tf.constant([0.3, 0.7])

    def loss(x):
        return tf.reduce_sum(tf.tanh(x * v) ** 2)

    @tf.function
    def inside(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = loss(x)
        return tape.gradient(y, [x, v])

    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.function(loss)(x)
    outside = tape.gradient(y, [x, v])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = loss(x)
    for a, b, c in zip(inside(x), outside, tape.gradient(y, [x, v]), strict=True):
        np.testing.assert_allclose(a, c, rtol=1e-6)
        np.testing.assert_allclose(b, c, rtol=1e-6)


def test_a_function_has_second_derivatives():
    cube = tf.function(lambda x: x**3)
    x = tf.constant(2.0)
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = cube(x)
        first = inner.gradient(y, x)
    assert float(outer.gradient(first, x)) == 12.0


def test_cond_and_while_loop_run_and_differentiate():
    v = tf.Variable(3.0)

    @tf.function
    def branched(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.cond(x > 0.0, lambda: tf.exp(x) * v, lambda: x * x - v)
        return tape.gradient(y, [x, v])

    np.testing.assert_allclose(branched(tf.constant(1.0)), [3 * np.e, np.e], rtol=1e-6)
    assert [float(g) for g in branched(tf.constant(-2.0))] == [-4.0, -1.0]

    @tf.function
    def looped(x, w):
        with tf.GradientTape() as tape:
            tape.watch([x, w])
            _, y = tf.while_loop(
                lambda i, a: i < 4, lambda i, a: (i + 1, tf.tanh(a * w) * v), (0, x)
            )
        return y, tape.gradient(y, [x, w, v])

    x, w = tf.constant(0.7), tf.constant(0.4)
    y, gradients = looped(x, w)
    with tf.GradientTape() as tape:
        tape.watch([x, w])
        a = x
        for _ in range(4):
            a = tf.tanh(a * w) * v
    np.testing.assert_allclose(y, a, rtol=1e-6)
    np.testing.assert_allclose(gradients, tape.gradient(a, [x, w, v]), rtol=1e-5)


def test_a_loop_variable_that_grows_is_refused_by_name():
    @tf.function
    def growing(x):
        return tf.while_loop(lambda x: tf.shape(x)[0] < 5, lambda x: [tf.concat([x, x], 0)], [x])

    with pytest.raises(
        ValueError, match=r"enters the loop with shape \(1,\), but has shape \(2,\)"
    ):
        growing(tf.constant([1.0]))


def test_a_function_inside_a_function_is_part_of_it():
    v = tf.Variable(2.0)
    inner = tf.function(lambda x: x * v)

    @tf.function
    def outer(x):
        with tf.GradientTape() as tape:
            y = inner(x) + inner(x * 2.0)
        return y, tape.gradient(y, v)

    y, gradient = outer(tf.constant(3.0))
    assert [float(y), float(gradient)] == [18.0, 9.0]


def test_an_operation_that_fails_is_named_with_the_line_that_made_it():
    @tf.function
    def checked(x):
        return tf.debugging.check_numerics(x / 0.0, "division")

    with pytest.raises(tf.errors.InvalidArgumentError) as caught:
        float(checked(tf.constant(1.0)))
    assert "division : Tensor had Inf values" in str(caught.value)
    assert "Detected at node 'CheckNumerics'" in str(caught.value)
    assert "test_functions.py" in str(caught.value)


@pytest.mark.gpus(2)
def test_operations_go_where_they_would_go_in_eager_mode():
    with tf.device("/GPU:1"):
        v = tf.Variable([1.0, 2.0])

    @tf.function
    def towers(x):
        with tf.device("/CPU:0"):
            on_cpu = x * 2.0
        with tf.device("/GPU:1"):
            on_second = x + 1.0
        return on_cpu, on_second, x - 1.0, v.read_value()

    devices = [y.device.rsplit(":", 2)[-2:] for y in towers(tf.constant([1.0, 2.0]))]
    assert devices == [["CPU", "0"], ["GPU", "1"], ["GPU", "0"], ["GPU", "0"]]


@pytest.mark.gpus(1, memory="1MB")
def test_a_budget_refuses_before_a_plan_allocates():
    @tf.function
    def large(x):
        return tf.fill([1 << 20], x)

    with pytest.raises(tf.errors.ResourceExhaustedError, match="OOM when allocating"):
        large(tf.constant(1.0))
    assert float(tf.function(lambda x: x + 1.0)(tf.constant(1.0))) == 2.0


@pytest.mark.gpus(1, memory="1MB")
@pytest.mark.parametrize("way", ["function", "session"])
def test_a_constant_of_a_graph_that_is_larger_than_the_budget_is_refused_in_public_words(way):
    def doubled():
        with tf.device("/GPU:0"):
            return tf.constant(np.ones(1 << 20, np.float32)) * 2.0

    text = r"defined at .*test_functions.py.*OOM when allocating tensor with shape\[1048576\]"
    refused = pytest.raises(tf.errors.ResourceExhaustedError, match=f"(?s){text}")
    if way == "function":
        with refused:
            tf.function(doubled)()
    else:
        with tf.Graph().as_default(), tf.compat.v1.Session() as session:
            y = doubled()
            with refused:
                session.run(y)
    assert tf.config.experimental.get_memory_info("GPU:0")["current"] == 0


def test_custom_gradients_hold_in_functions_and_out_of_them():
    @tf.custom_gradient
    def clipped(x):
        return x, lambda dy: tf.clip_by_value(dy, -1.0, 1.0)

    def slope(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = clipped(x) * 100.0
        return tape.gradient(y, x)

    x = tf.constant(2.0)
    assert float(slope(x)) == float(tf.function(slope)(x)) == 1.0


def test_run_functions_eagerly_runs_plain_python():
    seen = []

    @tf.function
    def note(x):
        seen.append(x)
        return x

    tf.config.run_functions_eagerly(True)
    try:
        note(tf.constant(1.0))
        note(tf.constant(1.0))
    finally:
        tf.config.run_functions_eagerly(False)
    assert [float(x) for x in seen] == [1.0, 1.0]


@pytest.mark.not_strict("plans on strict GPUs keep their instrumented form")
def test_a_function_is_compiled_when_it_has_run_some_times(monkeypatch):
    from emplace.graph.plan import jit

    made = []
    monkeypatch.setattr(jit, "_compiled", lambda run: made.append(run) or run)
    function = tf.function(lambda x: x + 1.0, jit_compile=True)
    for _ in range(jit.CALLS_BEFORE):
        function(tf.constant(1.0))
    assert not made
    for _ in range(2):
        assert float(function(tf.constant(1.0))) == 2.0
    assert len(made) == 1


@pytest.mark.parametrize("how", ["compiled", "concrete"])
def test_a_trace_for_a_variable_that_is_gone_is_not_that_of_the_next_one(how):
    function = tf.function(lambda v, x: x * float(v.shape[0]), jit_compile=how == "compiled")
    for i in range(1, 30):
        v = tf.Variable(tf.zeros([i % 5 + 1]))
        if how == "compiled":
            result = function(v, tf.constant(1.0))
        else:
            result = function.get_concrete_function(v, tf.constant(1.0))(v, tf.constant(1.0))
        assert float(result) == i % 5 + 1
        del v
        gc.collect()


@pytest.mark.parametrize("backend", ["aot_eager", pytest.param("inductor", marks=pytest.mark.slow)])
def test_a_compiled_function_does_the_same(backend, monkeypatch):
    from emplace.graph.plan import jit

    monkeypatch.setenv("EMPLACE_JIT_BACKEND", backend)
    monkeypatch.setattr(jit, "CALLS_BEFORE", 0)
    v = tf.Variable([1.0, 2.0, 3.0])

    def step(x):
        y = tf.tanh(x) * v
        v.assign_add(y)
        _, z = tf.while_loop(lambda i, a: i < 3, lambda i, a: (i + 1, a * 0.5 + x), (0, y))
        return tf.reduce_sum(y * v), z

    x = tf.constant([0.1, 0.2, 0.3])
    results = []
    for function in (tf.function(step, jit_compile=True), tf.function(step)):
        v.assign([1.0, 2.0, 3.0])
        results.append([*function(x), *function(x), v.numpy()])
    for one, other in zip(*results, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-5)


@pytest.mark.not_strict("plans on strict GPUs keep their instrumented form")
def test_what_is_compiled_stops_once_per_change_of_a_variable_and_never_for_a_read(monkeypatch):
    from torch._dynamo.utils import counters

    from emplace.graph.plan import jit

    monkeypatch.setattr(jit, "CALLS_BEFORE", 0)
    monkeypatch.setenv("EMPLACE_JIT_BACKEND", "eager")
    v, w = tf.Variable([1.0, 2.0]), tf.Variable([3.0, 4.0])

    @tf.function(jit_compile=True)
    def step(x):
        y = x * v + w
        v.assign_add(y)
        return y * w + v

    counters.clear()
    x = tf.constant([0.5, 0.5])
    expected = [0.5 * 1 + 3, 0.5 * 2 + 4]
    np.testing.assert_allclose(step(x), [y * w + v + y for y, w, v in
                                         zip(expected, [3, 4], [1, 2], strict=True)])  # fmt: skip
    assert sum(counters["graph_break"].values()) == 1
    np.testing.assert_allclose(v, [4.5, 7.0])


def test_a_long_plan_is_compiled_as_it_is(monkeypatch):
    from emplace.graph.plan import jit, splitting

    monkeypatch.setattr(jit, "CALLS_BEFORE", 0)
    monkeypatch.setattr(splitting, "LONG", 6)
    monkeypatch.setattr(splitting, "PART", 3)
    monkeypatch.setenv("EMPLACE_JIT_BACKEND", "eager")
    v = tf.Variable([1.0, 2.0])

    @tf.function(jit_compile=True)
    def step(x):
        for _ in range(6):
            x = tf.tanh(x * v)
            v.assign_add(x)
        return x

    expected, held = np.float32([0.5, 0.5]), np.float32([1.0, 2.0])
    for _ in range(6):
        expected = np.tanh(expected * held)
        held = held + expected
    np.testing.assert_allclose(step(tf.constant([0.5, 0.5])), expected, rtol=1e-5)
    np.testing.assert_allclose(v, held, rtol=1e-5)


@pytest.mark.not_strict("plans on strict GPUs keep their instrumented form")
def test_without_a_compiler_a_function_warns_once_and_runs_by_its_plan(capfd, monkeypatch):
    from emplace.graph.plan import jit

    monkeypatch.setattr(jit, "CALLS_BEFORE", 0)
    monkeypatch.setattr(jit, "why_not", lambda backend: "no C++ compiler")
    jit._warn.cache_clear()
    for _ in range(2):
        function = tf.function(lambda x: x + 1.0, jit_compile=True)
        assert float(function(tf.constant(1.0))) == 2.0
    told = capfd.readouterr().err
    assert told.count("jit_compile=True: torch cannot compile here (no C++ compiler)") == 1


@pytest.mark.not_strict("plans on strict GPUs keep their instrumented form")
def test_a_backend_that_torch_does_not_have_is_named(capfd, monkeypatch):
    from emplace.graph.plan import jit

    monkeypatch.setattr(jit, "CALLS_BEFORE", 0)
    monkeypatch.setenv("EMPLACE_JIT_BACKEND", "induktor")
    jit._warn.cache_clear()
    function = tf.function(lambda x: x + 1.0, jit_compile=True)
    assert float(function(tf.constant(1.0))) == 2.0
    assert "EMPLACE_JIT_BACKEND='induktor' is none of torch's: " in capfd.readouterr().err


@pytest.mark.parametrize(
    "use",
    [
        lambda x: tf.cond(x, lambda: 1.0, lambda: 2.0),
        lambda x: tf.case([(x, lambda: 1.0)]),
        lambda x: tf.function(lambda: tf.cond(x, lambda: 1.0, lambda: 2.0))(),
    ],
)
def test_a_tensor_that_left_its_function_decides_no_branch(use):
    leaked = []
    tf.function(lambda x: leaked.append(x > 0.0))(tf.constant(1.0))
    with pytest.raises(TypeError, match="is out of scope and cannot be used here"):
        use(leaked[0])


def test_a_tensor_of_one_graph_is_refused_by_another():
    with tf.Graph().as_default():
        a = tf.constant(1.0)
    with tf.Graph().as_default(), pytest.raises(ValueError, match="must be from the same graph"):
        tf.add(a, 1.0)


def test_the_graph_of_tensorflow_2_is_that_of_sessions():
    assert tf.Graph is tf.compat.v1.Graph
    with tf.Graph().as_default() as graph:
        v = tf.Variable(3.0)
        total = v * 2.0
    with tf.compat.v1.Session(graph=graph) as session:
        session.run(v.initializer)
        assert session.run(total) == 6.0


@pytest.mark.parametrize("make", [lambda: tf.constant(2.0), lambda: tf.Variable(2.0)])
def test_a_value_of_eager_mode_is_no_part_of_a_sessions_graph(make):
    outside = make()
    text = "Attempting to capture an EagerTensor without building a function"
    with tf.Graph().as_default():
        with pytest.raises(RuntimeError, match=text):
            tf.identity(outside)
        with pytest.raises(RuntimeError, match=text):
            tf.constant(3.0) * outside


def test_a_constant_of_an_eager_constant_is_one_of_the_graph():
    outside = tf.constant(2.0)
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        inside = tf.constant(outside)
        assert session.run(inside * 2.0) == 4.0


def test_a_tensor_that_leaves_its_function_is_refused_in_tensorflows_words():
    leaked = []

    @tf.function
    def leaking(x):
        leaked.append(x + 1.0)
        return x

    leaking(tf.constant(1.0))
    with pytest.raises(TypeError, match="is out of scope and cannot be used here"):
        leaked[0] * 2.0

    @tf.function
    def taking(x):
        return x + leaked[0]

    with pytest.raises(TypeError, match="is out of scope and cannot be used here"):
        taking(tf.constant(1.0))


def test_threads_that_call_a_new_function_trace_it_once():
    traces = []

    @tf.function
    def slow(x):
        traces.append(1)
        return tf.add_n([x] * 50)

    results = []
    threads = [
        threading.Thread(target=lambda: results.append(float(slow(tf.constant(1.0)))))
        for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [50.0] * 8
    assert len(traces) == 1


def test_a_signature_names_what_a_function_gathers():
    spec = tf.TensorSpec([None], tf.float32)
    total = tf.function(lambda *given: given[0] + given[1], input_signature=[spec, spec])
    assert total([1.0], [2.0]).numpy().tolist() == [3.0]
    rest = tf.function(lambda a, *rest, **more: a + sum(rest), input_signature=[spec] * 3)
    assert rest([1.0], [2.0], [3.0]).numpy().tolist() == [6.0]
    with pytest.raises(TypeError, match="missing a required argument: 'given_1'"):
        total([1.0])
    with pytest.raises(TypeError, match="input_signature contains 1 extra type constraints"):
        tf.function(lambda a: a, input_signature=[spec, spec])
    with pytest.raises(TypeError, match="input_signature missing type constraint for b"):
        tf.function(lambda a, b: a, input_signature=[spec])


def test_a_graph_opened_inside_of_another_reads_from_it():
    @tf.function
    def doubled(x):
        y = x + 1.0
        with tf.__internal__.FuncGraph("scratch").as_default():
            shape = (y * 2.0).shape
        return y, shape.rank

    y, rank = doubled(tf.constant([1.0]))
    assert (y.numpy().tolist(), rank) == ([2.0], 1)


def test_an_operation_that_fails_in_what_torch_compiled_is_an_error_of_tensorflow(monkeypatch):
    monkeypatch.setattr("emplace.graph.plan.jit.CALLS_BEFORE", 0)
    monkeypatch.setenv("EMPLACE_JIT_BACKEND", "eager")
    function = tf.function(lambda x, i: tf.gather(x, i) * 2.0, jit_compile=True)
    with pytest.raises(tf.errors.InvalidArgumentError) as caught:
        float(function(tf.constant([1.0, 2.0]), tf.constant([0, 7]))[0])
    assert "index out of range in self" not in str(caught.value)
    found = function(tf.constant([1.0, 2.0]), tf.constant([0, 1]))
    np.testing.assert_array_equal(found, [2.0, 4.0])


@pytest.mark.parametrize("kind", ["stateless", "stateful"])
def test_random_numbers_of_what_torch_compiled_are_those_of_the_plan(kind, monkeypatch, caplog):
    def draw():
        if kind == "stateless":
            return tf.random.stateless_normal([5], [1, 2]) * 2.0
        return tf.nn.dropout(tf.ones([64]), 0.5, seed=3)

    def drawn(**how):
        tf.random.set_seed(5)
        function = tf.function(draw, **how)
        return [function().numpy().tolist() for _ in range(3)]

    expected = drawn()
    monkeypatch.setattr("emplace.graph.plan.jit.CALLS_BEFORE", 0)
    monkeypatch.setenv("EMPLACE_JIT_BACKEND", "eager")
    torch_logger = logging.getLogger("torch")
    monkeypatch.setattr(torch_logger, "propagate", True)
    with caplog.at_level(logging.ERROR, "torch"):
        assert drawn(jit_compile=True) == expected
    assert not caplog.records
