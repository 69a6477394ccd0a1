"""Griffe extension for the reference: a field shows its type, without the ``= name`` of its constructor."""

from __future__ import annotations

from typing import Any

import griffe


class InstanceAttributes(griffe.Extension):
    """Removes the values of instance attributes."""

    def on_attribute_instance(self, *, attr: griffe.Attribute, **kwargs: Any) -> None:
        """Keep the values of constants and aliases only."""
        if "instance-attribute" in attr.labels:
            attr.value = None
