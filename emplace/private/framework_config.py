"""`tensorflow.python.framework.config`."""

from ..core.settings import (
    disable_op_determinism as disable_op_determinism,
    enable_op_determinism as enable_op_determinism,
    is_op_determinism_enabled as is_op_determinism_enabled,
)
