"""Cases about what strategies make: variables and how they change, datasets and their parts."""

from __future__ import annotations

SYNCS = ("AUTO", "ON_WRITE", "ON_READ")
AGGREGATIONS = ("NONE", "SUM", "MEAN", "ONLY_FIRST_REPLICA")
MAKE = """
def made(sync, aggregation, value=10.0, **options):
    with s.scope():
        return tf.Variable(
            value, synchronization=SYNC[sync], aggregation=AGGREGATION[aggregation], **options
        )


def changed(sync, aggregation, where, as_function, op, value):
    '''What a change returns, what the components hold then, and what is read.'''
    v = made(sync, aggregation)
    step = lambda: getattr(v, op)(value())
    call = {
        "replica": lambda: s.run(step), "all": step, "scope": lambda: scoped(step),
    }[where]
    found = attempt(way(as_function, call))
    read = attempt(v.numpy), attempt(lambda: show(s.run(lambda: v + 0.0)))
    return (bare if as_function or where == "replica" else show)(found), values(v), read


def scoped(step):
    with s.scope():
        return step()


def slices():
    return tf.IndexedSlices(tf.reshape(number(), [1]) * 2, tf.reshape(place(), [1]))


def same_slices():
    return tf.IndexedSlices(tf.constant([5.0]), tf.constant([1]))


def scattered(sync, aggregation, where, as_function, op):
    v = made(sync, aggregation, [1.0, 2.0, 3.0])
    call = {
        "replica": lambda: s.run(lambda: getattr(v, op)(slices())),
        "all": lambda: getattr(v, op)(same_slices()),
    }[where]
    # What is refused is told in words of its own, by class.
    found = attempt(way(as_function, lambda: (call(), None)[1]))
    return found and found[0], values(v)
"""


def assignments() -> list[list[str]]:
    """The whole matrix of section 8.3."""
    given = {
        "replica": ["number", "lambda: 8.0", "lambda: C"],
        "all": ["lambda: 8.0", "lambda: C", "lambda: PER"],
        "scope": ["lambda: 8.0"],
    }
    return [
        [f"changed({sync!r}, {aggregation!r}, {where!r}, {as_function}, {op!r}, {value})"]
        for sync in SYNCS
        for aggregation in AGGREGATIONS
        for where, choices in given.items()
        for value in choices
        for op in ("assign", "assign_add", "assign_sub")
        for as_function in (False, True)
    ]


def scatters() -> list[list[str]]:
    """IndexedSlices into variables."""
    ops = ("add", "sub", "mul", "div", "min", "max", "update")
    return [
        [f"scattered({sync!r}, {aggregation!r}, {where!r}, {as_function}, 'scatter_{op}')"]
        for sync in SYNCS[1:]
        for aggregation in AGGREGATIONS
        for where in ("replica", "all")
        for op in ops
        for as_function in (False, True)
    ]


