"""Optimizers that programs write: classes of `tf.compat.v1.train.Optimizer` and its subclasses."""

from __future__ import annotations

from typing import Any

import pytest

import emplace.tensorflow as tf

v1 = tf.compat.v1
train = v1.train


class Decaying(train.Optimizer):
    """Momentum that is a number of the optimizer's own, and decay of weights."""

    def __init__(self, rate: float = 0.1) -> None:
        super().__init__(use_locking=False, name="Decaying")
        self._rate = rate

    def _create_slots(self, var_list: Any) -> None:
        first = min(var_list, key=lambda each: each.name)
        self._create_non_slot_variable(initial_value=0.5, name="share", colocate_with=first)
        for each in var_list:
            self._zeros_slot(each, "sum", self._name)
            self._get_or_make_slot(each, tf.ones_like(each), "ones", "Ones")

    def _prepare(self) -> None:
        self._rate_tensor = tf.convert_to_tensor(self._call_if_callable(self._rate))

    def _share(self) -> Any:
        graph = None if tf.executing_eagerly() else v1.get_default_graph()
        return self._get_non_slot_variable("share", graph=graph)

    def _resource_apply_dense(self, grad: Any, handle: Any) -> Any:
        total = self.get_slot(handle, "sum").assign_add(grad * self._share())
        return handle.assign_sub(self._rate_tensor * total)

    def _resource_apply_sparse(self, grad: Any, handle: Any, indices: Any) -> Any:
        return handle.scatter_sub(tf.IndexedSlices(grad * self._rate_tensor, indices))

    def _finish(self, update_ops: Any, name_scope: str) -> Any:
        share = self._share()
        with tf.control_dependencies(update_ops), v1.colocate_with(share):
            halved = share.assign(share * 0.5)
        return tf.group(*update_ops, halved, name=name_scope)


def loss(v: Any, table: Any) -> Any:
    return tf.reduce_sum(v * v) + tf.reduce_sum(tf.gather(table, [0, 2, 2]))


def check(v: Any, table: Any, optimizer: Any, value: Any) -> None:
    # 1 - 0.1 * 1, then 0.9 - 0.1 * (1 + 0.25 * 1.8)
    assert value(v).tolist() == pytest.approx([0.755])
    assert value(table).tolist() == pytest.approx([0.8, 1.0, 0.6])
    assert value(optimizer._get_non_slot_variable("share")) == pytest.approx(0.125)
    assert value(optimizer.get_slot(table, "ones")).tolist() == [1.0, 1.0, 1.0]
    assert optimizer.get_slot_names() == ["ones", "sum"]


def test_a_session_asks_it_for_slots_tensors_and_changes() -> None:
    with tf.Graph().as_default(), v1.Session() as session:
        v, table = tf.Variable([1.0], name="v"), tf.Variable([1.0] * 3, name="table")
        optimizer, count = Decaying(), train.get_or_create_global_step()
        step = optimizer.minimize(loss(v, table), global_step=count)
        session.run(v1.global_variables_initializer())
        for _ in range(2):
            session.run(step)
        check(v, table, optimizer, session.run)
        assert session.run(count) == 2
        assert [each.name for each in optimizer.variables()] == [
            "share:0", "table/Decaying:0", "table/Ones:0", "v/Decaying:0", "v/Ones:0",
        ]  # fmt: skip


@pytest.mark.parametrize("wrap", [lambda f: f, tf.function], ids=["eager", "function"])
def test_eager_mode_and_functions_do_so_too(wrap: Any) -> None:
    v, table = tf.Variable([1.0]), tf.Variable([1.0] * 3)
    optimizer = Decaying(lambda: 0.1)

    def step() -> None:
        optimizer.minimize(lambda: loss(v, table), var_list=[v, table])

    taken = wrap(step)
    for _ in range(2):
        taken()
    check(v, table, optimizer, lambda each: each.numpy())


class Decay:
    """Decay of weights for any optimizer, as a class beside it: TF 1's contrib had it."""

    def _shrunk(self, var: Any) -> Any:
        return var.assign(var * 0.5)

    def _apply_dense(self, grad: Any, var: Any) -> Any:
        with tf.control_dependencies([self._shrunk(var)]):
            return super()._apply_dense(grad, var)  # type: ignore[misc]

    def _resource_apply_dense(self, grad: Any, var: Any) -> Any:
        with tf.control_dependencies([self._shrunk(var)]):
            return super()._resource_apply_dense(grad, var)  # type: ignore[misc]

    def _resource_apply_sparse(self, grad: Any, var: Any, indices: Any) -> Any:
        with tf.control_dependencies([self._shrunk(var)]):
            return super()._resource_apply_sparse(grad, var, indices)  # type: ignore[misc]


