"""`tf.__internal__.distribute`."""

from . import (
    interim,
)
