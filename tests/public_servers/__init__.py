"""Tool contracts and typed clients of public servers, by pinned releases from the package registries."""
