"""Cases of `base/nest.py`: nested structures."""
# ruff: noqa: E501  # a case stands on one line

POINT = "__import__('collections').namedtuple('P', 'x y')"
DATA = "__import__('dataclasses').make_dataclass('D', ['a', 'b'])"

CASES = [
    *[f"tf.nest.flatten({x})" for x in (
        "1", "[1, [2, 3]]", "(1, (2,), [])", "{'b': 2, 'a': 1}", "None", "[None, 1]", "'abc'", "['ab', {'z': 1, 'y': [2]}]",
        "f32(2)", "[f32(2), (f32(1),)]", "{}", "[]", "()", "{2: 'a', 1: 'b'}", "{1: 1, 'a': 2}", "{3, 1}", "b'ab'",
        f"{POINT}(1, [2, 3])", f"{DATA}(1, 2)", "range(3)", "[tf.constant(1), {'k': tf.constant(2)}]",
        "__import__('collections').OrderedDict([('b', 1), ('a', 2)])", "__import__('collections').defaultdict(list, {'b': 1, 'a': [2]})",
        "__import__('collections').deque([1, 2])", "{'a': 1}.keys()", "__import__('types').MappingProxyType({'b': 1, 'a': 2})",
        "tf.TensorShape([1, 2])",
    )],
    *[f"tf.nest.is_nested({x})" for x in (
        "1", "[]", "()", "{}", "'a'", "f32(2)", "tf.constant([1])", "{1, 2}", "None", f"{POINT}(1, 2)", f"{DATA}(1, 2)", "range(2)",
        "__import__('collections').deque([1])",
    )],
    *[f"tf.nest.pack_sequence_as({args})" for args in (
        "[1, (2, 3)], [4, 5, 6]", "{'b': 1, 'a': 2}, [3, 4]", "1, [2]", "1, 2", "[1, 2], [1]", "[1, 2], [1, 2, 3]", "[], []", "[1], 5",
        "(1, None), ['a', 'b']", "1, [1, 2]", "'a', ['b']", "[[]], []", "[1, 2], (3, 4)", "[1], 'a'", "{'a': [1, 2]}, iter([1, 2])",
    )],
    f"list(tf.nest.pack_sequence_as({POINT}(1, [2, 3]), [4, 5, 6]))",
    "list(tf.nest.pack_sequence_as(__import__('collections').OrderedDict([('b', 1), ('a', 2)]), [3, 4]).items())",
    *[f"tf.nest.map_structure({args})" for args in (
        "lambda x: x + 1, [1, (2, {'a': 3})]", "lambda x, y: x + y, [1, 2], [3, 4]", "lambda x, y: x + y, [1, 2], [3]",
        "lambda x, y: x, [1, 2], (3, 4)", "lambda x, y: x, [1, 2], (3, 4), check_types=False", "lambda x, y: x, {'a': 1}, {'b': 1}",
        "lambda x: x, []", "lambda x: x", "5, [1]", "lambda x: None, [1]", "lambda x: [x, x], [1, 2]", "lambda x: x, None",
        "lambda x, y: x, [1, [2]], [1, 2]", "lambda x: x, [1], wrong=1",
        "lambda x, y: x + y, {'a': 1, 'b': 2}, __import__('collections').OrderedDict([('b', 10), ('a', 20)])",
    )],
    *[f"tf.nest.assert_same_structure({args})" for args in (
        "[1, 2], [3, 4]", "[1, 2], (3, 4)", "[1, 2], (3, 4), check_types=False", "[1], [1, 2]", "[1, [2]], [1, 2]", "{'a': 1}, {'a': 2}",
        "{'a': 1}, {'b': 2}", "1, 2", "1, [2]", "[], ()", "[], (), False", "{'a': 1}, [1], False", "{'a': 1}, [1]", "None, 1", "f32(2), 1",
        "[f32(2)], [tf.constant(1)]", "'a', 'abc'", "[[]], [[]]", f"{POINT}(1, 2), {POINT}(3, 4)", f"{POINT}(1, 2), (3, 4)",
        f"{POINT}(1, 2), (3, 4), False", "{'a': 1}, __import__('collections').OrderedDict(a=1)", "{'a': [1]}, {'a': 1}",
        "{'a': 1, 'b': 2}, {'a': 1}", "[1, {}], [1, []]",
    )],
    "tf.__internal__.nest.flatten_up_to([1, [2]], ['a', ['b']])",
    "tf.__internal__.nest.flatten_up_to([1, 2], ['a', ['b', 'c']])",
    "tf.__internal__.nest.flatten_up_to([1, [2, 3]], ['a', 'b'])",
    "tf.__internal__.nest.flatten_up_to([1, 2], ['a'])",
    "tf.__internal__.nest.flatten_up_to(1, ['a', 'b'])",
    "tf.__internal__.nest.flatten_up_to([1], ('a',))",
    "tf.__internal__.nest.flatten_up_to([1], ('a',), check_types=False)",
    "tf.__internal__.nest.flatten_up_to({'a': 1}, {'a': [1, 2]})",
    "tf.__internal__.nest.flatten_up_to({'a': 1}, {'b': [1, 2]})",
    "tf.__internal__.nest.map_structure_up_to([1, 2], lambda x: x, ['a', ['b', 'c']])",
    "tf.__internal__.nest.map_structure_up_to([1, 2], lambda x, y: [x, y], [1, [2]], [3, 4])",
    "tf.__internal__.nest.map_structure_up_to([1, 2], lambda x: x)",
    "list(tf.__internal__.nest.yield_flat_paths({'a': [1, 2], 'b': 3}))",
    "tf.__internal__.nest.is_mapping({'a': 1})",
    "tf.__internal__.nest.is_mapping([1])",
    "tf.__internal__.nest.list_to_tuple([1, [2, {'a': [3]}]])",
    *[f"tf.nest.assert_same_structure([1], [1], {flags})" for flags in (
        "check_types=np.ones(2)", "expand_composites=tf.ones(2)", "check_types=None", "'x'", "0",
    )],
]  # fmt: skip
