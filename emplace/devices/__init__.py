"""What exists: names, memory budgets, backends, and the devices made of them.

`emplace.devices()` is the table of all devices: the folder of that name can be called.
"""

import sys
from types import ModuleType

from .table import DeviceTable, devices as _table


class _Devices(ModuleType):
    def __call__(self) -> DeviceTable:
        return _table()


sys.modules[__name__].__class__ = _Devices
