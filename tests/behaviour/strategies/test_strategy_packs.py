"""Gradients of replicas reduced at once: in shared memory, in packs, and by NCCL, which is played
by a function here. Whatever the way, sums are those of one value after the other.
"""

from __future__ import annotations

import gc
import logging
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from replica_numbers import number_of_replica

import emplace
import emplace.tensorflow as tf
from emplace.devices.inventory import find_devices
from emplace.distribute.reductions import batched, cross_device
from emplace.ops.collective import sums, ways
from emplace.ops.collective.ways import Choice, Way

memories_apart = pytest.mark.not_strict("each of these GPUs has a memory of its own")
KINDS = ["float16", "float32", "float64", "int64", "complex64", "int32", "uint8"]


def all_reduced(ways_played, sums_played):
    """Plays NCCL."""
    total = sums_played[0].new_zeros(ways_played[0].shape)
    for each in ways_played:
        total += each.to(total.device)
    for each in sums_played:
        each.copy_(total)


@pytest.fixture(params=Way, ids=lambda way: way.name)
def way(request, monkeypatch):
    """A way that values take, whatever the devices."""
    if request.param is not Way.MEMORY:
        monkeypatch.setattr(batched, "choose", lambda *given: Choice(request.param))
    monkeypatch.setattr(torch.cuda.nccl, "all_reduce", all_reduced)
    return request.param


def strategy_of(count):
    return tf.distribute.MirroredStrategy([f"GPU:{i}" for i in range(count)])


def context():
    return tf.distribute.get_replica_context()


def given(count, dtype, shapes=((), (3,), (2, 2), (0, 2))):
    """Values per replica whose sums are not the same in another order."""
    draw = np.random.default_rng(1)
    scale = 1 if np.dtype(dtype).kind in "iu" else 1 / 3
    values = [[(draw.integers(0, 20, dims) * scale).astype(dtype) for dims in shapes]
              for _ in range(count)]  # fmt: skip
    return values


@pytest.mark.gpus(4)
@pytest.mark.parametrize("dtype", KINDS)
@pytest.mark.parametrize("as_function", [False, True], ids=["eager", "function"])
@pytest.mark.parametrize("count", [2, 3, 4])
def test_sums_are_those_of_one_value_after_the_other(way, count, as_function, dtype):
    strategy, values = strategy_of(count), given(count, dtype)

    def replica():
        number = number_of_replica()
        return context().all_reduce("SUM", [tf.constant(each) for each in values[number]])

    def step():
        return strategy.run(replica)

    found = (tf.function(step) if as_function else step)()
    for i, each in enumerate(found):
        wanted = values[0][i]
        for other in values[1:]:
            wanted = (wanted + other[i]).astype(dtype)
        for part, name in zip(each.values, strategy.extended.worker_devices, strict=True):
            assert part.device == name
            assert part.dtype == dtype
            if way is Way.NCCL and dtype == "float16":  # played in another order
                assert np.allclose(part.numpy(), wanted, rtol=1e-2)
            else:
                assert np.array_equal(part.numpy(), wanted)


@pytest.mark.gpus(3)
@pytest.mark.parametrize("as_function", [False, True], ids=["eager", "function"])
def test_means_divide_the_sum(way, as_function):
    strategy, values = strategy_of(3), given(3, "float32")

    def replica():
        return context().all_reduce("MEAN", [tf.constant(x) for x in values[number_of_replica()]])

    found = (tf.function(lambda: strategy.run(replica)) if as_function else
             lambda: strategy.run(replica))()  # fmt: skip
    for i, each in enumerate(found):
        wanted = (values[0][i] + values[1][i] + values[2][i]) / np.float32(3)
        assert all(np.array_equal(part.numpy(), wanted) for part in each.values)


@pytest.mark.gpus(2)
@pytest.mark.parametrize("as_function", [False, True], ids=["eager", "function"])
def test_values_of_different_shapes_are_refused(way, as_function):
    strategy = strategy_of(2)

    def replica():
        shape = [2, 3] if number_of_replica() else [3, 2]
        return context().all_reduce("SUM", [tf.ones(shape), tf.ones([4])])

    kind = ValueError if as_function else tf.errors.InvalidArgumentError
    with pytest.raises(kind, match="must have the same size and shape"):
        (tf.function(lambda: strategy.run(replica)) if as_function else
         lambda: strategy.run(replica))()  # fmt: skip


@pytest.mark.gpus(2)
def test_gradients_flow_through_what_is_reduced_together(way):
    strategy = strategy_of(2)

    @tf.function
    def step():
        def replica():
            x = tf.constant([1.0, 2.0]) * (number_of_replica() + 1)
            with tf.GradientTape() as tape:
                tape.watch(x)
                y, z = context().all_reduce("SUM", [x * x, tf.reduce_sum(x)])
                loss = tf.reduce_sum(y) + 3.0 * z
            return tape.gradient(loss, x)

        return strategy.run(replica)

    # Both losses add up: 2 * (2 x + 3).
    assert [x.numpy().tolist() for x in step().values] == [[10.0, 14.0], [14.0, 22.0]]


