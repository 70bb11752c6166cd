"""`tf.__internal__.smart_cond`."""

from ...graph.control_flow.branches import smart_cond as smart_cond
