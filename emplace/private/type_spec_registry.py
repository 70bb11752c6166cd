"""`tensorflow.python.framework.type_spec_registry`."""

from ..core.type_spec import get_name as get_name
from ..core.type_spec import lookup as lookup
from ..core.type_spec import register as register
