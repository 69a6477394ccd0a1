"""For the reference: a field shows its type, and not the ``= name`` that its constructor says."""

from __future__ import annotations

from typing import Any

import griffe


class InstanceAttributes(griffe.Extension):
    """Drops the values of attributes that belong to instances."""

    def on_attribute_instance(self, *, attr: griffe.Attribute, **kwargs: Any) -> None:
        """Keep the values of constants and aliases only."""
        if "instance-attribute" in attr.labels:
            attr.value = None
