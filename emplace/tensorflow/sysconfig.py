"""`tf.sysconfig`."""

from ..base.build import (
    get_build_info as get_build_info,
)
