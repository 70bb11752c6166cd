"""`tf.image`."""

from ..ops.image.color import (
    adjust_brightness,
    adjust_contrast,
    adjust_gamma,
    adjust_hue,
    adjust_saturation,
    convert_image_dtype,
    grayscale_to_rgb,
    hsv_to_rgb,
    per_image_standardization,
    rgb_to_grayscale,
    rgb_to_hsv,
    rgb_to_yiq,
    rgb_to_yuv,
    yiq_to_rgb,
    yuv_to_rgb,
)
from ..ops.image.resize import ResizeMethod, resize
from ..ops.image.shape import (
    central_crop,
    crop_to_bounding_box,
    flip_left_right,
    flip_up_down,
    image_gradients,
    pad_to_bounding_box,
    psnr,
    resize_with_crop_or_pad,
    resize_with_pad,
    rot90,
    sobel_edges,
    total_variation,
    transpose,
)
from ..ops.image.warp import crop_and_resize, extract_patches
