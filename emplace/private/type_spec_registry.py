"""`tensorflow.python.framework.type_spec_registry`."""

from ..core.type_spec import get_name as get_name, lookup as lookup, register as register
