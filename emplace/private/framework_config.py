"""`tensorflow.python.framework.config`."""

from ..core.settings import is_op_determinism_enabled as is_op_determinism_enabled
