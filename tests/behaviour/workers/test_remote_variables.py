"""Ops on a variable that another process holds: each is sent as a whole, and does what it does on
a variable of this process. The other process is this one, behind bytes."""

from __future__ import annotations

import pickle
import sys

import numpy as np
import pytest

import emplace.tensorflow as tf
from emplace.core.context import forget_routes
from emplace.distribute.servers.remote import remote_variables, remote_workers, rpc, serialisation
from emplace.ops.op import REGISTRY
from emplace.tensorflow.compat import v1 as tf1

pytestmark = pytest.mark.gpus(0)

CALLS = []


def call(name, function, *args):
    """Calls as if another process did."""
    CALLS.append(args[0][1] if function is remote_variables._run else function.__name__)
    return pickle.loads(pickle.dumps(function(*pickle.loads(pickle.dumps(args)))))


@pytest.fixture(autouse=True)
def sending(monkeypatch):
    """Ops on variables of others are sent; afterwards they are as they were."""
    monkeypatch.setattr(rpc, "call", call)
    ops = [*REGISTRY.values(), remote_variables.FUSED_ADAM, remote_variables.READ_AND_SKIP]
    before = [(op, op.kernel) for op in ops]
    remote_variables.send_ops()
    CALLS.clear()
    yield
    for op, kernel in before:
        object.__setattr__(op, "kernel", kernel)
    remote_variables._SENDING.clear()
    forget_routes()


def held(value, owner="ps:0", **kwargs):
    """A variable that another process holds."""
    made = tf.Variable(value, **kwargs)
    move(made, owner)
    return made


def move(variable, owner="ps:0"):
    """Lets another process hold a variable."""
    variable.handle._value = remote_variables.hold(variable.handle._value, owner)


ROWS = np.arange(8.0, dtype=np.float32).reshape(4, 2)
SLICES = tf.IndexedSlices(tf.constant([[1.0, 2.0], [3.0, 4.0]]), tf.constant([0, 3]))
CHANGES = {
    "assign": lambda v: v.assign(v * 2.0),
    "assign_add": lambda v: v.assign_add(tf.ones_like(v)),
    "assign_sub": lambda v: v.assign_sub(tf.ones_like(v)),
    "slice": lambda v: v[1:3].assign(tf.zeros((2, 2))),
    "scatter_add": lambda v: v.scatter_add(SLICES),
    "scatter_mul": lambda v: v.scatter_mul(SLICES),
    "scatter_max": lambda v: v.scatter_max(SLICES),
    "scatter_update": lambda v: v.scatter_update(SLICES),
    "scatter_nd_add": lambda v: v.scatter_nd_add([[1]], [[5.0, 6.0]]),
    "scatter_nd_update": lambda v: v.scatter_nd_update([[2, 1]], [7.0]),
    "nothing": lambda v: None,
}
READS = {
    "numpy": lambda v: v.numpy(),
    "value": lambda v: v.value(),
    "sum": lambda v: v + 1.0,
    "gather": lambda v: tf.gather(v, [3, 0]),
    "gather_nd": lambda v: tf.gather_nd(v, [[3, 1]]),
    "sliced": lambda v: v[1:, 0],
    "initialized": lambda v: v.is_initialized(),
}


@pytest.mark.parametrize("how", ["eager", "function"])
@pytest.mark.parametrize("name", CHANGES)
def test_changes_happen_where_the_variable_is(name, how):
    wrap = tf.function if how == "function" else lambda f: f
    here, there = tf.Variable(ROWS), held(ROWS)
    CALLS.clear()
    for variable in (here, there):

        def change(variable=variable):
            CHANGES[name](variable)

        wrap(change)()
    assert "_hold" not in CALLS
    np.testing.assert_array_equal(there.numpy(), here.numpy())
    assert type(there.handle._value) is remote_variables.RemoteStorage


@pytest.mark.parametrize("name", READS)
def test_reads_come_from_where_the_variable_is(name):
    here, there = tf.Variable(ROWS), held(ROWS)
    np.testing.assert_array_equal(READS[name](there), READS[name](here))


