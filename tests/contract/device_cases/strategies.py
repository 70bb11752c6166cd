"""Cases about tf.distribute on one machine: how strategies are made, what they say of themselves,
what runs, and how values are brought together.
"""

from __future__ import annotations


def makings() -> list[list[str]]:
    """Each of them in a process of its own."""
    devices = [
        "", "None", "[]", "['CPU:0']", "['cpu:0', '/device:CPU:1']", "('CPU:2', 'CPU:0')",
        "tf.config.list_logical_devices('CPU')", "['CPU:0', 'CPU:0']", "['CPU:0', 'cpu:0']",
        "'CPU:0'", "3", "['/job:localhost/replica:0/task:0/device:CPU:1']",
        "['/job:worker/task:1/device:CPU:0']", "[tf.config.list_physical_devices('CPU')[0]]",
        "iter(['CPU:0', 'CPU:1'])", "{'CPU:1'}", "['/CPU']", "['bogus']", "[3]", "[None]",
    ]  # fmt: skip
    about = [
        "s.num_replicas_in_sync", "s.extended.worker_devices", "s.extended.parameter_devices",
        "told()[:1]", "type(s).__name__", "s.cluster_resolver",
    ]  # fmt: skip
    cases = [["cpus(3)", f"s = tf.distribute.MirroredStrategy({each})", *about] for each in devices]
    gpus = ["", "None", "['GPU:1', 'GPU:3']", "['GPU:0', 'CPU:0']", "['/gpu:2']"]
    cases += [[f"s = tf.distribute.MirroredStrategy({each})", *about] for each in gpus]
    others = [
        "tf.distribute.OneDeviceStrategy()", "tf.distribute.OneDeviceStrategy('CPU:0')",
        "tf.distribute.OneDeviceStrategy('/cpu:1')", "tf.distribute.OneDeviceStrategy('bogus:x')",
        "tf.distribute.experimental.CentralStorageStrategy()",
        "tf.distribute.experimental.CentralStorageStrategy(['CPU:0', 'CPU:1'])",
        "tf.distribute.experimental.CentralStorageStrategy(['CPU:0', 'CPU:1'], 'CPU:1')",
        "tf.distribute.experimental.CentralStorageStrategy(['/cpu:0'], '/cpu:0')",
        "tf.distribute.get_strategy()",
    ]  # fmt: skip
    return cases + [["cpus(3)", f"s = {each}", *about] for each in others]


def where() -> list[list[str]]:
    """Section 8.2: who speaks."""
    asked = (
        "(tf.distribute.has_strategy(), tf.distribute.in_cross_replica_context(), "
        "tf.distribute.get_strategy() is s, type(tf.distribute.get_strategy()).__name__[-16:], "
        "context() is None)"
    )
    ask = f"ask = lambda: {asked}"
    return [
        [ask, "ask()", "with s.scope(): found = ask()", "found", "s.run(ask)", "ask()"],
        [ask, "with s.scope(), s.scope(): found = ask()", "found", "ask()"],
        [ask, "with s.scope() as found: pass", "found is s"],
        ["t = mirrored('CPU:1')", "with s.scope(), t.scope(): pass"],
        ["t = mirrored('CPU:1')", "with s.scope(): t.run(lambda: 1)"],
        ["t = mirrored('CPU:1')", "with s.scope(): v = tf.Variable(1.0)",
         "with t.scope(): v.assign(2.0)", "with t.scope(): v.numpy()",
         "t.run(lambda: v.assign(2.0))", "v.numpy()"],
        ["s.run(lambda: s.scope().__enter__())"],
        ["s.run(lambda: s.run(lambda: 1))"],
        ["s.run(lambda: s.reduce('SUM', 1.0, axis=None))"],
        ["with s.scope(): found = tf.constant(1.0).device", "found",
         "with s.scope(), tf.device('CPU:1'): v = tf.Variable(1.0)", "show(v)",
         "with tf.device('CPU:1'): found = s.run(lambda: tf.constant(1.0).device)", "show(found)",
         "with tf.device('CPU:1'): found = s.run(lambda: number())", "show(found)"],
        ["copy.copy(s)", "copy.deepcopy(s) is s"],
        ["tf.distribute.experimental_set_strategy(s)", "tf.distribute.has_strategy()",
         "tf.distribute.get_strategy() is s", "type(tf.Variable(1.0)).__name__",
         "tf.distribute.experimental_set_strategy(None)", "tf.distribute.has_strategy()",
         "with s.scope(): tf.distribute.experimental_set_strategy(None)"],
        ["context().num_replicas_in_sync", "context().strategy.num_replicas_in_sync",
         "context().merge_call(lambda s, x: (tf.distribute.in_cross_replica_context(), x), (4,))",
         "context().all_reduce('SUM', tf.constant(2.0)).numpy()",
         "context().all_gather(tf.constant([2.0]), 0).numpy()"],
        ["with s.scope(): s.extended.call_for_each_replica(lambda: 3)",
         "s.extended.call_for_each_replica(lambda: 3)",
         "s.extended.variable_created_in_scope(tf.Variable(1.0))",
         "with s.extended.colocate_vars_with(tf.Variable(1.0)): pass",
         "with s.scope(), s.extended.colocate_vars_with(tf.Variable(1.0)): pass"],
    ]  # fmt: skip


