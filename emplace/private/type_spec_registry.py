"""`tensorflow.python.framework.type_spec_registry`."""

from ..core.type_spec import (
    _BY_NAME as _NAME_TO_TYPE_SPEC,
    _NAMES as _TYPE_SPEC_TO_NAME,
    get_name as get_name,
    lookup as lookup,
    register as register,
)

__all__ = ["_NAME_TO_TYPE_SPEC", "_TYPE_SPEC_TO_NAME", "get_name", "lookup", "register"]