def variables() -> list[list[str]]:
    """The rest of section 8.3."""
    return [
        ["v = made('AUTO', 'NONE', 1.0, name='v')", "v", "str(v)", "v.name", "v.device",
         "[each.name for each in v.values]", "[each.device for each in v.values]",
         "(v.synchronization.name, v.aggregation.name, v.trainable, v.dtype.name, v.shape)",
         "isinstance(v, tf.Variable), isinstance(v, tf.distribute.DistributedValues)",
         "v.handle.dtype", "hash(v)", "v == v",
         "v.numpy(), v.value().numpy(), v.read_value().numpy()"],
        ["v = made('ON_READ', 'SUM', 1.0, name='v')", "v", "v.trainable", "v.numpy()",
         "made('ON_READ', 'SUM', trainable=True).trainable", "v.device"],
        ["cpus3 = None", "v = made('AUTO', 'NONE', lambda: tf.random.uniform([4]))",
         "v.values[0].numpy().tolist() == v.values[1].numpy().tolist()"],
        ["made('NONE', 'NONE', name='n')", "with s.scope(): tf.Variable(1.0, aggregation='SUM')",
         "with s.scope(): tf.Variable(1.0, synchronization='ON_READ')",
         "made('AUTO', 'MEAN', 1)", "made('ON_READ', 'MEAN', 1)", "show(made('AUTO', 'SUM', 1))"],
        ["v = made('AUTO', 'NONE')", "bare(s.run(lambda: v.assign(number())))", "v.numpy()",
         "with tf.device('CPU:1'): found = v.numpy()", "found",
         "with tf.device('CPU:1'): found = (v + 1.0).numpy()", "found",
         "show(s.run(lambda: v + 1.0))", "show(s.run(lambda: v.read_value()))",
         "with s.scope(): found = v.numpy()", "found"],
        ["v = made('AUTO', 'NONE')", "with s.scope(): v.handle",
         "s.run(lambda: v.handle is v.values[context()._replica_id_in_sync_group].handle)"],
        *[["PER = s.run(number)", f"v = made('{sync}', '{aggregation}')",
           "bare(s.run(lambda: v.assign(PER)))", "values(v)",
           f"v = made('{sync}', '{aggregation}')",
           "bare(s.run(lambda: v.assign_add(PER)))", "values(v)",
           "bare(s.run(lambda x: v.assign(x), args=(PER,)))", "values(v)"]
          for sync in SYNCS[1:] for aggregation in AGGREGATIONS],
        ["v = made('AUTO', 'NONE')", "show(v.assign(8.0))", "show(v.assign_add(1.0))",
         "v.assign(8.0, read_value=False)", "values(v)"],
        ["v = made('AUTO', 'NONE')", "PER = s.run(number)",
         "show(s.extended.update(v, lambda a, b: a.assign(b), args=(PER,)))", "values(v)",
         "s.extended.update(v, lambda a: (a.name, a.device), group=False)",
         "show(s.run(lambda: s.extended.update(v, lambda a, b: a.assign_add("
         "b), args=(number(),))))",
         "values(v)", "s.extended.update(v, lambda a: None)",
         "s.extended.variable_created_in_scope(v)"],
        ["v = made('AUTO', 'NONE')", "w = copy.deepcopy(v)", "values(v.assign(1.0))", "values(w)",
         "type(w).__name__", "[each.name for each in w.values]"],
        ["v = made('AUTO', 'NONE', [1.0, 2.0])", "v[0].numpy()", "len(v.shape)", "(v * 2).numpy()",
         "(2 - v).numpy()", "tf.reduce_sum(v).numpy()", "v.scatter_nd_add([[0]], [1.0])",
         "v.is_initialized().numpy()", "v.constraint",
         "v.get_shape()", "v.count_up_to(3)"],
        ["with s.scope(): v, w = tf.Variable(1.0, name='same'), tf.Variable(2.0, name='same')",
         "v.name, w.name", "[each.name for each in w.values]"],
        ["with s.scope(): v = tf.Variable(1.0)", "v.name, v.values[1].name"],
        ["with s.scope(), tf.name_scope('a'): v = tf.Variable(1.0, name='b')",
         "v.name, v.values[1].name"],
        ["t = tf.distribute.experimental.CentralStorageStrategy(['CPU:0', 'CPU:1'])",
         "with t.scope(): v = tf.Variable(1.0, name='v', aggregation=AGGREGATION.SUM)",
         "with t.scope(): w = tf.Variable(1.0, name='w')", "v", "v.device", "type(v).__name__",
         "t.run(lambda: v.assign_add(number())).numpy()", "v.numpy()",
         "t.run(lambda: w.assign_add(number()))", "w.assign(3.0).numpy()",
         "show(t.run(lambda: v + 1.0))", "t.num_replicas_in_sync"],
        ["t = tf.distribute.OneDeviceStrategy('CPU:1')", "with t.scope(): v = tf.Variable(1.0)",
         "v.device", "t.run(lambda: v.assign_add(1.0)).numpy()",
         "t.run(lambda: tf.constant(1.0).device)", "with t.scope(): d = tf.constant(1.0).device",
         "d"],
    ]  # fmt: skip


PARTS = """
def listed(dataset):
    return [show(s.experimental_local_results(each)) for each in dataset]


def numbers(dataset):
    return [
        [x.numpy().tolist() for x in s.experimental_local_results(each)] for each in dataset
    ]


def shared(rows, batch, drop=False):
    return s.experimental_distribute_dataset(
        tf.data.Dataset.range(rows).batch(batch, drop_remainder=drop)
    )
"""


