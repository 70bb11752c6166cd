"""`tf.__internal__.nest`."""

from ...base.nest import (
    flatten_up_to as flatten_up_to,
    is_mapping as is_mapping,
    list_to_tuple as list_to_tuple,
    map_structure_up_to as map_structure_up_to,
    yield_flat_paths as yield_flat_paths,
)
