"""`tf.distribute.OneDeviceStrategy`: everything on one device, as a strategy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...data.dataset.dataset import Dataset
from ..inputs.classic_inputs import in_graph
from ..inputs.inputs import on_devices
from ..reductions.cross_device import full_name
from .strategy import Strategy


class OneDeviceStrategy(Strategy):
    """One replica on a device, with its variables (`tf.distribute.OneDeviceStrategy`).

    Args:
        device: its name.

    >>> strategy = OneDeviceStrategy("CPU:0")
    >>> strategy.run(lambda: 3)
    3
    """

    def __init__(self, device: Any) -> None:
        name = full_name(getattr(device, "name", device))
        self._device = name
        super().__init__(devices=(name,))

    def experimental_distribute_dataset(self, dataset: Dataset, options: Any = None) -> Any:
        """The dataset, whose elements come to the device."""
        return in_graph(on_devices(dataset, self, splits=False, options=options))

    def distribute_datasets_from_function(
        self, dataset_fn: Callable[..., Any], options: Any = None
    ) -> Any:
        """The dataset that `dataset_fn` makes, whose elements come to the device."""
        made = super().distribute_datasets_from_function(dataset_fn, options)
        return in_graph(on_devices(made, self, splits=False, options=options))
