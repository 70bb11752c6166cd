"""`tf.__internal__.test`."""

from . import (
    combinations as combinations,
)
