"""Random numbers: those of a seed are TensorFlow's own."""

from . import Case, loose, shape_only

_FLOATS = ("float16", "bfloat16", "float32", "float64")
_INTS = ("int32", "int64")
_SEEDS = ("[1, 2]", "[0, 0]", "[-3, 7]", "np.array([2**40, -5])", "tf.constant([5, 6])")
_ROUND = "the logarithm and sine of another library"
_SHAPES = ("[]", "[1]", "[7]", "[2, 3]", "[0]", "[3, 0]")


def _after(seed: int, calls: str) -> str:
    """What calls answer after a global seed."""
    return f"[tf.random.set_seed({seed}), {calls}][1:]"


UNIFORM = [
    *[f"tf.random.stateless_uniform([9], seed={seed})" for seed in _SEEDS],
    *[f"tf.random.stateless_uniform({shape}, [3, 4], dtype=tf.{dtype})"
      for dtype in _FLOATS for shape in _SHAPES],
    *[f"tf.random.stateless_uniform([9], [3, 4], minval={low}, maxval={high}, dtype=tf.{dtype})"
      for dtype in _INTS for low, high in ((0, 10), (-5, 6), (-(2**31), 2**31 - 1), (3, 4))],
    "tf.random.stateless_uniform([9], [3, 4], minval=-2**63, maxval=2**63-1, dtype=tf.int64)",
    "tf.random.stateless_uniform([9], [3, 4], minval=-2**62, maxval=2**62+5, dtype=tf.int64)",
    *[f"tf.random.stateless_uniform([5], [3, 4], None, None, tf.{dtype})"
      for dtype in (*_INTS, "uint32", "uint64")],
    "tf.random.stateless_uniform([2, 2], [1, 2], [1.0, 2.0], [3.0, 5.0])",
    "tf.random.stateless_uniform([4], [1, 2], -3.0, 3.0)",
    "tf.random.stateless_uniform([4], [1, 2], maxval=3, dtype=tf.float64)",
    "tf.random.stateless_uniform([4], [1, 2], alg='philox')",
    "tf.random.stateless_uniform(tf.constant([2, 2]), [1, 2])",
    "tf.reduce_mean(tf.random.stateless_uniform([20000], [1, 2]))",
    "tf.random.stateless_uniform([3], [1, 2, 3])", "tf.random.stateless_uniform([3], [1.0, 2.0])",
    "tf.random.stateless_uniform([3], 1)", "tf.random.stateless_uniform([-3], [1, 2])",
    "tf.random.stateless_uniform([3], [1, 2], dtype=tf.int32)",
    "tf.random.stateless_uniform([3], [1, 2], 5, 5, dtype=tf.int32)",
    "tf.random.stateless_uniform([3], [1, 2], maxval=3, dtype=tf.int8)",
    "tf.random.stateless_uniform([3], [1, 2], maxval=3, dtype=tf.uint32)",
    "tf.random.stateless_uniform([3], [1, 2], None, 3)",
    "tf.random.stateless_uniform([3], [1, 2], alg='foo')",
    "tf.random.stateless_uniform([3], [1, 2], alg='threefry')",
    *[f"tf.random.split({args})" for args in (
        "[1, 2], 3", "[1, 2]", "tf.constant([1, 2], tf.int64), 2", "[1, 2, 3]", "[1, 2], -1",
        "[1, 2], tf.constant(2)", "[1, 2], 0")],
    "tf.random.fold_in([1, 2], 7)", "tf.random.fold_in([1, 2], tf.constant(7, tf.int64))",
    "tf.random.experimental.stateless_fold_in([1, 2], 9)",
    "tf.random.experimental.stateless_split([1, 2], 2)",
    *[f"tf.random.experimental.stateless_shuffle({x}, [1, 2])" for x in (
        "tf.range(8)", "f32(5, 2)", "tf.range(1)", "tf.range(50)", "tf.constant(['a', 'b', 'c'])",
        "c64(3)")],
    *[f"tf.random.stateless_categorical({args})" for args in (
        "[[0.1, 0.2, 0.7]], 5, [1, 2]", "f32(1, 4), 9, [3, 4]", "f64(1, 4), 9, [3, 4]",
        "[1.0, 2.0], 3, [1, 2]", "[[1.0, 2.0]], -1, [1, 2]", "f32(1, 3), 4, [1, 2], dtype=tf.int32",
        "[[0.1, 0.2, 0.7], [1.0, 2.0, 3.0]], 5, [1, 2]", "f32(2, 3), 0, [1, 2]",
        "[[0.0, -np.inf, 0.0]], 9, [5, 6]", "bf16(1, 3), 4, [1, 2]")],
]  # fmt: skip

