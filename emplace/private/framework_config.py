"""`tensorflow.python.framework.config`."""

from ..core.settings import disable_op_determinism as disable_op_determinism
from ..core.settings import enable_op_determinism as enable_op_determinism
from ..core.settings import is_op_determinism_enabled as is_op_determinism_enabled
