"""`tf.__internal__.types.data`."""

from ....interop.kinds import (
    DatasetType as _Dataset,
)

# Names that differ from ours, as type checkers want them said.
Dataset = _Dataset
