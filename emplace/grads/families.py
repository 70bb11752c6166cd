"""Imports every family, so that all rules are registered: `FAMILIES` by name."""

import importlib
import pkgutil

from .. import grads

FAMILIES = {
    module.name: importlib.import_module(f"{grads.__name__}.{module.name}")
    for module in pkgutil.iter_modules(grads.__path__)
    if module.name != "families"
}
