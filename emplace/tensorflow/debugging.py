"""`tf.debugging`."""

from ..eager.numerics import disable_check_numerics, enable_check_numerics
from ..observe.placement_log import get_log_device_placement, set_log_device_placement
from ..ops.debugging.assertions import (
    assert_equal,
    assert_greater,
    assert_greater_equal,
    assert_integer,
    assert_less,
    assert_less_equal,
    assert_near,
    assert_negative,
    assert_non_negative,
    assert_non_positive,
    assert_none_equal,
    assert_positive,
    assert_proper_iterable,
    assert_same_float_dtype,
    assert_type,
)
from ..ops.debugging.checks import (
    Assert,
    assert_all_finite,
    check_numerics,
    is_numeric_tensor,
)
from ..ops.debugging.shape_assertions import (
    assert_rank,
    assert_rank_at_least,
    assert_rank_in,
    assert_scalar,
    assert_shapes,
)