@pytest.mark.gpus(2)
def test_a_function_around_replicas_has_the_gradient_of_their_sums(way):
    strategy = strategy_of(2)

    @tf.function
    def step(x):
        def replica():
            return context().all_reduce("SUM", [x * x, x * 3.0])

        y, z = strategy.run(replica)
        return tf.reduce_sum(y.values[0] + z.values[1])

    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = step(x)
    assert tape.gradient(y, x).numpy().tolist() == [10.0, 14.0]


@pytest.mark.gpus(2)
@pytest.mark.parametrize("as_function", [False, True], ids=["eager", "function"])
def test_variables_that_take_one_sum_go_their_own_ways_afterwards(way, as_function):
    strategy = strategy_of(2)
    with strategy.scope():
        v = tf.Variable(tf.zeros([64]))

    def replica():
        total, _ = context().all_reduce("SUM", [tf.ones([64]), tf.ones([2])])

        def update(strategy, total):
            strategy.extended.update(v, lambda v, x: v.assign(x), args=(total,))
            strategy.extended.update(v, lambda v, x: v.assign_add(x), args=(total,))
            v.values[1].assign_add(tf.ones([64]))

        context().merge_call(update, args=(total,))

    (tf.function(lambda: strategy.run(replica)) if as_function else
     lambda: strategy.run(replica))()  # fmt: skip
    assert [each.numpy()[0] for each in v.values] == [4.0, 5.0]


@pytest.mark.gpus(2)
def test_values_whose_size_a_function_does_not_know_are_reduced(way):
    strategy = strategy_of(2)

    @tf.function(input_signature=[tf.TensorSpec([None])])
    def step(x):
        return strategy.run(
            lambda: context().all_reduce("SUM", [x + 0.0, x * 2.0, tf.reduce_sum(x)])
        )

    for size in (3, 5):
        found = step(tf.ones([size]))
        assert [each.values[1].numpy().tolist() for each in found] == [
            [2.0] * size, [4.0] * size, 2.0 * size,
        ]  # fmt: skip


@pytest.mark.gpus(2)
def test_slices_stay_slices_beside_what_is_packed(way):
    strategy = strategy_of(2)

    def replica():
        sparse = tf.IndexedSlices(tf.ones([1, 2]), tf.constant([number_of_replica()]), [3, 2])
        return context().all_reduce("SUM", [sparse, tf.ones([3]), tf.ones([2])])

    sparse, dense, _ = strategy.run(replica)
    assert isinstance(sparse.values[0], tf.IndexedSlices)
    assert sparse.values[1].indices.numpy().tolist() == [0, 1]
    assert dense.values[1].numpy().tolist() == [2, 2, 2]


@pytest.mark.gpus(2)
@memories_apart
def test_in_one_memory_nothing_is_copied():
    strategy = strategy_of(2)

    def replica():
        return context().all_reduce("SUM", [tf.ones([8]) + 1.0, tf.ones([4]) + 1.0])

    strategy.run(replica)
    with emplace.watch() as seen:
        found = strategy.run(replica)
    assert not seen.report().to_dict()["copies"]
    assert [x.device[-5:] for x in found[0].values] == ["GPU:0", "GPU:1"]


@pytest.mark.gpus(2, memory="8MB")
@pytest.mark.parametrize("as_function", [False, True], ids=["eager", "function"])
def test_each_device_is_charged_for_what_it_has(way, as_function):
    if way is Way.NCCL:
        pytest.skip("not where devices are bounded")
    strategy = strategy_of(2)
    budgets = [each.budget for each in find_devices(type="GPU")]
    with tf.device("GPU:0"):
        x = tf.random.uniform([1 << 18])  # 1 MB
    run = tf.function(
        lambda: strategy.run(lambda: context().all_reduce("SUM", [x * 1.0, x[:4] * 2.0]))
    )
    step = run if as_function else run.python_function
    for _ in range(8):
        step()
        gc.collect()
        before = [each.usage().in_use for each in budgets]
        found = step()
        gc.collect()
        grown = [each.usage().in_use - b for each, b in zip(budgets, before, strict=True)]
        assert all(1 << 20 <= each <= (1 << 20) + 512 for each in grown)
        del found
    gc.collect()
    assert [each.usage().in_use for each in budgets] == before


