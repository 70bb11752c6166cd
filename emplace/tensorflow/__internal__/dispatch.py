"""`tf.__internal__.dispatch`."""

from ...interop.dispatch import (
    GlobalOpDispatcher as GlobalOpDispatcher,
    OpDispatcher as OpDispatcher,
    add_dispatch_support as add_dispatch_support,
)