BUILT_IN = {
    "GradientDescentOptimizer": (0.1,),
    "MomentumOptimizer": (0.1, 0.9),
    "AdamOptimizer": (0.1,),
    "AdagradOptimizer": (0.1,),
    "AdadeltaOptimizer": (0.1,),
    "RMSPropOptimizer": (0.1,),
    "FtrlOptimizer": (0.1,),
    "ProximalGradientDescentOptimizer": (0.1,),
    "ProximalAdagradOptimizer": (0.1,),
}


@pytest.mark.parametrize("name", BUILT_IN)
@pytest.mark.parametrize("rows", [False, True], ids=["tensor", "rows"])
def test_a_class_beside_an_optimizer_decays_once(name: str, rows: bool) -> None:
    kind, given = getattr(train, name), BUILT_IN[name]
    decaying = type("Both", (Decay, kind), {})(*given)

    def stepped(optimizer: Any, first: float) -> Any:
        v = tf.Variable([first, first])
        grad: Any = tf.constant([1.0, 0.0])
        if rows:
            grad = tf.IndexedSlices(tf.constant([0.5, 0.5]), tf.constant([0, 0]), tf.constant([2]))
        optimizer.apply_gradients([(grad, v)])
        return v.numpy()

    assert stepped(decaying, 2.0) == pytest.approx(stepped(kind(*given), 1.0))


def test_subclasses_find_numbers_and_tensors_by_tensorflows_names() -> None:
    seen = {}

    class Seeing(train.AdamOptimizer):
        def _prepare(self) -> None:
            super()._prepare()
            seen.update(rate=self._lr, beta=float(self._beta1_t), step=float(self._lr_t))

        def _finish(self, update_ops: Any, name_scope: str) -> Any:
            seen["powers"] = [float(each) for each in self._get_beta_accumulators()]
            return super()._finish(update_ops, name_scope)

    Seeing(0.25, beta1=0.5).apply_gradients([(tf.ones([1]), tf.Variable([1.0]))])
    assert seen == {
        "rate": 0.25, "beta": 0.5, "step": 0.25, "powers": pytest.approx([0.5, 0.999]),
    }  # fmt: skip


def test_a_number_that_a_subclass_changes_counts() -> None:
    class Halving(train.GradientDescentOptimizer):
        def _prepare(self) -> None:
            self._learning_rate = self._learning_rate / 2
            super()._prepare()

    v, optimizer = tf.Variable([1.0]), Halving(1.0)
    for _ in range(2):
        optimizer.apply_gradients([(tf.ones([1]), v)])
    assert v.numpy().tolist() == [0.25]


def test_methods_for_the_older_kind_of_variables_are_asked_if_they_are_the_only_ones() -> None:
    class Older(train.Optimizer):
        def _apply_dense(self, grad: Any, var: Any) -> Any:
            return v1.assign_sub(var, grad)

        def _apply_sparse(self, grad: Any, var: Any) -> Any:
            return v1.scatter_sub(var, grad.indices, grad.values)

    v, table = tf.Variable([1.0]), tf.Variable([1.0] * 3)
    optimizer = Older(False, "Older")
    optimizer.minimize(lambda: loss(v, table), var_list=[v, table])
    assert v.numpy().tolist() == [-1.0]
    assert table.numpy().tolist() == [0.0, 1.0, -1.0]


def test_a_class_that_says_no_change_is_refused() -> None:
    with pytest.raises(NotImplementedError, match="Must be implemented in subclasses"):
        train.Optimizer(False, "None").apply_gradients([(tf.ones([1]), tf.Variable([1.0]))])


def test_its_variables_are_restored(tmp_path: Any) -> None:
    def stepped(v: Any, optimizer: Any) -> Any:
        optimizer.minimize(lambda: tf.reduce_sum(v * v), var_list=[v])
        return v.numpy().tolist()

    one, other = [(tf.Variable([1.0]), Decaying()) for _ in range(2)]
    stepped(*one)
    path = tf.train.Checkpoint(v=one[0], optimizer=one[1]).save(str(tmp_path / "c"))
    status = tf.train.Checkpoint(v=other[0], optimizer=other[1]).restore(path)
    assert stepped(*other) == stepped(*one)
    status.assert_consumed()
    assert float(other[1]._get_non_slot_variable("share")) == 0.125


@pytest.mark.gpus(2, memory="64MB")
def test_eager_mode_colocates_by_the_device() -> None:
    with tf.device("/GPU:1"):
        v = tf.Variable([1.0])
    with v1.colocate_with(v):
        assert (tf.zeros([1]) + 1.0).device.endswith("GPU:1")
