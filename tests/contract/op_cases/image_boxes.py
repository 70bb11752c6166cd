"""Cases of `ops/image_boxes.py`: boxes chosen by their scores and overlaps."""

from __future__ import annotations

_SOME = "f32(12, 4, low=0, high=1), f32(12, low=0, high=1)"
_FEW = (
    "np.float32([[0, 0, 1, 1], [0, 0.1, 1, 1.1], [0, -0.1, 1, 0.9], [0, 10, 1, 11], "
    "[0, 10.1, 1, 11.1], [0, 100, 1, 101]]), np.float32([0.9, 0.75, 0.6, 0.95, 0.5, 0.3])"
)
_TURNED = "np.float32([[1, 1, 0, 0], [0, 0, 0, 3], [1, 0, 0, 1.1]]), np.float32([0.5, 0.7, 0.5])"
# Corners in order: TensorFlow's tiled algorithm takes others for boxes of another size.
_STRAIGHT = (
    "tf.constant(np.sort(f32({0}, 2, 2, low=0, high=1), -2).reshape({0}, 4)), "
    "tf.constant(f32({0}, low=0, high=1))"
)
_CLASSES = "f32(2, 7, {}, 4, low=-0.2, high=1.2), f32(2, 7, 3, low=0, high=1)"
_OVERLAPS = "f32(6, 6, low=0, high=1), f32(6, low=0, high=1)"