def cuts() -> list[list[str]]:
    """Section 8.9: every size of a batch and of the last one, for 1, 2, 3 replicas."""
    cases = []
    for count in (1, 2, 3):
        names = ", ".join(repr(f"CPU:{i}") for i in range(count))
        lines = [f"s = mirrored({names})"]
        lines += [
            f"numbers(shared({rows}, {batch}))" for batch in range(1, 8) for rows in range(1, 9)
        ]
        lines += [
            f"shared({rows}, {batch}, {drop}).element_spec"
            for rows, batch in ((6, 6), (6, 4), (7, 3), (1, 1))
            for drop in (False, True)
        ]
        lines += [f"numbers(shared({rows}, 4, True))" for rows in (3, 4, 9)]
        lines += [
            "numbers(s.distribute_datasets_from_function("
            f"lambda c: tf.data.Dataset.range({rows}).batch({batch}, drop_remainder={drop})))"
            for rows in range(1, 8)
            for batch in (1, 2, 3)
            for drop in (False, True)
        ]
        cases.append(lines)
    return cases


def inputs() -> list[list[str]]:
    """The rest of section 8.9."""
    per_replica = "tf.distribute.InputReplicationMode.PER_REPLICA"
    ten = "tf.data.Dataset.range(10 * c.input_pipeline_id, 10 * c.input_pipeline_id + 3)"
    return [
        ["listed(shared(3, 4))", "d = shared(7, 4)", "int(d.cardinality)", "len(d)",
         "d.element_spec", "bool(d)"],
        ["d = shared(3, 4)", "i = iter(d)", "show(next(i))", "attempt(next, i)",
         "i = iter(d)", "show(i.get_next())", "attempt(i.get_next)[0]", "i.element_spec"],
        ["d = shared(3, 4)", "o = iter(d).get_next_as_optional()", "bool(o.has_value())",
         "show(o.get_value())"],
        ["s.experimental_distribute_dataset(tf.data.Dataset.range(3))",
         "s.experimental_distribute_dataset([1])[0]",
         "numbers(s.experimental_distribute_dataset("
         "tf.data.Dataset.from_tensors([[1, 2], [3, 4]])))",
         "s.experimental_distribute_dataset(shared(3, 4)).element_spec"],
        ["d = tf.data.Dataset.from_tensor_slices({'a': [1., 2., 3.], 'b': ([1, 2, 3],)}).batch(3)",
         "d = s.experimental_distribute_dataset(d)", "d.element_spec",
         "[{'a': show(x['a']), 'b': show(x['b'])} for x in d]"],
        ["o = tf.distribute.InputOptions()",
         "(o.experimental_fetch_to_device, o.experimental_replication_mode.name, "
         "o.experimental_place_dataset_on_device, o.experimental_per_replica_buffer_size)",
         "o = tf.distribute.InputOptions(experimental_fetch_to_device=False)",
         "d = s.experimental_distribute_dataset(tf.data.Dataset.range(4).batch(4), o)",
         "listed(d)"],
        [f"o = tf.distribute.InputOptions(experimental_replication_mode={per_replica})",
         "s.experimental_distribute_dataset(tf.data.Dataset.range(4).batch(2), o)",
         f"numbers(s.distribute_datasets_from_function(lambda c: {ten}, o))"],
        ["seen = []",
         "d = s.distribute_datasets_from_function("
         "lambda c: seen.append(c) or tf.data.Dataset.range(4).batch(1))",
         "(c,) = seen", "str(c)",
         "(c.num_input_pipelines, c.input_pipeline_id, c.num_replicas_in_sync)",
         "c.get_per_replica_batch_size(4)", "c.get_per_replica_batch_size(3)", "d.element_spec"],
        ["v = s.experimental_distribute_values_from_function(lambda c: c.replica_id_in_sync_group)",
         "show(v)", "v", "show(s.run(lambda x: x + 1, args=(v,)))",
         "show(s.experimental_distribute_values_from_function("
         "lambda c: {'a': tf.constant(1.0), 'b': c.num_replicas_in_sync}))",
         "s.experimental_distribute_values_from_function(lambda c: str(c))"],
        ["i = iter(shared(3, 4))",
         "f = tf.function(lambda it: s.run(lambda x: x * 2, (next(it),)))",
         "bare(f(i))", "attempt(f, i)[0]"],
        ["[p.name + str(p.value) for p in tf.data.experimental.AutoShardPolicy]"],
        ["t = tf.distribute.OneDeviceStrategy('CPU:1')",
         "d = t.experimental_distribute_dataset(tf.data.Dataset.range(3).batch(2))",
         "show(list(d))"],
    ]  # fmt: skip
