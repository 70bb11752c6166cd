"""`tf.__internal__.distribute`."""

from ....distribute.strategies.strategy import (
    strategy_supports_no_merge_call as strategy_supports_no_merge_call,
)
from . import (
    interim as interim,
)
