"""`tf.sysconfig`."""

from ..base.build import (
    get_build_info as get_build_info,
)

# Of the release whose behaviour the facade follows.
CXX11_ABI_FLAG = 1
CXX_VERSION = 201703
MONOLITHIC_BUILD = 0
