"""`tf.__operators__`."""

from ..interop.api_operators import (
    add as add,
    eq as eq,
    getitem as getitem,
    ne as ne,
    ragged_getitem as ragged_getitem,
)