def runs() -> list[list[str]]:
    """Sections 8.4 and 8.6: what replicas return, and how they meet."""
    returned = [
        "6", "'x'", "None", "number()", "[number(), 3]", "{'a': number(), 'b': (1, None)}",
        "(number(),)", "tf.constant(1.0)", "C", "[C, C]", "context()._replica_id_in_sync_group",
        "float(number())", "place()", "(place(), 'x')", "[]", "{}", "(1.0, number())", "object",
        "tf.IndexedSlices(tf.reshape(number(), [1, 1]), tf.reshape(place(), [1]))",
    ]  # fmt: skip
    cases = [["C = tf.constant(1.0)", f"show(s.run(lambda: {value}))"] for value in returned]
    cases += [
        ["C = tf.constant(1.0)", f"bare(way(True, lambda: s.run(lambda: {value}))())"]
        for value in ("6", "None", "number()", "[number(), 3]", "{'a': number(), 'b': (1, None)}")
    ]
    cases += [
        ["s.run(lambda: 1, args=3)", "s.run(lambda x: x, args=[1])",
         "s.run(lambda x, y: (x, y), args=(1,), kwargs={'y': 2})", "s.run(lambda: 1, kwargs=3)"],
        ["v = s.run(number)", "show(s.run(lambda x, y: x + y, args=(v, 10.0)))",
         "show(s.run(lambda x: x['a'] + 1, args=({'a': v},)))",
         "show(s.run(lambda x: x + 1, kwargs={'x': v}))", "v", "repr(v)", "str(v)"],
        ["v = s.run(number)", "tf.add(v, 1.)", "v + 1", "tf.convert_to_tensor(v)", "float(v)",
         "show(s.experimental_local_results(v))", "show(s.experimental_local_results(3))",
         "show(s.experimental_local_results([v, v]))", "tf.is_tensor(v)",
         "isinstance(v, tf.distribute.DistributedValues)"],
        ["told()", "[s.run(lambda: 1) for _ in range(7)]", "told()",
         "way(True, lambda: s.run(lambda: 1))().numpy()", "told()"],
        ["s.run(lambda: [][0])", "s.run(lambda: 1 / 0)", "show(s.run(number))"],
        ["s.run(lambda: context().merge_call(lambda s: [][0]))", "show(s.run(number))"],
        ["def step():\n  if context()._replica_id_in_sync_group: "
         "context().merge_call(lambda s: 1)\n"
         "  return number()", "s.run(step)", "show(s.run(number))"],
        ["def step():\n  if not context()._replica_id_in_sync_group: "
         "context().merge_call(lambda s: 1)\n  return number()", "s.run(step)",
         "show(s.run(number))"],
        ["show(s.run(lambda: context().merge_call(lambda s, x: x, args=(number(),))))",
         "show(s.run(lambda: context().merge_call(lambda s, x: 7, args=(number(),))))",
         "s.run(lambda: context().merge_call(lambda s, x: type(x).__name__, args=(number(),)))",
         "s.run(lambda: context().merge_call(lambda s, x: type(x).__name__, args=(3,)))",
         "s.run(lambda: context().merge_call(lambda s, x: context() is None, args=(3,)))"],
        ["show(s.run(lambda: tf.Variable(number(), name='m')))",
         "show(s.run(lambda: [tf.Variable(1.0, name='a'), tf.Variable(2.0, name='b')]))",
         "with s.scope(): v = tf.Variable(1.0)", "s.run(lambda: v) is v"],
        ["s.run(lambda: context().devices)", "s.run(lambda: context().num_replicas_in_sync)",
         "show(s.run(place))", "s.run(lambda: context().strategy is s)",
         "s.run(lambda: context().__enter__())"],
        ["v = tf.Variable(1.0)", "s.run(lambda: v.assign_add(1.0)).values[1].numpy()", "v.numpy()",
         "s.run(lambda: v.assign_add(number())).values[1].numpy()", "v.numpy()"],
    ]  # fmt: skip
    reduced = [
        "number()", "[number(), place()]", "{'a': number()}", "tf.fill([2], number())", "place()",
        "tf.IndexedSlices(tf.reshape(number(), [1, 1]), tf.reshape(place(), [1]), [3, 1])",
        "tf.cast(number(), tf.float64)", "tf.cast(number(), tf.int64)",
    ]  # fmt: skip
    cases += [
        [f"{shown}({before}s.run(lambda: context().all_reduce({op}, {value})){after})"]
        for value in reduced
        for op in ("'SUM'", "'mean'", "tf.distribute.ReduceOp.SUM")
        for shown, before, after in (("show", "", ""), ("bare", "way(True, lambda: ", ")()"))
    ]
    cases += [
        ["s.run(lambda: context().all_reduce('MAX', number()))",
         "s.run(lambda: context().all_reduce(1, number()))",
         "show(s.run(lambda: context().all_gather(tf.reshape(number(), [1]), 0)))",
         "show(s.run(lambda: context().all_gather(tf.fill([1, 2], number()), 1)))",
         "show(s.run(lambda: context().all_gather(tf.range(place() + 1), 0)))",
         "show(s.run(lambda: context().all_gather({'a': tf.reshape(number(), [1])}, 0)))"],
    ]  # fmt: skip
    return cases


