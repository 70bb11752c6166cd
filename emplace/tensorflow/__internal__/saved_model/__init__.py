"""`tf.__internal__.saved_model`: what registers types; the format itself is not served."""

from . import (
    load as load,
)