NORMAL = [
    *[f"tf.random.stateless_{name}({shape}, [3, 4], dtype=tf.{dtype})"
      for name in ("normal", "truncated_normal") for dtype in _FLOATS for shape in _SHAPES],
    *[f"tf.random.stateless_{name}([9], seed={seed})"
      for name in ("normal", "truncated_normal") for seed in _SEEDS],
    *[f"tf.random.stateless_{name}([300], [8, 9], dtype=tf.{dtype})"
      for name in ("normal", "truncated_normal") for dtype in ("float32", "float64")],
    "tf.random.stateless_normal([2, 2], [1, 2], [1.0, 2.0], 3.0)",
    "tf.random.stateless_truncated_normal([3], [1, 2], 5.0, 0.1)",
    "tf.random.stateless_normal([3], [1, 2], dtype=tf.int32)",
    "tf.random.stateless_truncated_normal([3], [1, 2], dtype=tf.int32)",
]  # fmt: skip

GENERATOR = [
    "tf.random.Generator.from_seed(5).state", "tf.random.Generator.from_seed(-1).state",
    "tf.random.Generator.from_seed(2**70).state", "tf.random.Generator.from_seed([1, 2, 3]).state",
    "tf.random.Generator.from_key_counter(1, [2, 3], 'philox').state",
    "tf.random.Generator.from_state([1, 2, 3], 'philox').normal([3])",
    "tf.random.Generator.from_state([1, 2], 'philox')",
    "tf.random.Generator.from_state([2**63 - 1, 2, 3], 1).normal([3])",
    "tf.random.Generator.from_state([-1, 2, 3], 1).uniform([9])",
    "tf.random.Generator.from_state([-1, -1, 3], 1).uniform([9])",
    "tf.random.Generator.from_seed(5, alg='foo')", "tf.random.Generator.from_seed(5).algorithm",
    "tf.random.Generator.from_seed(5, alg='threefry').normal([3])",
    "tf.random.Generator(copy_from=tf.random.Generator.from_seed(5)).state",
    "tf.random.create_rng_state(5, 'philox')", "tf.random.create_rng_state([5, 6], 'threefry')",
    "tf.random.create_rng_state(-1, 1)",
    *[f"(lambda g: [{calls}])(tf.random.Generator.from_seed(5))" for calls in (
        "g.normal([3]), g.state.numpy(), g.uniform([3]), g.state.numpy(), g.truncated_normal([2]), "
        "g.state.numpy(), g.uniform([2], maxval=9, dtype=tf.int32), g.uniform_full_int([2])",
        "g.make_seeds(2), g.state.numpy(), g.key, g.skip(3), g.state.numpy(), g.normal([])",
        "g.reset_from_seed(7), g.state.numpy(), g.reset([1, 2, 3]), g.state.numpy(), "
        "g.reset_from_key_counter(1, [2, 3]), g.state.numpy()",
        "[x.state for x in g.split(3)], g.state.numpy()", "g.uniform([2], dtype=tf.int32)",
        "g.uniform([2], minval=3, maxval=3, dtype=tf.int32)",
        "g.uniform([2], minval=None, dtype=tf.int64)",
        "g.uniform_full_int([2], dtype=tf.float32)", "g.uniform_full_int([2], dtype=tf.int32)",
        "g.normal([2], 5.0, 2.0, tf.float64)", "g.uniform([2], 1.0, 2.0, tf.float16)",
    )],
]  # fmt: skip

