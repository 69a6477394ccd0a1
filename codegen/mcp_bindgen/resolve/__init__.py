"""From the model as written to the protocol: names looked up, objects flattened, unions decided, messages paired."""