def reductions() -> list[list[str]]:
    """Section 8.5: values of all replicas become one."""
    value_texts = {
        "numbers": "number()",
        "ranges": "tf.range(number())",
        "rows": "tf.fill([2, 3], number())",
        "parts": "tf.fill([place() + 1, 2], number())",
        "counts": "tf.range(place() + 1)",
        "longs": "tf.cast(number(), tf.int64)",
        "slices": "tf.IndexedSlices(tf.reshape(number(), [1, 1]), tf.reshape("
        "place(), [1]), [3, 1])",
    }
    values = {name: f"v = s.run(lambda: {text})" for name, text in value_texts.items()}
    cases = [
        [values[name], *(f"show(s.reduce({op}, v, axis={axis}))" for axis in axes)]
        for name, axes in {
            "numbers": ["None"], "ranges": ["0", "-1", "(0,)", "[0]"],
            "rows": ["None", "0", "1", "-1", "(0, 1)"], "parts": ["0", "1", "(0, 1)"],
            "counts": ["0"], "longs": ["None"], "slices": ["None"],
        }.items()
        for op in ("'SUM'", "'MEAN'", "'sum'", "tf.distribute.ReduceOp.MEAN")
    ]  # fmt: skip
    cases += [
        [values["numbers"], "s.reduce('MAX', v, axis=None)", "s.reduce(1, v, axis=None)",
         "s.reduce('SUM', v)", "s.reduce('SUM', 2.0, axis=None)",
         "s.reduce('MEAN', 2.0, axis=None)",
         "s.reduce('SUM', tf.constant(2.0), axis=None)",
         "show(s.reduce('MEAN', tf.constant(2.0), axis=None))",
         "show(s.reduce('SUM', {'a': v, 'b': (v,)}, axis=None))", "s.reduce('SUM', v, axis=0)",
         "s.reduce('SUM', 0, axis=None)"],
        [values["numbers"], "with tf.device('CPU:1'): found = s.reduce('SUM', v, axis=None)",
         "show(found)", "told()", "show(s.reduce('SUM', v, axis=None))", "told()"],
        [values["ranges"], "attempt(s.reduce, 'SUM', v, axis=None)[0]",
         "attempt(s.reduce, 'SUM', v, axis=1)[0]"],
        [values["parts"], "show(s.gather(v, 0))", "attempt(s.gather, v, 1)[0]", "told()"],
        [values["rows"], "show(s.gather(v, 0))", "show(s.gather(v, 1))",
         "show(s.gather([v, v], 0))",
         "attempt(s.gather, v, 2)[0]"],
        [values["numbers"], "attempt(s.gather, v, 0)[0]", "show(s.gather(tf.constant([1.0]), 0))",
         "s.run(lambda: s.gather(v, 0))"],
        [values["numbers"], "with s.scope(): x = tf.Variable(0.0)",
         "show(s.extended.reduce_to('SUM', v, x))",
         "show(s.extended.reduce_to('MEAN', v, 'CPU:1'))",
         "show(s.extended.batch_reduce_to('SUM', [(v, x), (v, x)]))",
         "show(s.extended.broadcast_to(tf.constant(1.0), x))",
         "s.extended.reduce_to('SUM', 3.0, x)", "s.extended.reduce_to('SUM', x, x)",
         "show(s.extended.reduce_to('MEAN', x, x))", "s.extended.reduce_to('SUM', 0, x)"],
        ["with s.scope(): x = tf.Variable(1.0)", "show(s.reduce('MEAN', x, axis=None))",
         "s.reduce('SUM', x, axis=None)"],
        ["t = tf.distribute.OneDeviceStrategy('CPU:0')", "t.reduce('SUM', 3.0, axis=None)",
         "t.reduce('SUM', tf.constant([1.0, 2.0]), axis=0).numpy()",
         "t.reduce('MEAN', tf.constant([1.0, 2.0]), axis=None).numpy()",
         "t.gather(tf.constant([1.0]), 0).numpy()", "t.run(lambda: tf.constant(1.0)).device[-5:]",
         "t.experimental_local_results(3)"],
        ["t = tf.distribute.get_strategy()", "t.reduce('SUM', 3.0, axis=None)",
         "t.reduce('SUM', tf.constant([1.0, 2.0]), axis=0).numpy()", "t.run(lambda: 3)",
         "t.run(lambda: 3, args=3)"],
    ]  # fmt: skip
    return cases


