"""All of `tf.compat.v1.metrics`, with values, labels and weights of many shapes, over two updates.

`tests/oracle/metrics.json.gz` has what TensorFlow 2.21 returned. To record it again, run this file
with the Python of an installed TensorFlow, and pack what it prints with `gzip -9n`.

Left out is what TensorFlow refuses by accident: classes and average precisions of unknown rank.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from tf1_cases import record

CASES: dict[str, Callable[[Any], Any]] = {}
KNOWN, SIZES_UNKNOWN, RANK_UNKNOWN = "known", "sizes unknown", "rank unknown"
HOW = (KNOWN, SIZES_UNKNOWN, RANK_UNKNOWN)


class Sparse:
    """Rows of labels of different lengths, as a sparse tensor has them."""

    def __init__(self, rows: Any, width: int) -> None:
        self.rows, self.width = rows, width

    def parts(self) -> tuple[Any, Any, Any]:
        """Indices, values, shape."""
        found, values = [], []

        def walk(rows: Any, at: tuple[int, ...]) -> tuple[int, ...]:
            if not rows or not isinstance(rows[0], list):
                found.extend([*at, i] for i in range(len(rows)))
                values.extend(rows)
                return ()
            return (len(rows), *[walk(row, (*at, i)) for i, row in enumerate(rows)][-1])

        sizes = (*walk(self.rows, ()), self.width)
        indices = np.array(found, np.int64).reshape(-1, len(sizes))
        return indices, np.array(values, np.int64), np.array(sizes, np.int64)


def fed(tf: Any, each: Any, how: str) -> Any:
    """A placeholder for an argument."""
    if isinstance(each, Sparse):
        return tf.sparse_placeholder(tf.int64, each.parts()[2] if how == KNOWN else None)
    each = np.asarray(each)
    shape = {KNOWN: each.shape, SIZES_UNKNOWN: [None] * each.ndim, RANK_UNKNOWN: None}[how]
    return tf.placeholder(tf.as_dtype(each.dtype), shape)


def given(each: Any) -> Any:
    """What is fed for an argument."""
    return each.parts() if isinstance(each, Sparse) else np.asarray(each)


def first_line(error: Exception) -> str:
    """The first line of an error, without paths."""
    return str(error).split("\n")[0].split(" Originally")[0]


def over_updates(tf: Any, name: str, batches: Any, how: str, options: dict[str, Any]) -> Any:
    """The values of a metric before updates and after each one, its names and its variables."""
    places = {key: fed(tf, each, how) for key, each in batches[0].items()}
    try:
        value, update = getattr(tf.metrics, name)(
            **places, metrics_collections="values", updates_collections=["updates"], **options
        )
    except Exception as error:
        return ["refused", type(error).__name__, first_line(error)]
    assert tf.get_collection("values") == [value]
    assert tf.get_collection("updates") == [update]
    runs: list[Any] = []
    with tf.Session() as session:
        session.run(tf.local_variables_initializer())
        runs.append(session.run(value))
        for batch in batches:
            feeds = {places[key]: given(each) for key, each in batch.items()}
            try:
                runs += [session.run(update, feeds), session.run(value)]
            except Exception as error:
                runs.append(type(error).__name__)
    variables = [[v.name, v.dtype.base_dtype.name, v.shape.as_list()] for v in tf.local_variables()]
    return [[at_five_digits(each) for each in runs], [value.name, update.name],
            [value.dtype.name, update.dtype.name],
            [str(value.shape), str(update.shape)], variables]  # fmt: skip


def at_five_digits(value: Any) -> Any:
    """Numbers as JSON has them."""
    if isinstance(value, str):
        return value
    if isinstance(value, (list, np.ndarray)):
        return [at_five_digits(each) for each in value]
    return "nan" if np.isnan(value) else float(f"{value:.5g}")


def add(metric: str, label: str, batches: Any, how: Any = HOW, **options: Any) -> None:
    """A case for each way in which shapes are known."""
    for each in how:
        CASES[f"{metric}: {label}, {each}"] = lambda tf, each=each: over_updates(
            tf, metric, batches, each, options
        )


def numbers(seed: int, *shape: int) -> Any:
    """Floats in [0, 1) with two digits."""
    return np.random.RandomState(seed).randint(0, 100, shape).astype(np.float32) / 100


def classes(seed: int, count: int, *shape: int) -> Any:
    """Classes from 0 on."""
    return np.random.RandomState(seed).randint(0, count, shape)


WEIGHTS = {
    "a scalar": [()], "each": [(4, 3)], "rows": [(4, 1)], "columns": [(1, 3)],
    "one": [(1, 1)], "one more axis": [(4, 3, 1)], "a missing axis": [(4,)],
    "other columns": [(4, 2)], "two missing axes": [(1,)],
}  # fmt: skip

# -- means -----------------------------------------------------------------------------------------


def pairs(make: Callable[[int], Any], weights: Any = None, labels: Any = None) -> Any:
    """Two batches of labels and predictions."""
    batches = []
    for seed in (1, 2):
        batch = {"labels": make(seed), "predictions": make(seed + 10)}
        if labels is not None:
            batch["labels"] = batch["labels"].reshape(labels)
        if weights is not None:
            batch["weights"] = numbers(seed + 20, *weights)
        batches.append(batch)
    return batches


for label, (shape,) in WEIGHTS.items():
    values = [{"values": numbers(s, 4, 3), "weights": numbers(s + 20, *shape)} for s in (1, 2)]
    add("mean", f"weights: {label}", values)
    add("mean_tensor", f"weights: {label}", values, [KNOWN])
    add("percentage_below", f"weights: {label}", values, [KNOWN, RANK_UNKNOWN], threshold=0.5)
    add("accuracy", f"weights: {label}", pairs(lambda s: classes(s, 2, 4, 3), shape))
    for each in ("mean_absolute_error", "mean_squared_error", "root_mean_squared_error"):
        add(each, f"weights: {label}", pairs(lambda s: numbers(s, 4, 3), shape),
            [KNOWN, RANK_UNKNOWN])  # fmt: skip
    add("mean_relative_error", f"weights: {label}", pairs(lambda s: numbers(s, 4, 3), shape),
        [KNOWN, RANK_UNKNOWN], normalizer=np.ones([4, 3], np.float32) * 2)  # fmt: skip
    add("mean_cosine_distance", f"weights: {label}", pairs(lambda s: numbers(s, 4, 3), shape),
        [KNOWN, SIZES_UNKNOWN], dim=1)  # fmt: skip

add("mean", "whole numbers", [{"values": classes(1, 9, 3)}])
add("mean", "nothing", [{"values": numbers(1, 0)}], [KNOWN])
add("mean_tensor", "an unknown shape", [{"values": numbers(1, 3)}])
add("accuracy", "cast to labels", [{"labels": [1, 2], "predictions": np.float32([1.5, 2.0])}])
add("accuracy", "floats of labels",
    [{"labels": np.float32([1.5, 2.0]), "predictions": [1, 2]}], [KNOWN])  # fmt: skip
add("accuracy", "a column of labels", pairs(lambda s: classes(s, 2, 4), labels=(4, 1)))
add("accuracy", "other sizes", [{"labels": [1, 2, 3], "predictions": [1, 2]}])
add("accuracy", "other ranks", [{"labels": classes(1, 2, 3), "predictions": classes(1, 2, 3, 2)}])
add("accuracy", "a column of predictions",
    [{"labels": classes(1, 2, 4), "predictions": classes(2, 2, 4, 1)}])  # fmt: skip
add("accuracy", "columns and weights",
    [{"labels": classes(1, 2, 4, 1), "predictions": classes(2, 2, 4),
      "weights": numbers(3, 4, 1)}])  # fmt: skip
add("accuracy", "rows and weights",
    [{"labels": classes(1, 2, 4), "predictions": classes(2, 2, 4, 1),
      "weights": numbers(3, 4)}])  # fmt: skip
for each in ("mean_absolute_error", "mean_squared_error", "root_mean_squared_error"):
    add(each, "a column of labels", pairs(lambda s: numbers(s, 4), labels=(4, 1)))
    add(each, "other sizes", [{"labels": numbers(1, 3), "predictions": numbers(1, 2)}])
    add(each, "a column of predictions",
        [{"labels": numbers(1, 3), "predictions": numbers(2, 3, 1)}])  # fmt: skip
    add(each, "whole numbers", pairs(lambda s: classes(s, 5, 4)), [KNOWN])
for each, options in (("mean_absolute_error", {}), ("mean_squared_error", {}),
                      ("mean_relative_error", {"normalizer": [2.0]}),
                      ("mean_cosine_distance", {"dim": 0})):  # fmt: skip
    add(each, "mixed types", [{"labels": [3], "predictions": numbers(1, 1)}], [KNOWN], **options)
    add(each, "bytes", [{"labels": np.uint8([3, 9]), "predictions": np.uint8([5, 2])}], [KNOWN],
        **({"normalizer": [2, 4]} if "normalizer" in options else options))  # fmt: skip
add("mean_relative_error", "doubles", [{"labels": numbers(1, 2).astype(np.float64),
                                        "predictions": numbers(2, 2).astype(np.float64)}],
    [KNOWN], normalizer=[1.0, 2.0])  # fmt: skip
add("percentage_below", "whole numbers", [{"values": classes(1, 9, 5)}], [KNOWN], threshold=4)
add("percentage_below", "a threshold of floats", [{"values": classes(1, 9, 5)}], [KNOWN],
    threshold=4.5)  # fmt: skip
add("mean_relative_error", "by zero", pairs(lambda s: numbers(s, 4)), normalizer=[0.0, 1, 2, 0])
add("mean_relative_error", "a column to divide by", pairs(lambda s: numbers(s, 4)),
    normalizer=[[1.0], [1.0], [2.0], [0.0]])  # fmt: skip
add("mean_relative_error", "a column of labels", pairs(lambda s: numbers(s, 4), labels=(4, 1)),
    normalizer=[1.0, 1, 2, 0])  # fmt: skip
add("mean_relative_error", "other sizes to divide by", pairs(lambda s: numbers(s, 4)),
    normalizer=[1.0, 2.0])  # fmt: skip
for dim in (0, -1, 2, 3):
    add("mean_cosine_distance", f"along {dim}", pairs(lambda s: numbers(s, 2, 3, 2)), dim=dim)
add("mean_cosine_distance", "weights of what is left", pairs(lambda s: numbers(s, 4, 3), (4, 1)),
    [KNOWN], dim=0)  # fmt: skip
add("mean_cosine_distance", "weights of vectors", pairs(lambda s: numbers(s, 2, 3, 2), (2, 3)),
    [KNOWN, SIZES_UNKNOWN], dim=2)  # fmt: skip
add("mean_cosine_distance", "other sizes",
    [{"labels": numbers(1, 4, 3), "predictions": numbers(1, 4, 2)}], dim=1)  # fmt: skip
add("mean_cosine_distance", "whole numbers", pairs(lambda s: classes(s, 5, 4, 2)), [KNOWN], dim=1)
add("mean_cosine_distance", "another name", pairs(lambda s: numbers(s, 4, 2)), [KNOWN], dim=1,
    name="mine")  # fmt: skip

# -- counts ----------------------------------------------------------------------------------------

COUNTS = ("true_positives", "true_negatives", "false_positives", "false_negatives")
for each in (*COUNTS, "precision", "recall"):
    for label, (shape,) in WEIGHTS.items():
        add(each, f"weights: {label}", pairs(lambda s: classes(s, 2, 4, 3), shape),
            [KNOWN, RANK_UNKNOWN])  # fmt: skip
    add(each, "a column of labels", pairs(lambda s: classes(s, 2, 4), labels=(4, 1)))
    add(each, "a column of predictions",
        [{"labels": classes(1, 2, 3), "predictions": classes(2, 2, 3, 1)}])  # fmt: skip
    add(each, "numbers", [{"labels": [0, 2, -1, 1], "predictions": np.float32([0.5, 0, 0.1, 1])}])
    add(each, "other sizes", [{"labels": [1, 0, 1], "predictions": [1, 0]}])
    add(each, "nothing", [{"labels": [0, 0], "predictions": [0, 0]}], [KNOWN])
    add(each, "another name", [{"labels": [0, 1], "predictions": [1, 1]}], [KNOWN], name="mine")

# -- thresholds ------------------------------------------------------------------------------------


def likelihoods(weights: Any = None, *shape: int) -> Any:
    """Two batches of truths and likelihoods."""
    shape = shape or (4, 3)
    batches = []
    for seed in (1, 2):
        batch = {"labels": classes(seed, 2, *shape), "predictions": numbers(seed + 10, *shape)}
        if weights is not None:
            batch["weights"] = numbers(seed + 20, *weights)
        batches.append(batch)
    return batches


AT = (
    "precision_at_thresholds",
    "recall_at_thresholds",
    *[f"{each}_at_thresholds" for each in COUNTS],
)
for each in AT:
    for label, (shape,) in WEIGHTS.items():
        add(each, f"weights: {label}", likelihoods(shape), [KNOWN, RANK_UNKNOWN],
            thresholds=[0.25, 0.5, 0.85])  # fmt: skip
    add(each, "extremes", likelihoods(), [KNOWN], thresholds=[-1.0, 0.0, 1.0, 2.0])
    add(each, "above 1", [{"labels": [1], "predictions": np.float32([1.5])}], [KNOWN],
        thresholds=[0.5])  # fmt: skip
    add(each, "below 0", [{"labels": [1], "predictions": np.float32([-0.5])}], [KNOWN],
        thresholds=[0.5])  # fmt: skip
    add(each, "other sizes", [{"labels": [1, 0, 1], "predictions": numbers(1, 2)}],
        thresholds=[0.5])  # fmt: skip
    add(each, "a column of labels",
        [{"labels": classes(1, 2, 3, 1), "predictions": numbers(1, 3)}],
        thresholds=[0.5])  # fmt: skip
    add(each, "a column of predictions",
        [{"labels": classes(1, 2, 3), "predictions": numbers(1, 3, 1)}],
        thresholds=[0.5])  # fmt: skip
    add(each, "no thresholds", likelihoods(), [KNOWN], thresholds=[])
    add(each, "another name", likelihoods(), [KNOWN], thresholds=(0.5,), name="mine")

for curve in ("ROC", "PR"):
    for way in ("trapezoidal", "careful_interpolation", "minoring", "majoring"):
        options = {"curve": curve, "summation_method": way}
        add("auc", f"{curve} {way}", likelihoods(), num_thresholds=9, **options)
        add("auc", f"{curve} {way}, 200", likelihoods((4, 1)), [KNOWN], **options)
        add("auc", f"{curve} {way}, given", likelihoods((4, 3)), [KNOWN],
            thresholds=[0.2, 0.5, 0.7], **options)  # fmt: skip
        add("auc", f"{curve} {way}, all right",
            [{"labels": [1, 0, 1, 0], "predictions": np.float32([1, 0, 1, 0])}], [KNOWN],
            **options)  # fmt: skip
        add("auc", f"{curve} {way}, all wrong",
            [{"labels": [1, 0, 1, 0], "predictions": np.float32([0, 1, 0, 1])}], [KNOWN],
            **options)  # fmt: skip
        add("auc", f"{curve} {way}, only negatives",
            [{"labels": [0, 0], "predictions": np.float32([0, 1])}], [KNOWN],
            **options)  # fmt: skip
        add("auc", f"{curve} {way}, 2 thresholds", likelihoods(), [KNOWN], num_thresholds=2,
            **options)  # fmt: skip
        add("auc", f"{curve} {way}, nothing", likelihoods((), 0), [KNOWN], **options)
    for label, (shape,) in WEIGHTS.items():
        add("auc", f"{curve}, weights: {label}", likelihoods(shape), [KNOWN, RANK_UNKNOWN],
            curve=curve, num_thresholds=5)  # fmt: skip
add("auc", "no such curve", likelihoods(), [KNOWN], curve="RPC")
add("auc", "no such sum", likelihoods(), [KNOWN], summation_method="left")
add("auc", "above 1", [{"labels": [1], "predictions": np.float32([1.5])}], [KNOWN])
add("auc", "one threshold", likelihoods(), [KNOWN], num_thresholds=1)
add("auc", "other sizes", [{"labels": [1, 0, 1], "predictions": numbers(1, 2)}])
for each, wanted in (("sensitivity_at_specificity", "specificity"),
                     ("specificity_at_sensitivity", "sensitivity")):  # fmt: skip
    for at in (0.0, 0.3, 0.5, 0.8, 1.0):
        add(each, f"at {at}", likelihoods(), [KNOWN], **{wanted: at})
        add(each, f"at {at}, 5 thresholds", likelihoods(), num_thresholds=5, **{wanted: at})
    for at in (-0.1, 1.1):
        add(each, f"at {at}", likelihoods(), [KNOWN], **{wanted: at})
    for label, (shape,) in WEIGHTS.items():
        add(each, f"weights: {label}", likelihoods(shape), [KNOWN, RANK_UNKNOWN],
            **{wanted: 0.6})  # fmt: skip
    add(each, "all right", [{"labels": [1, 0, 1, 0], "predictions": np.float32([1, 0, 1, 0])}],
        [KNOWN], **{wanted: 0.7})  # fmt: skip
    add(each, "nothing", likelihoods((), 0), [KNOWN], **{wanted: 0.7})
    add(each, "above 1", [{"labels": [1], "predictions": np.float32([1.5])}], [KNOWN],
        **{wanted: 0.7})  # fmt: skip
    add(each, "one threshold", likelihoods(), [KNOWN], num_thresholds=1, **{wanted: 0.5})
    add(each, "another name", likelihoods(), [KNOWN], name="mine", **{wanted: 0.5})

# -- classes ---------------------------------------------------------------------------------------

RANKED = (KNOWN, SIZES_UNKNOWN)
for each in ("mean_iou", "mean_per_class_accuracy"):
    for count in (3, 5):
        add(each, f"{count} classes", pairs(lambda s: classes(s, 3, 6)), RANKED, num_classes=count)
    for label, (shape,) in WEIGHTS.items():
        add(each, f"weights: {label}", pairs(lambda s: classes(s, 3, 4, 3), shape),
            RANKED, num_classes=4)  # fmt: skip
    for label, shape in (("a vector", (6,)), ("a scalar", ()), ("one", (1,)), ("a column", (6, 1)),
                         ("too few", (5,))):  # fmt: skip
        add(each, f"of a vector, weights: {label}", pairs(lambda s: classes(s, 3, 6), shape),
            RANKED, num_classes=3)  # fmt: skip
    add(each, "zero weights", [{**b, "weights": np.zeros(6, np.float32)}
                               for b in pairs(lambda s: classes(s, 3, 6))], [KNOWN],
        num_classes=3)  # fmt: skip
    add(each, "labels too high", [{"labels": [0, 3], "predictions": [0, 1]}], [KNOWN],
        num_classes=3)  # fmt: skip
    add(each, "predictions too high", [{"labels": [0, 1], "predictions": [0, 3]}], [KNOWN],
        num_classes=3)  # fmt: skip
    add(each, "negative labels", [{"labels": [0, -1], "predictions": [0, 1]}], [KNOWN],
        num_classes=3)  # fmt: skip
    add(each, "negative predictions", [{"labels": [0, 1], "predictions": [0, -1]}], [KNOWN],
        num_classes=3)  # fmt: skip
    add(each, "other sizes", [{"labels": [0, 1, 2], "predictions": [0, 1]}], RANKED,
        num_classes=3)  # fmt: skip
    add(each, "floats", [{"labels": np.float32([0, 1.5]), "predictions": np.float32([0.9, 1])}],
        [KNOWN], num_classes=3)  # fmt: skip
    add(each, "a column of labels", pairs(lambda s: classes(s, 3, 4), labels=(4, 1)),
        RANKED, num_classes=3)  # fmt: skip
    add(each, "another name", pairs(lambda s: classes(s, 3, 6)), [KNOWN], num_classes=3,
        name="mine")  # fmt: skip

# -- the best k ------------------------------------------------------------------------------------

ROWS = Sparse([[1, 3], [0], []], 2)
OUT = Sparse([[1, 7, -1], [0, 4], [9]], 3)
DEEP = Sparse([[[1], [2, 3], []], [[0, 1, 4], [4], [3]]], 3)
SHARED = {
    "one label": ({"labels": classes(1, 5, 3)}, {"labels": classes(2, 5, 3)}),
    "a column": ({"labels": classes(1, 5, 3, 1)},),
    "two labels": ({"labels": np.int64([[0, 3], [1, 2], [4, 0]])},),
    "repeated labels": ({"labels": np.int64([[0, 0], [1, 1], [4, 0]])},),
    "rows": ({"labels": ROWS}, {"labels": Sparse([[2], [2, 4], [1]], 2)}),
    "labels out of range": ({"labels": OUT},),
    "dense labels out of range": ({"labels": np.int64([[1, 7, -1], [0, 4, -1], [9, -1, -1]])},),
    "no labels": ({"labels": Sparse([[], [], []], 2)},),
    "other rows": ({"labels": classes(1, 5, 2, 1)},),
    "int32 labels": ({"labels": classes(1, 5, 3, 2).astype(np.int32)},),
    "float labels": ({"labels": np.float32([[1.0], [2.0], [3.0]])},),
    "a scalar": ({"labels": np.int64(1)},),
}  # fmt: skip
BEST = {
    False: ("precision_at_k", "recall_at_k", "average_precision_at_k", "sparse_precision_at_k",
            "sparse_average_precision_at_k"),
    True: ("precision_at_top_k", "recall_at_top_k"),
}  # fmt: skip


def ranked(top: bool, seed: int, *shape: int) -> dict[str, Any]:
    """Scores of 5 classes, or the best 2 of them."""
    scores = np.random.RandomState(seed).permutation(int(np.prod(shape)) * 5)
    scores = scores.reshape(*shape, 5).astype(np.float32)
    return {"predictions_idx": np.argsort(-scores)[..., :2]} if top else {"predictions": scores}


for top, those in BEST.items():
    for each in those:
        how = RANKED if "average" in each else HOW
        averaged, few = "average" in each, each.startswith("sparse")
        for label, batches in SHARED.items():
            made = [{**batch, **ranked(top, i + 5, 3)} for i, batch in enumerate(batches)]
            for k in (2,) if top or few else (1, 2, 5):
                add(each, f"{label}, k={k}", made, how if k == 2 else [KNOWN], k=k)
            if not averaged and label != "other rows":
                for class_id in (1, 7):
                    add(each, f"{label}, class {class_id}", made, [KNOWN], k=2, class_id=class_id)
        for label, shape in (("a scalar", ()), ("each", (3,)), ("one", (1,))):
            for kind in ("two labels", "rows"):
                made = [{**SHARED[kind][0], **ranked(top, i, 3), "weights": numbers(i, *shape)}
                        for i in (1, 2)]  # fmt: skip
                add(each, f"{kind}, weights: {label}", made, how, k=2)
        made = [{**SHARED["two labels"][0], **ranked(top, 1, 3), "weights": np.float32([0, 0, 0])}]
        add(each, "zero weights", made, [KNOWN], k=2)
        for label, shape in (("a scalar", ()), ("each", (2, 3)), ("rows", (2, 1))):
            made = [{"labels": DEEP, **ranked(top, i, 2, 3), "weights": numbers(i, *shape)}
                    for i in (1, 2)]  # fmt: skip
            add(each, f"deep, weights: {label}", made, how, k=2)
            if not averaged:
                add(each, f"deep, class 4, weights: {label}", made, [KNOWN], k=2, class_id=4)
        made = [{**SHARED["two labels"][0], **ranked(top, 1, 3)}]
        add(each, "another name", made, [KNOWN], k=2, name="mine")
        add(each, "k is 0", made, [KNOWN], k=0)
        add(each, "k is 6", made, [KNOWN], k=6)
        if top:
            add(each, "k is not told", made, [KNOWN])
            add(each, "k is not told, class 3", made, [KNOWN], class_id=3)
            made = [{"labels": [[0, 1]], "predictions_idx": [[1, 1, 2]]}]
            add(each, "repeated predictions", made, k=3)
            made = [{"labels": [[0, 1]], "predictions_idx": [[-1, 9, 1]]}]
            add(each, "predictions out of range", made, k=3)
        else:
            made = [{"labels": np.int64([[0, 1]]), "predictions": np.float32([1, 2, 3])}]
            add(each, "predictions of lower rank", made, how, k=2)

if __name__ == "__main__":
    import tensorflow

    record(tensorflow.compat.v1, CASES)
