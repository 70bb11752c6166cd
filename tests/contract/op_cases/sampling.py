"""Cases of `ops/sampling/`. Seeds are set anew in each, which lets TensorFlow's ops begin anew."""

from __future__ import annotations

_TRUE = "np.int64([[0], [3]])"
_TWO = "np.int64([[0, 3], [3, 7]])"
_WEIGHTS = "unigrams=[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0]"
_BOTH = (True, False)
_LABELS = "np.int64([[1], [2], [7]])"
_SAMPLERS = ["uniform", "log_uniform", "learned_unigram"]
_HITS = "tf.nn.compute_accidental_hits"


def _run(call: str, seed: int = 1) -> str:
    return f"run(tf.random.set_seed({seed}), tf.random.{call})"


def _raw(op: str, arguments: str) -> str:
    return f"run(tf.random.set_seed(1), tf.raw_ops.{op}({arguments}))"


def _samplers() -> list[str]:
    cases = []
    for name in _SAMPLERS:
        call = f"{name}_candidate_sampler"
        for unique in _BOTH:
            cases += [
                _run(f"{call}({_TRUE}, 1, 5, {unique}, 10, seed=3)"),
                _run(f"{call}({_TWO}, 2, 7, {unique}, 8)", 5),
                _run(f"{call}({_TWO}, 2, 40, {unique}, 1000, seed=7)"),
                _run(f"{call}({_TRUE}, 1, 11, {unique}, 10, seed=3)"),
            ]
        cases += [
            _run(f"{call}({_TRUE}, 1, 10, True, 10, seed=4)"),
            _run(f"{call}({_TRUE}, 2, 5, False, 10)"),
            _run(f"{call}({_TRUE}[0], 1, 5, False, 10)"),
            _run(f"{call}({_TRUE}, 1, 5, False, 2)"),
            _run(f"{call}({_TRUE}, 1, 0, False, 10)"),
            _run(f"{call}({_TRUE}, 1, 5, False, 0)"),
            _run(f"{call}({_TRUE} * 0 - 1, 1, 5, False, 10)"),
            _run(f"{call}([[0], [3]], 1, 3, False, 4, seed=2)"),
            _run(f"{call}(tf.constant([[0]]), 1, 3, False, 4)"),
        ]
    first = "tf.random.learned_unigram_candidate_sampler([[2], [2]], 1, 9, False, 3, seed=3)"
    cases += [f"run(tf.random.set_seed(1), [{first}, {first}, {first}])"]
    second = "tf.random.uniform_candidate_sampler([[2]], 1, 5, False, 100, seed=3)"
    cases += [f"run(tf.random.set_seed(1), [{second}, {second}])"]
    return cases


def _fixed() -> list[str]:
    call = "fixed_unigram_candidate_sampler"
    return [
        *[_run(f"{call}({_TRUE}, 1, 5, {unique}, 10, {_WEIGHTS}, seed=3)") for unique in _BOTH],
        _run(f"{call}({_TWO}, 2, 60, False, 10, {_WEIGHTS}, distortion=0.75)", 9),
        _run(f"{call}({_TRUE}, 1, 6, False, 12, {_WEIGHTS}, num_reserved_ids=2, seed=1)"),
        _run(f"{call}([[1]], 1, 6, False, 5, {_WEIGHTS}, num_shards=2, shard=1, seed=1)"),
        _run(f"{call}([[1]], 1, 6, False, 6, {_WEIGHTS}, num_shards=2, num_reserved_ids=2)"),
        _run(f"{call}({_TRUE}, 1, 5, False, 10, seed=3)"),
        _run(f"{call}({_TRUE}, 1, 5, False, 10, unigrams=[1.0, 2.0])"),
        _run(f"{call}({_TRUE}, 1, 5, False, 10, unigrams=[1.0], vocab_file='words')"),
        _run(f"{call}({_TRUE}, 1, 5, False, 10, vocab_file='no/such/file')"),
        _run(f"{call}({_TRUE}, 1, 11, True, 10, {_WEIGHTS})"),
        _run(f"{call}({_TRUE} + 9, 1, 5, False, 10, {_WEIGHTS})"),
        _run(f"{call}({_TRUE}, 2, 5, False, 10, {_WEIGHTS})"),
        _run(f"all_candidate_sampler({_TRUE}, 1, 5, True)"),
        _run(f"all_candidate_sampler({_TRUE}, 1, 3, True)"),
        _run(f"all_candidate_sampler({_TRUE}, 2, 5, False)"),
    ]