@pytest.mark.parametrize(
    "make",
    [lambda: tf1.train.AdamOptimizer(0.1), lambda: tf1.train.MomentumOptimizer(0.1, 0.9),
     lambda: tf1.train.FtrlOptimizer(0.1), lambda: tf1.train.GradientDescentOptimizer(0.1)],
)  # fmt: skip
@pytest.mark.parametrize("is_sparse", [False, True])
def test_a_step_of_an_optimizer_is_sent_as_one_op(make, is_sparse):
    results = []
    for new in (tf.Variable, held):
        variable, optimizer = new(ROWS, name="v"), make()
        gradient = SLICES if is_sparse else tf.ones_like(variable)
        optimizer._create_slots([variable])
        if new is held:
            for slot in optimizer.variables():
                move(slot)
        for _ in range(2):
            optimizer.apply_gradients([(gradient, variable)])
        results.append(variable.numpy())
    np.testing.assert_array_equal(*results)


def test_variables_of_one_op_must_be_in_one_place():
    variable, optimizer = held(ROWS), tf1.train.MomentumOptimizer(0.1, 0.9)
    with pytest.raises(tf.errors.InvalidArgumentError, match="colocate_vars_with"):
        optimizer.apply_gradients([(tf.ones_like(variable), variable)])
    np.testing.assert_array_equal(variable.numpy(), ROWS)


def test_steps_of_adam_written_op_by_op_are_joined_where_variables_are_together():
    def step_of(var, mean, square):
        @tf.function
        def step(gradient):
            mean.assign_add((gradient - mean) * 0.1)
            square.assign_add((tf.square(gradient) - square) * 0.01)
            var.assign_sub(0.5 * mean / (tf.sqrt(square) + 1e-7))

        return step

    results = []
    for owners in (None, ("ps:0",) * 3, ("ps:0", "ps:1", "ps:0")):
        start = ROWS, np.zeros_like(ROWS), np.zeros_like(ROWS)
        if owners is None:
            variables = [tf.Variable(each) for each in start]
        else:
            variables = [held(each, owner) for each, owner in zip(start, owners, strict=True)]
        step = step_of(*variables)
        for _ in range(3):
            step(tf.constant(ROWS + 1))
        results.append([each.numpy() for each in variables])
    for other in results[1:]:
        for one, two in zip(results[0], other, strict=True):
            np.testing.assert_allclose(one, two, rtol=1e-6)


def test_gradients_flow_through_reads():
    there = held(ROWS)
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(there * there) + tf.reduce_sum(tf.gather(there, [0, 0]))
    found = tf.convert_to_tensor(tape.gradient(loss, there))
    expected = 2 * ROWS
    expected[0] += 2
    np.testing.assert_array_equal(found, expected)


def test_errors_of_ops_come_back():
    there = held(ROWS)
    with pytest.raises(tf.errors.InvalidArgumentError, match="is not in"):
        tf.gather(there, [9])
    with pytest.raises(ValueError, match="Shape mismatch"):
        there.assign(tf.zeros(3))


def test_a_generators_state_is_read_and_changed_at_once_by_functions():
    generator, other = [tf.random.Generator.from_seed(1) for _ in range(2)]
    move(other.state)
    draws = [tf.function(lambda each=each: each.normal([2])) for each in (generator, other)]
    CALLS.clear()
    for _ in range(2):
        np.testing.assert_array_equal(draws[0](), draws[1]())
    assert CALLS == ["READ_AND_SKIP"] * 2


def test_a_lost_server_is_told(monkeypatch):
    there = held(ROWS)

    def lost(*args):
        raise rpc.LostError("/job:ps/task:0 does not answer: eof")

    monkeypatch.setattr(rpc, "call", lost)
    text = r"A parameter server has been lost: /job:ps/task:0 does not answer: eof. Start the job"
    for ask in (there.numpy, lambda: there.assign_add(tf.ones_like(ROWS))):
        with pytest.raises(tf.errors.UnavailableError, match=text):
            ask()


