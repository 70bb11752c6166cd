"""`tf.__internal__.distribute`."""

from ....distribute.strategies.strategy import (
    strategy_supports_no_merge_call as strategy_supports_no_merge_call,
)
from ....distribute.variables.reading import (
    variable_sync_on_read_context as variable_sync_on_read_context,
)
from . import (
    combinations as combinations,
    interim as interim,
)
