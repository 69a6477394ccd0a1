"""Sessions and event logs in Redis, for an endpoint that several processes serve."""