STATEFUL = [
    _after(3, "tf.random.uniform([3]), tf.random.uniform([3]), tf.random.uniform([3], seed=4), "
              "tf.random.uniform([3], seed=4)"),
    _after(3, "tf.random.normal([3]), tf.random.normal([3], seed=4), tf.random.normal([2])"),
    _after(0, "tf.random.normal([3], seed=0), tf.random.uniform([3], seed=0)"),
    _after(7, "tf.random.shuffle(tf.range(6)), tf.random.shuffle(tf.range(6), seed=1), "
              "tf.random.shuffle(tf.range(6), seed=1)"),
    _after(7, "tf.random.truncated_normal([3], seed=1), tf.random.truncated_normal([3], seed=1), "
              "tf.random.truncated_normal([3], 1.0, 2.0)"),
    _after(7, "tf.random.uniform([3], maxval=10, dtype=tf.int32, seed=1), "
              "tf.random.uniform([5], maxval=10, dtype=tf.int32, seed=1), "
              "tf.random.uniform([5], -5, 10, dtype=tf.int64)"),
    _after(7, "tf.random.categorical([[1.0, 2.0, 3.0]], 4), "
              "tf.random.categorical([[1.0, 2.0, 3.0]], 4, seed=1)"),
    _after(2**40, "tf.random.uniform([3], seed=5), tf.random.uniform([3], seed=2**33)"),
    _after(9, "tf.random.uniform([3], seed=5, dtype=tf.float64), tf.random.uniform([3], seed=5)"),
    _after(9, "tf.random.normal([2, 2], seed=5, dtype=tf.bfloat16)"),
    "tf.random.uniform([2], maxval=None, dtype=tf.int32)", "tf.random.uniform([2], dtype=tf.bool)",
    "tf.random.uniform([2], 5, 5, dtype=tf.int32)", "tf.random.uniform([2], maxval=5, dtype=tf.int8)",  # noqa: E501
    "tf.random.categorical([1.0, 2.0], 3)", "tf.random.categorical([[1.0, 2.0]], -1)",
    "tf.random.categorical([[]], 1)", "tf.random.shuffle(5)", "tf.random.shuffle([])",
    "tf.random.normal([2], dtype=tf.int32)", "tf.random.truncated_normal([2], dtype=tf.int32)",
    "tf.random.uniform([-2])",
]  # fmt: skip

SHAPES = [
    shape_only(each)
    for each in (
        *[f"tf.random.uniform({shape}, dtype=tf.{dtype})" for shape in _SHAPES for dtype in _FLOATS],  # noqa: E501
        *[f"tf.random.normal({shape})" for shape in _SHAPES],
        *[f"tf.random.truncated_normal({shape})" for shape in _SHAPES],
        "tf.random.uniform([4], maxval=10, dtype=tf.int64)", "tf.random.shuffle(f32(4, 2))",
        "tf.random.categorical(f32(2, 3), 5)", "tf.random.categorical(f32(2, 3), 5, dtype=tf.int32)",  # noqa: E501
        "tf.random.gamma([2], 1.0)", "tf.random.gamma([2], [1.0, 2.0, 3.0])",
        "tf.random.gamma([], [1.0, 2.0], beta=[[1.0], [2.0]])", "tf.random.gamma([2], 1.0, dtype=tf.float64)",  # noqa: E501
        "tf.random.gamma([2], 1.0, dtype=tf.int32)",
        "tf.random.poisson([2], [1.0, 2.0])", "tf.random.poisson([], 3.0, dtype=tf.int32)",
        "tf.random.stateless_gamma([5], [1, 2], 0.5)", "tf.random.stateless_gamma([3, 2], [1, 2], [1.0, 2.0])",  # noqa: E501
        "tf.random.stateless_gamma([5], [1, 2], [1.0, 2.0])",
        "tf.random.stateless_gamma([3, 2], [1, 2], [0.0, -1.0])",
        "tf.random.stateless_gamma([2], [1, 2], 1.0, 2.0, dtype=tf.float64)",
        "tf.random.stateless_poisson([5], [1, 2], 2.0)", "tf.random.stateless_poisson([5], [1, 2], [1.0, 2.0])",  # noqa: E501
        "tf.random.stateless_poisson([5, 2], [1, 2], [1.0, 20.0], dtype=tf.float32)",
        "tf.random.stateless_binomial([5], [1, 2], 10, 0.3)",
        "tf.random.stateless_binomial([5, 2], [1, 2], [1.0, 9.0], 0.3, output_dtype=tf.float32)",
        "tf.random.stateless_binomial([5], [1, 2], [1.0, 2.0], 0.5)",
        "tf.random.stateless_parameterized_truncated_normal([5], [1, 2])",
        "tf.random.stateless_parameterized_truncated_normal([2], [1, 2], [0.0, 1.0])",
        "tf.random.stateless_parameterized_truncated_normal([2], [1, 2], minvals=3.0, maxvals=1.0)",
        "tf.random.Generator.from_seed(5).binomial([2], 5.0, 0.3)",
        "tf.random.get_global_generator().normal([3])",
    )
]  # fmt: skip