_SIZES = f"true_classes={_TRUE}, num_true=1, num_sampled=6, unique=False"
_RAW = [
    *[
        _raw(f"{name}CandidateSampler", f"{_SIZES}, range_max=50, seed=3, seed2=7")
        for name in ("Uniform", "LogUniform", "LearnedUnigram", "ThreadUnsafeUnigram")
    ],
    _raw("FixedUnigramCandidateSampler", f"{_SIZES}, range_max=10, {_WEIGHTS}, seed=3, seed2=7"),
    _raw("AllCandidateSampler", _SIZES),
]

_W, _B, _X = "f32(10, 4)", "f32(10)", "f32(3, 4)"
_ONE = "(np.int64([3, 1, 7, 4]), np.float32([[0.5], [0.2], [0.3]]), np.float32([0.1, 0.2, 0.3, 1]))"
_PAIR = "(np.int64([3, 1, 7, 4]), np.float32([[0.5, 0.1]] * 3), np.float32([0.1, 0.2, 0.3, 1]))"


def _losses() -> list[str]:
    cases = []
    for module in ("tf.nn", "tf.compat.v1.nn"):
        for name in ("nce_loss", "sampled_softmax_loss"):
            call = f"{module}.{name}"
            one = f"num_sampled=4, num_classes=10, sampled_values={_ONE}"
            start = f"weights={_W}, biases={_B}"
            parts = "weights=[tf.constant(f32(5, 4)), tf.constant(f32(5, 4))], biases=f32(10)"
            true = f"labels={_LABELS}"
            cases += [
                *[
                    f"{call}({start}, {true}, inputs={_X}, {one}, remove_accidental_hits={remove})"
                    for remove in (True, False)
                ],
                f"{call}({start}, labels=np.int32([[1], [2], [7]]), inputs={_X}, {one})",
                f"{call}({start}, labels=np.float32([[1], [2], [7]]), inputs={_X}, {one})",
                f"{call}({start}, labels=np.int64([[1, 3], [2, 3], [7, 0]]), inputs={_X}, "
                f"num_sampled=4, num_classes=10, sampled_values={_PAIR}, num_true=2)",
                f"{call}({parts}, {true}, inputs={_X}, {one})",
                f"run(tf.random.set_seed(3), {call}({_W}, {_B}, {_LABELS}, {_X}, 4, 10))",
                f"{call}({_W}, {_B}, np.int64([1, 2, 7]), {_X}, 4, 10)",
                f"{call}({_W}, {_B}, {_LABELS}, {_X}, 4, 10, num_true=2)",
                f"{call}({_W}, {_B}, {_LABELS}, {_X}, 40, 10)",
                f"gradient(lambda w, b, x: {call}(w, b, {_LABELS}, x, {one}), {_W}, {_B}, {_X})",
            ]
    cases += [
        f"tf.compat.v1.nn.nce_loss({parts}, {true}, inputs={_X}, {one}, partition_strategy='div')",
        f"tf.compat.v1.nn.nce_loss({parts}, {true}, inputs={_X}, {one}, partition_strategy='no')",
        f"run(tf.random.set_seed(3), tf.nn.sampled_softmax_loss({_W}, {_B}, {_LABELS}, "
        f"{_X}, 4, 10, seed=7))",
        "tf.compat.v1.nn.embedding_lookup([tf.constant(f32(4, 2)), tf.constant(f32(3, 2))], "
        "[0, 1, 2, 6, 5])",
        "tf.compat.v1.nn.embedding_lookup([tf.constant(f32(2, 2)), tf.constant(f32(2, 2)), "
        "tf.constant(f32(1, 2))], [[0, 1], [3, 4]])",
    ]
    return cases


CASES = [
    *_samplers(),
    *_fixed(),
    *_RAW,
    f"{_HITS}({_TWO}, np.int64([3, 1, 7, 3]), 2)",
    f"{_HITS}({_TRUE}, np.int64([5, 6]), 1)",
    f"{_HITS}({_TRUE}, np.int64([0, 3, 0]), 1)",
    f"{_HITS}({_TRUE}, np.int64([3, 1]), 2)",
    f"{_HITS}({_TRUE}, np.int64([[3, 1]]), 1)",
    f"{_HITS}({_TRUE}[0], np.int64([3, 1]), 1)",
    f"tf.raw_ops.ComputeAccidentalHits(true_classes={_TRUE}, sampled_candidates=[3], num_true=1)",
    *_losses(),
]
