"""`tf.sysconfig`."""

from ..base.build import (
    get_build_info,
)