CASES: list[str | Case] = [
    *UNIFORM, *[loose(each, 1e-5, _ROUND) if "16" not in each and "64" not in each else each
                for each in NORMAL], *GENERATOR, *STATEFUL, *SHAPES,
    "tf.raw_ops.StatelessRandomGetKeyCounter(seed=[1, 2])",
    "tf.raw_ops.StatelessRandomGetKeyCounter(seed=tf.constant([-5, 2**40], tf.int64))",
    "tf.raw_ops.StatelessRandomGetKeyCounter(seed=[1, 2, 3])",
    *[f"tf.random.experimental.index_shuffle({call})" for call in (
        "tf.range(20), [5, 8], 19", "0, [1, 2], 0", "tf.range(3), tf.constant([5, -9]), 2",
        "tf.constant([0, 1, 65534, 65535], tf.int64), [5, 9], tf.constant(65535, tf.int64)",
        "[0, 1, 65536], [5, 9], 65536", "[0, 1, 65536], [5, 9], 65537",
        "[0, 2**20 - 1], [5, 9], 2**20",
        "tf.constant([0, 1, 2**40], tf.int64), [5, 9], tf.constant(2**40, tf.int64)",
        "tf.constant([0, 2**63, 2**64 - 1], tf.uint64), [5, 9], tf.constant(2**64 - 1, tf.uint64)",
        "tf.constant([1, 2], tf.uint32), tf.constant([2**40 + 5, -9]), tf.constant(7, tf.uint32)",
        "-1, (1, 2), 10", "0, (1, 2), -1", "5, (1, 2), 4", "[1, 2], [[1, 2], [3, 4]], 9",
        "[1, 2], [1, 2, 3], 9",
    )],
    *[f"tf.raw_ops.RandomIndexShuffle({call})" for call in (
        "index=[1, 2, 3], seed=[[5, 3, 1], [1, 2, 1], [1, 3, 1]], max_index=[3, 40, 500]",
        "index=1, seed=[[5, 3, 1], [1, 2, 1], [1, 3, 1]], max_index=[3, 40, 500]",
        "index=1, seed=[1, 2, 1], max_index=[3, 40, 500]",
        "index=1, seed=[[5, 3, 1]], max_index=3", "index=1, seed=[1, 2, 1], max_index=9, rounds=12",
        "index=tf.range(9), seed=[1, 2, 1], max_index=99, rounds=40",
        "index=1, seed=[1, 2], max_index=9", "index=[[1, 2]], seed=[1, 2, 3], max_index=9",
        "index=[1, 2], seed=[1, 2, 4], max_index=[9, 9, 9]",
        "index=[1, 1], seed=[[1, 2, 4]], max_index=9",
        "index=tf.zeros([0], tf.int32), seed=[1, 2, 4], max_index=9",
        "index=[3, 1, -1, 12], seed=[1, 2, 4], max_index=[9, 9, 9, 9]",
        "index=tf.constant([1], tf.int64), seed=[1, 2, 4], max_index=tf.constant(9)",
    )],
]  # fmt: skip

# No numbers between two ends, where none is wanted.
CASES += [
    "tf.random.uniform([0], 0, 0, dtype=tf.int32)",
    "tf.random.uniform([2, 0], 3, 1, dtype=tf.int64, seed=1)",
    "tf.random.stateless_uniform([0], [1, 2], 0, 0, dtype=tf.int32)",
    "tf.random.stateless_uniform([2], [1, 2], 0, 0, dtype=tf.int32)",
]
