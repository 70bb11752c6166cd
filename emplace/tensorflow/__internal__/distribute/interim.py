"""`tf.__internal__.distribute.interim`."""

from ....distribute.strategies.strategy import (
    maybe_merge_call as maybe_merge_call,
)