CASES = [
    *[
        f"tf.image.non_max_suppression({given}, {count}, {iou}, {score})"
        for given in (_SOME, _FEW, _TURNED)
        for count in (0, 2, 30)
        for iou in (0.0, 0.3, 1.0)
        for score in ("-inf", 0.55)
    ],
    *[
        f"tf.image.non_max_suppression_with_scores({given}, {count}, {iou}, {score}, {sigma})"
        for given in (_SOME, _FEW, _TURNED)
        for count in (3, 30)
        for iou, score, sigma in (
            (0.5, "-inf", 0.0), (0.5, 0.1, 0.5), (1.0, 0.0, 0.3), (0.2, "-inf", 1.5),
        )
    ],
    *[
        f"tf.image.non_max_suppression_overlaps({_OVERLAPS}, {count}, {most}, {score})"
        for count in (2, 10)
        for most in (0.0, 0.5)
        for score in ("-inf", 0.4)
    ],
    *[
        f"tf.image.non_max_suppression_padded({given}, {count}, {iou}, {score}, "
        f"pad_to_max_output_size={pads})"
        for given in (f"{_STRAIGHT.format('12')}", f"*map(tf.constant, ({_FEW}))")
        for count in (3, 20)
        for iou in (0.3, 0.7)
        for score in ("-inf", 0.55)
        for pads in (True, False)
    ],
    f"tf.image.non_max_suppression_padded({_STRAIGHT.format('2, 9')}, 5, 0.4, 0.2, True)",
    f"tf.image.non_max_suppression_padded({_STRAIGHT.format('2, 3, 9')}, 5, 0.4, 0.2, True)",
    f"tf.image.non_max_suppression_padded({_STRAIGHT.format('2, 9')}, 5, 0.4, 0.2)",
    f"tf.image.non_max_suppression_padded({_STRAIGHT.format('2, 9')}, 5, 0.4, 0.2, True, "
    "canonicalized_coordinates=True)",
    *[
        f"tf.image.combined_non_max_suppression({_CLASSES.format(q)}, {per}, {total}, {iou}, "
        f"{score}, {pads}, {clips})"
        for q in (1, 3)
        for per, total in ((2, 4), (7, 30))
        for iou, score in ((0.5, "-inf"), (0.1, 0.4))
        for pads, clips in ((False, True), (True, False))
    ],
    *[
        f"tf.raw_ops.NonMaxSuppression{call})"
        for call in (
            f"(boxes={_SOME.replace('), ', '), scores=', 1)}, max_output_size=3, iou_threshold=0.4",
            f"V2(boxes={_SOME.replace('), ', '), scores=', 1)}, max_output_size=5, "
            "iou_threshold=0.3",
            f"V4(boxes={_SOME.replace('), ', '), scores=', 1)}, max_output_size=5, "
            "iou_threshold=0.3, score_threshold=0.5, pad_to_max_output_size=True",
            f"V5(boxes={_SOME.replace('), ', '), scores=', 1)}, max_output_size=9, "
            "iou_threshold=0.3, score_threshold=0.5, soft_nms_sigma=0.5, "
            "pad_to_max_output_size=True",
        )
    ],
    *[
        f"tf.image.non_max_suppression({call})"
        for call in (
            "f16(5, 4), f16(5), 3",
            "f32(0, 4), f32(0), 3",
            "f32(5, 3), f32(5), 3",
            "f32(5, 4), f32(4), 3",
            "f32(5), f32(5), 3",
            "f32(5, 4), f32(5, 1), 3",
            "f32(5, 4), f32(5), -1",
            "f32(5, 4), f32(5), [3]",
            "f32(5, 4), f32(5), 3, 1.5",
            "f32(5, 4), f32(5), 3, -0.1",
            "f32(5, 4), f64(5), 3",
            "i32(5, 4), i32(5), 3",
            "np.float32([[0, 0, 1, 1]] * 3), np.float32([nan, 1, inf]), 3, 1.0",
        )
    ],
    "tf.image.non_max_suppression_overlaps(f32(5, 4), f32(5), 3)",
    "tf.image.non_max_suppression_overlaps(f32(5, 5), f32(4), 3)",
    "tf.image.combined_non_max_suppression(f32(2, 7, 2, 4), f32(2, 7, 3), 2, 4)",
    "tf.image.combined_non_max_suppression(f32(2, 7, 1, 3), f32(2, 7, 3), 2, 4)",
    "tf.image.combined_non_max_suppression(f32(2, 7, 4), f32(2, 7, 3), 2, 4)",
    "tf.image.combined_non_max_suppression(f32(2, 7, 1, 4), f32(2, 6, 3), 2, 4)",
    "tf.image.combined_non_max_suppression(f32(2, 7, 1, 4), f32(2, 7, 3), 0, 4)",
    "tf.image.combined_non_max_suppression(f32(2, 7, 1, 4), f32(2, 7, 3), 2, 0)",
    "tf.image.combined_non_max_suppression(f32(2, 7, 1, 4), f32(2, 7, 3), 2, 4, 1.5)",
    *[f"tf.image.combined_non_max_suppression(f32(2, 7, 1, 4), f32(2, 7, 3), {per}, {total})"
      for per, total in (
        ("2", "2**31"), ("2**31", "4"), ("2", "tf.constant(4, tf.int64)"), ("2", "np.int64(4)"),
        ("tf.constant(2, tf.int64)", "4"), ("np.int64(2)", "4"), ("2", "4.0"), ("2", "None"),
        ("2", "np.int32(4)"), ("tf.constant(2.0)", "4"), ("None", "4"),
    )],
]  # fmt: skip

CASES += [
    "tf.image.draw_bounding_boxes(np.zeros((1, 4, 4, 3), np.float32), "
    f"[[[{box}]]], [[1.0, 1.0, 1.0]])"
    for box in (
        "0, 0, np.inf, np.inf", "-np.inf, -np.inf, np.inf, np.inf", "np.nan, 0, 1, 1",
        "0, 0, 1e30, 1", "0, 0, 1e9, 1e9", "-1e30, 0, 1, 1", "0, np.inf, 1, np.inf",
    )
]  # fmt: skip
CASES.append("tf.image.draw_bounding_boxes(f64(1, 4, 5, 3), [[[0, 0, 1, 1]]], [[1.0, 1.0, 1.0]])")
