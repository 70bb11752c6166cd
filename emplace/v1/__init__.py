"""The TensorFlow 1 facade: `import emplace.v1 as tf`.

Its names are those of `tf.compat.v1`. Importing it switches the process to graphs, which TF 1
programs build and sessions run; `tf.enable_v2_behavior()` switches back.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .. import (
    tensorflow as _tf2,
)
from ..graph.recording.default import (
    disable_v2_behavior as disable_v2_behavior,
)
from ..tensorflow.compat import (
    v1 as _names,
)
from . import (
    contrib as contrib,
)

if TYPE_CHECKING:  # what `__getattr__` finds
    from ..tensorflow.compat.v1 import *

disable_v2_behavior()


def __getattr__(name: str) -> Any:
    return getattr(_names, name)


def __dir__() -> list[str]:
    return sorted({*dir(_names), *dir(_tf2)})
