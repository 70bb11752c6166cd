"""Imports every family, so that all rules are registered: `FAMILIES` by dotted name."""

import importlib
import pkgutil

from .. import grads

FAMILIES = {
    module.name: importlib.import_module(module.name)
    for module in pkgutil.walk_packages(grads.__path__, f"{grads.__name__}.")
    if module.name != __name__
}
