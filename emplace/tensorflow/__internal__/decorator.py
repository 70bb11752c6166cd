"""`tf.__internal__.decorator`."""

from ...interop.decorators import (
    make_decorator as make_decorator,
    unwrap as unwrap,
)