def ways() -> list[list[str]]:
    """Section 8.7: who reduces, and what is told."""
    slices = "tf.IndexedSlices(tf.reshape(number(), [1, 1]), tf.reshape(place(), [1]), [3, 1])"
    steps = {
        "tensors": "context().all_reduce('SUM', [number(), number()])",
        "one": "context().all_reduce('MEAN', number())",
        "integers": "context().all_reduce('SUM', place())",
        "slices": f"context().all_reduce('SUM', [{slices}, number()])",
        "gather": "context().all_gather(tf.reshape(number(), [1]), 0)",
    }
    runs_by_way = {
        "None": True, "tf.distribute.ReductionToOneDevice()": True,
        "tf.distribute.ReductionToOneDevice('CPU:2')": True,
        "tf.distribute.ReductionToOneDevice('CPU:1', tf.add_n)": True,
        "tf.distribute.HierarchicalCopyAllReduce()": True,
        "tf.distribute.HierarchicalCopyAllReduce(num_packs=0)": True,
        "tf.distribute.HierarchicalCopyAllReduce(2)": True,
        "tf.distribute.NcclAllReduce(2)": False,
    }  # fmt: skip
    cases = []
    for way, runs in runs_by_way.items():
        s = f"s = mirrored('CPU:0', 'CPU:1', cross_device_ops={way})"
        for step in steps.values() if runs else ():
            cases.append([
                s, f"bare(way(True, lambda: s.run(lambda: {step}))())", "told()",
                f"show(s.run(lambda: {step}))",
                "[each for each in told() if 'eagerly' not in each]",
            ])  # fmt: skip
        cases.append([
            s, "v = s.run(number)", "told()[1:]", "show(s.reduce('SUM', v, axis=None))", "told()",
            "show(s.extended.reduce_to('SUM', v, 'CPU:1'))", "told()",
        ])  # fmt: skip
    cases.append([
        "s = mirrored()", "v = s.run(number)", "told()[1:]",
        "found = [s.reduce('SUM', v, axis=None) for _ in range(13)]", "len(told())",
    ])  # fmt: skip
    for kind in ("HierarchicalCopyAllReduce", "NcclAllReduce"):
        cases.append([f"tf.distribute.{kind}(num_packs=-1)", f"tf.distribute.{kind}(-2)"])
    options = "tf.distribute.experimental.CommunicationOptions"
    cases += [
        [f"o = {options}({args})", "(o.bytes_per_pack, o.timeout_seconds, o.implementation.name)"]
        for args in ("", "-1", "bytes_per_pack=5", "timeout_seconds=3.0", "implementation='X'",
                     "implementation='NCCL'")
    ]  # fmt: skip
    cases += [
        ["s = mirrored('CPU:0', 'CPU:1', cross_device_ops=3)", "type(s).__name__"],
        ["tf.distribute.CrossDeviceOps().reduce('SUM', 1.0, 'CPU:0')"],
        ["s = mirrored()", "v = s.run(number)", "o = tf.distribute.ReductionToOneDevice()",
         "show(o.reduce(tf.distribute.ReduceOp.SUM, v, 'CPU:1'))",
         "show(o.broadcast(tf.constant(1.0), v))",
         "show(o.batch_reduce(tf.distribute.ReduceOp.SUM, [(v, v), (v, 'CPU:0')]))",
         "o.reduce('SUM', 3.0, 'CPU:0')"],
    ]  # fmt: skip
    return cases


