"""`tf.__internal__.distribute.interim`."""

from ....distribute.strategy import (
    maybe_merge_call,
)