@pytest.mark.parametrize(("size", "packs"), [(0, 1), (1, 5), (39, 5), (40, 3), (80, 2)])
@pytest.mark.gpus(0)
def test_how_many_packs_there_are_is_told_as_tensorflow_tells_it(size, packs, caplog, monkeypatch):
    device = tf.config.list_physical_devices("CPU")[0]
    tf.config.set_logical_device_configuration(device, [tf.config.LogicalDeviceConfiguration()] * 2)
    monkeypatch.setattr(cross_device, "_TOLD", {})
    strategy = tf.distribute.MirroredStrategy()
    options = tf.distribute.experimental.CommunicationOptions(bytes_per_pack=size)

    def replica():
        return context().all_reduce("SUM", [tf.ones([10]) for _ in range(5)], options)

    with caplog.at_level(logging.INFO, "tensorflow"):
        found = tf.function(lambda: strategy.run(replica))()
    (line,) = [x for x in caplog.messages if x.startswith("Collective")]
    assert line.endswith(f"RING, num_packs = {packs}")
    assert found[4].values[1].numpy().tolist() == [2.0] * 10


@pytest.mark.gpus(2)
@memories_apart
def test_the_way_is_told_once_to_who_looks_for_details(caplog, monkeypatch):
    monkeypatch.setattr(batched, "_TOLD", set())
    strategy = strategy_of(2)
    with caplog.at_level(logging.DEBUG, "tensorflow"):
        for _ in range(3):
            strategy.run(lambda: context().all_reduce("SUM", [tf.ones([2]), tf.ones([2])]))
    names = strategy.extended.worker_devices
    line = f"Values for {names!r} are reduced by sums in the memory that they share."
    assert caplog.messages.count(line) == 1


# -- products --------------------------------------------------------------------------------------


def summed_products(count, kept=False, kind="SUM"):
    """A function whose replicas' gradients are products, and what it returns, by NumPy."""
    strategy, draw = strategy_of(count), np.random.default_rng(2)
    a = [draw.standard_normal([40, 200]).astype("float32") for _ in range(count)]
    b = [draw.standard_normal([40, 150]).astype("float32") for _ in range(count)]
    with strategy.scope():
        v = tf.Variable(tf.zeros([200, 150]))

    def replica():
        number = number_of_replica()
        product = tf.matmul(tf.constant(a[number]), tf.constant(b[number]), transpose_a=True)
        total, other = context().all_reduce(kind, [product, tf.reduce_sum(product) * 0.0 + 1.0])

        def update(strategy, total):
            strategy.extended.update(v, lambda v, x: v.assign_add(x), args=(total,))

        context().merge_call(update, args=(total,))
        return (total, other, product) if kept else (total, other)

    products = [x.T @ y for x, y in zip(a, b, strict=True)]
    return tf.function(lambda: strategy.run(replica)), v, products


def types_of(function):
    (plan,) = function.plans()
    return [step.operation.type for step in plan.steps]


@pytest.mark.gpus(4, memory="64MB")
@pytest.mark.parametrize("count", [2, 3, 4])
@memories_apart
def test_products_of_replicas_are_added_in_the_memory_of_the_first(count):
    strategy, draw = strategy_of(count), np.random.default_rng(2)
    inputs = draw.standard_normal([count, 40, 200]).astype("float32")
    with strategy.scope():
        w, v = tf.Variable(tf.ones([200, 150])), tf.Variable(tf.zeros([200, 150]))

    @tf.function
    def step():
        def replica():
            x = tf.constant(inputs[number_of_replica()])
            with tf.GradientTape() as tape:
                loss = tf.reduce_sum(tf.tanh(tf.matmul(x, w)))
            total = context().all_reduce("SUM", tape.gradient(loss, [w]))[0]

            def update(strategy, total):
                strategy.extended.update(v, lambda v, x: v.assign_add(x), args=(total,))

            context().merge_call(update, args=(total,))
            return total

        return strategy.run(replica)

    expected = sum(x.T @ (1 - np.tanh(x @ np.ones([200, 150], "float32")) ** 2) for x in inputs)
    for run in range(1, 9):
        totals = step()
        assert types_of(step).count("ReplicaMatMul") == count - 1
        for total, copy in zip(totals.values, v.values, strict=True):
            assert np.allclose(total.numpy(), expected, rtol=1e-3, atol=1e-4)
            assert np.allclose(copy.numpy(), run * expected, rtol=1e-3, atol=1e-3)
    with emplace.watch():
        assert np.allclose(step().values[0].numpy(), expected, rtol=1e-3, atol=1e-4)


@pytest.mark.gpus(2)
@pytest.mark.parametrize("kind", ["SUM", "MEAN"])
@pytest.mark.parametrize("kept", [False, True], ids=["used twice", "returned too"])
def test_a_product_that_is_used_elsewhere_too_stays_what_it_is(kind, kept):
    function, v, products = summed_products(2, kept, kind)
    wanted = (products[0] + products[1]) / (1 if kind == "SUM" else 2)
    for run in range(1, 4):
        total, _, *more = function()
        assert np.allclose(total.values[1].numpy(), wanted, rtol=1e-3, atol=1e-4)
        assert np.allclose(v.values[1].numpy(), run * wanted, rtol=1e-3, atol=1e-3)
        for each in more:
            for found, product in zip(each.values, products, strict=True):
                assert np.allclose(found.numpy(), product, rtol=1e-3, atol=1e-4)
    assert "ReplicaMatMul" not in types_of(function)