#: Lists what of a function's graph changes variables, and what is changed by.
BODY = """
def made(aggregation):
    with s.scope():
        return tf.Variable(1.0, aggregation=aggregation)


KINDS = ("AddN", "RealDiv", "Identity", "AssignVariableOp", "AssignAddVariableOp",
         "AssignSubVariableOp")


def body(call):
    graph = tf.function(call, autograph=False).get_concrete_function().graph
    found = [op for op in graph.get_operations() if op.type in KINDS]
    # What TensorFlow adds for results is nowhere.
    return [(op.name, op.type, op.device[-5:]) for op in found if op.device]


s = mirrored("CPU:0", "CPU:1", cross_device_ops=tf.distribute.ReductionToOneDevice())
"""


def bodies() -> list[list[str]]:
    """Section 8.8's last line: what a function that changes a mirrored variable consists of."""
    cases = []
    for aggregation in ("SUM", "MEAN", "ONLY_FIRST_REPLICA"):
        for method in ("assign", "assign_add", "assign_sub"):
            cases.append([
                f"v = made(tf.VariableAggregation.{aggregation})",
                f"body(lambda: s.run(lambda: v.{method}(number() * 2.0)))",
            ])  # fmt: skip
    for how in ("SUM", "MEAN"):
        cases.append([
            f"body(lambda: s.reduce('{how}', s.run(number), axis=None))",
            f"body(lambda: s.run(lambda: context().all_reduce('{how}', number())))",
        ])  # fmt: skip
    return cases