# -- functions as bytes ----------------------------------------------------------------------------

FUNCTIONS = {
    "product": (lambda v: lambda x: x * v + 1.0, 3.0),
    "change": (lambda v: lambda x: v.assign_add(x), 3.0),
    "branch": (lambda v: lambda x: tf.cond(x > 0, lambda: x * v, lambda: -x), 3.0),
    "loop": (
        lambda v: lambda x: tf.while_loop(
            lambda i, s: i < 3, lambda i, s: (i + 1, s + v * x), [0, 0.0]
        ),
        3.0,
    ),
    "map": (lambda v: lambda x: tf.map_fn(lambda y: y * v, tf.stack([x, x])), 3.0),
    "inner": (lambda v: (lambda f: lambda x: f(x) + f(2.0 * x))(tf.function(lambda y: y * v)), 3.0),
    "strings": (lambda v: lambda x: tf.strings.join([x, "é"]), "a"),
    "python": (lambda v: lambda x: tf.py_function(lambda y: y + 1.0, [x], tf.float32), 3.0),
    "mask": (lambda v: lambda x: tf.boolean_mask(tf.stack([x, -x]) * v, [True, False]), 3.0),
    "dataset": (
        lambda v: lambda x: tf.data.Dataset.range(5).map(lambda y: y * 2).reduce(
            x, lambda a, b: a + tf.cast(b, tf.float32)
        ),
        3.0,
    ),
    "sparse": (lambda v: lambda x: tf.sparse.to_dense(tf.sparse.from_dense([x, 0.0])) * v, 3.0),
    "list": (
        lambda v: lambda x: tf.TensorArray(tf.float32, 2).write(0, x).write(1, v * x).stack(), 3.0
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_function_does_the_same_after_its_way(name):
    make, given = FUNCTIONS[name]
    results = []
    for is_sent in (False, True):
        function = tf.function(make(held(2.0)))
        concrete = function.get_concrete_function(tf.constant(given))
        if is_sent:
            data = serialisation.packed_function(concrete, remote_workers.tell)
            concrete = serialisation.unpacked_function(data, remote_variables.handle_of)
        found = concrete.run(function.tensors_of(tf.constant(given)))
        results.append([each.numpy() for each in tf.nest.flatten(found)])
    for one, two in zip(*results, strict=True):
        np.testing.assert_array_equal(one, two)


def test_a_long_function_is_sent():
    def long(x):
        for _ in range(3000):
            x = x * 0.5 + 1.0
        return x

    concrete = tf.function(long, autograph=False).get_concrete_function(tf.constant(0.1))
    data = serialisation.packed_function(concrete, remote_workers.tell)
    found = serialisation.unpacked_function(data, remote_variables.handle_of).run(
        [tf.constant(0.1)]
    )
    np.testing.assert_array_equal(found[0], concrete(tf.constant(0.1)))


def test_variables_of_this_process_are_not_sent():
    local = tf.Variable(1.0, name="mine")
    concrete = tf.function(lambda: local + 1.0).get_concrete_function()
    text = "cannot be sent to another process: the variable mine/.* is of this process|mine/.* is a"
    with pytest.raises(TypeError, match=text):
        serialisation.packed_function(concrete, remote_workers.tell)


def test_who_sends_without_cloudpickle_is_told_the_extra_that_brings_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "cloudpickle", None)
    serialisation._packer.cache_clear()
    with pytest.raises(ModuleNotFoundError) as raised:
        serialisation.packed(lambda: 1, remote_workers.tell)
    assert str(raised.value) == (
        "Emplace sends functions to other processes with cloudpickle, which is not installed. Run "
        "`pip install 'emplace[cluster]'` wherever a task of the cluster runs."
    )
    with pytest.raises(ModuleNotFoundError, match=r"emplace\[cluster\]"):
        serialisation.unpacked(b"", remote_variables.handle_of)
