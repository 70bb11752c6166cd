"""Cases of `raw/images.py`: raw ops on images."""

from . import Case, loose, shape_only
from .raw_calls import typed

_BOXES = "boxes=[[0.1, 0.2, 0.8, 0.9], [0.0, 0.0, 0.6, 0.7]], box_ind=[0, 1]"

_EXACT: list[str | Case] = [
    *typed("AdjustContrastv2", "images={}(2, 4, 4, 3), contrast_factor=1.7", "f32"),
    *typed("AdjustHue", "images={}(2, 4, 4, 3, low=0.0, high=1.0), delta=0.2", "f32"),
    *typed("AdjustSaturation", "images={}(2, 4, 4, 3, low=0.0, high=1.0), scale=0.6", "f32"),
    *[
        f"tf.raw_ops.Resize{kind}Grad(grads=f32(2, 6, 5, 3), original_image=T({make})(2, 4, 4, 3)"
        f"{rest})"
        for kind in ("Bilinear", "Bicubic")
        for make in ("f32", "f64")
        for rest in ("", ", align_corners=True", ", half_pixel_centers=True")
    ],
    "tf.raw_ops.ResizeBilinearGrad(grads=f32(2, 2, 3, 3), original_image=T(f16)(2, 4, 4, 3))",
    *[
        f"tf.raw_ops.ResizeNearestNeighborGrad(grads=T({make})(2, 6, 5, 3), size=[4, 4]{rest})"
        for make in ("f32", "f64", "f16", "i32")
        for rest in ("", ", align_corners=True", ", half_pixel_centers=True")
    ],
    *[
        "tf.raw_ops.ScaleAndTranslateGrad(grads=f32(2, 6, 5, 3), original_image=f32(2, 4, 4, 3),"
        f" scale=[1.5, 1.2], translation=[0.3, -0.5]{rest})"
        for rest in ("", ", kernel_type='triangle'", ", antialias=False")
    ],
    *[
        f"tf.raw_ops.CropAndResizeGradImage(grads=f32(2, 3, 3, 2), {_BOXES},"
        f" image_size=[2, 5, 5, 2], T=tf.{kind}, method='{method}')"
        for kind in ("float32", "float64")
        for method in ("bilinear", "nearest")
    ],
    *typed(
        "CropAndResizeGradBoxes",
        f"grads=f32(2, 3, 3, 2), image={{}}(2, 5, 5, 2), {_BOXES}",
        "f32 f64 u8",
    ),
    *[
        f"tf.raw_ops.CropAndResizeGradBoxes(grads=f32(2, {height}, {width}, 2),"
        f" image=f32(2, 5, 5, 2), {_BOXES})"
        for height, width in ((7, 3), (7, 7), (5, 9))
    ],
    shape_only("tf.raw_ops.EncodeJpegVariableQuality(images=u8(4, 4, 3), quality=80)"),
    *typed(
        "ImageProjectiveTransformV2",
        "images={}(2, 4, 4, 3), transforms=[[1.0, 0.1, 0.5, 0.2, 1.1, 0.3, 0.0, 0.01]],"
        " output_shape=[5, 3], interpolation='BILINEAR'",
        "f32 f64 u8",
    ),
    "tf.raw_ops.ImageProjectiveTransformV2(images=f32(1, 4, 4, 1),"
    " transforms=[[1.0, 0.1, 0.5, 0.2, 1.1, 0.3, 0.0, 0.01]], output_shape=[5, 3],"
    " interpolation='NEAREST', fill_mode='REFLECT')",
    *[f"tf.raw_ops.SampleDistortedBoundingBox{version}(image_size={size}, bounding_boxes="
      f"[[[0.1, 0.2, 0.6, 0.7]]], seed={seed}, seed2={i}, min_object_covered=0.0, "
      "aspect_ratio_range=[0.5, 2.0], area_range=[0.05, 0.9])"
      for version in ("", "V2")
      for i, size in enumerate(("[40, 50, 3]", "[1024, 333, 3]", "[7, 7, 1]"))
      for seed in range(-3, 4) if seed],
    *[f"tf.raw_ops.StatelessSampleDistortedBoundingBox(image_size=[40, 50, 3], bounding_boxes="
      f"[[[0.1, 0.2, 0.6, 0.7]]], min_object_covered={covered}, seed=[1, 2])"
      for covered in (0.1, 0.5, -1.0)],
]  # fmt: skip

# TensorFlow has the shares of neighbours as float32, whatever the image is.
_SHARES = "shares of neighbours are float32 in TensorFlow"
CASES: list[str | Case] = [
    loose(each, 2e-6, _SHARES) if isinstance(each, str) and "64" in each else each
    for each in _EXACT
]