# -- which way -------------------------------------------------------------------------------------


def played(name, torch_device, budget=None, stream=None):
    """A device as far as a way depends on it."""
    made = SimpleNamespace(
        name=name, torch_device=torch.device(torch_device), budget=budget, stream=stream
    )
    made.shares_memory = lambda other: (
        made.torch_device == other.torch_device and made.stream is None and other.stream is None
    )
    return made


CPU = played("CPU:0", "cpu")
GPUS = [played(f"GPU:{i}", f"cuda:{i}") for i in range(4)]
CHOICES = {
    "one memory": ([CPU, played("GPU:0", "cpu"), played("GPU:1", "cpu")], Way.MEMORY, ""),
    "own GPUs": (GPUS, Way.NCCL, ""),
    "host and GPU": ([CPU, GPUS[0]], Way.COPIES, "not all devices are CUDA GPUs"),
    "one real GPU": (
        [played("GPU:0", "cuda:0"), played("GPU:1", "cuda:0", stream=object())],
        Way.COPIES, "NCCL refuses virtual GPUs that share a real one",
    ),
    "bounded": (
        [GPUS[0], played("GPU:1", "cuda:1", budget=object())],
        Way.COPIES, "a device has a memory limit, which NCCL would not ask",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", CHOICES)
def test_the_way_follows_from_the_devices(case, monkeypatch):
    devices, wanted, why = CHOICES[case]
    monkeypatch.setattr(ways.INVENTORY, "devices", lambda: devices)
    monkeypatch.setattr(torch._C, "_nccl_all_reduce", object(), raising=False)
    names = [each.name for each in devices]
    assert ways.choose(names) == Choice(wanted, why)


def test_nccl_is_not_used_where_torch_lacks_it_or_nobody_wants_it(monkeypatch):
    monkeypatch.setattr(ways.INVENTORY, "devices", lambda: GPUS)
    monkeypatch.delattr(torch._C, "_nccl_all_reduce", raising=False)
    names = [each.name for each in GPUS]
    assert ways.choose(names) == Choice(Way.COPIES, "this torch has no NCCL")
    assert ways.choose(names, False) == Choice(Way.COPIES, "another way was asked for")


ASKED = {
    "default": (lambda names: cross_device.CollectiveAllReduce(names), None, True),
    "ring": (
        lambda names: cross_device.CollectiveAllReduce(names),
        tf.distribute.experimental.CommunicationImplementation.RING, False,
    ),
    "nccl": (lambda names: tf.distribute.NcclAllReduce(), None, True),
    "hierarchical": (lambda names: tf.distribute.HierarchicalCopyAllReduce(), None, False),
    "one device": (lambda names: tf.distribute.ReductionToOneDevice(), None, False),
}  # fmt: skip


@pytest.mark.gpus(2)
@pytest.mark.parametrize("asked", ASKED)
def test_nccl_may_carry_what_was_not_asked_to_go_another_way(asked, monkeypatch):
    make, implementation, may = ASKED[asked]
    found = []

    def choose(names, may_use_nccl):
        found.append(may_use_nccl)
        return Choice(Way.MEMORY)

    monkeypatch.setattr(batched, "choose", choose)
    monkeypatch.setattr(cross_device, "list_logical_devices", lambda kind: ["GPU"] * 2)
    monkeypatch.setattr(cross_device, "list_physical_devices", lambda kind: ["GPU"] * 2)
    names = [cross_device.full_name(f"GPU:{i}") for i in range(2)]
    strategy = tf.distribute.MirroredStrategy(names, make(names))
    given = {} if implementation is None else {"implementation": implementation}
    options = tf.distribute.experimental.CommunicationOptions(**given)
    strategy.run(lambda: context().all_reduce("SUM", [tf.ones([2]), tf.ones([2])], options))
    assert found == [may]


def test_nccl_leaves_what_it_adds_as_it_is(monkeypatch):
    monkeypatch.setattr(torch.cuda.nccl, "all_reduce", all_reduced)
    given = [torch.ones(3), torch.ones(3) * 2]
    assert [x.tolist() for x in sums.nccl_sum_kernel(*given, is_mean=False)] == [[3.0] * 3] * 2
    assert [x.tolist() for x in sums.nccl_sum_kernel(*given, is_mean=True)] == [[1.5] * 3] * 2
    assert [x.tolist() for x in given] == [[1.0] * 3, [2.0] * 3]
